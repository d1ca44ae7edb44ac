"""Thompson sampling, with Gaussian or Bernoulli rewards."""

from typing import Literal, get_args

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed, number, positive
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.tallies import Tallies

Rewards = Literal["gaussian", "bernoulli"]


class ThompsonSampling(Policy):
    """Draws what every arm might pay from what is believed of it, and plays the arm of the largest draw.

    Thompson (1933). For each arm by itself, after k plays that paid s in all, the draw is from

    ``"gaussian"``     N(m, v),    1 / v = 1 / p² + k / q²,    m = v (m_0 / p² + s / q²)
    ``"bernoulli"``    Beta(1 + s, 1 + k - s)

    Gaussian: the average has the prior N(m_0, p²), and rewards a standard deviation of q. With the defaults
    m_0 = 0 and p = q = 1 it is N(s / (k + 1), 1 / (k + 1)), algorithm 2 of Agrawal and Goyal, *Further optimal regret
    bounds for Thompson sampling* (2013).

    Bernoulli: algorithm 1 of the same paper, from a uniform prior. A reward between 0 and 1 counts as 1 with a
    probability of that reward and otherwise as 0, as in algorithm 2 of Agrawal and Goyal, *Analysis of Thompson
    sampling for the multi-armed bandit problem* (2012); rewards outside of [0, 1] are refused.

    ``probabilities`` finds how likely each arm is to have the largest draw by a sum over cells of the real line, not
    by drawing; on some thousands of different arms that takes a second.

    Parameters
    ----------
    arms
        The choices.
    rewards
        ``"gaussian"`` or ``"bernoulli"``.
    prior_mean, prior_std
        m_0 and p, for Gaussian rewards.
    noise_std
        q, for Gaussian rewards. The smaller, the greedier.
    seed
        An integer or a ``numpy.random.Generator``.

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

    def _beliefs(self) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of each arm, or the two parameters of its Beta distribution."""
        counts, totals = self._tallies.counts, self._tallies.totals
        if self.rewards == "bernoulli":
            return 1 + totals, 1 + counts - totals
        variance = 1 / (1 / self.prior_std**2 + counts / self.noise_std**2)
        return variance * (self.prior_mean / self.prior_std**2 + totals / self.noise_std**2), np.sqrt(variance)

    def _select(self, time: float) -> int:
        one, other = self._beliefs()
        if self.rewards == "bernoulli":
            return int(np.argmax(self._random.beta(one, other)))
        return int(np.argmax(one + other * self._random.standard_normal(len(one))))

    def _probabilities(self, time: float) -> Floats:
        # Arms of which the same is believed are equally likely: one of them is enough.
        beliefs, kind, sizes = np.unique(
            np.column_stack(self._beliefs()), axis=0, return_inverse=True, return_counts=True
        )
        from quickdraw_bandits.policies.largest_draw import largest_draw

        return largest_draw(self.rewards, beliefs[:, 0], beliefs[:, 1], sizes)[kind.ravel()]

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        if self.rewards == "bernoulli":
            outside = (rewards < 0) | (rewards > 1)
            if outside.any():
                raise ValueError(
                    f"reward must be from 0 to 1 for rewards='bernoulli', got {rewards[outside][0]}; "
                    "take rewards='gaussian' for others"
                )
            rewards = (self._random.random(len(rewards)) < rewards).astype(np.float64)
        self._tallies.add(arms, rewards)
