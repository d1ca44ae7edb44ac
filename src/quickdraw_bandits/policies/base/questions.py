"""What a policy answers about single arms: the estimate, the index, and why."""

from collections.abc import Sequence
from typing import Any, cast, final

import numpy as np
from numpy.typing import ArrayLike

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.checks import Floats, arm_positions, integer
from quickdraw_bandits.policies.adaptive.explanation import Explanation
from quickdraw_bandits.policies.base.locks import Lock
from quickdraw_bandits.times import Clock, Time


class Questions:
    """The questions that every policy takes; one that has no answer raises NotImplementedError and says who has."""

    arms: Any
    _lock: Lock
    _clock: Clock

    @final
    def estimate(self, time: Time, arms: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at all arms, or at those given by position, label or coordinates.

        Pending pulls lower the deviation. Before the first observation nothing is known: the mean is NaN and the
        deviation infinite, unless the policy has a prior. Asking changes nothing.
        """
        with self._lock:
            return self._estimate(self._clock.seconds(time), self._given(arms))

    @final
    def index(self, time: Time, arms: ArrayLike | None = None) -> Floats:
        """Return what the policy maximises, at all arms or at the given ones."""
        with self._lock:
            return self._index(self._clock.seconds(time), self._given(arms))

    @final
    def explain(self, time: Time, arm: int | str | Sequence[float] | Floats, most: int = 10) -> Explanation:
        """Return the estimate of an arm, and the ``most`` observations of the largest weights in its mean.

        Examples
        --------
        >>> import quickdraw_bandits as qd
        >>> policy = qd.QuickDraw(qd.Arms.grid(0, 1, 5), seed=0)
        >>> policy.update([0.0, 1.0, 2.0], [0, 4, 3], [0.2, 0.4, 0.9])
        >>> policy.explain(time=2.5, arm=3).arms[0]
        np.int64(3)
        """
        with self._lock:
            now, most = self._clock.seconds(time), integer("most", most, at_least=1)
            if isinstance(self.arms, Box):
                return self._explain(now, self.arms.checked("arm", arm, 1), most)
            position = integer("arm", self.arms.resolved("arm", arm), at_least=0, at_most=len(self.arms) - 1)
            return self._explain(now, np.array([position]), most)

    def _explain(self, time: float, alone: Any, most: int) -> Explanation:
        """Explain one arm, the only entry of an array of positions, or of coordinates."""
        raise NotImplementedError(
            f"{type(self).__name__} does not weigh observations; QuickDraw and AdaptiveQuickDraw explain theirs"
        )

    def _estimate(self, time: float, arms: Any) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at all arms (None) or at some, given by position or coordinates."""
        raise NotImplementedError(
            f"{type(self).__name__} has no mean and deviation at every arm; QuickDraw, AdaptiveQuickDraw and the "
            "policies on Gaussian processes have"
        )

    def _index(self, time: float, arms: Any) -> Floats:
        """Return what the policy maximises, at all arms (None) or at some."""
        raise NotImplementedError(
            f"{type(self).__name__} has no index at every arm; QuickDraw, AdaptiveQuickDraw and the policies on "
            "Gaussian processes have"
        )

    @property
    def _arm_set(self) -> Arms:
        """The arms, for what only a set of them can do."""
        return cast(Arms, self.arms)

    def _refuse_box(self, what: str) -> None:
        if isinstance(self.arms, Box):
            raise NotImplementedError(
                f"{what} is about single arms, and a Box has infinitely many; play an Arms set of points of the box"
            )

    def _given(self, arms: ArrayLike | None) -> Any:
        """Return the arms of a question as positions or coordinates, None for all."""
        if isinstance(self.arms, Box):
            if arms is None:
                raise ValueError("arms must be given as coordinates of shape (n, d), since a Box has infinitely many")
            return self.arms.checked("arms", arms, 2)
        return None if arms is None else arm_positions("arms", self.arms.resolved("arms", arms), len(self.arms))
