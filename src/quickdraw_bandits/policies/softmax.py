"""Softmax, or Boltzmann exploration."""

from collections.abc import Callable

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Seed, number, positive
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.tallies import Tallied, Tallies


class Softmax(Tallied, Policy[int]):
    """Draws an arm with a probability that grows with its mean reward.

    Sutton and Barto, *Reinforcement Learning* (1998), section 2.3. With m_i the mean of arm i, its probability is

    exp(m_i / tau) / sum_j exp(m_j / tau).

    Parameters
    ----------
    arms, seed
        As for ``Policy``.
    temperature
        tau, in units of the reward; default 0.1. A number, or a function of the number of observations. A larger
        value explores more. Set it to about the differences between arms that matter to you.
    initial_mean
        m_i of an arm never played, in units of the reward; default 0, as in the source. A larger value tries new arms
        more often; above the largest reward, every arm is soon tried.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.Softmax(qd.Arms.grid(-1, 1, 3), temperature=0.5)
    >>> policy.update([0.0, 1.0], [0, 1], [0.5, 1.0])
    >>> policy.probabilities(time=2.0).round(3)
    array([0.245, 0.665, 0.09 ])
    """

    def __init__(
        self,
        arms: Arms,
        temperature: float | Callable[[int], float] = 0.1,
        initial_mean: float = 0.0,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, seed)
        self.temperature = temperature if callable(temperature) else positive("temperature", temperature)
        self.initial_mean = number("initial_mean", initial_mean)
        self._tallies = Tallies(len(arms))

    def _select(self, time: float, among: Subset | None = None) -> int:
        return self._decide(time, among)[0]

    def _decide(self, time: float, among: Subset | None) -> tuple[int, float]:
        weights = self._weights(among)
        cumulative = np.cumsum(weights)
        arm = int(np.searchsorted(cumulative, self._random.random() * cumulative[-1], side="right"))
        return arm, float(weights[arm] / cumulative[-1])

    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        weights = self._weights(among)
        probabilities: Floats = weights / weights.sum()
        return probabilities

    def _weights(self, among: Subset | None) -> Floats:
        """Return exp((m_i - max m) / tau), which is proportional to the probability and cannot overflow."""
        temperature = self.temperature
        if callable(temperature):
            temperature = positive("temperature(n_observations)", temperature(self._tallies.n_observations))
        means = self._tallies.means(unseen=self.initial_mean)
        if among is not None:
            means = np.where(among.mask, means, -np.inf)
        with np.errstate(over="ignore"):  # the quotient may overflow to minus infinity
            weights: Floats = np.exp((means - means.max()) / temperature)
        return weights
