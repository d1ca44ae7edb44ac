"""What an engine knows, with pending pulls taken into account, at all arms or at some."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.engine import Engine
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.limits import FREE, Limits, PendingPulls, is_small
from quickdraw_bandits.interpolation.parts import LEAST_SUMMED, Parts
from quickdraw_bandits.interpolation.reference import upper_bound
from quickdraw_bandits.numerics.ties import argmaxes
from quickdraw_bandits.observations import Observations

FEW = 64
"""Arms of a subset up to which their index is computed from all observations, without the engine."""


class Question(NamedTuple):
    """When, how many deviations the index is above the mean, its upper limit, and the pending pulls, None if none."""

    time: float
    gamma: float
    cap: float
    pending: PendingPulls | None = None


@dataclass(frozen=True)
class Answers:
    """Estimate, index and best arms, from an engine that has at least one observation.

    Attributes
    ----------
    arms, kernel, engine
        The arms, the parameters of the interpolation, and the engine of all arms.
    parts, observations
        The engines of small subsets, and what they learn from.
    """

    arms: Arms | Box
    kernel: Kernel
    engine: Engine
    parts: Parts
    observations: Observations

    def estimate(self, time: float, arms: Any, pending: PendingPulls | None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at all arms (None), or at some."""
        mean, std = self.engine.estimate(time, arms)
        return mean, std if pending is None else pending.lowered(time, arms, std)

    def index(self, asked: Question, arms: Any) -> Floats:
        """Return min(mu + gamma Sigma, cap) at all arms (None), or at some."""
        mean, std = self.estimate(asked.time, arms, asked.pending)
        return np.asarray(upper_bound(mean, std, asked.gamma, asked.cap))

    def best(self, asked: Question, among: Subset | None, keep: bool) -> Integers:
        """Return the best arms of all or of some, in ascending order; ``keep`` is that of ``Engine.best``."""
        assert isinstance(self.arms, Arms)
        if among is not None and is_small(among):
            return self._best_of_part(self.arms, asked, among, keep)
        limits = FREE if among is None and asked.pending is None else Limits(among, asked.pending)
        return self.engine.best(*asked[:3], keep, limits)

    def _best_of_part(self, arms: Arms, asked: Question, among: Subset, keep: bool) -> Integers:
        """Return the best of few arms, from an engine of theirs or from sums at each of them."""
        some, n = among.positions, self.observations.n
        if len(some) > FEW and n > FEW and not self.engine.keeps_sums:
            is_pending = asked.pending is not None
            slack = self.engine.slack
            part = self.parts.get(arms, self.kernel, some, self.observations, slack, is_pending)
            if part is not None:
                limits = FREE if asked.pending is None else Limits(None, asked.pending)
                return part.best(*asked[:3], keep, limits)
            if len(some) * n > self.engine.work:
                return self.engine.best(*asked[:3], keep, Limits(among, asked.pending))
            if len(some) * n >= LEAST_SUMMED and not is_pending and self.kernel.time_scale is not None:
                return self.parts.screen(arms, self.kernel, self.observations).best(asked.time, some, *asked[1:3])
        return np.asarray(some[argmaxes(self.index(asked, some))])
