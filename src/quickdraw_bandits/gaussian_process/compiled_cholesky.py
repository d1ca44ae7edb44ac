"""The loops that factor a covariance matrix and solve for many arms. Imported only where used: it loads the compiler.

They take the place of LAPACK and BLAS, whose threads wait for each other: where other processes keep the cores busy, a
matrix of a few hundred rows takes these several times as long, or a hundred times. The loops have one thread, and for
so many rows one thread of BLAS is hardly faster.

A factor L is held as its transpose U = L', so that A = U' U. Arms are worked on ``TILE`` at a time. A tile is a flat
array of rows of ``TILE`` numbers, with one row more than are used; what is in its unused columns does not matter.
"""

# mypy: allow-untyped-decorators

import math

import numba
import numpy as np

from quickdraw_bandits.checks import Floats

# As in ``compiled``: sums may be reordered; infinities and NaN keep their meaning.
_compile = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})

TILE = 128
"""Arms worked on at a time."""

PANEL = 16
"""Rows of a tile that are finished before they are subtracted from all below; a multiple of 4, and half of a cache."""


@_compile
def factorise(upper: Floats, least: Floats) -> bool:
    """Replace the upper triangle of A by U.

    Return False, with it half replaced, if a squared pivot is not above its ``least``.
    Four rows of U are found at a time, and what they explain is taken from all rows below in one pass.
    """
    n = upper.shape[0]
    for first in range(0, n, 4):
        last = min(first + 4, n)
        for k in range(first, last):
            row = upper[k, k:]
            for j in range(first, k):
                other = upper[j, k:]
                f = other[0]
                for i in range(n - k):
                    row[i] -= f * other[i]
            if not row[0] > least[k]:
                return False
            f = 1.0 / math.sqrt(row[0])
            for i in range(n - k):
                row[i] *= f
        if last - first < 4:
            break
        for k in range(last, n):
            row = upper[k, k:]
            a, b, c, d = upper[first, k:], upper[first + 1, k:], upper[first + 2, k:], upper[first + 3, k:]
            p, q, r, s = a[0], b[0], c[0], d[0]
            for i in range(n - k):
                row[i] -= p * a[i] + q * b[i] + r * c[i] + s * d[i]
    return True


@_compile
def explain(
    upper: Floats, rows: Floats, first: int, scales: Floats, white: Floats, mean: Floats, explained: Floats
) -> None:
    """Fill ``mean`` with (L⁻¹ k)' ``white`` and ``explained`` with |L⁻¹ k|², for the covariances k of every arm.

    Element i of k is ``scales[i]`` times row ``first + i`` of ``rows``, a ring: its first row follows its last. It has
    one column to an arm.
    """
    n, n_arms = len(scales), rows.shape[1]
    tile = np.zeros((n + 1) * TILE)
    for start in range(0, n_arms, TILE):
        stop = min(start + TILE, n_arms)
        for i in range(n):
            row, given = tile[i * TILE : (i + 1) * TILE], rows[(first + i) % len(rows), start:stop]
            scale = scales[i]
            for j in range(stop - start):
                row[j] = scale * given[j]
        _substitute(upper, tile, n)
        means, squares = mean[start:stop], explained[start:stop]
        means[:] = 0.0
        squares[:] = 0.0
        for i in range(n):
            row, weight = tile[i * TILE : (i + 1) * TILE], white[i]
            for j in range(stop - start):
                means[j] += weight * row[j]
                squares[j] += row[j] * row[j]


@_compile
def _substitute(upper: Floats, tile: Floats, n: int) -> None:
    """Replace C, the first n rows of ``tile``, by L⁻¹ C.

    That is, from the first row to the last::

        (L⁻¹ C)_i = (C_i - sum_{k<i} U_ki (L⁻¹ C)_k) / U_ii
    """
    for start in range(0, n, PANEL):
        stop = min(start + PANEL, n)
        for first in range(start, stop, 4):
            last = min(first + 4, stop)
            for i in range(first, last):
                row = tile[i * TILE : (i + 1) * TILE]
                for k in range(first, i):
                    other, weight = tile[k * TILE : (k + 1) * TILE], upper[k, i]
                    for j in range(TILE):
                        row[j] -= weight * other[j]
                scale = 1.0 / upper[i, i]
                for j in range(TILE):
                    row[j] *= scale
            _subtract(upper, tile, first, last, last, stop)
        _subtract(upper, tile, start, stop, stop, n)


@_compile
def _subtract(upper: Floats, tile: Floats, first: int, last: int, begin: int, end: int) -> None:
    """Subtract U_ki times row k of a tile from its row i, for all k in [first, last) and i in [begin, end).

    Two rows i are worked on at once, each with four rows k, so that a number that was read is used more than once. So
    the rows k must be a multiple of four, unless there are no rows i. If the latter are odd in number, ``end`` is that
    of all rows in use, and the one after it takes part for nothing.
    """
    for i in range(begin, end, 2):
        pair = tile[i * TILE : (i + 2) * TILE]
        second = min(i + 1, end - 1)
        for k in range(first, last, 4):
            four = tile[k * TILE : (k + 4) * TILE]
            # Negative, because a sum of products takes one instruction less than a difference.
            a, b, c, d = -upper[k, i], -upper[k + 1, i], -upper[k + 2, i], -upper[k + 3, i]
            p, q, r, s = -upper[k, second], -upper[k + 1, second], -upper[k + 2, second], -upper[k + 3, second]
            for j in range(TILE):
                w, x, y, z = four[j], four[TILE + j], four[2 * TILE + j], four[3 * TILE + j]
                pair[j] += a * w + b * x + c * y + d * z
                pair[TILE + j] += p * w + q * x + r * y + s * z
