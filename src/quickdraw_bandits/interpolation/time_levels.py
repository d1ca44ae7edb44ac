"""Sums over old observations as functions of time: which of them are in which table, and until when it serves."""

from dataclasses import dataclass, field
from math import comb

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation import compiled_screen

RECENT = 16
"""Observations that the lowest level leaves out when it is made; up to twice as many are summed every round."""
SHORTEST = 1e-250
"""A stretch must not be shorter, lest its parts underflow."""


@dataclass
class Level:
    """The sums over the first ``included`` observations, for every arm and for a stretch of time from ``start`` on.

    ``error`` bounds the relative error of every precision in them, rounding left aside.
    """

    included: int
    start: float
    length: float
    error: float
    tables: NDArray[np.float32] = field(repr=False)
    served: int = 0


class ChebyshevNodes:
    """Interpolation in time at m Chebyshev nodes of a stretch ahead, as long as a ``share`` of the observations' age.

    On the stretch scaled to [-1, 1] an observation lies at a distance of at least x = 2 / share from the near end. Then
    the relative error of its precision is at most

    (1 + m (x + 2) / x) / T_m(1 + x)                                       for p = 1,
    2^(1 - m) · C(2p + m - 1, m) · x^-m · ((x + 2) / x)^(2p)                for every p (see ``FrozenPast``).

    The first: 1 / (u - z) is interpolated with the error T_m(u) / (T_m(z) (u - z)), exactly. With w = u - z and
    z = a + ib, the precision is 1 / |w|² = Im(1 / w) / b, so that its relative error is at most
    |Im(w̄ / T_m(z))| / |b| <= 1 / |T_m(z)| + |u - a| |Im(1 / T_m(z))| / |b|. On the line from a to z, |T_m| is at least
    |T_m(a)|, and the derivative of 1 / T_m at most m / (x |T_m(a)|), which bounds the last factor. For |a| = 1 + x and
    beyond, the sum is largest at 1 + x.

    An error of the sums at the nodes, relative to the sum there, grows by at most ``growth``: by the sum of the sizes
    of Lagrange's polynomials, 1 + (2 / pi) ln(m) at most, times how much a precision can change over the stretch.
    """

    def __init__(self, sharpness: int) -> None:
        m, x = (7, 2.0) if sharpness == 1 else (4 + 2 * sharpness, 4.0)
        change = ((x + 2) / x) ** (2 * sharpness)
        if sharpness == 1:
            self.error = (1 + m * (x + 2) / x) / float(np.cosh(m * np.arccosh(1 + x)))
        else:
            self.error = 2.0 ** (1 - m) * comb(2 * sharpness + m - 1, m) * x**-m * change
        self.share = 2 / x
        self.growth = (1 + 2 / np.pi * np.log(m)) * change
        angles = (2 * np.arange(m) + 1) * np.pi / (2 * m)
        self.places = np.cos(angles)
        self._weights = np.sin(angles) * (-1.0) ** np.arange(m)

    def __len__(self) -> int:
        return len(self.places)

    def after_start(self, length: float) -> Floats:
        """Return how long after the start of a stretch its nodes are."""
        return np.asarray(length * (1 + self.places) / 2)

    def basis(self, after: Floats, length: float) -> Floats:
        """Return Lagrange's polynomials, one row for each time after the start of a stretch."""
        rows = np.empty((len(after), len(self)))
        for row, u in zip(rows, 2 * after / length - 1, strict=True):
            compiled_screen.lagrange_basis(u, self.places, self._weights, row)
        return rows


def left_out(number: int) -> int:
    """Return how many of the latest observations a level leaves out when it is made."""
    return RECENT << number


def top_number(n: int) -> int:
    """Return the number of the highest level for ``n`` observations: it has at least half of them."""
    return max(0, (n // (2 * RECENT)).bit_length() - 1)


def serves(level: Level, number: int, time: float, n: int) -> bool:
    """Tell whether a level's sums hold at ``time`` and leave out few enough of ``n`` observations."""
    return 0 <= time - level.start <= level.length and n - level.included <= 2 * left_out(number)
