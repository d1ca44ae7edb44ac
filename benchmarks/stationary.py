"""Stationary rewards: the cost of a round must not grow with the history."""

import numpy as np

import quickdraw_bandits as qd
from benchmarks.row import Row, at_most, best_of


def run() -> list[Row]:
    """Time a thousand rounds after 1,000 and after 999,000 observations; they take turns, best of fifteen each."""
    arms = qd.Arms.grid(-1, 1, 1000)
    random = np.random.default_rng(0)
    policies = []
    for n in (1_000, 999_000):
        policy = qd.QuickDraw(arms, time_scale=None, seed=0)
        policy.update(np.arange(n), random.integers(1000, size=n), random.random(n))
        policies.append(policy)
    early, late = best_of(15, lambda: _thousand_rounds(policies[0]), lambda: _thousand_rounds(policies[1]))
    return [at_most("stationary: rounds 999,000-1,000,000 against rounds 1,000-2,000", late, early, 1.2)]


def _thousand_rounds(policy: qd.QuickDraw) -> None:
    for k in range(1000):
        arm = policy.select(float(k))
        policy.update(float(k), arm, 0.5)
