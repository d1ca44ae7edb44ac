"""Histories that a policy makes itself on a reward that drifts, and the time that playing on takes."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from time import process_time
from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation.engines import EngineName
from quickdraw_bandits.policies import QuickDraw
from quickdraw_bandits.policies.policy import Policy

ROUND = 1e-3
"""Time from one round to the next, in time scales of the policy."""
COSINE_DIMENSIONS = 32
Reward = Callable[[Floats, float], float]


@dataclass(frozen=True, eq=False)
class Observations:
    """What was played when, by its coordinates, and what it paid."""

    times: Floats
    places: Floats
    rewards: Floats

    def first(self, n: int) -> "Observations":
        """Return the first ``n``, or all of them again and again, later each time, where there are fewer."""
        turns = -(-n // len(self.times))
        length = len(self.times) * ROUND
        times = np.concatenate([self.times + turn * length for turn in range(turns)])
        return Observations(times[:n], np.tile(self.places, (turns, 1))[:n], np.tile(self.rewards, turns)[:n])


@dataclass(frozen=True)
class Pace:
    """Seconds of processor time that a choice and an update took, one number to a round."""

    choices: Floats
    updates: Floats

    @property
    def choice(self) -> float:
        """Seconds a choice, on average."""
        return float(self.choices.mean())

    @property
    def update(self) -> float:
        """Seconds an update, on average."""
        return float(self.updates.mean())


def drifting_reward(dimension: int, length: float = 0.1) -> Reward:
    """Return a reward of place and time: a sum of plane waves, about a Gaussian field of that length each way."""
    random = np.random.default_rng(0)
    k = random.normal(size=(150, dimension)) * np.sqrt(np.pi / 2) / length
    w = random.normal(size=150) * np.sqrt(np.pi / 2) / 0.1
    phase = random.uniform(0, 2 * np.pi, 150)

    def reward(place: Floats, now: float) -> float:
        return float(np.clip(0.5 + np.cos(k @ place + w * now + phase).sum() * np.sqrt(2 / 150) / 6, 0, 1))

    return reward


def play(policy: Policy, reward: Reward, begin: int, n: int, seconds: float = np.inf) -> tuple[Observations, Pace]:
    """Play rounds from number ``begin`` on: ``n`` of them, or fewer once they took so many seconds."""
    times, places, rewards, choices, updates = [], [], [], [], []
    spent = 0.0
    for number in range(begin, begin + n):
        now = number * ROUND
        start = process_time()
        arm = policy.select(now)
        chosen = process_time()
        place = arm if isinstance(policy.arms, Box) else np.asarray(policy.arms.points[arm], dtype=np.float64)
        paid = reward(place, now)
        learning = process_time()
        policy.update(now, arm, paid)
        done = process_time()
        choices.append(chosen - start)
        updates.append(done - learning)
        times.append(now)
        places.append(place)
        rewards.append(paid)
        spent += choices[-1] + updates[-1]
        if spent > seconds:
            break
    seen = Observations(np.array(times), np.array(places), np.array(rewards))
    return seen, Pace(np.array(choices), np.array(updates))


@cache
def box_history(dimension: int, n: int) -> Observations:
    """Return ``n`` rounds that the policy played on a continuum."""
    tolerance = 1e-3 if dimension == 1 else 1e-2
    policy = QuickDraw(Box([-1.0] * dimension, [1.0] * dimension), tolerance=tolerance, seed=0)
    return play(policy, drifting_reward(dimension), 0, n)[0]


@cache
def cosine_history(n: int) -> Observations:
    """Return ``n`` rounds that the policy played on some of the directions."""
    arms = directions(300)
    return play(QuickDraw(arms, seed=0), drifting_reward(COSINE_DIMENSIONS, length=1.0), 0, n)[0]


def places(dimension: int, n: int) -> Arms:
    """Return arms of [-1, 1]^d, evenly spaced on a line and at random places otherwise."""
    if dimension == 1:
        return Arms.grid(-1, 1, n)
    points = np.random.default_rng(1).uniform(-1, 1, (n, dimension))
    # Corners, so that the unit of distance is that of the box.
    points[0], points[1] = -1.0, 1.0
    return Arms(points)


def directions(n: int) -> Arms:
    """Return directions in 32 dimensions; more of them begin with the same ones."""
    return Arms(np.random.default_rng(3).normal(size=(n, COSINE_DIMENSIONS)), metric="cosine")


def nearest(arms: Arms, seen: Observations) -> Any:
    """Return for every place the position of the arm nearest to it."""
    from scipy.spatial import KDTree

    return np.asarray(KDTree(arms.points).query(seen.places)[1])


def informed(arms: Arms | Box, seen: Observations, engine: EngineName) -> QuickDraw:
    """Return a policy that knows a history."""
    policy = QuickDraw(arms, engine=engine, seed=0)
    if isinstance(arms, Box):
        chosen: Any = seen.places
    elif arms.metric == "cosine":
        # They are among the first.
        chosen = (seen.places @ arms.points[:300].T).argmax(axis=1)
    else:
        chosen = nearest(arms, seen)
    policy.update(seen.times, chosen, seen.rewards)
    return policy
