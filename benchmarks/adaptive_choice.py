"""A choice among a million arms: the adaptive policy against Quick-Draw."""

import sys

import numpy as np

import quickdraw_bandits as qd
from benchmarks.row import Row, at_most
from quickdraw_lab.scale.histories import Reward, box_history, drifting_reward, nearest, places, play

ARMS, OBSERVATIONS, PLAYED, TURNS, ROUNDS = 10**6, 10**5, 5_000, 5, 100
FIRST = 20
"""Rounds that are not counted."""


def run() -> list[Row]:
    """Load a history that Quick-Draw played on a drifting reward in 2-D into both policies, and play on.

    They take turns of 100 rounds, so that both meet the same state of the machine. Times are processor times, averaged
    over all turns: what Quick-Draw takes varies threefold from turn to turn, with where it searches.
    """
    arms, seen = places(2, ARMS), box_history(2, PLAYED).first(OBSERVATIONS)
    chosen = nearest(arms, seen)
    rows = []
    for noise in (0.0, 0.1):
        rewards = seen.rewards + noise * np.random.default_rng(0).standard_normal(OBSERVATIONS)
        players = []
        for build in (qd.AdaptiveQuickDraw, qd.QuickDraw):
            policy = build(arms, seed=0)
            policy.update(seen.times, chosen, rewards)
            players.append((policy, noisy(drifting_reward(2), noise)))
            play(*players[-1], OBSERVATIONS, FIRST)
        seconds = np.empty((TURNS, 2))
        for turn in range(TURNS):
            begin = OBSERVATIONS + FIRST + turn * ROUNDS
            seconds[turn] = [np.mean(play(policy, reward, begin, ROUNDS)[1].choices) for policy, reward in players]
        each = ", ".join(f"{ours / other:.2f}" for ours, other in seconds)
        print(f"noise {noise:g}: ratios of each turn {each}", file=sys.stderr)
        ours, other = seconds.mean(axis=0).tolist()
        what = "Adaptive Quick-Draw, one choice among 1,000,000 arms in 2-D after 100,000 observations"
        rows.append(at_most(f"{what}, noise {noise:g}, against Quick-Draw", ours, other, 3))
    return rows


def noisy(reward: Reward, deviation: float) -> Reward:
    """Return a reward with added noise of this standard deviation."""
    random = np.random.default_rng(1)
    return lambda place, now: reward(place, now) + deviation * float(random.standard_normal())
