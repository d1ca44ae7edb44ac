"""How likely each of several independent random numbers is to be the largest."""

import numpy as np

from quickdraw_bandits.checks import Floats, Integers

_DEVIATIONS = np.linspace(-7.5, 7.5, 61)
_MOST_CELLS = 4096


def largest_draw(family: str, one: Floats, other: Floats, sizes: Integers) -> Floats:
    """Return for each kind of number the probability that a certain one of that kind is the largest.

    With F_i the distribution functions and H = prod_i F_i that of the largest, the probability of i is

    integral of H d ln F_i,    and    dH = H sum_j d ln F_j.

    So the line is cut into cells, and the increase of H over a cell, which is known exactly, is divided in proportion
    to the increases of ln F_i. The sum of all is 1 but for what the ends of the line cut off.

    Parameters
    ----------
    family
        ``"gaussian"``, with means ``one`` and standard deviations ``other``, or ``"bernoulli"``, for Beta(one, other).
    one, other
        The parameters of each kind.
    sizes
        How many numbers of each kind there are.

    Examples
    --------
    >>> largest_draw("gaussian", np.array([0.0, 1.0]), np.array([1.0, 1.0]), np.array([1, 1])).round(3)
    array([0.24, 0.76])
    """
    # Imports numba, which takes longer than the rest of the package.
    from quickdraw_bandits.policies.distribution_functions import beta_quantiles, log_beta, log_normal

    # Cells end where many of the distributions have their quantiles.
    if family == "gaussian":
        quantiles = one[:, None] + other[:, None] * _DEVIATIONS
    else:
        quantiles = beta_quantiles(one, other, np.exp(log_normal(_DEVIATIONS)))
    # Below the lowest quantile of the number that has the highest one, nothing is the largest.
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
