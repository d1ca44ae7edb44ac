"""The record of one policy on one environment."""

from dataclasses import dataclass

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.frames import Column, Tabular
from quickdraw_bandits.policies.adaptive.scales import Scales


@dataclass(frozen=True, eq=False, repr=False)
class Trace(Tabular):
    """What a policy did, round by round. Arrays start with the warm-up unless said otherwise.

    Attributes
    ----------
    policy
        The name of the policy's class.
    times, arms, rewards
        Time, arm and reward of each round.
    regret
        ``max_x mu(x, t) - mu(x_t, t)`` of each round: mean shortfall from the best arm.
    warmup
        Number of first rounds played at random.
    choice_seconds
        Seconds that the policy needed to select and to learn, for each choice after the warm-up.
    scales
        The scales that the policy had learned at each choice after the warm-up; None for policies that learn none.
    dates
        Whether the environment has dates. ``times`` are then seconds since 1970, and a frame has dates.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> env = qd.environments.KnownFunction(lambda x: 1 - x * x, n_arms=100, n_rounds=300)
    >>> trace = qd.simulate(qd.policies.Random(env.arms, seed=0), env)
    >>> trace.to_frame().columns
    ['policy', 'round', 'time', 'arm', 'reward', 'regret', 'warmup', 'choice_seconds']
    """

    policy: str
    times: Floats
    arms: Integers
    rewards: Floats
    regret: Floats
    warmup: int
    choice_seconds: Floats
    scales: tuple[Scales | None, ...] | None = None
    dates: bool = False

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
        """Mean seconds per choice after the warm-up."""
        return float(self.choice_seconds.mean())

    def columns(self) -> dict[str, Column]:
        """Return one row per round; ``choice_seconds`` is NaN and scales are None during the warm-up."""
        n = len(self.arms)
        columns: dict[str, Column] = {
            "policy": [self.policy] * n,
            "round": np.arange(n),
            "time": (1e6 * self.times).round().astype("datetime64[us]") if self.dates else self.times,
            "arm": self.arms,
            "reward": self.rewards,
            "regret": self.regret,
            "warmup": np.arange(n) < self.warmup,
            "choice_seconds": np.concatenate([np.full(self.warmup, np.nan), self.choice_seconds]),
        }
        if self.scales is not None:
            scales = [None] * self.warmup + list(self.scales)
            for name in ("family", "length_scale", "time_scale", "noise", "own_level", "gamma"):
                columns[name] = [getattr(one, name) if one is not None else None for one in scales]
        return columns
