"""What an engine knows, with pending pulls taken into account, at all arms or at some."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.engine import Engine
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.reference import upper_bound
from quickdraw_bandits.numerics.ties import argmaxes
from quickdraw_bandits.observations import Observations

FEW = 64
"""Arms whose index is computed at once where pulls are pending, before more of them are looked at."""


class Question(NamedTuple):
    """When, how many deviations the index is above the mean, its upper limit, and the pending pulls, None if none."""

    time: float
    gamma: float
    cap: float
    pending: Observations | None = None


@dataclass(frozen=True)
class Answers:
    """Estimate, index and best arms, from an engine that has at least one observation.

    Pending pulls add their precisions: Sigma = (Sigma_0^(-2p) + sum over pending nu_s)^(-1/(2p)). The mean stays.
    """

    arms: Arms | Box
    kernel: Kernel
    engine: Engine

    def estimate(self, time: float, arms: Any, pending: Observations | None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at all arms (None), or at some."""
        mean, std = self.engine.estimate(time, arms)
        if pending is None:
            return mean, std
        from quickdraw_bandits.interpolation.direct import DirectSum

        alone = DirectSum(self.arms, self.kernel, pending).estimate(time, self._points(arms), None)[1]
        p = self.kernel.sharpness
        with np.errstate(divide="ignore", over="ignore"):
            return mean, np.asarray((std ** (-2.0 * p) + alone ** (-2.0 * p)) ** (-0.5 / p))

    def index(self, asked: Question, arms: Any) -> Floats:
        """Return min(mu + gamma Sigma, cap) at all arms (None), or at some."""
        mean, std = self.estimate(asked.time, arms, asked.pending)
        return np.asarray(upper_bound(mean, std, asked.gamma, asked.cap))

    def best(self, asked: Question, among: Subset | None, keep: bool) -> Integers:
        """Return the best arms of all or of some, in ascending order; ``keep`` is that of ``Engine.upper_bounds``."""
        time, gamma, cap, pending = asked
        if pending is None:
            best = self.engine.best(time, gamma, cap)
            allowed = best if among is None else best[among.mask[best]]
            if len(allowed):
                return allowed
        some = np.arange(len(self.arms)) if among is None else among.positions  # type: ignore[arg-type]
        bounds = None if len(some) <= FEW else self.engine.upper_bounds(time, gamma, keep)
        if bounds is not None:
            # Pending pulls only lower the index: arms are looked at in the order of their bounds without them.
            order = some[np.argsort(-bounds[some], kind="stable")]
            count = FEW
            while count < len(order):
                index = self.index(asked, order[:count])
                rest = min(float(bounds[order[count]]), cap)
                if index.max() > rest + 1e-9 * abs(rest):
                    return np.sort(order[:count][argmaxes(index)])
                count *= 4
        return np.asarray(some[argmaxes(self.index(asked, some))])

    def _points(self, arms: Any) -> Any:
        if isinstance(self.arms, Box):
            return arms
        return self.arms.points if arms is None else self.arms.points[arms]
