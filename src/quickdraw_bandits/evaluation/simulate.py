"""Playing a policy on an environment."""

import sys
from collections.abc import Callable
from time import perf_counter
from typing import Protocol

import numpy as np

from quickdraw_bandits.arms import Box
from quickdraw_bandits.checks import integer
from quickdraw_bandits.environments import Environment
from quickdraw_bandits.environments.streams import stream
from quickdraw_bandits.evaluation.trace import Trace
from quickdraw_bandits.policies.adaptive.scales import Scales
from quickdraw_bandits.policies.decision import ArmT

Progress = Callable[[int, int], object]
"""Called with the amount done and the total."""


class Player(Protocol[ArmT]):
    """Anything with ``select`` and ``update``; it need not derive from ``Policy``. What it has beyond is used."""

    def select(self, time: float, /) -> ArmT:
        """Return the arm to play at ``time``."""

    def update(self, time: float, arm: ArmT, reward: float, /) -> object:
        """Learn the reward of ``arm`` at ``time``."""


def simulate(
    policy: Player[int],
    env: Environment,
    warmup: int = 100,
    seed: int = 0,
    progress: Progress | None = None,
    delay: int = 0,
) -> Trace:
    """Play every round of an environment and return the record.

    Parameters
    ----------
    policy
        A policy, or any object with its ``select(time)`` and ``update(time, arm, reward)``.
    env
        The environment.
    warmup
        Number of first rounds played at random, from which the policy learns; default 100, at least one round less
        than the environment has. A larger warm-up tells the policy more before its first choice.
    seed
        An integer, which alone determines the arms of the warm-up: they are the same for every policy. Default 0.
    progress
        Called with the number of rounds done and the number of all rounds, about a hundred times.
    delay
        Rounds until a reward arrives; default 0, before the next choice. With a larger delay, the policy is told of
        every pull by ``expect``, if it has that method.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> env = qd.environments.KnownFunction(lambda x: 1 - x * x, n_arms=100, n_rounds=300)
    >>> trace = qd.simulate(qd.policies.SlidingEpsilonGreedy(env.arms, seed=0), env)
    >>> len(trace.arms), trace.warmup, trace.regret_per_round < 0.1
    (300, 100, True)
    """
    name = type(policy).__name__
    _check(policy, env, name)
    warmup = integer("warmup", warmup, at_least=0, at_most=env.n_rounds - 1)
    n_rounds, n_arms = env.n_rounds, len(env.arms)
    arms = np.random.default_rng(stream(seed, "warm-up")).integers(n_arms, size=n_rounds)
    rewards, seconds = np.empty(n_rounds), np.empty(n_rounds)
    times = env.times.tolist()
    report_every = max(1, n_rounds // 100)
    _compile_at_once()
    select, update, pull, clock = policy.select, policy.update, env.pull, perf_counter
    delay = integer("delay", delay, at_least=0)
    expect = getattr(policy, "expect", None) if delay else None
    learns_scales = hasattr(policy, "scales")
    scales: list[Scales | None] = []
    for round, time in enumerate(times):
        start = clock()
        if round < warmup:
            arm = int(arms[round])
        else:
            arm = select(time)
            if type(arm) is not int or not 0 <= arm < n_arms:
                arm = integer(f"the arm that {name}.select returns", arm, at_least=0, at_most=n_arms - 1)
            arms[round] = arm
        selected = clock()
        if learns_scales and round >= warmup:
            scales.append(policy.scales)  # type: ignore[attr-defined]
        rewards[round] = reward = pull(round, arm)
        paid = clock()
        if not delay:
            update(time, arm, reward)
        else:
            if expect is not None:
                expect(time, arm)
            if round >= delay:
                update(times[round - delay], int(arms[round - delay]), float(rewards[round - delay]))
        seconds[round] = (clock() - paid) + (selected - start)
        if progress is not None and ((round + 1) % report_every == 0 or round + 1 == n_rounds):
            progress(round + 1, n_rounds)
    regret = env.best_mean - env.mean[np.arange(n_rounds), arms]
    return Trace(name, env.times, arms, rewards, regret, warmup, seconds[warmup:], tuple(scales) or None, env.dates)


def _check(policy: object, env: object, name: str) -> None:
    if not callable(getattr(policy, "select", None)) or not callable(getattr(policy, "update", None)):
        raise ValueError(f"policy must have the methods select and update, got {policy!r}")
    if isinstance(policy, type):
        raise ValueError(f"policy must be built first, got the class itself; write {policy.__name__}(env.arms)")
    if not isinstance(env, Environment):
        raise ValueError(f"env must be an Environment, got {type(env).__name__}")
    own = getattr(policy, "arms", None)
    expected = f"policy must be built on the environment's {len(env.arms)} arms"
    if isinstance(own, Box):
        raise ValueError(f"{expected}, got {name} on {own!r}; write {name}(env.arms)")
    if own is not None and len(own) != len(env.arms):
        raise ValueError(f"{expected}, got {name} on {len(own)}")


def _compile_at_once() -> None:
    """Have missing code compiled in this process: a game without pauses would outrun what is compiled aside."""
    aside = sys.modules.get("quickdraw_bandits.interpolation.aside")  # imported where there is something to compile
    if aside is not None:
        aside.end_helpers()
