"""The probability of each of several independent random variables to be the largest."""

import numpy as np

from quickdraw_bandits.checks import Floats, Integers

_DEVIATIONS = np.linspace(-7.5, 7.5, 61)
_MOST_CELLS = 4096
_FAR = 1e6
"""Deviations below the largest mean from which on a variable is never the largest, however far it is."""


def largest_draw(family: str, one: Floats, other: Floats, sizes: Integers) -> Floats:
    """Return, for each distribution, the probability that one given variable of it is the largest.

    With distribution functions F_i, and H = prod_i F_i of the largest, the probability of i is

    integral of H d ln F_i,    and    dH = H sum_j d ln F_j.

    The real line is cut into cells. The increase of H over a cell is known exactly and is divided in proportion to the
    increases of ln F_i. The result is normalised, since the ends of the line are cut off.

    Parameters
    ----------
    family
        ``"gaussian"``, with means ``one`` and standard deviations ``other``, or ``"bernoulli"``, for Beta(one, other).
    one, other
        The parameters of each distribution.
    sizes
        The number of variables with each distribution.

    Examples
    --------
    >>> largest_draw("gaussian", np.array([0.0, 1.0]), np.array([1.0, 1.0]), np.array([1, 1])).round(3)
    array([0.24, 0.76])
    """
    # Imports numba, which takes longer than the rest of the package.
    from quickdraw_bandits.policies.distribution_functions import beta_quantiles, log_beta, log_normal

    # Cells end at quantiles of the distributions. Means count from the largest, so that those of the variables that
    # matter are near 0, where numbers are dense.
    if family == "gaussian":
        one = np.maximum(one - one.max(), -_FAR * other.max())
        quantiles = one[:, None] + other[:, None] * _DEVIATIONS
    else:
        quantiles = beta_quantiles(one, other, np.exp(log_normal(_DEVIATIONS)))
    # Below the highest of the lowest quantiles, no variable is the largest.
    ends = np.unique(quantiles[quantiles >= quantiles[:, 0].max()])
    ends = ends[np.unique(np.linspace(0, len(ends) - 1, _MOST_CELLS).astype(np.int64))]
    if family == "gaussian":
        log_below = log_normal((ends - one[:, None]) / other[:, None])
    else:
        log_below = log_beta(one, other, ends)
    increases = np.diff(log_below, axis=1)
    totals = sizes @ increases
    mass = np.diff(np.exp(sizes @ log_below))
    share = np.divide(mass, totals, out=np.zeros_like(mass), where=totals > 0)
    each: Floats = increases @ share
    return each / (sizes @ each)
