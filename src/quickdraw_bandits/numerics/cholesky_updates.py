"""Cholesky factors that gain a row at their end or lose their first, in O(n²) each; U is as in ``cholesky``."""

import math

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.numerics.cholesky import solve
from quickdraw_bandits.numerics.jit import compiled


@compiled
def append_row(upper: Floats, n: int, column: Floats, diagonal: float, smallest: float) -> bool:
    """Grow the factor of A to that of A with one more row and column; return False, and change nothing, if it cannot.

    With a = ``column`` the covariances of the new observation with the n others and d = ``diagonal`` its own
    variance, the new row of L is (l', p) with L l = a and p² = d - |l|². It cannot grow if p² is below ``smallest``.
    """
    row = column.copy()
    solve(upper, row)
    pivot = diagonal
    for i in range(n):
        pivot -= row[i] * row[i]
    if not pivot >= smallest:
        return False
    for i in range(n):
        upper[i, n] = row[i]
    upper[n, n] = math.sqrt(pivot)
    return True


@compiled
def drop_first_row(upper: Floats, n: int) -> None:
    """Shrink the factor of A to that of A without its first row and column.

    If L = [[p, 0], [v, M]], what is left of A is M M' + v v': a rank-one update, by n - 1 rotations, each of which
    brings one element of v to zero. Nothing is subtracted, so that rounding errors do not build up.
    """
    v = upper[0, 1:n].copy()
    for k in range(n - 1):
        old = upper[k + 1, 1:n]
        new = upper[k, : n - 1]
        length = math.hypot(old[k], v[k])
        cosine, sine = old[k] / length, v[k] / length
        new[k] = length
        for i in range(k + 1, n - 1):
            element = old[i]
            new[i] = cosine * element + sine * v[i]
            v[i] = cosine * v[i] - sine * element
