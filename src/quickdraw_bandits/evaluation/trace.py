"""The record of one policy on one environment."""

from dataclasses import dataclass
from typing import Any

from quickdraw_bandits.checks import Floats, Integers


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """What a policy did, round by round; the warm-up comes first and is part of every array but the last.

    Attributes
    ----------
    policy
        The name of the policy's class.
    times, arms, rewards
        When each round was, which arm was played, and what it paid.
    regret
        ``max_x mu(x, t) - mu(x_t, t)`` of each round: what the best arm would have paid more, on average.
    warmup
        How many of the first rounds were played at random.
    choice_seconds
        What the policy took for each choice after the warm-up, to select and to learn.
    scales
        What a policy that learns its scales had learned when it made each choice after the warm-up; else None.
    """

    policy: str
    times: Floats
    arms: Integers
    rewards: Floats
    regret: Floats
    warmup: int
    choice_seconds: Floats
    scales: tuple[Any, ...] | None = None

    def __repr__(self) -> str:
        return f"Trace({self.policy}, {len(self.arms):,} rounds, regret_per_round={self.regret_per_round:.4g})"

    @property
    def regret_per_round(self) -> float:
        """Mean regret over the rounds after the warm-up."""
        return float(self.regret[self.warmup :].mean())

    @property
    def reward_per_round(self) -> float:
        """Mean reward over the rounds after the warm-up."""
        return float(self.rewards[self.warmup :].mean())

    @property
    def seconds_per_choice(self) -> float:
        """Mean time for one choice after the warm-up."""
        return float(self.choice_seconds.mean())
