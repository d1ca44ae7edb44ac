"""Squared distances, compiled: from one point to many others, by each metric of ``arms.metrics``."""

import numpy as np

from quickdraw_bandits.numerics.jit import inlined

EUCLIDEAN, COSINE, HAVERSINE, PRECOMPUTED = 0, 1, 2, 3
METRIC_CODES = {"euclidean": EUCLIDEAN, "cosine": COSINE, "haversine": HAVERSINE, "precomputed": PRECOMPUTED}


@inlined
def squared_haversine(place, latitude, longitude):
    """Return the squared angle between two places on the sphere, in radians."""
    here, there = np.float64(place[0]), np.float64(place[1])
    a = np.sin((here - latitude) / 2)
    b = np.sin((there - longitude) / 2)
    h = a * a + np.cos(here) * np.cos(latitude) * b * b
    d = 2 * np.arcsin(np.sqrt(h if h < 1.0 else 1.0))
    return d * d


@inlined
def squared_distances(metric, point, columns, positions, start, out):
    """Fill ``out`` with the squared, unscaled distances from ``point`` to others, from number ``start`` on.

    The others are ``columns`` of coordinates. For precomputed distances, ``point`` is a row of the matrix and
    ``positions`` says where the others are in it.
    """
    if metric == PRECOMPUTED:
        for s in range(out.shape[0]):
            d = np.float64(point[positions[start + s]])
            out[s] = d * d
    elif metric == HAVERSINE:
        for s in range(out.shape[0]):
            out[s] = squared_haversine(point, columns[0, start + s], columns[1, start + s])
    else:
        for j in range(columns.shape[0]):
            x, other_x = np.float64(point[j]), columns[j, start : start + out.shape[0]]
            for s in range(out.shape[0]):
                d = x - other_x[s]
                out[s] = d * d if j == 0 else out[s] + d * d
        if metric == COSINE:  # of vectors at unit length: 1 - cos = |a - b|² / 2
            for s in range(out.shape[0]):
                d = out[s] / 2
                out[s] = d * d


@inlined
def squared_distance(metric, point, place, position):
    """Return the squared, unscaled distance from ``point`` to one place, or to ``position`` in a row of distances."""
    if metric == PRECOMPUTED:
        d = np.float64(point[position])
        return d * d
    if metric == HAVERSINE:
        return squared_haversine(point, np.float64(place[0]), np.float64(place[1]))
    total = 0.0
    for j in range(place.shape[0]):
        d = np.float64(point[j]) - place[j]
        total += d * d
    return total * total / 4 if metric == COSINE else total


@inlined
def squared_differences(point, columns, out):
    """Fill ``out`` with |point - column|² in the type of both, eight rows at a time: an eighth of the traffic.

    ``columns`` may have more rows than the point has coordinates.
    """
    d, m = point.shape[0], out.shape[0]
    for s in range(m):
        out[s] = 0
    whole = d - d % 8
    for j in range(0, whole, 8):
        xa, xb, xc, xd = point[j], point[j + 1], point[j + 2], point[j + 3]
        xe, xf, xg, xh = point[j + 4], point[j + 5], point[j + 6], point[j + 7]
        ya, yb, yc, yd = columns[j], columns[j + 1], columns[j + 2], columns[j + 3]
        ye, yf, yg, yh = columns[j + 4], columns[j + 5], columns[j + 6], columns[j + 7]
        for s in range(m):
            a, b, c, e = xa - ya[s], xb - yb[s], xc - yc[s], xd - yd[s]
            f, g, h, i = xe - ye[s], xf - yf[s], xg - yg[s], xh - yh[s]
            out[s] += ((a * a + b * b) + (c * c + e * e)) + ((f * f + g * g) + (h * h + i * i))
    for j in range(whole, d):
        x, y = point[j], columns[j]
        for s in range(m):
            a = x - y[s]
            out[s] += a * a
