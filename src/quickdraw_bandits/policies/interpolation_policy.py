"""What Quick-Draw is in one process and in many: its parameters, its index, and the reasons for it."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.arms.arms import refuse_far
from quickdraw_bandits.checks import Floats, not_negative, number
from quickdraw_bandits.interpolation import Kernel, upper_bound
from quickdraw_bandits.interpolation.reference import precision
from quickdraw_bandits.policies.adaptive.explanation import Explanation
from quickdraw_bandits.policies.decision import ArmT
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.scale_warning import warn_if_nothing_counts
from quickdraw_bandits.times import Span

FIRST_LOOK = 64
"""The choice at which a policy first checks whether it can learn at all; then at twice as many, and so on."""
LONGEST_LOOKED_AT = 4096
"""Observations up to which it checks, so that no choice waits for it: a problem of units shows long before."""


class InterpolationPolicy(Policy[ArmT]):
    """A policy that plays an arm of the largest index (E4), wherever the arms are.

    A subclass fills in the estimate and the choice, and ``_distances_from``.
    """

    kernel: Kernel
    exploration: float | Callable[[int], float]
    cap: float | None

    def _set(
        self,
        length_scale: float,
        time_scale: Span | None,
        noise_variance: float,
        exploration: float | Callable[[int], float],
        cap: float | None,
        sharpness: int,
    ) -> None:
        """Check and keep the parameters that are described at ``QuickDraw``."""
        if isinstance(self.arms, Arms) and self.arms.metric == "euclidean":
            refuse_far(np.stack(self.arms.extent), self.arms.metric, self.arms.unit)
        if time_scale is not None:
            time_scale = self._clock.span("time_scale", time_scale)
        self.kernel = Kernel.checked(length_scale, time_scale, noise_variance, sharpness)
        self.exploration = exploration if callable(exploration) else not_negative("exploration", exploration)
        self.cap = None if cap is None else number("cap", cap)
        self._choices = 0
        self._next_look = FIRST_LOOK

    def _explain(self, time: float, alone: Any, most: int) -> Explanation:
        """Weigh observation s by nu_s / sum nu, with nu_s = 1 / sigma²_s (E2)."""
        n = self._seen.n
        if n == 0:
            return Explanation.of_nothing()
        distances = self._distances_from(alone)
        ages = time - self._seen.times[:n]
        with np.errstate(over="ignore"):
            precisions = precision(self.kernel, distances, ages)
        total = float(precisions.sum())
        weights = precisions / total if total > 0 else np.full(n, 1 / n)  # so far away that all are equally old
        order = np.argsort(-weights, kind="stable")[:most]
        mean, std = self._estimate(time, alone)
        seen = self._seen.coordinates[:, :n].T if isinstance(self.arms, Box) else self._seen.arms[:n]
        return Explanation(
            float(mean[0]),
            float(std[0]),
            float(self._index(time, alone)[0]),
            self._clock.original(self._seen.times[:n][order]),
            ages[order],
            seen[order],
            distances[order],
            self._seen.rewards[:n][order],
            np.ones(len(order)),
            weights[order],
        )

    @abstractmethod
    def _distances_from(self, arm: Any) -> Floats:
        """Return the scaled distance of every observation from one arm."""

    def _of_nothing(self, arms: Any) -> tuple[Floats, Floats]:
        """Return mean and deviation before the first observation."""
        n = len(self._arm_set) if arms is None else len(arms)
        return np.full(n, np.nan), np.full(n, np.inf)

    def _index(self, time: float, arms: Any) -> Floats:
        mean, std = self._estimate(time, arms)
        if self._seen.n == 0:
            return np.full(len(mean), self._cap)
        return upper_bound(mean, std, self._gamma(), self._cap)

    def _count(self, time: float) -> None:
        """Count a choice, and check now and then whether the policy can learn at all."""
        if self._choices + 1 == self._next_look:
            self._look(time)
        self._choices += 1

    def _look(self, time: float) -> None:
        """Warn, once, if nothing that was learned can count at ``time``."""
        n, gamma = self._seen.n, self._gamma()  # if a schedule raises here, the next choice checks again
        self._next_look = 0  # never again, also where warnings are errors
        if n > LONGEST_LOOKED_AT:
            return
        if n < FIRST_LOOK // 2 or not warn_if_nothing_counts(self._seen, time, self.kernel, gamma, self._cap):
            self._next_look = 2 * (self._choices + 1)

    @property
    def _cap(self) -> float:
        return np.inf if self.cap is None else self.cap

    def _gamma(self) -> float:
        if callable(self.exploration):
            return not_negative("exploration(n_observations)", self.exploration(self.n_observations))
        return self.exploration
