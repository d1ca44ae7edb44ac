"""The restless bandit policy (B3)."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed, integer, not_negative
from quickdraw_bandits.numerics.ties import random_argmax
from quickdraw_bandits.policies.policy import Policy


class Restless(Policy):
    """Plays the leader every other round and the most suspicious arm in between (Slivkins and Upfal 2008).

    For arms whose mean rewards follow independent Brownian motions. The leader l is the arm of the highest last
    reward. An arm j with last reward y_j at time t_j is suspected of having overtaken the leader if

    suspicion_j = y_j + sigma_r sqrt(t - t_j) - y_l > 0.

    Every other choice is the leader. The choices in between are the most suspicious arm, or the leader if no arm is
    suspicious.

    The source plays every arm once at the start. The paper cannot have done that: it has as many arms as rounds. Here
    an arm never played has no suspicion; the choices in between try new arms only until ``first_arms`` different ones
    were played.

    Parameters
    ----------
    arms
        The choices.
    volatility
        sigma_r, standard deviation of the change of a mean reward in one unit of time, in units of the reward. The
        default 0.3 is the best of 0.1, 0.2, …, 1 on separate random fields of the paper's base setting. A larger
        value explores more. Set it to how fast your rewards drift.
    first_arms
        Number of different arms to try before relying on suspicion alone; default 100. A larger value explores for
        longer. Keep it well below the number of rounds.
    seed
        An integer or a ``numpy.random.Generator``; breaks ties.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.Restless(qd.Arms.grid(-1, 1, 4), volatility=0.2, seed=0)
    >>> policy.update([0.0, 1.0, 2.0, 3.0], [0, 1, 2, 3], [0.1, 0.5, 0.9, 0.8])
    >>> [policy.select(time=4.0) for _ in range(4)]
    [2, 3, 2, 3]
    """

    def __init__(self, arms: Arms, volatility: float = 0.3, first_arms: int = 100, seed: Seed = None) -> None:
        super().__init__(arms, seed)
        self.volatility = not_negative("volatility", volatility)
        self.first_arms = integer("first_arms", first_arms, at_least=1)
        self._last_time = np.full(len(arms), -np.inf)
        self._last_reward = np.zeros(len(arms))
        self._seen: Integers = np.empty(0, dtype=np.int64)
        self._leader_is_due = True

    def _select(self, time: float) -> int:
        if len(self._seen) == 0:
            return int(self._random.integers(len(self.arms)))
        reward = self._last_reward[self._seen]
        leader = random_argmax(reward, self._random)
        leader_is_due, self._leader_is_due = self._leader_is_due, not self._leader_is_due
        if leader_is_due:
            return int(self._seen[leader])
        if len(self._seen) < min(self.first_arms, len(self.arms)):
            unseen = np.flatnonzero(np.isneginf(self._last_time))
            return int(unseen[self._random.integers(len(unseen))])
        # A pull later than the time of the choice counts as just made.
        age = np.maximum(time - self._last_time[self._seen], 0.0)
        change = self.volatility * np.sqrt(age) if self.volatility > 0 else 0.0
        suspicion = reward - reward[leader] + change
        suspicion[leader] = -np.inf
        suspect = random_argmax(suspicion, self._random)
        return int(self._seen[suspect if suspicion[suspect] > 0 else leader])

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        # For each arm its latest observation; among equal times the one that arrived last.
        order = np.lexsort((times, arms))
        last_of_arm = order[np.append(arms[order][1:] != arms[order][:-1], True)]
        later = last_of_arm[times[last_of_arm] >= self._last_time[arms[last_of_arm]]]
        new = arms[later][np.isneginf(self._last_time[arms[later]])]
        self._last_time[arms[later]] = times[later]
        self._last_reward[arms[later]] = rewards[later]
        if len(new):
            self._seen = np.append(self._seen, new)
