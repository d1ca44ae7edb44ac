"""Promising arms of many groups at little cost, in many dimensions: by a polynomial through the indices of some arms.

In many dimensions arms are far from each other, and no observation is near to most of them: over all arms, the index is
nearly a polynomial of the second degree. Its value costs much less than sums over all observations.

Nothing here uses BLAS or LAPACK, whose threads wait for each other (``numerics/cholesky.py``).
"""

from typing import NamedTuple

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.numerics.cholesky import factorise, solve_transposed
from quickdraw_bandits.numerics.jit import compiled

FITTED = 1024
"""Arms to which the polynomial is fitted, at most."""
MIXED = 24
"""With more coordinates than that, it has no products of two different ones: fitting them would take too long."""
PER_TERM = 4
"""Arms for each term of it at least; with fewer, it has none of these products either."""
SCREENED, IN_TURN = 2**19, 2**19
"""Coordinates of the arms whose polynomial is computed, about: in groups in which it may be highest, and in turn: arms
far from all others can be in groups that are better than they seem."""
CHOSEN = 2048
"""Arms that are chosen from these."""
SPREAD = 2.5
"""How many standard deviations the best of a group of some hundred arms is above their mean."""
AT_ONCE = 256
"""Numbers of a row that are multiplied at a time."""
RIDGE = 1e-9
"""Added to the diagonal of the normal equations, in units of their trace: coordinates may depend on each other."""


class Polynomial(NamedTuple):
    """x'b + x'Bx, where x is counted from a centre; without ``mixed``, B is diagonal."""

    centre: Floats
    slope: Floats
    curvature: Floats
    mixed: bool

    def at(self, columns: Floats) -> Floats:
        """Return the values at some places, one row per dimension."""
        x = columns - self.centre[:, None]
        return np.asarray(np.einsum("i,ij->j", self.slope, x) + np.einsum("ij,ij->j", x, self._bent(x)))

    def range(self, means: Floats, variances: Floats) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the values in groups with independent coordinates.

        The deviation is that of the tangent plane at the mean.
        """
        x = means - self.centre[:, None]
        bent = self._bent(x)
        mean = np.einsum("i,ij->j", self.slope, x) + np.einsum("ij,ij->j", x, bent)
        mean += np.einsum("i,ij->j", self.curvature.diagonal(), variances)
        gradients = self.slope[:, None] + 2 * bent
        return mean, np.sqrt(np.einsum("ij,ij,ij->j", gradients, gradients, variances))

    def _bent(self, x: Floats) -> Floats:
        if self.mixed:
            return np.asarray(np.einsum("ij,jk->ik", self.curvature, x))
        return np.asarray(self.curvature.diagonal()[:, None] * x)


class Screen:
    """Screens groups of arms.

    Parameters
    ----------
    columns
        Coordinates of all arms, one row per dimension, group after group.
    edges
        Where groups begin, and the end of the last.
    """

    def __init__(self, columns: Floats, edges: Integers) -> None:
        self._columns, self._edges = columns, edges
        self._means, self._variances = moments(columns, edges)

    def promising(self, heads: Floats, index: Floats, alike: Floats, turn: int) -> tuple[Integers, int]:
        """Return positions of arms whose index is likely high, in increasing order, and whose turn is next.

        Parameters
        ----------
        heads
            Where the arms are that represent groups, one row per dimension.
        index
            About their index.
        alike
            How much arms of a group have in common with the one that represents it, from 0 to 1: that part of what the
            polynomial lacks there, they are supposed to have too.
        turn
            The group whose turn it is.
        """
        fitted = fit(heads, index)
        lacking = index - fitted.at(heads)
        level = alike * (lacking - lacking.mean())
        mean, deviation = fitted.range(self._means, self._variances)
        order = np.argsort(-(level + mean + SPREAD * deviation), kind="stable")
        behind = (turn + np.arange(len(order))) % len(order)
        in_turn = self._first(behind, IN_TURN)
        groups = np.unique(np.concatenate([self._first(order, SCREENED), in_turn]))
        rows, values = in_groups(self._columns, self._edges, groups, level, *fitted)
        if len(rows) > CHOSEN:
            rows = rows[np.sort(np.argpartition(values, len(rows) - CHOSEN)[len(rows) - CHOSEN :])]
        return rows, int(in_turn[-1] + 1) % len(order)

    def _first(self, groups: Integers, coordinates: int) -> Integers:
        """Return the first of some groups, whose arms have about so many coordinates together."""
        sizes = np.cumsum(self._edges[groups + 1] - self._edges[groups])
        return groups[: int(np.searchsorted(sizes, coordinates // len(self._columns))) + 1]


def fit(places: Floats, values: Floats) -> Polynomial:
    """Return the polynomial nearest to values at places, up to a constant, by least squares.

    Examples
    --------
    >>> x = np.random.default_rng(0).random((2, 30))
    >>> found = fit(x, 3.0 + x[0] - 2.0 * x[0] * x[1])
    >>> bool(np.allclose(np.diff(found.at(np.array([[0.0, 1.0], [0.0, 1.0]]))), -1.0, atol=1e-4))
    True
    """
    step = max(len(values) // FITTED, 1)
    places, values = places[:, ::step], values[::step]
    centre = places.mean(axis=1)
    x = places - centre[:, None]
    dimension = len(x)
    mixed = dimension <= MIXED and PER_TERM * dimension * (dimension + 3) // 2 <= len(values)
    pairs = np.triu_indices(dimension) if mixed else (np.arange(dimension),) * 2
    rows = np.concatenate([x, x[pairs[0]] * x[pairs[1]], values[None]])  # the terms of the polynomial, and what it is
    rows -= rows.mean(axis=1, keepdims=True)
    products = products_of(rows)[:-1]  # those with the values are in the last column
    n = len(products)
    products[np.arange(n), np.arange(n)] += RIDGE * max(float(np.trace(products)), 1e-300)
    if factorise(products, np.zeros(n)):
        found = products[:, n].copy()
        solve_transposed(products, found)
    else:  # no more than rounding is left of some terms
        found = np.zeros(n)
    curvature = np.zeros((dimension, dimension))
    curvature[pairs] = found[dimension:]
    return Polynomial(centre, found[:dimension], (curvature + curvature.T) / 2, mixed)


@compiled
def products_of(rows: Floats) -> Floats:
    """Return the products of all rows with each other: A A', for A with these rows.

    Two rows with two others at a time, so that each number that is read is used twice, in parts that fit the cache.
    """
    n, m = rows.shape
    out = np.zeros((n, n))
    for start in range(0, m, AT_ONCE):
        end = min(start + AT_ONCE, m)
        for i in range(0, n, 2):
            a, b = rows[i, start:end], rows[min(i + 1, n - 1), start:end]
            for j in range(0, i + 1, 2):
                c, d = rows[j, start:end], rows[min(j + 1, n - 1), start:end]
                ac = ad = bc = bd = 0.0
                for k in range(end - start):
                    ac += a[k] * c[k]
                    ad += a[k] * d[k]
                    bc += b[k] * c[k]
                    bd += b[k] * d[k]
                out[i, j] += ac
                if j + 1 < n:
                    out[i, j + 1] += ad
                if i + 1 < n:
                    out[i + 1, j] += bc
                    if j + 1 < n:
                        out[i + 1, j + 1] += bd
    for i in range(n):
        for j in range(i):
            out[j, i] = out[i, j]
    return out


@compiled
def moments(columns: Floats, edges: Integers) -> tuple[Floats, Floats]:
    """Return means and variances of the coordinates in each group, one row per dimension."""
    dimension, count = columns.shape[0], edges.shape[0] - 1
    means, variances = np.zeros((dimension, count)), np.zeros((dimension, count))
    for axis in range(dimension):
        for g in range(count):
            size, total = edges[g + 1] - edges[g], 0.0
            for row in range(edges[g], edges[g + 1]):
                total += columns[axis, row]
            mean, squares = total / size, 0.0
            for row in range(edges[g], edges[g + 1]):
                d = columns[axis, row] - mean
                squares += d * d
            means[axis, g], variances[axis, g] = mean, squares / size
    return means, variances


@compiled
def in_groups(
    columns: Floats,
    edges: Integers,
    groups: Integers,
    level: Floats,
    centre: Floats,
    slope: Floats,
    curvature: Floats,
    mixed: bool,
) -> tuple[Integers, Floats]:
    """Return positions of the arms of some groups, and the level of their group plus a polynomial.

    The last four are those of the polynomial. Without ``mixed``, only the diagonal of its curvature is used.
    """
    total, largest = 0, 0
    for g in groups:
        total += edges[g + 1] - edges[g]
        largest = max(largest, edges[g + 1] - edges[g])
    dimension, n = columns.shape[0], 0
    rows, values = np.empty(total, np.int64), np.empty(total)
    x, rise = np.empty((dimension, largest)), np.empty(largest)
    for g in groups:
        begin, size = edges[g], edges[g + 1] - edges[g]
        out = values[n : n + size]
        for k in range(size):
            rows[n + k] = begin + k
            out[k] = level[g]
        for i in range(dimension):
            here, from_here, column = x[i, :size], centre[i], columns[i, begin : begin + size]
            for k in range(size):
                here[k] = column[k] - from_here
            for k in range(size):
                rise[k] = slope[i] + curvature[i, i] * here[k]
            for j in range(i if mixed else 0):
                twice, other = 2.0 * curvature[i, j], x[j, :size]
                for k in range(size):
                    rise[k] += twice * other[k]
            for k in range(size):
                out[k] += rise[k] * here[k]
        n += size
    return rows, values
