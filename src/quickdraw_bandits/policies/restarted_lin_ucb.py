"""Linear UCB with periodic restarts (RestartUCB)."""

import numpy as np
from numpy.typing import ArrayLike

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, integer
from quickdraw_bandits.policies.linear import LinearUCB


class RestartedLinUCB(LinearUCB):
    """Linear UCB that forgets everything after every H observations.

    Zhao, Zhang, Jiang and Zhou, *A simple approach for non-stationary linear bandits* (2020), algorithm 1
    (RestartUCB). With features a_s of the arm played and reward y_s, over the n observations since the last restart,

        V     = sum a_s a_s' + lambda I,      theta = V^-1 sum y_s a_s,
        index = a' theta + beta sqrt(a' V^-1 a),

    and beta as in ``LinearUCB``. Restarts are by observation in order of arrival, as in the source, not by time. Arms
    chosen by others count too.

    Parameters
    ----------
    arms, regularisation, noise_std, parameter_bound, failure_probability, features, seed
        As for ``LinearUCB``.
    restart_every
        H, the number of observations between restarts, at least 2; default 100. A larger value forgets more slowly.
        Increase it if rewards drift slowly or are noisy.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.RestartedLinUCB(qd.Arms.grid(-1, 1, 21), restart_every=50)
    >>> policy.update(range(20), [4, 16] * 10, [0.3, 0.7] * 10)
    >>> policy.select(time=20.0)
    20
    """

    def __init__(
        self,
        arms: Arms,
        restart_every: int = 100,
        regularisation: float = 1.0,
        noise_std: float = 0.1,
        parameter_bound: float = 1.0,
        failure_probability: float = 0.01,
        features: ArrayLike | None = None,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, regularisation, noise_std, parameter_bound, failure_probability, features, seed)
        self.restart_every = integer("restart_every", restart_every, at_least=2)
        self._restart()

    def _restart(self) -> None:
        d = self._features.shape[1]
        self._v, self._b = self.regularisation * np.eye(d), np.zeros(d)
        self._n = 0

    def _best(self, time: float, among: Subset | None) -> Integers:
        theta = np.linalg.inv(self._v) @ self._b
        inverse = np.linalg.inv(self._v + self._pending_matrix()).astype(np.float64, copy=False)
        return self._largest_bounds(theta, inverse, self._n, among)

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        if self._n + len(arms) >= self.restart_every:
            latest = slice(len(arms) - (self._n + len(arms)) % self.restart_every, None)
            arms, rewards = arms[latest], rewards[latest]
            self._restart()
        rows = self._features[arms]
        self._v = self._v + rows.T @ rows
        self._b = self._b + rows.T @ rewards
        self._n += len(arms)
