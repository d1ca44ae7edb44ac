"""Compiling what a policy needs before it is timed."""

from functools import cache

import numpy as np

from quickdraw_bandits.environments import Environment, RandomField
from quickdraw_bandits.policies import Policy
from quickdraw_lab.players.built_in import known_policies

MOST_ROUNDS = 800
"""Length of the history that a policy is given, at most."""


def rehearse(policy_class: type[Policy[int]], env: Environment) -> None:
    """Let a throw-away policy choose a few times, so that compilation does not count as time of a choice.

    It is given a history first: what must be compiled may depend on the number of observations.
    """
    from quickdraw_bandits.interpolation.aside import compiling_here  # imports numba

    with compiling_here():  # and not aside, where the game that is timed would compile it again
        policy = policy_class(env.arms, seed=0)
        seen = np.arange(max(1, min(env.n_rounds, MOST_ROUNDS) - 3))
        arms = seen % len(env.arms)
        policy.update(env.times[seen], arms, env.rewards[seen, arms])
        for time in env.times[len(seen) : len(seen) + 3].tolist():
            policy.update(time, policy.select(time), 0.5)


@cache
def prepare(policy: str) -> None:
    """Rehearse a built-in policy once per process; policies from elsewhere are left alone."""
    if policy in known_policies():
        rehearse(known_policies()[policy], RandomField(n_arms=100, n_rounds=1000))
