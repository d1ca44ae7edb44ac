"""What limits a choice: some of the arms only, and pulls whose rewards are still to come."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.numerics.ties import argmaxes
from quickdraw_bandits.observations import Observations

if TYPE_CHECKING:
    from quickdraw_bandits.interpolation.direct import DirectSum

SMALL_PART = 8
"""A subset of at most 1 / ``SMALL_PART`` of the arms is searched by itself, without the engine of all arms."""
FIRST = 256
"""Arms whose index is computed at first; twice as many in every pass after."""
MOST_TIES = 4096
"""Arms at the cap that are looked for at most, where pulls are pending."""


class PendingPulls:
    """Pulls whose rewards are still to come: they add precision around their arms, and move no mean.

    Sigma = (Sigma_0^(-2p) + sum over pending nu_s)^(-1/(2p))

    Parameters
    ----------
    arms, kernel
        Where arms lie, and the parameters of the interpolation.
    times, pulled
        Times and arms of the pulls: positions, or rows of coordinates in a ``Box``.
    places
        Coordinates of the arms, where these may be others than those of the set.
    """

    def __init__(
        self, arms: Arms | Box, kernel: Kernel, times: Floats, pulled: Any, places: Floats | None = None
    ) -> None:
        self._arms, self._kernel = arms, kernel
        self.times, self.pulled, self.places = times, pulled, places
        self._direct: DirectSum | None = None

    @cached_property
    def _pulls(self) -> Observations:
        """The pulls in a store, made when they are first summed."""
        pulls = Observations(self._arms)
        pulls.append(self.times, self.pulled, np.zeros(len(self.times)), self.places)
        return pulls

    @property
    def coordinates(self) -> Floats:
        """The places of the pulls, one row per pull."""
        return self._pulls.coordinates[:, : self._pulls.n].T

    def on(self, arms: Arms) -> "PendingPulls":
        """Return the same pulls for questions about other arms of the same space."""
        twin, _ = object.__new__(PendingPulls), self._pulls  # which name arms of the first set
        twin.__dict__.update(self.__dict__)
        twin._arms = arms
        return twin

    def alone(self, time: float, arms: Any) -> Floats:
        """Return the deviation at some arms, or at all (None), from the precisions of the pulls alone."""
        # Imports numba, which takes longer than all the rest of the package.
        from quickdraw_bandits.interpolation.direct import DirectSum

        if self._direct is None:
            self._direct = DirectSum(self._arms, self._kernel, self._pulls)
        places: Any = arms
        if isinstance(self._arms, Arms):
            places = self._arms.points if arms is None else self._arms.points[arms]
        return self._direct.estimate(time, places, None)[1]

    def lowered(self, time: float, arms: Any, std: Floats) -> Floats:
        """Return the deviation at some arms, or at all (None), with the precisions of the pulls added."""
        alone = self.alone(time, arms)
        p = self._kernel.sharpness
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray((std ** (-2.0 * p) + alone ** (-2.0 * p)) ** (-0.5 / p))


class Limits(NamedTuple):
    """The arms that may be chosen, None for all, and the pulls that are pending, None for none."""

    among: Subset | None = None
    pending: PendingPulls | None = None

    def positions(self, n_arms: int) -> Integers:
        """Return the positions of the arms that may be chosen."""
        return np.arange(n_arms) if self.among is None else self.among.positions

    def split(self, n_first: int) -> "tuple[Limits | None, Limits | None]":
        """Return the limits for the first arms and for the rest, None where none of these may be chosen."""
        if self.among is None:
            both = self if self.pending is not None else FREE
            return both, both
        mask = self.among.mask
        parts = (Subset(n_first, mask=mask[:n_first]), Subset(len(mask) - n_first, mask=mask[n_first:]))
        first, rest = (Limits(part, self.pending) if part.mask.any() else None for part in parts)
        return first, rest


FREE = Limits()


def is_small(some: Subset) -> bool:
    """Tell whether a subset is searched by itself, without the engine of all arms."""
    return len(some) * SMALL_PART <= some.n_arms


def best_below(bounds: Floats, index_at: Callable[[Integers], Floats], cap: float, tolerance: float = 0.0) -> Integers:
    """Return the arms of the largest index, given an upper bound of it at every arm.

    The index is computed at the arms of the highest bounds in each of many parts of the set, then at those of the
    arms that can still be better, and so on, until none can by more than the tolerance. Of very many arms at the cap,
    some thousand are found.

    Parameters
    ----------
    bounds
        Upper bounds of the index; -inf for an arm that may not be chosen.
    index_at
        Returns the index, at most the cap, at given positions.
    cap, tolerance
        The largest index that counts; how far below the largest that of the arms found may be.

    Examples
    --------
    >>> index = np.array([0.1, 0.7, 0.3, 0.7])
    >>> best_below(index + 0.2, lambda arms: index[arms], cap=1.0)
    array([1, 3])
    """
    left = np.flatnonzero(bounds > -np.inf)
    known: list[Integers] = []
    values: list[Floats] = []
    best, count = -np.inf, FIRST
    while len(left):
        here = bounds[left]
        if len(left) <= 2 * count:
            chosen = np.arange(len(left))
        else:
            part = len(left) // count
            chosen = here[: part * count].reshape(count, part).argmax(axis=1) + part * np.arange(count)
        known.append(left[chosen])
        values.append(index_at(left[chosen]))
        best = max(best, float(values[-1].max()))
        at_cap = best >= cap - 1e-12 * abs(cap)
        if at_cap and sum(map(len, known)) >= MOST_TIES:
            break
        reach = best - 1e-12 * abs(best) if at_cap or not tolerance else best + tolerance
        # Bounds are rounded as the index is.
        open_ = np.minimum(here, cap) >= reach - 1e-9 * abs(reach) if not tolerance or at_cap else here > reach
        open_[chosen] = False
        left = left[open_]
        count *= 2
    arms, index = np.concatenate(known), np.concatenate(values)
    return np.sort(arms[argmaxes(index)])
