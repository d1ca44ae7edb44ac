"""The moments at which sums over old observations are tabulated, and the error of interpolating between them."""

from math import comb

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.numerics.chebyshev import largest_growth, nodes_and_weights


class TimeNodes:
    """Interpolation in time at m Chebyshev nodes of a stretch ahead, as long as a ``share`` of the observations' age.

    Or the reverse: at nodes of a stretch behind, in which observations lie, as long as a ``share`` of its own age. Only
    the time between the two counts, so that all bounds are the same.

    On the stretch scaled to [-1, 1] an observation lies at a distance of at least x = 2 / share from the near end. Then
    the relative error of its precision is at most

    (1 + m (x + 2) / x) / T_m(1 + x)                                       for p = 1,
    2^(1 - m) · C(2p + m - 1, m) · x^-m · ((x + 2) / x)^(2p)                for every p.

    The first: 1 / (u - z) is interpolated with the error T_m(u) / (T_m(z) (u - z)), exactly. With w = u - z and
    z = a + ib, the precision is 1 / |w|² = Im(1 / w) / b, so that its relative error is at most
    |Im(w̄ / T_m(z))| / |b| <= 1 / |T_m(z)| + |u - a| |Im(1 / T_m(z))| / |b|. On the line from a to z, |T_m| is at least
    |T_m(a)|, and the derivative of 1 / T_m at most m / (x |T_m(a)|), which bounds the last factor. For |a| = 1 + x and
    beyond, the sum is largest at 1 + x.

    The second: the precision is g = (w w̄)^-p. By Leibniz and Vandermonde
    |g^(m)| / m! <= C(2p + m - 1, m) |w|^-(2p + m), and the nodal polynomial is at most 2^(1 - m). And |w| at the far
    end is at most (x + 2) / x times that at the near end.

    An error of the sums at the nodes, relative to the sum there, grows by at most ``growth``: by the sum of the sizes
    of the Lagrange polynomials, times how much a precision can change over the stretch.

    Parameters
    ----------
    sharpness
        p.
    error
        The largest error; the fewest nodes that keep it are used, and at least 7, 8 or 10 for p = 1, 2 or 3.
    """

    def __init__(self, sharpness: int, error: float = np.inf) -> None:
        m, x = (7, 2.0) if sharpness == 1 else (4 + 2 * sharpness, 4.0)
        while _error(m, x, sharpness) > error:
            m += 1
        change = ((x + 2) / x) ** (2 * sharpness)
        self.error = _error(m, x, sharpness)
        self.share = 2 / x
        self.growth = largest_growth(m) * change
        self.places, self.weights = nodes_and_weights(m)

    def __len__(self) -> int:
        return len(self.places)

    def after_start(self, length: float) -> Floats:
        """Return how long after the start of a stretch its nodes are."""
        return np.asarray(length * (1 + self.places) / 2)


def _error(m: int, x: float, sharpness: int) -> float:
    """Return the bound of the relative error with ``m`` nodes, at a distance of at least ``x``."""
    if sharpness == 1:
        return (1 + m * (x + 2) / x) / float(np.cosh(m * np.arccosh(1 + x)))
    return float(2.0 ** (1 - m) * comb(2 * sharpness + m - 1, m) * x**-m * ((x + 2) / x) ** (2 * sharpness))
