"""Linear UCB that starts over every so often (RestartUCB)."""

from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed, integer
from quickdraw_bandits.policies.linear import LinearUCB


class RestartedLinUCB(LinearUCB):
    """Takes the reward for a linear function that drifts, and forgets everything after every H observations.

    Zhao, Zhang, Jiang and Zhou, *A simple approach for non-stationary linear bandits* (2020), algorithm 1
    (RestartUCB). With features a_s of the arm played and reward y_s, over the n observations since the last restart,

    V     = sum a_s a_s' + lambda I,      theta = V^-1 sum y_s a_s,
    beta  = sqrt(lambda) S + sigma sqrt(2 ln(1 / delta) + d ln(1 + n L² / (lambda d))),
    index = a' theta + beta sqrt(a' V^-1 a).

    L is the length of the longest row of features. The arm of the largest index is played.

    Restarts go by the number of observations in their order of arrival, as in its source, not by the clock; arms
    chosen by others count like its own.

    Parameters
    ----------
    arms
        The choices; euclidean, cosine or haversine, or any with ``features``.
    restart_every
        H, at least 2.
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
    >>> policy = qd.policies.RestartedLinUCB(qd.Arms.grid(0, 10, 11), noise_std=0.1)
    >>> policy.update(range(40), [2, 8] * 20, [0.8, 0.2] * 20)
    >>> policy.select(time=40.0)
    0
    """

    def __init__(
        self,
        arms: Arms,
        restart_every: int = 100,
        regularisation: float = 1.0,
        noise_std: float = 0.1,
        parameter_bound: float = 1.0,
        failure_probability: float = 0.01,
        features: Any = None,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, regularisation, noise_std, parameter_bound, failure_probability, features, seed)
        self.restart_every = integer("restart_every", restart_every, at_least=2)
        self._restart()

    def _restart(self) -> None:
        d = self._features.shape[1]
        self._v, self._b = self.regularisation * np.eye(d), np.zeros(d)
        self._n = 0

    def _select(self, time: float) -> int:
        inverse = np.linalg.inv(self._v).astype(np.float64, copy=False)
        return self._largest_bound(inverse @ self._b, inverse, self._n)

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        if self._n + len(arms) >= self.restart_every:
            latest = slice(len(arms) - (self._n + len(arms)) % self.restart_every, None)
            arms, rewards = arms[latest], rewards[latest]
            self._restart()
        rows = self._features[arms]
        self._v = self._v + rows.T @ rows
        self._b = self._b + rows.T @ rewards
        self._n += len(arms)
