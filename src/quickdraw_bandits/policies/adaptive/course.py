"""Where patterns have travelled over the arms: a path, and their velocity now."""

from dataclasses import dataclass, replace

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.policies.adaptive.clock import FARTHEST, Clock
from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample
from quickdraw_bandits.policies.adaptive.scales import Candidate
from quickdraw_bandits.policies.adaptive.velocities import distance_travelled, likeliest_velocity

LATEST = 24
"""Number of latest observations by which velocities are compared."""
KNOTS = 600
"""Knots of the path that are kept, the latest; before the first, patterns did not move."""
LARGEST = 1.7e308


@dataclass(frozen=True)
class Course:
    """The path D(t) of patterns that travel, piecewise linear in time.

    The latest piece has the velocity that explains the latest observations best. When observations leave these, the
    part of the path before them is final. So velocities may change, and what was seen before a change is still in its
    place.

    Attributes
    ----------
    velocity
        In diameters of the arms per step of the clock, along each coordinate.
    times, places
        When the final pieces end, and D at these times, of shape (k, d).
    """

    velocity: Floats
    times: Floats
    places: Floats

    @classmethod
    def unknown(cls, dimension: int) -> "Course":
        """Return the course before anything is known: patterns do not move."""
        return cls(np.zeros(dimension), np.empty(0), np.empty((0, dimension)))

    def stretched(self, ratio: float) -> "Course":
        """Return the same where a length is ``ratio`` times the number that it was before."""
        return replace(self, velocity=ratio * self.velocity, places=ratio * self.places)

    def travelled(self, ages: Floats, now: float, clock: Clock) -> Floats:
        """Return D(now) - D(t), of shape (n, d), for times in steps of the clock, 0 being now."""
        if len(self.times) == 0:
            return np.zeros((len(ages), len(self.velocity)))
        return np.asarray(distance_travelled(ages, clock.steps(self.times, now), self.places, self.velocity))

    def after(self, observed: SpaceTimeSample, candidate: Candidate, now: float, clock: Clock) -> "Course":
        """Return the course when the velocity is chosen again, by observations that come latest first."""
        if len(observed) < LATEST or not clock.known:
            return self
        ages = observed.times[:LATEST]
        # With the wrong clock, cut ages do not say when patterns were where.
        if max(abs(float(ages[0])), abs(float(ages[-1]))) >= FARTHEST:
            return self
        columns = np.ascontiguousarray(observed.points[:LATEST].T)
        noises = candidate.noise / observed.counts[:LATEST]
        where = columns, observed.arms[:LATEST], ages
        rewards = candidate.rates, noises, observed.means[:LATEST]
        velocity = likeliest_velocity(self.velocity, candidate.length, *where, *rewards)
        start = max(min(now + float(ages[-1]) * clock.step, LARGEST), -LARGEST)
        if len(self.times) == 0:
            return Course(velocity, np.array([start]), np.zeros((1, len(velocity))))
        since = clock.age(start, float(self.times[-1]))
        if since <= 0:  # rewards that come late, or many at one time
            return self._turned(velocity)
        end = self.places[-1] + since * velocity
        if len(self.times) > 1 and self.velocity.tolist() == velocity.tolist():  # the same piece goes on
            times, places = self.times.copy(), self.places.copy()
            times[-1], places[-1] = start, end
        else:
            times, places = np.append(self.times, start)[-KNOTS:], np.append(self.places, end[None], axis=0)[-KNOTS:]
        return Course(velocity, times, places)

    def _turned(self, velocity: Floats) -> "Course":
        """Return the course with another velocity from the end of the last final piece on.

        A piece of no length marks the turn, so that the next piece does not change the last one.
        """
        marked = len(self.times) == 1 or self.times[-1] == self.times[-2]
        if marked or self.velocity.tolist() == velocity.tolist():
            return replace(self, velocity=velocity)
        times, places = np.append(self.times, self.times[-1]), np.append(self.places, self.places[-1:], axis=0)
        return Course(velocity, times[-KNOTS:], places[-KNOTS:])
