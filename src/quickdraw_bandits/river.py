"""Policies of this library in river's bandit evaluation."""

import copy
from collections.abc import Mapping, Sequence
from typing import cast

try:
    from river import bandit
except ImportError:
    raise ImportError("quickdraw_bandits.river needs river: pip install river") from None

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import integer
from quickdraw_bandits.policies import Policy
from quickdraw_bandits.times import Time

ArmID = int | str
"""How river names an arm: the position of an arm, or its label."""


class RiverPolicy(bandit.base.Policy):
    """A policy of this library as a policy of river, for ``river.bandit.evaluate`` and ``evaluate_offline``.

    River has no times, so the time is the number of pulls: 0, 1, 2, … For logs with times, use ``TimedRiverPolicy``.

    Parameters
    ----------
    policy
        A policy on a set of arms. It is copied, and the copy plays and learns; river begins every episode with a new
        copy. River's arms are the labels of ``policy.arms``, or positions where arms have none.
    burn_in
        Number of pulls that river gives to every arm first; default 0. With many arms this takes long.

    Examples
    --------
    >>> from river import bandit
    >>> import gymnasium
    >>> import quickdraw_bandits as qd
    >>> import quickdraw_bandits.gym
    >>> from quickdraw_bandits.river import RiverPolicy
    >>> env = gymnasium.make("quickdraw/RandomField-v0", n_arms=50, n_rounds=100)
    >>> ours = RiverPolicy(qd.AdaptiveQuickDraw(env.unwrapped.arms, seed=0))
    >>> steps = list(bandit.evaluate([ours, bandit.UCB(delta=1, seed=0)], env, n_episodes=1, seed=0))
    >>> earned = [sum(step["reward"] for step in steps if step["policy_idx"] == k) for k in (0, 1)]
    >>> earned[0] > earned[1]
    True
    """

    def __init__(self, policy: Policy[int], burn_in: int = 0) -> None:
        super().__init__(burn_in=burn_in)
        self.policy = policy
        self._player = _Player(policy)

    def pull(self, arm_ids: Sequence[ArmID]) -> ArmID:
        """Return the arm to play among these."""
        self._player.time = self._player.pulls
        self._player.pulls += 1
        return super().pull(arm_ids)  # type: ignore[arg-type]

    def _pull(self, arm_ids: Sequence[ArmID]) -> ArmID:
        return self._player.choose(arm_ids)

    def update(self, arm_id: ArmID, reward: float) -> None:
        """Learn what the last pull paid."""
        self._player.learn(arm_id, reward)
        super().update(arm_id, float(reward))  # type: ignore[no-untyped-call]

    def __repr__(self) -> str:
        return f"RiverPolicy({self.policy!r})"  # river's own fails for parameters that have no name there


class TimedRiverPolicy(bandit.base.ContextualPolicy):
    """As ``RiverPolicy``, with times from river's context, for ``river.bandit.evaluate_offline``.

    Parameters
    ----------
    policy, burn_in
        As for ``RiverPolicy``.
    key
        The entry of the context that holds the time, a number or a datetime; default "time".

    Examples
    --------
    >>> from river import bandit
    >>> import quickdraw_bandits as qd
    >>> from quickdraw_bandits.river import TimedRiverPolicy
    >>> policy = qd.policies.Random(qd.Arms([4.0, 5.0], labels=["low", "high"]), seed=0)
    >>> log = [(["low", "high"], {"time": 0.5 * k}, "high", 1.0) for k in range(100)]
    >>> total, used = bandit.evaluate_offline(TimedRiverPolicy(policy), log)
    >>> total.get() == used, 30 < used < 70
    (True, True)
    """

    def __init__(self, policy: Policy[int], burn_in: int = 0, key: str = "time") -> None:
        super().__init__(burn_in=burn_in)
        self.policy = policy
        self.key = key
        self._player = _Player(policy)

    def pull(self, arm_ids: Sequence[ArmID], context: Mapping[str, object] | None = None) -> ArmID:
        """Return the arm to play among these at the time in ``context``."""
        if not context or self.key not in context:
            raise ValueError(f"context must hold the time under {self.key!r}, got {context!r}")
        self._player.time = cast(Time, context[self.key])
        return super().pull(arm_ids, context)  # type: ignore[arg-type]

    def _pull(self, arm_ids: Sequence[ArmID], context: Mapping[str, object]) -> ArmID:  # type: ignore[override]
        return self._player.choose(arm_ids)

    def update(self, arm_id: ArmID, context: Mapping[str, object], reward: float) -> None:
        """Learn what the pull at the time in ``context`` paid."""
        self._player.time = cast(Time, context[self.key])
        self._player.learn(arm_id, reward)
        super().update(arm_id, context, float(reward))  # type: ignore[no-untyped-call]

    def __repr__(self) -> str:
        return f"TimedRiverPolicy({self.policy!r}, key={self.key!r})"


class _Player:
    """A copy of a policy that plays, and what river's names of arms mean to it."""

    def __init__(self, policy: Policy[int]) -> None:
        if not isinstance(policy, Policy) or not isinstance(policy.arms, Arms):
            raise ValueError(
                f"policy must be a policy of quickdraw_bandits on a set of arms, got {type(policy).__name__}"
            )
        self.policy = copy.deepcopy(policy)
        self.time: Time = 0
        self.pulls = 0

    def choose(self, arm_ids: Sequence[ArmID]) -> ArmID:
        arms: Arms = self.policy.arms
        if isinstance(arm_ids, range) and arm_ids == range(len(arms)):
            return self.policy.select(self.time)
        positions = [self._position(arm_id) for arm_id in arm_ids]
        of = dict(zip(positions, arm_ids, strict=True))
        return of[self.policy.select(self.time, among=None if len(of) == len(arms) else positions)]

    def learn(self, arm_id: ArmID, reward: float) -> None:
        self.policy.update(self.time, self._position(arm_id), float(reward))

    def _position(self, arm_id: ArmID) -> int:
        """Return the position of an arm: a text is a label; a number is a position, also where arms have labels."""
        arms: Arms = self.policy.arms
        if isinstance(arm_id, str):
            return arms.position(arm_id)
        return integer("arm_id", arm_id, at_least=0, at_most=len(arms) - 1)
