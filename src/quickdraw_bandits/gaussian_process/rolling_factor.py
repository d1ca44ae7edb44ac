"""The Cholesky factor of a covariance matrix that gains a row at its end and loses one at its beginning."""

import numpy as np

from quickdraw_bandits.checks import Floats

SMALLEST_PIVOT = 1e-12
"""A squared pivot below this fraction of the variance is mostly rounding error: the matrix counts as singular."""

FIRST_JITTER = 1e-8
"""The first jitter tried, as a fraction of the mean variance."""


class RollingFactor:
    """A = L L', kept up to date: O(n²) to add or drop a row, O(n³) to compute it from scratch.

    Rounding errors of the updates grow slowly, but never shrink. So the factor is ``due`` to be recomputed after as
    many drops as there are rows, which is O(n²) for each drop.

    A matrix that is not positive definite to working precision, such as that of points observed twice without noise,
    gets ``jitter`` on its diagonal: 1e-8 of the mean variance, or the first of 1e-7, 1e-6, … that suffices. This is
    equivalent to more noise in every observation. A recomputed matrix is first tried without.

    Parameters
    ----------
    capacity
        The largest number of rows.

    Attributes
    ----------
    jitter
        What was added to the diagonal; 0 unless needed.

    Examples
    --------
    >>> factor = RollingFactor(capacity=3)
    >>> factor.remake(np.array([[4.0, 2.0], [2.0, 5.0]]))
    >>> factor.lower
    array([[2., 0.],
           [1., 2.]])
    >>> factor.append(np.array([0.0, 2.0]), 5.0)
    True
    >>> factor.drop_oldest()
    >>> factor.lower @ factor.lower.T
    array([[5., 2.],
           [2., 5.]])
    """

    def __init__(self, capacity: int) -> None:
        self.jitter = 0.0
        self._upper: Floats = np.zeros((capacity, capacity))
        self._size = 0
        self._drops = 0

    def __len__(self) -> int:
        return self._size

    @property
    def lower(self) -> Floats:
        """L; a view that the next change overwrites."""
        return self._upper[: self._size, : self._size].T

    @property
    def upper(self) -> Floats:
        """L', in the first rows and columns of an array that the next change overwrites."""
        return self._upper

    @property
    def due(self) -> bool:
        """Whether so many rows were dropped that the factor should be recomputed."""
        return self._drops >= max(self._size, 1)

    def append(self, column: Floats, variance: float) -> bool:
        """Add an observation with these covariances with the others.

        Return False, and change nothing, if the matrix would be singular to working precision; then ``remake`` it.
        """
        from quickdraw_bandits.numerics.cholesky_updates import append_row

        grown = append_row(self._upper, self._size, column, variance + self.jitter, SMALLEST_PIVOT * variance)
        self._size += bool(grown)
        return bool(grown)

    def drop_oldest(self) -> None:
        """Remove the first row and column of A."""
        from quickdraw_bandits.numerics.cholesky_updates import drop_first_row

        drop_first_row(self._upper, self._size)
        self._size -= 1
        self._drops += 1

    def remake(self, covariance: Floats) -> None:
        """Factor a new matrix, with jitter only if needed."""
        n = len(covariance)
        lower, self.jitter = factorise_with_jitter(covariance)
        self._upper[:n, :n] = lower.T
        self._size = n
        self._drops = 0


def factorise_with_jitter(
    covariance: Floats, first: float = FIRST_JITTER, smallest: float = SMALLEST_PIVOT
) -> tuple[Floats, float]:
    """Return the lower Cholesky factor, and the jitter added to the diagonal, usually 0.

    Squared pivots must exceed ``smallest`` times the variances. If they do not, ``first`` times the mean variance is
    added to the diagonal, then ten times as much, and so on.

    Examples
    --------
    >>> lower, jitter = factorise_with_jitter(np.ones((2, 2)))
    >>> jitter
    1e-08
    """
    from quickdraw_bandits.numerics.cholesky import factorise

    variances = np.diagonal(covariance)
    jitter = 0.0
    while True:
        upper = np.triu(covariance)
        upper[np.diag_indices_from(upper)] += jitter
        if factorise(upper, smallest * variances):
            return upper.T, jitter
        jitter = 10 * jitter if jitter else first * float(variances.mean())


def whitened(upper: Floats, columns: Floats) -> Floats:
    """Return L⁻¹ C for the columns C; U = L' may have more rows and columns than C has rows.

    Examples
    --------
    >>> whitened(np.array([[2.0, 1.0], [0.0, 2.0]]), np.array([[4.0], [6.0]]))
    array([[2.],
           [2.]])
    """
    from quickdraw_bandits.numerics.cholesky import solve

    rows = np.ascontiguousarray(columns.T).copy()
    for row in rows:
        solve(upper, row)
    return rows.T
