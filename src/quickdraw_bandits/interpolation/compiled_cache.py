"""Compiled loops of the cached engine: sums over blocks of observations at several moments, for every arm."""

import numpy as np
from numba import njit

from quickdraw_bandits.interpolation.compiled import BLOCK, COSINE, EUCLIDEAN, squared_distances

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "arcp", "nsz"})

ARMS = 512
"""Arms a pass over recent observations: their sums stay in the first-level cache."""


@_compiled
def add_at_moments(squared, terms, rewards, sharpness, weight, out, i):
    """Add to arm ``i`` of every moment's table what observations at the given squared distances contribute."""
    for k in range(terms.shape[0]):
        term = terms[k]
        s0 = 0.0
        s1 = 0.0
        if sharpness == 1:
            for s in range(squared.shape[0]):
                nu = 1.0 / (term[s] + weight * squared[s])
                s0 += nu
                s1 += nu * rewards[s]
        else:
            for s in range(squared.shape[0]):
                nu = 1.0 / (term[s] + weight * squared[s])
                nu = nu * nu if sharpness == 2 else nu * nu * nu
                s0 += nu
                s1 += nu * rewards[s]
        out[k, 0, i] += s0
        out[k, 1, i] += s1


@_compiled
def block_tables(metric, points, coordinates, arms, rewards, terms, begin, end, weight, sharpness, out, buffer):
    """Fill ``out`` with sum nu and sum nu y over the observations from ``begin`` to ``end``, at every moment and arm.

    Distances are computed once for all moments; ``terms`` has 1 + ((t - t_s) / (l_t rho))² for every moment and
    observation of the block.
    """
    out[:] = 0
    for i in range(points.shape[0]):
        for start in range(begin, end, BLOCK):
            m = min(BLOCK, end - start)
            squared = buffer[:m]
            squared_distances(metric, points[i], coordinates, arms, start, squared)
            inside = start - begin
            add_at_moments(
                squared, terms[:, inside : inside + m], rewards[start : start + m], sharpness, weight, out, i
            )


@_compiled
def distances_from(metric, points, coordinates, arms, s, weight, out, buffer):
    """Fill ``out`` with the scaled squared distances from all arms to observation ``s``."""
    if metric in (EUCLIDEAN, COSINE):  # the same formulas, over coordinates that lie side by side
        place = np.ascontiguousarray(coordinates[:, s])
        for i in range(points.shape[0]):
            point = points[i]
            total = 0.0
            for j in range(place.shape[0]):
                d = point[j] - place[j]
                total += d * d
            if metric == COSINE:
                total = total * total / 4
            out[i] = weight * total
        return
    for i in range(points.shape[0]):
        squared_distances(metric, points[i], coordinates, arms, s, buffer[:1])
        out[i] = weight * buffer[0]


@_compiled
def add_tables(tables, basis, s0, s1):
    """Add to the sums the tables of a block, weighted by Lagrange's polynomials."""
    for k in range(tables.shape[0]):
        w = np.float32(basis[k])
        t0, t1 = tables[k, 0], tables[k, 1]
        for i in range(s0.shape[0]):
            s0[i] += w * t0[i]
            s1[i] += w * t1[i]


@_compiled
def add_recent(squared, terms, rewards, sharpness, s0, s1):
    """Add to the sums the observations whose scaled squared distances from all arms are kept, one row each."""
    one = np.float32(1)
    for first in range(0, s0.shape[0], ARMS):
        last = min(first + ARMS, s0.shape[0])
        a, b = s0[first:last], s1[first:last]
        for s in range(terms.shape[0]):
            row = squared[s, first:last]
            term, y = np.float32(terms[s]), np.float32(rewards[s])
            for i in range(last - first):
                nu = one / (term + row[i])
                if sharpness == 2:
                    nu = nu * nu
                elif sharpness == 3:
                    nu = nu * nu * nu
                a[i] += nu
                b[i] += nu * y


@_compiled
def largest_index(s0, s1, gamma, sharpness, smallest, out):
    """Fill ``out`` with S1 / S0 + gamma S0^(-1/(2p)); return whether every S0 exceeds ``smallest``."""
    fine = True
    for i in range(s0.shape[0]):
        total = np.float64(s0[i])
        if not total > smallest:
            fine = False
        sigma = 1.0 / np.sqrt(total) if sharpness == 1 else total ** (-0.5 / sharpness)
        out[i] = s1[i] / total + gamma * sigma
    return fine
