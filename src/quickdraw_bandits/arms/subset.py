"""Some of the arms of a set."""

from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quickdraw_bandits.checks import Integers, arm_positions


class Subset:
    """Arms that may be chosen, as positions or as a mask; the other form is made when it is first asked for.

    Examples
    --------
    >>> some = Subset.checked([5, 3, 3], 6)
    >>> some.positions, some.mask, len(some)
    (array([3, 5]), array([False, False, False,  True, False,  True]), 2)
    """

    def __init__(
        self, n_arms: int, *, positions: Integers | None = None, mask: NDArray[np.bool_] | None = None
    ) -> None:
        self.n_arms = n_arms
        if positions is not None:
            self.positions = positions
        if mask is not None:
            self.mask = mask

    @classmethod
    def checked(cls, among: ArrayLike, n_arms: int, name: str = "among") -> Self:
        """Return a subset from the user's positions or boolean mask, or raise ValueError."""
        array: Any = np.asarray(among)
        if array.dtype == np.bool_:
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
        mask = np.zeros(self.n_arms, dtype=np.bool_)
        mask[self.positions] = True
        return mask

    def __len__(self) -> int:
        if "positions" in self.__dict__:
            return len(self.positions)
        return int(np.count_nonzero(self.mask))

    def without(self, arms: Integers | NDArray[np.bool_]) -> "Subset":
        """Return the subset less some arms, given by position or as a mask."""
        mask = self.mask.copy()
        mask[arms] = False
        return Subset(self.n_arms, mask=mask)
