"""The correlation of rewards at two arms and two times.

With D the distance of two arms, and h = 1/2 for the rough family and 1/32 for the smooth one, it is

    c = q^(1 / (2h)),    q = 1 / ((1 + near D²) (1 + recent (t - t')²)),    near = h / l_x²,    recent = h / l_t²

a product of rational quadratic covariances. The rough one falls as Quick-Draw's precision does; the smooth one is close
to the squared exponential. Neither needs an exponential function, so that the loops are vectorised.
"""

from typing import NamedTuple

from quickdraw_bandits.checks import Floats

SQUARINGS = 4
"""The smooth family's q is squared this many times: q^16."""


class Rates(NamedTuple):
    """How fast the covariance falls: with the squared distance, with the squared age, and by which family."""

    near: float
    recent: float
    smooth: bool

    @classmethod
    def of(cls, length: float, age: float, smooth: bool) -> "Rates":
        """Return the rates for a length scale and a time scale."""
        h = 0.5 / 2**SQUARINGS if smooth else 0.5
        return cls(h / length**2, h / age**2, smooth)


def correlation(squared: Floats, fading: Floats | float, rates: Rates) -> Floats:
    """Return c for squared distances and for ``fading`` = 1 / (1 + recent age²).

    Examples
    --------
    >>> import numpy as np
    >>> rates = Rates.of(length=1.0, age=1.0, smooth=False)
    >>> correlation(np.array([0.0, 2.0]), 0.5, rates)
    array([0.5 , 0.25])
    """
    c: Floats = fading / (1.0 + rates.near * squared)
    for _ in range(SQUARINGS if rates.smooth else 0):
        c = c * c
    return c
