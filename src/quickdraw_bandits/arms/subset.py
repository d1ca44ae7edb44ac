"""Some of the arms of a set."""

from array import array
from functools import cached_property
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quickdraw_bandits.checks import Integers, arm_positions


class Subset:
    """Arms that may be chosen: as positions, as a mask, or as all but some; other forms are made when asked for.

    Examples
    --------
    >>> some = Subset.checked([5, 3, 3], 6)
    >>> some.positions, some.mask, len(some)
    (array([3, 5]), array([False, False, False,  True, False,  True]), 2)
    >>> Subset(6, excluded=np.array([1, 4])).positions
    array([0, 2, 3, 5])
    """

    def __init__(
        self,
        n_arms: int,
        *,
        positions: Integers | None = None,
        mask: NDArray[np.bool_] | None = None,
        excluded: Integers | None = None,
    ) -> None:
        self.n_arms = n_arms
        self.excluded = excluded
        """The positions of all others in ascending order, where the subset was given by them."""
        if positions is not None:
            self.positions = positions
        if mask is not None:
            self.mask = mask

    @classmethod
    def checked(cls, among: object, n_arms: int, name: str = "among") -> Self:
        """Return a subset from the user's positions or boolean mask, or raise ValueError."""
        try:
            array: Any = np.asarray(among)
            is_mask = array.dtype == np.bool_ and not np.ma.is_masked(among)
        except ValueError:  # rows of different lengths, which are named below
            is_mask = False
        if is_mask:
            if array.shape != (n_arms,):
                raise ValueError(f"{name} must be a mask of the length {n_arms}, one entry per arm, got {array.shape}")
            subset = cls(n_arms, mask=array)
        else:
            positions = arm_positions(name, among, n_arms)
            ordered = bool((positions[1:] > positions[:-1]).all())  # as they often are: much faster than sorting
            subset = cls(n_arms, positions=positions if ordered else np.unique(positions))
        if len(subset) == 0:
            raise ValueError(f"{name} must hold at least one arm, got none")
        return subset

    @cached_property
    def positions(self) -> Integers:
        """The positions of the arms, in ascending order."""
        return np.flatnonzero(self.mask)

    @cached_property
    def mask(self) -> NDArray[np.bool_]:
        """One entry per arm of the whole set: whether it is in this one."""
        if self.excluded is not None:
            mask = np.ones(self.n_arms, dtype=np.bool_)
            mask[self.excluded] = False
            return mask
        mask = np.zeros(self.n_arms, dtype=np.bool_)
        mask[self.positions] = True
        return mask

    def __len__(self) -> int:
        if self.excluded is not None:
            return self.n_arms - len(self.excluded)
        if "positions" in self.__dict__:
            return len(self.positions)
        return int(np.count_nonzero(self.mask))

    def without(self, arms: Integers | NDArray[np.bool_]) -> "Subset":
        """Return the subset less some arms, given by position or as a mask."""
        if self.excluded is not None:
            gone = np.flatnonzero(arms) if arms.dtype == np.bool_ else arms
            return Subset(self.n_arms, excluded=np.union1d(self.excluded, gone).astype(np.int64))
        if "positions" in self.__dict__ and arms.dtype == np.bool_:
            return Subset(self.n_arms, positions=self.positions[~arms[self.positions]])
        mask = self.mask.copy()
        mask[arms] = False
        return Subset(self.n_arms, mask=mask)

    def has(self, arm: int) -> bool:
        """Return whether an arm is in the subset."""
        if "mask" in self.__dict__:
            return bool(self.mask[arm])
        if self.excluded is not None:
            return not _is_in(arm, self.excluded)
        return _is_in(arm, self.positions)

    def number(self, rank: int) -> int:
        """Return the arm of the subset that has ``rank`` others of it before it.

        Examples
        --------
        >>> Subset(6, excluded=np.array([1, 2])).number(1)
        3
        """
        if self.excluded is None:
            return int(self.positions[rank])
        # The j-th of the excluded arms has so many of the subset before it.
        before = self.excluded - np.arange(len(self.excluded))
        return rank + int(np.searchsorted(before, rank, side="right"))

    def part(self, begin: int, end: int) -> "Subset":
        """Return those from ``begin`` to ``end`` - 1, counted from ``begin``; there may be none.

        Examples
        --------
        >>> Subset.checked([1, 4, 5], 6).part(3, 6).positions
        array([1, 2])
        """
        if self.excluded is not None:
            return Subset(end - begin, excluded=_between(self.excluded, begin, end))
        if "positions" in self.__dict__:
            return Subset(end - begin, positions=_between(self.positions, begin, end))
        return Subset(end - begin, mask=self.mask[begin:end])


class _Labelled(Protocol):
    def __len__(self) -> int: ...

    def resolved(self, name: str, given: object) -> object: ...


class Remembered(NamedTuple):
    """A subset that was asked for: as it was given, None where it has to be checked again, less the retired arms."""

    given: NDArray[np.generic] | None
    retired: NDArray[np.bool_] | None
    subset: Subset


def remembered(
    last: Remembered | None, among: ArrayLike, arms: _Labelled, retired: NDArray[np.bool_] | None
) -> Remembered:
    """Return what was asked for, checked, less the retired arms; what was asked for last needs no check again.

    Examples
    --------
    >>> from quickdraw_bandits.arms import Arms
    >>> last = remembered(None, np.array([0, 2]), Arms.grid(0, 1, 4), None)
    >>> remembered(last, [0, 2], Arms.grid(0, 1, 4), None) is last
    True
    """
    given = _plain(among, len(arms))
    if last is not None and last.given is not None and given is not None:
        unchanged = last.retired is retired and last.subset.n_arms == len(arms)
        alike = last.given.dtype == given.dtype and last.given.shape == given.shape
        if unchanged and alike and bool((last.given == given).all()):
            return last
    given = None if given is None else given.copy()  # the caller may change what was given
    subset = Subset.checked(arms.resolved("among", among) if given is None else given, len(arms))
    if retired is not None:
        subset = subset.without(retired)
        if len(subset) == 0:
            raise ValueError("among must leave at least one arm, got only retired ones")
    return Remembered(given, retired, subset)


def _plain(among: ArrayLike, n_arms: int) -> NDArray[np.generic] | None:
    """Return whole numbers or a mask as an array, None for all else."""
    if type(among) is np.ndarray:
        if among.ndim == 1 and among.dtype.kind in "iu" and among.dtype.itemsize < 8:
            return among.astype(np.int64)
        return among if among.ndim == 1 and among.dtype in (np.int64, np.bool_) else None
    if isinstance(among, range) and among:
        for end in (among[0], among[-1]):  # a range may be longer than the memory
            if not 0 <= end < n_arms:
                raise ValueError(f"among must be from 0 to {n_arms - 1}, got {end}")
        return np.arange(among.start, among.stop, among.step, dtype=np.int64)
    if isinstance(among, list | tuple) and len(among) and type(among[0]) is int:
        try:
            return np.frombuffer(array("q", among), dtype=np.int64)  # a third of the time that NumPy takes
        except (TypeError, OverflowError):
            return None
    return None


def _between(positions: Integers, begin: int, end: int) -> Integers:
    first, last = np.searchsorted(positions, [begin, end])
    return positions[first:last] - begin


def _is_in(arm: int, positions: Integers) -> bool:
    place = int(np.searchsorted(positions, arm))
    return place < len(positions) and int(positions[place]) == arm
