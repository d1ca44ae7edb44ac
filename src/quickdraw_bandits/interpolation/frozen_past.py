"""Old observations, summed once at a few moments ahead instead of once a round."""

from math import comb

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation import compiled_screen

SMALLEST_HISTORY = 128
"""Observations below which summing them anew is cheaper than any bookkeeping."""
MOST_BYTES = 2**26
"""Memory that the sums may take; larger sets of arms are summed anew."""


class FrozenPast:
    """Sums over old observations, interpolated in time.

    As a function of time the precision 1 / (b + (t - t_s)²)^p of an old observation is smooth: it changes on the
    scale of its age. So the sums over all observations older than some age A are computed at m Chebyshev nodes
    of a stretch of length A / 2, and interpolated by Lagrange's formula for every moment in it, where only the
    later observations are summed anew.

    Error. On the stretch scaled to [-1, 1] the observation lies at a distance of at least x = 4 from the near end.
    With w = u - u_s - i beta, the precision is g = (w w̄)^-p. By Leibniz and Vandermonde
    |g^(m)| / m! <= C(2p + m - 1, m) |w|^-(2p + m), and the nodal polynomial is at most 2^(1 - m). Since |w| at the
    far end is at most (x + 2) / x times that at the near end, the relative error is at most

    2^(1 - m) · C(2p + m - 1, m) · x^-m · ((x + 2) / x)^(2p),

    which m = 4 + 2p nodes bring to about 1e-4. It holds for each observation, hence for sum nu, and for
    sum nu y relative to sum nu |y|.
    """

    def __init__(self, n_arms: int, sharpness: int) -> None:
        m = 4 + 2 * sharpness
        self.enabled = 2 * 4 * m * n_arms <= MOST_BYTES
        self.error = 2.0 ** (1 - m) * comb(2 * sharpness + m - 1, m) * 4.0**-m * 1.5 ** (2 * sharpness)
        self.n_frozen = 0
        self.start = np.inf
        self.length = 0.0
        self.values: NDArray[np.float32] = np.empty((m, 2, n_arms if self.enabled else 0), dtype=np.float32)
        # Chebyshev's nodes on [-1, 1], and their weights in the barycentric formula.
        angles = (2 * np.arange(m) + 1) * np.pi / (2 * m)
        self._nodes = np.cos(angles)
        self._weights = np.sin(angles) * (-1.0) ** np.arange(m)
        self.basis = np.empty(m)
        self._served = m
        self._missed = 0

    def covers(self, time: float, n: int) -> bool:
        """Tell whether the sums can serve at ``time`` with ``n`` observations, and are still worth it."""
        inside = self.start <= time <= self.start + self.length
        if inside and self.n_frozen and n - self.n_frozen <= 2 * self._recent(self.n_frozen):
            self._served += 1
            return True
        return False

    def plan(self, time: float, times: Floats, n: int) -> Floats | None:
        """Return the moments at which to sum the observations anew, or None where that would not pay.

        Marks all but the latest observations as frozen. After a stretch that served fewer rounds than it took
        sums to prepare (the clock jumps, or observations come late), as many rounds pass before the next try.
        """
        m = len(self._nodes)
        if not self.enabled or n < SMALLEST_HISTORY:
            return None
        if self._served < m and self._missed < m:
            self._missed += 1
            return None
        frozen = n - self._recent(n)
        age = time - float(times[:frozen].max())
        length = age / 2
        self._served = self._missed = 0
        # Where moments are rounded noticeably they are not the nodes that the error is bounded for.
        if not (np.isfinite(length) and length > 1e9 * np.spacing(abs(time) + length)):
            self.n_frozen = 0
            return None
        self.n_frozen, self.start, self.length = frozen, time, length
        return time + length * (1 + self._nodes) / 2

    def set_basis(self, time: float) -> float:
        """Set ``basis``, the weights of the tables at ``time``; return how much they can enlarge the tables' errors."""
        u = 2 * (time - self.start) / self.length - 1
        return float(compiled_screen.lagrange_basis(u, self._nodes, self._weights, self.basis))

    def _recent(self, n: int) -> int:
        """How many observations to leave out, so that summing them and freezing the others cost the same."""
        return int(2 * (len(self._nodes) * n / 2.5) ** 0.5)
