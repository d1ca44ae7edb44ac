"""The correlation of rewards at two arms and two times.

With D the distance of two arms, l_x the length scale and l_t the time scale, it is

    c = (1 - share) c0 + share [same arm],    r² = D² / l_x² + (t - t')² / l_t²

    c0 = 1 / (1 + r)            jagged
    c0 = 1 / (1 + r²/2)         rough: falls as Quick-Draw's precision does
    c0 = 1 / (1 + r²/8)^4       medium
    c0 = 1 / (1 + r²/32)^16     smooth: close to the squared exponential

All are valid covariances in every dimension. None needs an exponential function, so that the loops are vectorised.
"""

from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats

Family = Literal["jagged", "rough", "medium", "smooth"]
FAMILIES: tuple[Family, ...] = get_args(Family)
JAGGED = 0

FACTORS = (1.0, 1 / 2, 1 / 8, 1 / 32)
"""What r² is multiplied by, for each family."""
SQUARINGS = (0, 0, 2, 4)
"""How many times 1 / (1 + r) or 1 / (1 + factor r²) is squared, for each family."""


class Rates(NamedTuple):
    """How the correlation falls.

    ``near`` and ``recent`` are the factors of squared distance and squared age in q = near D² + recent (t - t')²;
    ``family`` is its number in ``FAMILIES``; ``share`` is the part of the variance that is a level of each arm's own.
    """

    near: float
    recent: float
    family: int
    share: float

    @classmethod
    def of(cls, length: float, age: float, family: Family, share: float = 0.0) -> "Rates":
        """Return the rates for a length scale and a time scale."""
        number = FAMILIES.index(family)
        return cls(FACTORS[number] / length**2, FACTORS[number] / age**2, number, share)

    def reach(self, keep: float) -> float:
        """Return the q below which two observations of one arm leave each other less than ``keep``: 1 - c² < keep."""
        c = ((1.0 - keep) ** 0.5 - self.share) / (1.0 - self.share)
        if self.family == JAGGED:
            return float((1.0 / c - 1.0) ** 2)
        return float(c ** (-(0.5 ** SQUARINGS[self.family])) - 1.0)


def correlation(squared: Floats, lateness: Floats | float, same: NDArray[np.bool_] | bool, rates: Rates) -> Floats:
    """Return c for squared distances, for ``lateness`` = recent age², and whether the arm is the same.

    Examples
    --------
    >>> import numpy as np
    >>> rates = Rates.of(length=1.0, age=1.0, family="rough", share=0.5)
    >>> correlation(np.array([0.0, 2.0]), 1.0, np.array([True, False]), rates)
    array([0.75      , 0.16666667])
    """
    q: Any = rates.near * squared + lateness
    c: Floats = 1.0 / (1.0 + (np.sqrt(q) if rates.family == JAGGED else q))
    for _ in range(SQUARINGS[rates.family]):
        c = c * c
    return (1.0 - rates.share) * c + rates.share * np.asarray(same)
