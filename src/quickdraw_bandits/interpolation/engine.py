"""What an engine promises."""

from abc import ABC, abstractmethod
from math import inf
from typing import Any, NamedTuple

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.limits import FREE, Limits, PendingPulls
from quickdraw_bandits.interpolation.reference import upper_bound
from quickdraw_bandits.numerics.ties import pick
from quickdraw_bandits.observations import Observations


class Contenders(NamedTuple):
    """The best arms of a set, to be compared with those of other sets.

    Attributes
    ----------
    arms
        Positions of all that ``Engine.choose`` may return, in ascending order; or of one, drawn from those at the cap.
    key
        Where one was drawn from an unknown number n of arms at the cap: an exponential random number of the rate n. Of
        several sets, the arm of the smallest key is as likely as any at the cap in all of them. Infinite otherwise.
    """

    arms: Integers
    key: float = inf


class Engine(ABC):
    """An index over the observations of a policy, which finds the arm of the largest index min(mu + gamma Sigma, cap).

    The policy owns the observations; an engine reads them and keeps only what it derives from them. The policy calls
    ``extend`` after every change of the store, and never asks before the first observation.

    **Ties.** ``best`` returns all arms that are as good as the best: those whose index is the largest up to rounding
    (1e-12 of it), and where an engine has a tolerance, those that it did not tell apart from the best within it.
    ``choose`` returns one of them, each with the same probability. All arms at the cap tie.

    **Asking changes nothing.** ``estimate`` and ``best`` without ``keep`` leave the engine and every later answer as
    they were. ``choose`` advances the generator it is given, and may reorganise what the engine keeps; a choice within
    the tolerance may come out differently after it, never a worse one.

    **Limits.** Arms that may not be chosen are left out, and pending pulls lower the deviation around them. All else
    holds as without limits, but of very many arms at the cap while pulls are pending, ``best`` returns some thousand.

    **Observations** may be of arms that the engine does not have: it reads their coordinates in the store, and uses
    positions for precomputed distances alone.

    **A Box** has infinitely many arms: for it, ``estimate`` needs places, ``choose`` returns one, and ``best`` raises
    ``NotImplementedError``.

    Parameters
    ----------
    observations
        The policy's store.
    """

    def __init__(self, observations: Observations) -> None:
        self._seen = observations

    @property
    def slack(self) -> float:
        """How far below the largest index those of the best arms may be; 0 if they are found exactly."""
        return 0.0

    @property
    def keeps_sums(self) -> bool:
        """Whether ``estimate`` has all sums at hand, so that a few arms cost little however long the history is."""
        return False

    @property
    def work(self) -> int:
        """About how many kernel evaluations in float32 take as long as a choice among all arms."""
        return 10_000_000

    @abstractmethod
    def extend(self) -> None:
        """Take in the observations that the store has gained since the last call, in any order of their times."""

    @abstractmethod
    def estimate(self, time: float, arms: Any = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation (E2) at the given arms, or at all; exact to rounding in float64."""

    @abstractmethod
    def best(self, time: float, gamma: float, cap: float, keep: bool = False, limits: Limits = FREE) -> Integers:
        """Return the positions of all arms that ``choose`` may return, in ascending order.

        With ``keep``, the engine may reorganise what it keeps, as ``choose`` may, and the next choice is faster.
        """

    def forked(self) -> "Engine":
        """Return an engine that may be asked with ``keep`` while this one stays as it is, until the store changes."""
        return self

    def tidy(self, time: float, later: bool = False) -> None:
        """Reorganise what is kept for choices at ``time``, as ``best`` with ``keep`` may; by default nothing is.

        With ``later``, much of the work may be left to the next call of any other method: where many such calls follow
        each other, that is less, and what is kept in the end is the same.
        """
        return

    def choose(self, time: float, gamma: float, cap: float, random: np.random.Generator, limits: Limits = FREE) -> Any:
        """Return one of the best arms, uniformly at random: its position, or in a ``Box`` its coordinates."""
        return pick(self.best(time, gamma, cap, keep=True, limits=limits), random)

    def index_at(self, time: float, arms: Integers, gamma: float, cap: float, pending: PendingPulls | None) -> Floats:
        """Return the index at some arms, with pending pulls."""
        mean, std = self.estimate(time, arms)
        if pending is not None:
            std = pending.lowered(time, arms, std)
        return upper_bound(mean, std, gamma, cap)

    def contenders(self, time: float, gamma: float, cap: float, random: np.random.Generator) -> Contenders:
        """Return the arms of which ``choose`` would return one, to be compared with those of another set of arms."""
        return Contenders(self.best(time, gamma, cap, keep=True))
