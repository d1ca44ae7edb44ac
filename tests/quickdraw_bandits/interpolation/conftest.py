"""Arms and engines for the tests of engines."""

import numpy as np
import pytest

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.interpolation.engines.tables.engine import TablesEngine
from quickdraw_bandits.interpolation.running_sums import RunningSums
from quickdraw_bandits.observations import Observations


class Learner:
    """An engine with a store of its own, as a policy has them."""

    def __init__(self, arms, kernel, tolerance=0.0):
        self.seen = Observations(arms)
        if kernel.time_scale is None:
            self.engine = RunningSums(arms, kernel, self.seen)
        else:
            self.engine = TablesEngine(arms, kernel, tolerance, self.seen)
        self.estimate, self.best, self.choose = self.engine.estimate, self.engine.best, self.engine.choose

    def learn(self, times, arms, rewards):
        self.seen.append(np.asarray(times, dtype=float), np.asarray(arms), np.asarray(rewards, dtype=float))
        self.engine.extend()


@pytest.fixture(scope="session")
def learner():
    """Return an engine for arms, a kernel and a tolerance, with a store of its own."""
    return Learner


@pytest.fixture(scope="session")
def make_arms():
    """Return a function that makes arms at random places; ``repeated``: half of them at the place of the first."""

    def make(metric, n_arms, dimension, random, dtype=np.float64, repeated=False):
        if metric == "haversine":
            points = np.column_stack([random.uniform(-1.5, 1.5, n_arms), random.uniform(-3, 3, n_arms)])
        else:
            points = random.normal(size=(n_arms, dimension))
        if repeated:
            points[n_arms // 2 :] = points[0]
        if metric == "precomputed":
            points = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
        return Arms(points.astype(dtype), metric=metric)

    return make
