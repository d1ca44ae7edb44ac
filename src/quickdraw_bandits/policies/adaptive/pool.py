"""The observations that the adaptive policy learns from, with those of one stay at an arm merged."""

from typing import Any

import numpy as np

from quickdraw_bandits.checks import Floats, Integers

RECENT = 65
"""Number of latest pull times that are kept; the step of the clock is the median of the times between them."""
OUTLYING, FEWEST = 20.0, 20
"""Rewards are outliers if they are this much farther from the median than 99 % are; with fewer rewards none is."""
LIMITS_EVERY = 16
"""Observations after which the limits of outliers are found again; at once after a reward beyond them."""
ROUNDING = 4 * float(np.finfo(float).eps)
"""Rewards that differ by less, in units of their size, are alike."""
SMALLEST_UNIT = 1e-300
"""Rewards are counted in no smaller unit, half of which might be 0."""
VARIED, SETTLED = 0.75, 100
"""Part and number of the rewards that must differ from the one before where single rewards are judged."""
LARGEST = float(np.finfo(float).max)
SPARE = 64
"""Entries beyond the size of a pool that is still kept, so that which to drop is not asked at every insertion."""


def limits(rewards: Floats, counts: Floats) -> tuple[float, float]:
    """Return the least and the largest reward that is no outlier.

    They are the median minus and plus 20 times the distance from it that all but 1 % of the rewards, and all but one at
    least, keep. They are infinite if that distance is 0 but for rounding, as for rare clicks. The mean of several
    rewards is nearer to the median than a single one: its distance is multiplied by the root of their number.

    Examples
    --------
    >>> limits(np.append(np.arange(99.0), 1e6), np.ones(100))
    (-950.0, 1050.0)
    """
    if len(rewards) < FEWEST:
        return -np.inf, np.inf
    # Halves, because the difference of two rewards can exceed the largest number.
    halves = rewards / 2
    middle = float(np.partition(halves, len(rewards) // 2)[len(rewards) // 2])
    with np.errstate(over="ignore"):  # infinitely far is far enough
        distances = np.abs(halves - middle) * np.sqrt(counts)
    last = len(rewards) - 1 - max(1, len(rewards) // 100)
    reach = 2 * OUTLYING * float(np.partition(distances, last)[last])
    # Rewards that differ by rounding only are alike: any other would be an outlier for ever.
    alike = reach <= 2 * OUTLYING * ROUNDING * abs(middle)
    return (-np.inf, np.inf) if alike else (2 * middle - reach, 2 * middle + reach)


def repeats(arms: Integers) -> Integers:
    """Return for each observation how many before it in the list are of the same arm.

    Examples
    --------
    >>> repeats(np.array([4, 2, 4, 4]))
    array([0, 0, 1, 2])
    """
    order = np.argsort(arms, kind="stable")
    ordered = arms[order]
    out = np.empty(len(arms), dtype=np.int64)
    out[order] = np.arange(len(arms)) - np.searchsorted(ordered, ordered)
    return out


def is_same(arm: Any, other: Any) -> bool:
    """Return whether two arms, both positions or both coordinates, are the same."""
    return bool(arm == other if isinstance(arm, int | np.integer) else np.all(arm == other))


class Pool:
    """Entries in the order of their times. An entry is one observation, or several of one stay at an arm.

    Entries are dropped once there are too many: the oldest, or, while ``remembers`` is set, those of the largest
    age times (1 + number of later entries of the same arm). An arm that is played for long then drops entries of its
    own, and what is known of all other arms stays.

    Parameters
    ----------
    size
        How many entries are kept; with ``remembers``, up to ``SPARE`` more.
    dimension
        How many coordinates an arm has, in a continuum; by default arms are positions.

    Attributes
    ----------
    average
        The mean of all rewards so far; of an outlier, the limit beyond which it is.
    changes
        How many rewards differed from the one before.
    limits
        The least and the largest reward that is no outlier.
    remembers
        Whether arms that were not played for long keep their entries. Arms must be positions.

    Examples
    --------
    >>> pool = Pool(600)
    >>> pool.append(np.array([1.0]), np.array([7]), np.array([0.0]))
    >>> pool.join(2.0, 7, 1.0)
    >>> pool.times, pool.arms, pool.rewards, pool.counts, pool.spreads
    (array([1.5]), array([7]), array([0.5]), array([2.]), array([0.5]))
    """

    def __init__(self, size: int, dimension: int | None = None) -> None:
        self._size = size
        # Twice the room, so that entries are moved only once in a while.
        self._values: Floats = np.empty((5, 2 * size))
        self._arms: Any = np.empty(2 * size, np.int64) if dimension is None else np.empty((2 * size, dimension))
        self._begin = self._end = 0
        self._pulls: list[float] = []
        self.average, self.changes, self.limits = 0.0, 0, (-np.inf, np.inf)
        self._n_observations, self._last = 0, np.nan
        self.remembers = False

    @property
    def times(self) -> Floats:
        """Of each entry; of several observations, their mean."""
        return self._values[0, self._begin : self._end]

    @property
    def rewards(self) -> Floats:
        """Of each entry; of several observations, their mean."""
        return self._values[1, self._begin : self._end]

    @property
    def seen(self) -> Floats:
        """The reward of each entry as it was seen; ``rewards`` has what it counts as. Not for several observations."""
        return self._values[4, self._begin : self._end]

    @property
    def counts(self) -> Floats:
        """How many observations each entry stands for."""
        return self._values[2, self._begin : self._end]

    @property
    def spreads(self) -> Floats:
        """The sum of squared differences of their rewards from the mean."""
        return self._values[3, self._begin : self._end]

    @property
    def arms(self) -> Any:
        """The arm of each entry: positions, or rows of coordinates."""
        return self._arms[self._begin : self._end]

    @property
    def pulls(self) -> Floats:
        """The latest times of single pulls, in order."""
        return np.array(self._pulls)

    def append(self, times: Floats, arms: Any, rewards: Floats, seen: Floats | None = None) -> None:
        """Take in observations, each an entry of its own, and drop entries that are no longer among the latest.

        ``seen`` has the rewards as they were seen, ``rewards`` what they count as; by default the same.
        """
        self._insert(times, arms, rewards, seen)
        self._count(rewards)

    def join(self, time: float, arm: Any, reward: float) -> None:
        """Add an observation to the latest entry, or as one of its own if that is of another arm or later.

        An outlier is joined as the limit beyond which it is, so that no mean is lost to it.
        """
        bounded = self._bounded(reward)
        if len(self.times) == 0 or not is_same(self.arms[-1], arm) or time < self._pulls[-1]:
            self._insert(np.array([time]), np.array([arm]), np.array([bounded]))
        else:
            count = float(self.counts[-1]) + 1
            # Divided first, so that no difference exceeds the largest number.
            change = bounded / count - float(self.rewards[-1]) / count
            self.times[-1] += time / count - self.times[-1] / count
            self.rewards[-1] += change
            self.spreads[-1] = min(float(self.spreads[-1]) + change * change * count * (count - 1), LARGEST)
            self.counts[-1] = count
            self._pulls = [*self._pulls, time][-RECENT:]
        self._count(np.array([reward]))

    @property
    def varied(self) -> bool:
        """Whether most rewards differ from the one before, as those of clicks do not, and there are enough of them."""
        return self.changes >= max(VARIED * self._n_observations, SETTLED)

    def restore(self, time: float, arm: Any) -> None:
        """Let the latest entry count as it was seen, if it is a single observation of this arm at this time."""
        if self.times[-1] == time and self.counts[-1] == 1 and is_same(self.arms[-1], arm):
            self.rewards[-1] = self.seen[-1]

    def count_as(self, rows: Integers, rewards: Floats) -> None:
        """Set what entries count as. In a new array: copies of this pool that share the old one are not changed."""
        self._values = self._values.copy()
        self.rewards[rows] = rewards

    def forget(self, before: float) -> None:
        """Drop all entries before a time but the latest; the time of several observations is their mean."""
        if before > -np.inf:
            self._begin += min(int(np.searchsorted(self.times, before)), len(self.times) - 1)
            self.limits = limits(self.rewards, self.counts)  # what is left is no outlier by those of what was dropped

    def _centre(self, rewards: Floats, least: float, most: float) -> float:
        """Return the average of all rewards so far, or of these, the latest, where the former is outside their range.

        It is outside after a lasting change of level, or an extreme reward: these are then forgotten.
        """
        if least <= self.average <= most:
            return self.average
        return min(max(float(np.sum(rewards / len(rewards))), least), most)

    def standardised(self) -> tuple[Integers, Floats, Floats, float, float]:
        """Return what a model takes from all entries but outliers, the latest first.

        These are their positions, rewards from -1 to 1, the spreads in the same unit, and the centre and the unit of
        the rewards. The unit of rewards that are all alike, up to rounding, is their size; of zeros it is 1.
        """
        rewards, (low, high) = self.rewards, self.limits
        rows = np.arange(len(rewards) - 1, -1, -1)
        least, most = float(rewards.min()), float(rewards.max())
        if least < low or most > high:
            rows = np.flatnonzero((rewards >= low) & (rewards <= high))[::-1]
            least, most = float(rewards[rows].min()), float(rewards[rows].max())
        rewards = rewards[rows]
        centre = self._centre(rewards, least, most)
        # Halves, because the difference of two rewards can exceed the largest number.
        halves = rewards / 2 - centre / 2
        largest = max(most / 2 - centre / 2, centre / 2 - least / 2)
        if largest <= ROUNDING * abs(centre):
            unit = abs(centre) or 1.0
        else:
            unit = 2 * largest if largest < 8e307 else 1.7e308
        unit = max(unit, SMALLEST_UNIT)
        return rows, halves / (unit / 2), self.spreads[rows] / unit / unit, centre, unit

    def _insert(self, times: Floats, arms: Any, rewards: Floats, seen: Floats | None = None) -> None:
        self._pulls = sorted([*self._pulls, *times[-RECENT:].tolist()])[-RECENT:]
        end, seen = self._end, rewards if seen is None else seen
        if len(times) == 1 and (len(self.times) == 0 or times[0] >= self.times[-1]) and end < len(self._arms):
            self._values[:, end] = times[0], rewards[0], 1.0, 0.0, seen[0]
            self._arms[end] = arms[0]
            self._end = end + 1
            if not self.remembers:
                self._begin = max(self._begin, self._end - self._size)
            elif self._end - self._begin > self._size + SPARE:
                self._keep(self._values[:, self._begin : self._end], self.arms)
            return
        fresh = np.stack([times, rewards, np.ones(len(times)), np.zeros(len(times)), seen])
        values = np.concatenate([self._values[:, self._begin : end], fresh], axis=1)
        order = np.argsort(values[0], kind="stable")
        self._keep(values[:, order], np.concatenate([self.arms, arms])[order])

    def _keep(self, values: Floats, arms: Any) -> None:
        """Keep as many of these entries as there is room for."""
        kept = np.arange(len(arms))[-self._size :]
        if self.remembers:
            # Halves, because the difference of two times can exceed the largest number.
            halves = values[0, ::-1] / 2
            order = np.argsort((halves[0] - halves) * (1.0 + repeats(arms[::-1])), kind="stable")
            kept = np.sort(len(arms) - 1 - order[: self._size])
        kept_values, kept_arms = values[:, kept], arms[kept]  # copies, as both may be views of what is overwritten
        self._values[:, : len(kept)], self._arms[: len(kept)] = kept_values, kept_arms
        self._begin, self._end = 0, len(kept)

    def _count(self, rewards: Floats) -> None:
        """Take rewards into the average, and find the limits again if it is time."""
        before = self._n_observations // LIMITS_EVERY
        outlying = len(rewards) > 1 or self._bounded(float(rewards[0])) != rewards[0]
        for reward in map(self._bounded, rewards.tolist()):
            self._n_observations += 1
            self.changes += reward != self._last
            self._last = reward
            # Divided first, so that no sum exceeds the largest number.
            self.average += reward / self._n_observations - self.average / self._n_observations
        if outlying or before != self._n_observations // LIMITS_EVERY:
            self.limits = limits(self.rewards, self.counts)

    def _bounded(self, reward: float) -> float:
        return min(max(reward, self.limits[0]), self.limits[1])
