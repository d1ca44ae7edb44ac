"""A single peak that travels along a line of arms, as an alternative to a field of similar rewards."""

import math
from typing import NamedTuple

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.policies.adaptive.clock import Clock
from quickdraw_bandits.policies.adaptive.peak_profile import Known, Profile, Sums, Units, first_profile
from quickdraw_bandits.policies.adaptive.sighting import Sighting

WIDTHS = (0.03, 0.06, 0.12)
"""Widths of the peak that are tried, in diameters of the arms."""
CELLS = 1.5
"""Places of the grid per width."""
VELOCITIES, FASTEST = 4, 0.75
"""Number of velocities in each direction, and the largest, in widths per step of the clock."""
HISTORY = 300
"""Observations from which a filter that starts again begins."""
FIRST = 20
"""Of these, how many say what rewards to expect: the following ones say where the peak is."""
FARTHEST = 64
"""Steps of the clock after which the peak may be anywhere."""
MEMORY = 200.0
"""Rewards by which widths are compared."""
TOGETHER = 16
"""Rewards that are taken in at once while the field decides."""
COMPARED = 150.0
"""Rewards by which the peak is compared with the field of similar rewards."""
MOST = 3.0
"""Largest difference of two log densities that counts."""
LEADS, YIELDS, LARGEST = 12.0, -20.0, 40.0
"""Sum of the differences from which on the peak decides, below which the field decides again, and its largest size."""
FAR_BEHIND, SELDOM = -30.0, 3
"""Sum of the differences below which one of so many rewards is taken in, and the level of all is not estimated."""
STANDS_OUT, VANISHES = 2.0, 1.5
"""Height of the peak, in standard deviations of rewards, from which on and down to which it may decide."""
UNLIKELY, STRAYED = -50.0, -5.0
"""Least log density that counts, in units of the first rewards, and that below which a reward was not expected."""
UNCHECKED = 50
"""Rewards in a row that are not compared with the field, after which the field decides."""
MISSED = 60
"""Rewards in a row nearer to those far from the peak than to those at it, after which the field decides."""


class Peak:
    """A filter for a peak of one width: where it may be, and what rewards are at it and far from it.

    Attributes
    ----------
    width
        In diameters of the arms.
    chances
        The probability of each velocity, by rows, and place.
    score
        The fading sum of the log densities of rewards.
    """

    def __init__(self, width: float, profile: Profile) -> None:
        self.width = width
        places = math.ceil(CELLS / width) + 1
        steps = FASTEST * np.arange(-VELOCITIES, VELOCITIES + 1) / VELOCITIES
        self._velocities: Floats = steps * width * (places - 1)
        self.chances: Floats = np.full((len(steps), places), 1 / (len(steps) * places))
        self._known = Known(profile, Sums.of(profile, FIRST))
        self.score = 0.0

    def later(self, steps: int) -> Floats:
        """Return the probabilities some steps of the clock later."""
        from quickdraw_bandits.policies.adaptive.peak_filter import move

        return np.asarray(move(self.chances, self._velocities, steps)) if steps else self.chances

    def observe(self, steps: Integers, places: Floats, rewards: Floats) -> Floats:
        """Take in rewards, each some steps after the one before, and return their log densities."""
        from quickdraw_bandits.policies.adaptive.peak_filter import track

        found = track(self.chances, self._velocities, steps, places, rewards, self.width, self._known)
        self.chances, densities, self._known = found
        for density in densities.tolist():
            self.score = (1.0 - 1.0 / MEMORY) * self.score + max(density, UNLIKELY)
        return np.asarray(densities)

    @property
    def profile(self) -> Profile:
        """Rewards at the peak and far from it, in units of the first ones."""
        return self._known.profile

    @property
    def velocity(self) -> float:
        """The expected velocity, in diameters per step of the clock."""
        return float(self.chances.sum(axis=1) @ self._velocities / (self.chances.shape[1] - 1))


class Waiting(NamedTuple):
    """A reward that is still to be taken in: steps since the one before, place, reward, and log density in the field.

    The last is None where it does not count.
    """

    steps: int
    place: float
    reward: float
    field: float | None


class Peaks:
    """Follows one peak along the arms with filters of several widths, and says whether it should decide.

    It should if it has predicted the rewards of choices better than the field of similar rewards has: from when the
    fading sum of the differences of their log densities, each of at most 3, is above 12, until it is below -20. And the
    peak must stand out: with strong noise, the largest rewards alone look like a peak, while scales are not yet known.
    What is predicted well need not pay: after 60 rewards in a row that are not those of a peak, the field decides as
    well, and the sum begins at 0 again.

    Rewards that come late, of pulls before the latest one, say nothing about where the peak is now.

    Attributes
    ----------
    leads
        Whether the peak decides.
    """

    def __init__(self) -> None:
        self._filters: list[Peak] = []
        self._waiting: list[Waiting] = []
        self._units = Units(0.0, 1.0)
        # The time of the filters, a whole number of steps after the first pull, and that of the latest pull.
        self._time = self._latest = 0.0
        self._ahead = 0.0
        # How many of the latest rewards in a row were not expected, were of pulls before others, and were not compared.
        self._strayed = self._early = self._unchecked = 0
        # While the peak decides, how many rewards in a row were nearer to those far from it.
        self._missed = 0
        # How many rewards were passed over since the last one, while the field predicts far better.
        self._passed = 0
        self.leads = False

    @property
    def best(self) -> Peak:
        """The filter of the width that has predicted rewards best."""
        return max(self._filters, key=lambda each: each.score)

    def restart(self, times: Floats, places: Floats, rewards: Floats, clock: Clock) -> None:
        """Look for the peak in a history, which is in the order of its times; the comparison stays as it is.

        What rewards to expect is known from before. Where the filter is lost, the first rewards of the history say it.
        """
        times, places, rewards = times[-HISTORY:], places[-HISTORY:], rewards[-HISTORY:]
        begin, known = 0, None if self.lost else (self.best.profile, self._units)
        if known is None and len(times) >= FIRST:
            begin, known = FIRST, first_profile(rewards[:FIRST])
        self._filters, self._waiting, self._strayed, self._early = [], [], 0, 0
        if known is None or len(times) == 0 or not clock.known:
            self.leads = False
            return
        profile, self._units = known
        self._filters = [Peak(width, profile) for width in WIDTHS]
        self._time = self._latest = float(times[max(begin - 1, 0)])
        following = (each[begin:].tolist() for each in (times, places, rewards))
        for time, place, reward in zip(*following, strict=True):
            self._wait(time, place, reward, clock, None)
        unchecked, self._unchecked = self._unchecked, -len(rewards)  # these are not new
        self.catch_up()
        self._unchecked = unchecked

    def learn(self, time: float, place: float, reward: float, clock: Clock, field: float | None) -> None:
        """Take in a reward, and compare how well it was predicted with its log density in the field, if that counts.

        While the field decides, several rewards are taken in at once, which costs less.
        """
        if self.lost or (time < self._latest and not self._went_back(time)):
            return
        self._early = 0
        self._wait(time, place, reward, clock, field)
        if self.leads or len(self._waiting) >= TOGETHER:
            self.catch_up()

    @property
    def highest(self) -> float:
        """The reward that was taken for that of a peak at first."""
        return self._units.centre + self._units.unit

    def _went_back(self, time: float) -> bool:
        """Return whether the clock has gone back, as many pulls before the latest say; the peak is then anywhere."""
        self._early += 1
        if self._early < FIRST:
            return False
        self._filters = [Peak(each.width, each.profile) for each in self._filters]
        self._waiting, self._time, self._latest = [], time, time
        return True

    def _wait(self, time: float, place: float, reward: float, clock: Clock, field: float | None) -> None:
        steps, self._time = self._steps(time, clock)
        self._latest = time
        self._waiting.append(Waiting(steps, place, self._units.value(reward), field))

    def catch_up(self) -> None:
        """Take in the rewards that wait."""
        if not self._waiting:
            return
        best, (steps, places, rewards, fields) = self.best, zip(*self._waiting, strict=True)
        self._waiting = []
        given = np.array(steps, dtype=np.int64), np.array(places), np.array(rewards)
        missed = 2 * rewards[-1] < best.profile.low + best.profile.high
        self._missed = self._missed + 1 if self.leads and missed else 0
        found = [each.observe(*given) for each in self._filters][self._filters.index(best)]
        for density, field in zip(found.tolist(), fields, strict=True):
            self._strayed = 0 if density > STRAYED else self._strayed + 1
            self._unchecked += 1
            if field is not None:
                self.compare(density - math.log(self._units.unit), field)
        self.leads &= self._unchecked < UNCHECKED and self.best.profile.height > VANISHES
        if self._missed >= MISSED:
            self._ahead, self.leads = 0.0, False

    def passes_over(self) -> bool:
        """Return whether to pass over the next reward, as most are while the field predicts far better."""
        if self._ahead >= FAR_BEHIND:
            return False
        self._passed = (self._passed + 1) % SELDOM
        return self._passed > 0

    @property
    def contends(self) -> bool:
        """Whether what the field expects should be known well: there is a filter, and it is not far behind."""
        return len(self._filters) > 0 and self._ahead >= FAR_BEHIND

    @property
    def lost(self) -> bool:
        """Whether there is no filter, or none of the latest rewards was expected."""
        return not self._filters or self._strayed >= FIRST

    def compare(self, peak: float, field: float) -> None:
        """Compare the log densities of a reward, and decide who leads."""
        self._unchecked = 0
        self._ahead += min(max(peak - field, -MOST), MOST) - self._ahead / COMPARED
        self._ahead = min(max(self._ahead, -LARGEST), LARGEST)
        ahead, height = (YIELDS, VANISHES) if self.leads else (LEADS, STANDS_OUT)
        self.leads = self._ahead > ahead and self.best.profile.height > height

    def _steps(self, time: float, clock: Clock) -> tuple[int, float]:
        """Return how many steps of the clock are between the filter's time and another, and the time after these."""
        steps = clock.age(time, self._time)
        if steps > FARTHEST:
            return FARTHEST, time
        whole = max(round(steps), 0)
        return whole, self._time + whole * clock.step

    def is_past(self, time: float) -> bool:
        """Return whether a time is before the latest pull."""
        return time < self._latest

    def at(self, time: float, clock: Clock) -> Sighting:
        """Return where the peak may be at a time; at one before the latest reward, where it may be after that."""
        best = self.best
        return Sighting(best.later(self._steps(time, clock)[0]), best.width, best.profile, self._units)
