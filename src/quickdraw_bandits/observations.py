"""The observations that a policy holds: all of them, or the latest.

A policy owns one of these stores. Engines and processes are indexes over it: they read its arrays and hold no copy.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.checks import Floats, Integers, integer

FIRST_CAPACITY = 256


class Observations:
    """All observations, in the order of their arrival, in arrays that grow.

    Each array is longer than it is full: the first ``n`` entries count. Room is doubled when it runs out, so
    that an observation costs the same however many there are. Coordinates lie in rows, one per dimension, so that
    a loop over observations reads memory in order.

    Attributes
    ----------
    n
        How many observations there are.
    times, rewards
        One entry per observation.
    arms
        The positions of the arms; zeros for a ``Box``, whose arms are coordinates.
    coordinates
        One row per dimension, one column per observation; no rows for precomputed distances.
    least_reward, largest_reward
        The range of the rewards; infinite and empty before the first.

    Examples
    --------
    >>> seen = Observations(Arms.grid(0, 1, 3))
    >>> seen.append(np.array([0.0, 0.5]), np.array([2, 1]), np.array([0.3, 0.7]))
    >>> seen.n, seen.arms[: seen.n], seen.coordinates[:, : seen.n], seen.mean_reward
    (2, array([2, 1]), array([[1. , 0.5]]), 0.5)
    """

    def __init__(self, arms: Arms | Box) -> None:
        self._arm_set = arms
        self.n = 0
        self.least_reward = np.inf
        self.largest_reward = -np.inf
        self.times: Floats = np.empty(FIRST_CAPACITY)
        self.arms: Integers = np.empty(FIRST_CAPACITY, dtype=np.int64)
        self.rewards: Floats = np.empty(FIRST_CAPACITY)
        self.coordinates: Floats = np.empty((arms.dimension, FIRST_CAPACITY))

    def __len__(self) -> int:
        return self.n

    def grow(self, arms: Arms) -> None:
        """Take observations of more arms from now on, which come after those there were."""
        self._arm_set = arms

    @property
    def mean_reward(self) -> float:
        """The mean of all rewards; infinite, or no number, where a sum of them is beyond the largest number."""
        with np.errstate(over="ignore", invalid="ignore"):
            return float(self.rewards[: self.n].mean())

    def append(self, times: Floats, arms: Any, rewards: Floats, places: Floats | None = None) -> None:
        """Append observations; ``arms`` are positions, or rows of coordinates for a ``Box``.

        ``places`` are the coordinates of the arms, where these may be others than those of the set.
        """
        begin, end = self.n, self.n + len(times)
        if end > len(self.times):
            self._grow(max(end, 2 * len(self.times)))
        new: int | slice = slice(begin, end)
        if end == begin + 1:  # single entries are written several times faster than slices
            new, times, arms, rewards = begin, times[0], arms[0], rewards[0]
            places = None if places is None else places[0]
            least = largest = float(rewards)
        else:
            least, largest = float(rewards.min()), float(rewards.max())
        self.times[new] = times
        self.rewards[new] = rewards
        if isinstance(self._arm_set, Box):
            self.arms[new] = 0
            self.coordinates[:, new] = arms.T
        else:
            self.arms[new] = arms
            if len(self.coordinates):
                found = self._arm_set.places(arms) if places is None else places
                self.coordinates[:, new] = found.T
        self.n = end
        self.least_reward = min(self.least_reward, least)
        self.largest_reward = max(self.largest_reward, largest)

    def _grow(self, capacity: int) -> None:
        for name in ("times", "arms", "rewards", "coordinates"):
            old = getattr(self, name)
            new = np.empty((*old.shape[:-1], capacity), dtype=old.dtype)
            new[..., : self.n] = old[..., : self.n]
            setattr(self, name, new)


class Window:
    """The ``size`` observations pulled last, in the order of their pull times.

    An observation that arrives late takes its place by time, and is dropped if ``size`` later ones are known.
    Equal times keep their order of arrival.

    Parameters
    ----------
    size
        How many observations are kept.
    dimension
        How many coordinates an arm has, in a ``Box``; by default arms are positions.
    """

    def __init__(self, size: int, dimension: int | None = None) -> None:
        self.size = integer("window", size, at_least=1)
        self.times: Floats = np.empty(0)
        self.arms: Any = np.empty(0, dtype=np.int64) if dimension is None else np.empty((0, dimension))
        self.rewards: Floats = np.empty(0)

    def __len__(self) -> int:
        return len(self.times)

    @property
    def coordinates(self) -> Floats:
        """One row per dimension, one column per observation, in a ``Box``."""
        return np.asarray(self.arms.T)

    def append(self, times: Floats, arms: Any, rewards: Floats) -> None:
        """Take in observations and drop those that are no longer among the latest."""
        ordered = len(times) == 1 and (len(self) == 0 or times[0] >= self.times[-1])
        self.times = np.concatenate([self.times, times])
        self.arms = np.concatenate([self.arms, arms])
        self.rewards = np.concatenate([self.rewards, rewards])
        keep: slice | Integers
        if ordered:
            keep = slice(-self.size, None)
        else:
            keep = np.argsort(self.times, kind="stable")[-self.size :]
        self.times, self.arms, self.rewards = self.times[keep], self.arms[keep], self.rewards[keep]


class Pending:
    """Pulls whose rewards have not come yet, in the order in which they were announced.

    A pull is known by its time and arm. Several of the same time and arm are kept apart, and end one by one.

    Examples
    --------
    >>> pending = Pending()
    >>> pending.add(1.0, 3)
    >>> pending.add(1.5, 3)
    >>> pending.remove(1.0, 3), pending.remove(1.0, 3), len(pending)
    (True, False, 1)
    """

    _keys: "tuple[_Key, ...]" = ()  # what a copy begins with
    _columns: "_Columns | None" = None

    def _opened(self) -> "_Columns":
        if self._columns is None:
            self._columns = _Columns(list(self._keys))
        return self._columns

    def __len__(self) -> int:
        return self._opened().n

    def __getstate__(self) -> dict[str, Any]:
        """Return the pulls in order; arrays are made again."""
        return {"_keys": tuple(self._opened().keys())}

    def add(self, time: float, arm: int | Floats) -> None:
        """Announce a pull."""
        columns, key = self._opened(), _key(time, arm)
        if not columns.add(key):
            self._columns = _Columns([*columns.keys(), key])

    def remove(self, time: float, arm: int | Floats) -> bool:
        """End one pull of this time and arm, the latest announced; return whether there was one."""
        return self._opened().remove(_key(time, arm))

    def replace(self, pulls: "Iterable[tuple[float, int]]") -> None:
        """Have these pulls pending, in this order, and no others."""
        self._columns = _Columns(list(pulls))

    def missing(self, pulls: Iterable[tuple[float, int | Floats]]) -> int | None:
        """Return which of some pulls is the first that is not there, if all before it end; None if all are."""
        columns, left = self._opened(), dict[_Key, int]()
        for number, (time, arm) in enumerate(pulls):
            key = _key(time, arm)
            left[key] = left.get(key, columns.count(key)) - 1
            if left[key] < 0:
                return number
        return None

    def arrays(self) -> tuple[Floats, Any]:
        """Return times and arms of all pulls: positions, or rows of coordinates; not to be changed."""
        return self._opened().packed()


_Key = tuple[float, int | tuple[float, ...]]


class _Columns:
    """Pulls as arrays in which single ones can be added and removed without a pass over all of them in Python."""

    def __init__(self, keys: list[_Key]) -> None:
        self._end = self.n = len(keys)
        arms: Any = np.array([arm for _, arm in keys]) if keys else np.empty(0, dtype=np.int64)
        self._times, self._arms = _with_room(np.array([time for time, _ in keys], dtype=np.float64)), _with_room(arms)
        self._ended = np.zeros(len(self._times), dtype=np.bool_)
        self._slots: dict[_Key, list[int]] = {}
        for slot, key in enumerate(keys):
            self._slots.setdefault(key, []).append(slot)
        self._packed: tuple[Floats, Any] | None = None  # those that have not ended, with room for more

    def keys(self) -> list[_Key]:
        """Return the pulls that have not ended, in order."""
        times, arms = (each.tolist() for each in self.packed())
        return [(time, tuple(arm) if isinstance(arm, list) else arm) for time, arm in zip(times, arms, strict=True)]

    def count(self, key: _Key) -> int:
        """Return how many pulls there are of this time and arm."""
        return len(self._slots.get(key, ()))

    def add(self, key: _Key) -> bool:
        """Add a pull at the end; return whether there is room for it."""
        if self._end == len(self._times) or isinstance(key[1], tuple) != (self._arms.ndim == 2):
            return False
        self._times[self._end], self._arms[self._end], self._ended[self._end] = *key, False
        self._slots.setdefault(key, []).append(self._end)
        if self._packed is not None:
            if self.n == len(self._packed[0]):
                self._packed = None
            else:
                self._packed[0][self.n], self._packed[1][self.n] = key
        self._end += 1
        self.n += 1
        return True

    def remove(self, key: _Key) -> bool:
        """Remove the latest pull of this time and arm; return whether there was one."""
        slots = self._slots.get(key)
        if slots is None:
            return False
        slot = slots.pop()
        if not slots:
            del self._slots[key]
        self.n -= 1
        self._packed = None
        if slot == self._end - 1:
            self._end = slot
        else:
            self._ended[slot] = True
        return True

    def packed(self) -> tuple[Floats, Any]:
        """Return times and arms of the pulls that have not ended.

        Pulls are added behind them in the same arrays; once one has ended, there are new arrays.
        """
        if self._packed is None:
            live = ~self._ended[: self._end]
            self._packed = _with_room(self._times[: self._end][live]), _with_room(self._arms[: self._end][live])
        times, arms = self._packed
        return times[: self.n], arms[: self.n]


def _with_room(values: Any) -> Any:
    """Return a copy with space for more at the end."""
    longer = np.zeros((2 * len(values) + 64, *values.shape[1:]), values.dtype)
    longer[: len(values)] = values
    return longer


def _key(time: float, arm: int | Floats) -> _Key:
    return time, tuple(arm.tolist()) if isinstance(arm, np.ndarray) else arm
