"""Copies of a policy, whole even while other threads use it."""

import copy
import copyreg
from typing import Any, Self, SupportsIndex

import numpy as np

from quickdraw_bandits.policies.base.locks import Lock, new_lock


class Copyable:
    """An object with a lock and arms: a copy gets a lock of its own, and shares the arms, which never change."""

    arms: Any
    _lock: Lock
    _random: np.random.Generator

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the lock, and what was asked for last."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_lock", "_last_among")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy."""
        self.__dict__.update(state)
        self._lock = new_lock()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Copy while no other thread changes anything."""
        with self._lock:
            memo[id(self.arms)] = self.arms
            twin = type(self).__new__(type(self))
            memo[id(self)] = twin
            twin.__setstate__(copy.deepcopy(self.__getstate__(), memo))
            return twin

    def _sharing_all_but(self, *parts: str) -> Self:
        """Return a copy with these parts and random numbers of its own, for what changes nothing else in place."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.__dict__.update({part: copy.copy(self.__dict__[part]) for part in parts})
        twin._random = copy.deepcopy(self._random)
        return twin

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        """Pickle a copy, so that other threads may go on while it is written."""
        twin = self if self.__dict__.pop("_is_part_of_a_copy", False) else copy.deepcopy(self)
        state = twin.__getstate__()
        for part in state.values():
            if isinstance(part, Copyable):  # copied with the whole, so that what both share stays shared
                part.__dict__["_is_part_of_a_copy"] = True
        return copyreg.__newobj__, (type(self),), state  # type: ignore[attr-defined]
