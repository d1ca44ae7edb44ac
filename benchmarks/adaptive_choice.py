"""A choice among a million arms: the adaptive policy against Quick-Draw."""

import numpy as np

import quickdraw_bandits as qd
from benchmarks.row import Row, at_most
from quickdraw_lab.scale.histories import Reward, box_history, drifting_reward, nearest, places, play

ARMS, OBSERVATIONS, PLAYED, ROUNDS = 10**6, 10**5, 5_000, 100


def run() -> list[Row]:
    """Load a history that Quick-Draw played on a drifting reward in 2-D into both policies, and play on.

    Times are processor times, averaged over the rounds.
    """
    arms, seen = places(2, ARMS), box_history(2, PLAYED).first(OBSERVATIONS)
    chosen = nearest(arms, seen)
    rows = []
    for noise in (0.0, 0.1):
        rewards = seen.rewards + noise * np.random.default_rng(0).standard_normal(OBSERVATIONS)
        seconds = []
        for build in (qd.AdaptiveQuickDraw, qd.QuickDraw):
            policy = build(arms, seed=0)
            policy.update(seen.times, chosen, rewards)
            reward = noisy(drifting_reward(2), noise)
            play(policy, reward, OBSERVATIONS, 20)
            seconds.append(float(np.mean(play(policy, reward, OBSERVATIONS + 20, ROUNDS)[1].choices)))
        what = "Adaptive Quick-Draw, one choice among 1,000,000 arms in 2-D after 100,000 observations"
        rows.append(at_most(f"{what}, noise {noise:g}, against Quick-Draw", seconds[0], seconds[1], 3))
    return rows


def noisy(reward: Reward, deviation: float) -> Reward:
    """Return a reward with added noise of this standard deviation."""
    random = np.random.default_rng(1)
    return lambda place, now: reward(place, now) + deviation * float(random.standard_normal())
