"""The loops that keep a Cholesky factor up to date, O(n²) each. Imported only where it is used: it loads the compiler.

A factor L is held as its transpose U = L', the rows of which are the columns of L, so that every inner loop runs
along memory.
"""

# mypy: allow-untyped-decorators

import math

import numba

from quickdraw_bandits.checks import Floats

# As in ``compiled``: sums may be reordered; infinities and NaN keep their meaning.
_compile = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})


@_compile
def whiten(upper: Floats, n: int, values: Floats) -> None:
    """Replace the first n of ``values`` by L⁻¹ times them."""
    for k in range(n):
        row = upper[k, :n]
        scaled = values[k] / row[k]
        values[k] = scaled
        for i in range(k + 1, n):
            values[i] -= scaled * row[i]


@_compile
def append(upper: Floats, n: int, column: Floats, diagonal: float, smallest: float) -> bool:
    """Grow the factor of A to that of A with one more row and column; return False, and change nothing, if it cannot.

    With a = ``column`` the covariances of the new observation with the n others and d = ``diagonal`` its own
    variance, the new row of L is (l', p) with L l = a and p² = d - |l|². It cannot grow if p² is below ``smallest``.
    """
    row = column.copy()
    whiten(upper, n, row)
    pivot = diagonal
    for i in range(n):
        pivot -= row[i] * row[i]
    if not pivot >= smallest:
        return False
    for i in range(n):
        upper[i, n] = row[i]
    upper[n, n] = math.sqrt(pivot)
    return True


@_compile
def drop_first(upper: Floats, n: int) -> None:
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
