"""Cholesky factors of covariance matrices, and triangular systems with them.

A = L L'. The factor is held as U = L', the rows of which are the columns of L, so that inner loops run along memory.
What is below the diagonal of U is neither read nor written.

These loops replace LAPACK and BLAS, whose threads wait for each other: where other processes keep the cores busy, a
matrix of a few hundred rows takes them several times as long. For so few rows one thread of BLAS is hardly faster.
"""

import math

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.numerics.jit import compiled

TILE = 128
"""Columns of a tile: so many right-hand sides are solved together in ``solve_tile``."""

PANEL = 16
"""Rows of a tile that are finished before they are subtracted from all below; a multiple of 4, and half of a cache."""


@compiled
def factorise(upper: Floats, least: Floats) -> bool:
    """Replace the upper triangle of A by U, and further columns C on its right by L⁻¹ C.

    Return False, with A half replaced, if a squared pivot is not above its ``least``.
    Four rows of U are found at a time, and what they explain is subtracted from all rows below in one pass.
    """
    n, width = upper.shape
    for first in range(0, n, 4):
        last = min(first + 4, n)
        for k in range(first, last):
            row = upper[k, k:]
            for j in range(first, k):
                other = upper[j, k:]
                f = other[0]
                for i in range(width - k):
                    row[i] -= f * other[i]
            if not row[0] > least[k]:
                return False
            f = 1.0 / math.sqrt(row[0])
            for i in range(width - k):
                row[i] *= f
        if last - first < 4:
            break
        for k in range(last, n):
            row = upper[k, k:]
            a, b, c, d = upper[first, k:], upper[first + 1, k:], upper[first + 2, k:], upper[first + 3, k:]
            p, q, r, s = a[0], b[0], c[0], d[0]
            for i in range(width - k):
                row[i] -= p * a[i] + q * b[i] + r * c[i] + s * d[i]
    return True


@compiled
def solve(upper: Floats, values: Floats) -> None:
    """Replace y = ``values`` by L⁻¹ y; U may have more rows and columns than there are values."""
    n = values.shape[0]
    for k in range(n):
        row = upper[k, k:n]
        rest = values[k:]
        scaled = rest[0] / row[0]
        for i in range(n - k):
            rest[i] -= scaled * row[i]
        values[k] = scaled


@compiled
def solve_transposed(upper: Floats, values: Floats) -> None:
    """Replace y = ``values`` by U⁻¹ y; U may have more rows and columns than there are values."""
    n = values.shape[0]
    for k in range(n - 1, -1, -1):
        row, rest = upper[k, k:n], values[k:]
        total = rest[0]
        for i in range(1, n - k):
            total -= row[i] * rest[i]
        values[k] = total / row[0]


@compiled
def solve_tile(upper: Floats, tile: Floats, n: int) -> None:
    """Replace C, the first n rows of ``tile``, by L⁻¹ C.

    A tile is a flat array of rows of ``TILE`` numbers, with one row more than are used. From the first to the last::

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


def solve_few(upper: Floats, columns: Floats) -> None:
    """Replace C by L⁻¹ C, as ``solve_tile`` does: for so few rows that compiling would take longer than solving."""
    for i in range(len(columns)):
        columns[i] = (columns[i] - upper[:i, i] @ columns[:i]) / upper[i, i]


@compiled
def _subtract(upper: Floats, tile: Floats, first: int, last: int, begin: int, end: int) -> None:
    """Subtract U_ki times row k of a tile from its row i, for all k in [first, last) and i in [begin, end).

    Two rows i are worked on at once, each with four rows k, so that a number that was read is used more than once. So
    the number of rows k must be a multiple of four, unless there are no rows i. If the number of rows i is odd,
    ``end`` is the number of all rows in use, and the unused row after it is overwritten.
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
