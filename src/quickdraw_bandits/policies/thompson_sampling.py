"""Thompson sampling, with Gaussian or Bernoulli rewards."""

from typing import Literal, get_args

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, number, positive
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.tallies import Tallied, Tallies

Rewards = Literal["gaussian", "bernoulli"]


class ThompsonSampling(Tallied, Policy[int]):
    """Draws a mean reward for every arm from its posterior, and plays the arm of the largest draw.

    Thompson (1933). Arms are independent. After k plays of an arm with a sum of rewards s, the draw is from

    ``"gaussian"``     N(m, v),    1 / v = 1 / p² + k / q²,    m = v (m_0 / p² + s / q²)
    ``"bernoulli"``    Beta(1 + s, 1 + k - s)

    Gaussian: the mean has the prior N(m_0, p²), and rewards have the standard deviation q. With the defaults m_0 = 0
    and p = q = 1 it is N(s / (k + 1), 1 / (k + 1)), algorithm 2 of Agrawal and Goyal, *Further optimal regret bounds
    for Thompson sampling* (2013).

    Bernoulli: algorithm 1 of the same paper, with a uniform prior. A reward r between 0 and 1 counts as 1 with
    probability r and otherwise as 0, as in algorithm 2 of Agrawal and Goyal, *Analysis of Thompson sampling for the
    multi-armed bandit problem* (2012). Rewards outside [0, 1] raise ValueError.

    ``probabilities`` integrates numerically, it does not draw; with some thousands of different posteriors that takes
    a second.

    Parameters
    ----------
    arms, seed
        As for ``Policy``.
    rewards
        ``"gaussian"`` (default), or ``"bernoulli"`` for rewards from 0 to 1, such as clicks.
    prior_mean
        m_0, in units of the reward; default 0. A larger value tries new arms more often. For Gaussian rewards only,
        as are the next two.
    prior_std
        p, in units of the reward; default 1. A larger value explores more. Set it to how far arms differ.
    noise_std
        q, in units of the reward; default 1. A larger value explores more. Set it to the noise you expect.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.ThompsonSampling(qd.Arms.grid(-1, 1, 3), rewards="bernoulli", seed=0)
    >>> policy.update([0.0, 1.0, 2.0], [0, 1, 2], [0, 1, 0])
    >>> policy.probabilities(time=3.0).round(3)
    array([0.133, 0.733, 0.133])
    """

    def __init__(
        self,
        arms: Arms,
        rewards: Rewards = "gaussian",
        prior_mean: float = 0.0,
        prior_std: float = 1.0,
        noise_std: float = 1.0,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, seed)
        if rewards not in get_args(Rewards):
            raise ValueError(f"rewards must be one of {', '.join(get_args(Rewards))}, got {rewards!r}")
        self.rewards: Rewards = rewards
        self.prior_mean = number("prior_mean", prior_mean)
        self.prior_std = positive("prior_std", prior_std)
        self.noise_std = positive("noise_std", noise_std)
        self._tallies = Tallies(len(arms))

    def _posteriors(self, among: Subset | None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of each arm, or the two parameters of its Beta distribution."""
        counts, totals = self._with_pending()
        if among is not None:
            counts, totals = counts[among.positions], totals[among.positions]
        if self.rewards == "bernoulli":
            return 1 + totals, 1 + counts - totals
        variance = 1 / (1 / self.prior_std**2 + counts / self.noise_std**2)
        return variance * (self.prior_mean / self.prior_std**2 + totals / self.noise_std**2), np.sqrt(variance)

    def _with_pending(self) -> tuple[Floats, Floats]:
        """Return counts and totals as if each pending pull had paid the posterior mean of its arm."""
        counts, totals = self._tallies.counts, self._tallies.totals
        if len(self._pending) == 0:
            return counts, totals
        more = np.bincount(self._pending.arrays()[1], minlength=len(counts)).astype(np.float64)
        if self.rewards == "bernoulli":
            means = (1 + totals) / (2 + counts)
        else:
            known, prior = counts / self.noise_std**2, 1 / self.prior_std**2
            means = (self.prior_mean * prior + totals / self.noise_std**2) / (known + prior)
        return counts + more, totals + more * means

    def _select(self, time: float, among: Subset | None = None) -> int:
        one, other = self._posteriors(among)
        if self.rewards == "bernoulli":
            largest = int(np.argmax(self._random.beta(one, other)))
        else:
            largest = int(np.argmax(one + other * self._random.standard_normal(len(one))))
        return largest if among is None else int(among.positions[largest])

    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        # Arms with the same posterior are equally likely: one of them is enough.
        distinct, kind, sizes = np.unique(
            np.column_stack(self._posteriors(among)), axis=0, return_inverse=True, return_counts=True
        )
        from quickdraw_bandits.policies.largest_draw import largest_draw

        found = largest_draw(self.rewards, distinct[:, 0], distinct[:, 1], sizes)[kind.ravel()]
        if among is None:
            return found
        probabilities = np.zeros(len(self.arms))
        probabilities[among.positions] = found
        return probabilities

    def _check_rewards(self, rewards: Floats) -> None:
        outside = (rewards < 0) | (rewards > 1)
        if self.rewards == "bernoulli" and outside.any():
            raise ValueError(
                f"reward must be from 0 to 1 for rewards='bernoulli', got {rewards[outside][0]}; "
                "use rewards='gaussian' for others"
            )

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        if self.rewards == "bernoulli":
            rewards = (self._random.random(len(rewards)) < rewards).astype(np.float64)
        super()._update(times, arms, rewards)
