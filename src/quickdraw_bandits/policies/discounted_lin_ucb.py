"""Discounted linear UCB (D-LinUCB)."""

import numpy as np
from numpy.typing import ArrayLike

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, fraction
from quickdraw_bandits.policies.linear import LinearUCB


class DiscountedLinUCB(LinearUCB):
    """Linear UCB that discounts old observations geometrically.

    Russac, Vernade and Cappé, *Weighted linear bandits for non-stationary environments* (2019), algorithm 1. With
    features a_s of the arm played and reward y_s, after t observations and with the discount gamma,

        V     = sum gamma^(t - s) a_s a_s' + lambda I,      b = sum gamma^(t - s) y_s a_s,      theta = V^-1 b,
        W     = sum gamma^(2 (t - s)) a_s a_s' + lambda I,
        index = a' theta + beta sqrt(a' V^-1 W V^-1 a),

    and beta as in ``LinearUCB`` with n = (1 - gamma^(2t)) / (1 - gamma²). The formulas agree with the authors' code
    except for W, which that code derives from V and which here follows the paper.

    Discounting is by observation in order of arrival, as in the source, not by time. Arms chosen by others count too.

    Parameters
    ----------
    arms, regularisation, noise_std, parameter_bound, failure_probability, features, seed
        As for ``LinearUCB``.
    discount
        gamma, from 0 to 1; default 0.99, which remembers about 1 / (1 - gamma) = 100 observations. A larger value
        forgets more slowly. Increase it if rewards drift slowly or are noisy.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.DiscountedLinUCB(qd.Arms.grid(0, 10, 11), noise_std=0.1)
    >>> policy.update(range(40), [2, 8] * 20, [0.8, 0.2] * 20)
    >>> policy.select(time=40.0)
    0
    """

    def __init__(
        self,
        arms: Arms,
        discount: float = 0.99,
        regularisation: float = 1.0,
        noise_std: float = 0.1,
        parameter_bound: float = 1.0,
        failure_probability: float = 0.01,
        features: ArrayLike | None = None,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, regularisation, noise_std, parameter_bound, failure_probability, features, seed)
        self.discount = fraction("discount", discount)
        d = self._features.shape[1]
        # V and W without lambda I.
        self._v, self._w, self._b = np.zeros((d, d)), np.zeros((d, d)), np.zeros(d)
        self._remembered = 0.0  # sum of gamma^(2 (t - s)), which is (1 - gamma^(2t)) / (1 - gamma²)

    def _best(self, time: float, among: Subset | None) -> Integers:
        ridge = self.regularisation * np.eye(len(self._b))
        theta = np.linalg.inv(self._v + ridge) @ self._b
        pending = self._pending_matrix()
        inverse = np.linalg.inv(self._v + ridge + pending)
        matrix = inverse @ (self._w + ridge + pending) @ inverse
        return self._largest_bounds(theta, matrix, self._remembered, among)

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        n, rows = len(arms), self._features[arms]
        weights = self.discount ** np.arange(n - 1, -1, -1, dtype=np.float64)
        weighted = weights[:, None] * rows
        self._v = self.discount**n * self._v + weighted.T @ rows
        self._w = self.discount ** (2 * n) * self._w + weighted.T @ weighted
        self._b = self.discount**n * self._b + weighted.T @ rewards
        self._remembered = self.discount ** (2 * n) * self._remembered + float(weights @ weights)
