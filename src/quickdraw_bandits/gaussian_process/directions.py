"""Few independent numbers that say nearly all about a function on many arms."""

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.gaussian_process.arm_correlations import ArmCorrelations

TOLERANCE = 1e-6
"""Directions are added until no arm has more than this share of its variance outside them."""


class Directions:
    """The function at arm x is ``phi(x) . z`` plus a rest, with uncorrelated z of variance s².

    A Cholesky factorisation of the correlations c with pivots: each direction is the function at the arm whose
    variance is explained least by those before, less what they explain. So ``s² phi(x)`` is the covariance of z with
    the function at x, exactly, and the rest has the variance ``s² rest(x)``.

    Parameters
    ----------
    arms
        The correlations of the arms.
    most
        The largest number of directions.

    Attributes
    ----------
    phi
        One row per arm, one column per direction.
    rest
        The share of the variance of each arm that is outside all directions, at least 0.
    sizes, axes
        Eigenvalues and eigenvectors of phi' phi: what is seen of all arms with the same noise variance says something
        about each element of ``axes' z`` alone, with the noise variance divided by ``sizes``.

    Examples
    --------
    >>> from quickdraw_bandits.arms import Arms
    >>> directions = Directions(ArmCorrelations(Arms.grid(0, 1, 100), length_scale=0.5), most=50)
    >>> directions.phi.shape, directions.rest.max() < 1e-6
    ((100, 7), np.True_)
    """

    def __init__(self, arms: ArmCorrelations, most: int) -> None:
        n = len(arms)
        factor = np.zeros((min(most, n), n))
        rest = np.ones(n)
        used = 0
        while used < len(factor):
            pivot = int(np.argmax(rest))
            if rest[pivot] <= TOLERANCE:
                break
            row = arms.rows(np.array([pivot]), slice(None))[0] - factor[:used, pivot] @ factor[:used]
            factor[used] = row / np.sqrt(rest[pivot])
            rest = rest - factor[used] ** 2
            rest[pivot] = 0.0
            used += 1
        factor = factor[:used]
        self.phi: Floats = np.ascontiguousarray(factor.T)
        self.sizes, self.axes = np.linalg.eigh(factor @ factor.T)
        self.rest: Floats = np.maximum(rest, 0.0)

    def __len__(self) -> int:
        return int(self.phi.shape[1])
