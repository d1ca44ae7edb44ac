"""The zooming algorithm."""

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.metrics import distances
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, integer, positive
from quickdraw_bandits.numerics.ties import argmaxes, pick
from quickdraw_bandits.policies.index_policy import uniform
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.tallies import Tallies

_BLOCK = 2**20


class Zooming(Policy[int]):
    """Plays few arms at first, and more where rewards are high (adaptive discretisation).

    Kleinberg, Slivkins and Upfal, *Multi-armed bandits in metric spaces* (2008), as in Slivkins, *Introduction to
    Multi-Armed Bandits* (2019), algorithm 4.2. With n(x) plays of arm x and T rounds in all, its confidence radius is

        r(x) = sqrt(c ln(T) / (n(x) + 1)),    c = 2,

    and its ball contains the arms y with L D(x, y) <= r(x). At first no arm is active. Every round,

    - activation: if some arm is in no ball of an active arm, activate one such arm at random;
    - selection: play the active arm of the largest mean(x) + 2 r(x).

    The paper of 2008 does not know T and restarts after 2, 4, 8, … rounds, in phase i with r = sqrt(8 i / (2 + n)).
    Like the book, this policy does not.

    Differs from the book in two ways. An active arm never played has an infinite index, so that it is played at once;
    with c = 2 and rewards from 0 to 1 the book's index has the same effect. An arm chosen by others becomes active
    when its reward arrives.

    Parameters
    ----------
    arms
        The choices, of any metric.
    horizon
        T, the number of rounds to be played; default 1,000. A larger value explores slightly more.
    exploration
        c, in squared units of the reward; default 2. A larger value explores more. The default is for proofs: an arm
        needs hundreds of plays until its radius is below 0.1. With little noise, 0.01 learns much faster.
    lipschitz
        L, largest difference of mean rewards per unit of scaled distance, in units of the reward; default 1. A larger
        value activates more arms. Set it to the steepest slope you expect.
    seed
        An integer or a ``numpy.random.Generator``; chooses among uncovered arms and breaks ties.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> env = qd.environments.KnownFunction(lambda x: 1 - abs(x - 0.3), n_arms=500, n_rounds=500)
    >>> policy = qd.policies.Zooming(env.arms, exploration=0.001, lipschitz=2.0, seed=0)
    >>> qd.simulate(policy, env, warmup=0).regret[-100:].mean() < 0.03
    np.True_
    """

    def __init__(
        self, arms: Arms, horizon: int = 1000, exploration: float = 2.0, lipschitz: float = 1.0, seed: Seed = None
    ) -> None:
        super().__init__(arms, seed)
        self.horizon = integer("horizon", horizon, at_least=2)
        self.exploration = positive("exploration", exploration)
        self.lipschitz = positive("lipschitz", lipschitz)
        self._tallies = Tallies(len(arms))
        self._active: Integers = np.empty(0, dtype=np.int64)
        # For every arm: an active arm whose ball contains it, or -1, and L times its distance.
        self._owner = np.full(len(arms), -1, dtype=np.int64)
        self._owner_distance = np.zeros(len(arms))

    def _radius(self, arms: Integers) -> Floats:
        return self._radius_of(self._tallies.counts[arms])

    def _radius_of(self, counts: Floats) -> Floats:
        radius: Floats = np.sqrt(self.exploration * np.log(self.horizon) / (counts + 1))
        return radius

    def _select(self, time: float, among: Subset | None = None) -> int:
        to_activate = self._to_activate(among)
        if len(to_activate):
            self._activate(to_activate[self._random.integers(len(to_activate))][None])
        return pick(self._best_active(among), self._random)

    def _activate(self, new: Integers) -> None:
        self._active = np.append(self._active, new)
        self._cover(np.flatnonzero(self._owner < 0), new)

    def _chosen(self, time: float, arm: int, among: Subset | None) -> None:
        """Activate the arm if it is new.

        Where a log has another active arm that was never played, the one that was activated with it is not known. It is
        activated later, when it is chosen.
        """
        if arm in self._to_activate(among) and arm not in self._active:
            self._activate(np.array([arm]))

    def _decide(self, time: float, among: Subset | None) -> tuple[int, float]:
        if len(self._to_activate(among)):
            return super()._decide(time, among)
        best = self._best_active(among)
        return pick(best, self._random), 1 / len(best)

    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        to_activate = self._to_activate(among)
        n_arms, active = len(self.arms), self._active if among is None else self._active[among.mask[self._active]]
        if len(to_activate) == 0:
            return uniform(n_arms, self._best_active(among))
        # A new arm has an infinite index, unless its first pull is pending, and so has every active arm that was never
        # played.
        counts, _ = self._tallies.with_pending(self._pending.arrays()[1])
        new, unplayed = to_activate[counts[to_activate] == 0], active[counts[active] == 0]
        probabilities = np.zeros(n_arms)
        part = len(new) / len(to_activate) / (len(unplayed) + 1)
        probabilities[new] = part / max(len(new), 1)
        probabilities[unplayed] += part
        for pulled in to_activate[counts[to_activate] > 0]:
            best = self._best_active(among, pulled)
            probabilities[best] += 1 / len(to_activate) / len(best)
        return probabilities

    def _to_activate(self, among: Subset | None) -> Integers:
        """Return the arms one of which is activated before the next choice."""
        uncovered = np.flatnonzero(self._owner < 0)
        if among is None:
            return uncovered
        uncovered = uncovered[among.mask[uncovered]]
        nothing_to_play = not among.mask[self._active].any()
        return among.positions if len(uncovered) == 0 and nothing_to_play else uncovered

    def _best_active(self, among: Subset | None, new: np.int64 | None = None) -> Integers:
        """Return the active arms of the largest index, with a new one or without."""
        active = self._active if among is None else self._active[among.mask[self._active]]
        if new is not None:
            active = np.append(active, new)
        counts, totals = (sums[active] for sums in self._tallies.with_pending(self._pending.arrays()[1]))
        index = totals / np.maximum(counts, 1) + 2 * self._radius_of(counts)
        return active[argmaxes(np.where(counts > 0, index, np.inf))]

    def _grow(self, arms: Arms) -> None:
        more = len(arms) - len(self._owner)
        self._tallies.extend(len(arms))
        self._owner = np.concatenate([self._owner, np.full(more, -1, dtype=np.int64)])
        self._owner_distance = np.concatenate([self._owner_distance, np.zeros(more)])
        before, self.arms = len(self.arms), arms
        self._cover(np.arange(before, len(arms)), self._active)

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        uncovered = np.flatnonzero(self._owner < 0)
        first = np.sort(np.unique(arms, return_index=True)[1])
        new = np.setdiff1d(arms[first], self._active, assume_unique=True)
        self._active = np.append(self._active, new)
        self._tallies.add(arms, rewards)
        # The balls of played arms have shrunk. Arms that lost their owner are compared with all balls; arms that had
        # none, only with new balls.
        owned = np.flatnonzero(self._owner >= 0)
        lost = owned[self._owner_distance[owned] > self._radius(self._owner[owned])]
        self._owner[lost] = -1
        self._cover(lost, self._active)
        self._cover(uncovered, new)

    def _cover(self, arms: Integers, active: Integers) -> None:
        """Set the owner of each of ``arms`` to the one of ``active`` whose ball contains it most deeply, if any."""
        if len(arms) == 0 or len(active) == 0:
            return
        rows = max(1, _BLOCK // len(active))
        for block in (arms[start : start + rows] for start in range(0, len(arms), rows)):
            apart = self.lipschitz * self._distances(block, active)
            deepest = np.argmax(self._radius(active) - apart, axis=1)
            nearest = apart[np.arange(len(block)), deepest]
            inside = nearest <= self._radius(active[deepest])
            self._owner[block[inside]] = active[deepest[inside]]
            self._owner_distance[block[inside]] = nearest[inside]

    def _distances(self, arms: Integers, active: Integers) -> Floats:
        points, metric = self.arms.points, self.arms.metric
        if metric == "precomputed":
            raw: Floats = points[np.ix_(arms, active)].astype(np.float64)
        else:
            raw = distances(metric, points[active], points[arms])
        return raw / float(self.arms.unit)
