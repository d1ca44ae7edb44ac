"""What a policy offers to a program that keeps a log: choices that change nothing until they are in the log."""

from abc import ABC, abstractmethod

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.numerics.ties import pick


class Following(ABC):
    """A choice in two steps: ``_draw`` proposes an arm, and ``_chosen`` learns from it once it counts.

    So the state of a policy follows from its log alone, wherever and however often arms were drawn.
    """

    @abstractmethod
    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        """Say how choices are weighted; must change nothing."""

    def _draw(self, time: float, among: Subset | None, random: np.random.Generator) -> tuple[int, float]:
        """Draw an arm with the given generator, as ``_decide`` would with the policy's own; must change nothing."""
        ties = self._ties(time, among)
        if ties is not None:
            return pick(ties, random), 1 / len(ties)
        probabilities = self._probabilities(time) if among is None else self._probabilities(time, among)
        cumulative = np.cumsum(probabilities)
        arm = int(np.searchsorted(cumulative, random.random() * cumulative[-1], side="right"))
        return arm, float(probabilities[arm])

    def _ties(self, time: float, among: Subset | None) -> Integers | None:
        """Return the arms one of which is chosen, each as likely as any other; must change nothing.

        None, the default, where the choice is drawn in another way: ``_probabilities`` says how.
        """
        return None

    def _begin_asking(self) -> None:
        """Say that ``_draw`` will be called several times before anything else; by default nothing gains by it."""
        return

    def _end_asking(self) -> None:
        """End what ``_begin_asking`` began: everything is as it was before."""
        return

    def _chosen(self, time: float, arm: int, among: Subset | None) -> None:
        """Learn from the choice of an arm what ``_decide`` would have, had it chosen this one; by default nothing."""
        return

    def _tidy(self, time: float, later: bool = False) -> None:
        """Reorganise what is kept, as choices do for the sake of those after them; by default nothing is.

        With ``later``, the work may be left to the next choice: where many such calls follow each other, it is less.
        """
        return

    def _check_growth(self, arms: Arms) -> None:
        """Raise where the policy cannot take arms that were added at the end of the set; must change nothing.

        Whoever keeps a log asks before the arms are in it, and so does ``add_arms`` before it changes anything.
        """
        if type(self)._grow is Following._grow:
            raise NotImplementedError(
                f"{type(self).__name__} cannot take new arms; build one with all arms and update it with "
                "policy.observations"
            )

    def _grow(self, arms: Arms) -> None:
        """Make room for arms that ``_check_growth`` has let pass; ``self.arms`` still has the old ones."""
        raise AssertionError("arms are checked before they are added")
