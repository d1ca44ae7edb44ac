"""Another policy, with a little uniform exploration: for logs that can be evaluated."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Seed, fraction
from quickdraw_bandits.numerics.ties import pick
from quickdraw_bandits.policies.adaptive.explanation import Explanation
from quickdraw_bandits.policies.adaptive.scales import Scales
from quickdraw_bandits.policies.index_policy import any_arm, uniform
from quickdraw_bandits.policies.policy import Policy


class Mixed(Policy[int]):
    """Plays what another policy plays, and now and then a uniformly random arm of those that may be chosen.

    With n arms to choose from, each has at least the probability ``uniform / n``. So a log of its decisions has overlap
    with every other policy, and off-policy evaluation can tell what that policy would have earned.

    The policy inside learns from every reward. Call the mixed policy alone; the one inside shares its state.

    Parameters
    ----------
    policy
        Any policy on an ``Arms`` set.
    uniform
        Probability of a random arm, from 0 to 1; default 0.05. A larger value explores more, and evaluations of other
        policies from the log become more certain; about this part of the best reward is given up.
    seed
        An integer or a ``numpy.random.Generator``; draws when to explore, and the random arms.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.Mixed(qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 10), seed=0), uniform=0.1, seed=0)
    >>> policy.update([0, 1, 2], [0, 5, 9], [0.2, 0.9, 0.1])
    >>> policy.probabilities(time=3).min().round(6)
    np.float64(0.01)
    """

    def __init__(self, policy: Policy[int], uniform: float = 0.05, seed: Seed = None) -> None:
        if not isinstance(policy, Policy) or not isinstance(policy.arms, Arms):
            raise ValueError(f"policy must be a policy on an Arms set, got {policy!r}")
        self.policy = policy
        retired = policy._retired
        super().__init__(policy.arms, seed)
        self._retired = retired
        self.uniform = fraction("uniform", uniform)
        self._share()

    @property
    def arms(self) -> Arms:
        """The arms of the policy inside."""
        return self.policy.arms

    @arms.setter
    def arms(self, arms: Arms) -> None:
        self.policy.arms = arms

    @property
    def _retired(self) -> NDArray[np.bool_] | None:
        return self.policy._retired

    @_retired.setter
    def _retired(self, retired: NDArray[np.bool_] | None) -> None:
        self.policy._retired = retired

    def _share(self) -> None:
        """Make both policies one: what is seen and pending is the same, and so are the clock and the lock."""
        inside = self.policy
        self._seen, self._pending, self._clock = inside._seen, inside._pending, inside._clock
        self._watch, self._lock = inside._watch, inside._lock

    def _select(self, time: float, among: Subset | None = None) -> int:
        if self._random.random() < self.uniform:
            return any_arm(len(self.arms), among, self._random)
        return int(self.policy._choose(time, among))

    def _decide(self, time: float, among: Subset | None) -> tuple[int, float]:
        if self._random.random() < self.uniform:
            arm = any_arm(len(self.arms), among, self._random)
            inside = self.policy._chance(time, among, arm)
        else:
            arm, inside = self.policy._decide(time, among)
        n = len(self.arms) if among is None else len(among)
        return arm, self.uniform / n + (1 - self.uniform) * inside

    def _draw(self, time: float, among: Subset | None, random: np.random.Generator) -> tuple[int, float]:
        n, ties = len(self.arms) if among is None else len(among), self.policy._ties(time, among)
        if ties is None:
            return super()._draw(time, among, random)
        explores = random.random() < self.uniform
        arm = any_arm(len(self.arms), among, random) if explores else pick(ties, random)
        inside = np.count_nonzero(ties == arm) / len(ties) if len(ties) > 1 else float(ties[0] == arm)
        return arm, self.uniform / n + (1 - self.uniform) * inside

    def _chosen(self, time: float, arm: int, among: Subset | None) -> None:
        self.policy._chosen(time, arm, among)

    def _begin_asking(self) -> None:
        self.policy._begin_asking()

    def _end_asking(self) -> None:
        self.policy._end_asking()

    def _tidy(self, time: float, later: bool = False) -> None:
        self.policy._tidy(time, later)

    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        inside = self.policy._probabilities(time) if among is None else self.policy._probabilities(time, among)
        explored = uniform(len(self.arms), None if among is None else among.positions)
        return self.uniform * explored + (1 - self.uniform) * inside

    @property
    def scales(self) -> Scales | None:
        """What the policy inside has learned, if it learns scales as ``AdaptiveQuickDraw`` does."""
        inside: Any = self.policy
        scales: Scales | None = inside.scales
        return scales

    @property
    def learns_in_select(self) -> bool:  # type: ignore[override]
        """Whether the policy inside learns while it selects."""
        return self.policy.learns_in_select

    def _check_rewards(self, rewards: Floats) -> None:
        self.policy._check_rewards(rewards)

    def _update(self, times: Floats, arms: Any, rewards: Floats) -> None:
        self.policy._update(times, arms, rewards)

    def _check_growth(self, arms: Arms) -> None:
        self.policy._check_growth(arms)

    def _grow(self, arms: Arms) -> None:
        self.policy._grow(arms)

    def _explain(self, time: float, alone: Any, most: int) -> Explanation:
        return self.policy._explain(time, alone, most)

    def _estimate(self, time: float, arms: Any) -> tuple[Floats, Floats]:
        return self.policy._estimate(time, arms)

    def _index(self, time: float, arms: Any) -> Floats:
        return self.policy._index(time, arms)

    def __repr__(self) -> str:
        return f"Mixed({self.policy!r}, uniform={self.uniform:g})"

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy."""
        super().__setstate__(state)
        self._share()
