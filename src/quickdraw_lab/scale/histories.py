"""Histories played by Quick-Draw on a drifting reward, and the time of further rounds."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from time import process_time
from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.engines.registry import EngineName
from quickdraw_bandits.policies import QuickDraw

ROUND = 1e-3
"""Time between rounds, in units of the time scale of the policy."""

COSINE_DIMENSIONS = 32
Reward = Callable[[Floats, float], float]
"""The reward at a place and a time."""


@dataclass(frozen=True, eq=False)
class History:
    """Times, coordinates of the arms played, and rewards."""

    times: Floats
    places: Floats
    rewards: Floats

    def first(self, n: int) -> "History":
        """Return the first ``n`` rounds; a shorter history is repeated at later times."""
        turns = -(-n // len(self.times))
        length = len(self.times) * ROUND
        times = np.concatenate([self.times + turn * length for turn in range(turns)])
        return History(times[:n], np.tile(self.places, (turns, 1))[:n], np.tile(self.rewards, turns)[:n])


@dataclass(frozen=True)
class Pace:
    """Processor time of choices and updates in seconds, one number per round."""

    choices: Floats
    updates: Floats

    @property
    def choice(self) -> float:
        """Mean time of a choice."""
        return float(self.choices.mean())

    @property
    def update(self) -> float:
        """Mean time of an update."""
        return float(self.updates.mean())


def drifting_reward(dimension: int, length: float = 0.1) -> Reward:
    """Return a drifting reward: a sum of plane waves, close to a Gaussian field with this correlation length."""
    random = np.random.default_rng(0)
    k = random.normal(size=(150, dimension)) * np.sqrt(np.pi / 2) / length
    w = random.normal(size=150) * np.sqrt(np.pi / 2) / 0.1
    phase = random.uniform(0, 2 * np.pi, 150)

    def reward(place: Floats, now: float) -> float:
        return float(np.clip(0.5 + np.cos(k @ place + w * now + phase).sum() * np.sqrt(2 / 150) / 6, 0, 1))

    return reward


def play(policy: QuickDraw[Any], reward: Reward, begin: int, n: int, seconds: float = np.inf) -> tuple[History, Pace]:
    """Play ``n`` rounds, starting with number ``begin``; stop early after this many seconds of processor time."""
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
    seen = History(np.array(times), np.array(places), np.array(rewards))
    return seen, Pace(np.array(choices), np.array(updates))


@cache
def box_history(dimension: int, n: int) -> History:
    """Return ``n`` rounds played on a box."""
    tolerance = 1e-3 if dimension == 1 else 1e-2
    policy = QuickDraw(Box([-1.0] * dimension, [1.0] * dimension), tolerance=tolerance, seed=0)
    return play(policy, drifting_reward(dimension), 0, n)[0]


@cache
def cosine_history(n: int) -> History:
    """Return ``n`` rounds played on the first 300 directions."""
    arms = directions(300)
    return play(QuickDraw(arms, seed=0), drifting_reward(COSINE_DIMENSIONS, length=1.0), 0, n)[0]


def places(dimension: int, n: int) -> Arms:
    """Return arms in [-1, 1]^d: evenly spaced in one dimension, at random places otherwise."""
    if dimension == 1:
        return Arms.grid(-1, 1, n)
    points = np.random.default_rng(1).uniform(-1, 1, (n, dimension))
    # Two corners, so that the unit of distance is that of the box.
    points[0], points[1] = -1.0, 1.0
    return Arms(points)


def directions(n: int) -> Arms:
    """Return ``n`` directions in 32 dimensions; a larger set begins with the same ones."""
    return Arms(np.random.default_rng(3).normal(size=(n, COSINE_DIMENSIONS)), metric="cosine")


def nearest(arms: Arms, seen: History) -> Integers:
    """Return the position of the arm nearest to each place."""
    from scipy.spatial import KDTree

    return np.asarray(KDTree(arms.points).query(seen.places)[1])


def informed(arms: Arms | Box, seen: History, engine: EngineName) -> QuickDraw[Any]:
    """Return a policy that has learned a history."""
    policy = QuickDraw(arms, engine=engine, seed=0)
    if isinstance(arms, Box):
        chosen: Floats | Integers = seen.places
    elif arms.metric == "cosine":
        # The arms of the history are the first 300.
        chosen = (seen.places @ arms.points[:300].T).argmax(axis=1)
    else:
        chosen = nearest(arms, seen)
    policy.update(seen.times, chosen, seen.rewards)
    return policy
