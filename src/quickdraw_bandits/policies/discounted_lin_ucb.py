"""Discounted linear UCB (D-LinUCB)."""

from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed, fraction
from quickdraw_bandits.policies.linear import LinearUCB


class DiscountedLinUCB(LinearUCB):
    """Takes the reward for a linear function that drifts, and forgets geometrically.

    Russac, Vernade and Cappé, *Weighted linear bandits for non-stationary environments* (2019), algorithm 1. With
    features a_s of the arm played and reward y_s, after t observations and with gamma the discount,

    V     = sum gamma^(t - s) a_s a_s' + lambda I,      b = sum gamma^(t - s) y_s a_s,      theta = V^-1 b,
    W     = sum gamma^(2 (t - s)) a_s a_s' + lambda I,
    beta  = sqrt(lambda) S + sigma sqrt(2 ln(1 / delta) + d ln(1 + L² (1 - gamma^(2t)) / (lambda d (1 - gamma²)))),
    index = a' theta + beta sqrt(a' V^-1 W V^-1 a).

    L is the length of the longest row of features. The arm of the largest index is played. The formulas agree with the
    code that the authors published, but for W: there it is made from V, and here as the paper has it.

    Forgetting goes by the number of observations in their order of arrival, as in its source, not by the clock;
    arms chosen by others count like its own.

    Parameters
    ----------
    arms
        The choices; euclidean, cosine or haversine, or any with ``features``.
    discount
        gamma, at most 1; 0.99 remembers about 100 observations.
    regularisation
        lambda.
    noise_std
        sigma.
    parameter_bound
        S, how long the unknown vector of parameters is at most.
    failure_probability
        delta.
    features
        An array with one row to an arm. By default the coordinates, scaled to [-1, 1] along each axis, and a 1.
    seed
        An integer or a ``numpy.random.Generator``; breaks ties.

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
        features: Any = None,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, regularisation, noise_std, parameter_bound, failure_probability, features, seed)
        self.discount = fraction("discount", discount)
        d = self._features.shape[1]
        # V and W without lambda I.
        self._v, self._w, self._b = np.zeros((d, d)), np.zeros((d, d)), np.zeros(d)
        self._remembered = 0.0  # sum of gamma^(2 (t - s)), which is (1 - gamma^(2t)) / (1 - gamma²)

    def _select(self, time: float) -> int:
        ridge = self.regularisation * np.eye(len(self._b))
        inverse = np.linalg.inv(self._v + ridge)
        return self._largest_bound(inverse @ self._b, inverse @ (self._w + ridge) @ inverse, self._remembered)

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        n, rows = len(arms), self._features[arms]
        weights = self.discount ** np.arange(n - 1, -1, -1, dtype=np.float64)
        weighted = weights[:, None] * rows
        self._v = self.discount**n * self._v + weighted.T @ rows
        self._w = self.discount ** (2 * n) * self._w + weighted.T @ weighted
        self._b = self.discount**n * self._b + weighted.T @ rewards
        self._remembered = self.discount ** (2 * n) * self._remembered + float(weights @ weights)
