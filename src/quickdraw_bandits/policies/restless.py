"""The restless bandit policy (B3)."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, integer, not_negative
from quickdraw_bandits.numerics.ties import argmaxes, pick
from quickdraw_bandits.policies.index_policy import any_arm, uniform
from quickdraw_bandits.policies.policy import Policy


class Restless(Policy[int]):
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
    arms, seed
        As for ``Policy``.
    volatility
        sigma_r, standard deviation of the change of a mean reward in one unit of time, in units of the reward. The
        default 0.3 is the best of 0.1, 0.2, …, 1 on separate random fields of the paper's base setting. A larger
        value explores more. Set it to how fast your rewards drift.
    first_arms
        Number of different arms to try before relying on suspicion alone; default 100. A larger value explores for
        longer. Keep it well below the number of rounds.

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
        self._played: Integers = np.empty(0, dtype=np.int64)  # in the order of their first observation
        self._leader_is_due = True

    def _select(self, time: float, among: Subset | None = None) -> int:
        return self._decide(time, among)[0]

    def _decide(self, time: float, among: Subset | None) -> tuple[int, float]:
        played = self._among_played(among)
        if len(played) == 0:
            return any_arm(len(self.arms), among, self._random), 1 / (len(self.arms) if among is None else len(among))
        leaders = argmaxes(self._last_reward[played])
        leader = pick(leaders, self._random)
        leader_is_due, self._leader_is_due = self._leader_is_due, not self._leader_is_due
        if leader_is_due:
            return int(played[leader]), 1 / len(leaders)
        untried = self._untried(among)
        if len(untried):
            return int(untried[self._random.integers(len(untried))]), 1 / len(untried)
        suspects = [self._suspects(time, played, other) for other in leaders]
        chosen = pick(suspects[int(np.searchsorted(leaders, leader))], self._random)
        return int(played[chosen]), float(np.mean([np.mean(some == chosen) for some in suspects]))

    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        n_arms, played = len(self.arms), self._among_played(among)
        if len(played) == 0:
            return uniform(n_arms, None if among is None else among.positions)
        leaders = argmaxes(self._last_reward[played])
        if self._leader_is_due:
            return uniform(n_arms, played[leaders])
        untried = self._untried(among)
        if len(untried):
            return uniform(n_arms, untried)
        given_leader = [uniform(n_arms, played[self._suspects(time, played, leader)]) for leader in leaders]
        return np.asarray(np.mean(given_leader, axis=0))

    def _chosen(self, time: float, arm: int, among: Subset | None) -> None:
        if len(self._among_played(among)):
            self._leader_is_due = not self._leader_is_due

    def _among_played(self, among: Subset | None) -> Integers:
        return self._played if among is None else self._played[among.mask[self._played]]

    def _untried(self, among: Subset | None) -> Integers:
        """Return the arms to try first; none once ``first_arms`` were."""
        if len(self._played) >= min(self.first_arms, len(self.arms)):
            return np.empty(0, dtype=np.int64)
        untried = np.isneginf(self._last_time)
        untried[self._pending.arrays()[1]] = False
        return np.flatnonzero(untried if among is None else untried & among.mask)

    def _suspects(self, time: float, played: Integers, leader: np.intp | int) -> Integers:
        """Return the most suspicious of the played arms, or the leader if none is suspicious.

        A pending pull counts as one that paid what its arm paid last.
        """
        pulled, arms = self._pending.arrays()
        last_time = self._last_time
        if len(arms):
            last_time = last_time.copy()
            np.maximum.at(last_time, arms, pulled)
        reward = self._last_reward[played]
        # A pull later than the time of the choice counts as just made.
        age = np.maximum(time - last_time[played], 0.0)
        change = self.volatility * np.sqrt(age) if self.volatility > 0 else 0.0
        suspicion = reward - reward[leader] + change
        suspicion[leader] = -np.inf
        suspects = argmaxes(suspicion)
        return suspects if suspicion[suspects[0]] > 0 else np.array([leader])

    def _grow(self, arms: Arms) -> None:
        more = len(arms) - len(self._last_time)
        self._last_time = np.concatenate([self._last_time, np.full(more, -np.inf)])
        self._last_reward = np.concatenate([self._last_reward, np.zeros(more)])

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        # For each arm its latest observation; among equal times the one that arrived last.
        order = np.lexsort((times, arms))
        last_of_arm = order[np.append(arms[order][1:] != arms[order][:-1], True)]
        later = last_of_arm[times[last_of_arm] >= self._last_time[arms[last_of_arm]]]
        new = arms[later][np.isneginf(self._last_time[arms[later]])]
        self._last_time[arms[later]] = times[later]
        self._last_reward[arms[later]] = rewards[later]
        if len(new):
            self._played = np.append(self._played, new)
