"""Where patterns have travelled over the arms: a path, and their velocity now."""

from dataclasses import dataclass, replace

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.policies.adaptive.clock import Clock
from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample
from quickdraw_bandits.policies.adaptive.scales import Candidate
from quickdraw_bandits.policies.adaptive.velocities import velocity_scores

LATEST = 24
"""Number of latest observations by which velocities are compared."""
FINENESS = 12.0
"""Neighbouring velocities differ by a length scale in so many steps of the clock."""
FASTEST = 0.5
"""Largest velocity along a coordinate, in length scales per step of the clock."""
MOVING = 1.0
"""How much larger the log likelihood of a velocity must be than that of none."""
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
        knots = clock.steps(self.times, now)
        since = -np.maximum(ages, knots[-1])
        found = since[:, None] * self.velocity
        for axis, places in enumerate(self.places.T):
            found[:, axis] += places[-1] - np.interp(ages, knots, places)
        return found

    def after(self, observed: SpaceTimeSample, candidate: Candidate, now: float, clock: Clock) -> "Course":
        """Return the course when the velocity is chosen again, by observations that come latest first.

        The velocities tried are the one in use, its opposite, none, and those up to two steps away along a coordinate.
        """
        if len(observed) < LATEST or not clock.known:
            return self
        latest = observed.some(np.arange(LATEST))
        velocities = self._tried(candidate.length)
        noises = candidate.noise / latest.counts
        columns = np.ascontiguousarray(latest.points.T)
        scores = velocity_scores(
            velocities, columns, latest.arms, latest.times, candidate.rates, noises, latest.means
        )
        scores -= MOVING * velocities.any(axis=1)
        velocity = velocities[int(scores.argmax())]
        start = max(min(now + float(latest.times[-1]) * clock.step, LARGEST), -LARGEST)
        if len(self.times) == 0:
            return Course(velocity, np.array([start]), np.zeros((1, len(velocity))))
        if start <= self.times[-1]:
            return replace(self, velocity=velocity)
        end = self.places[-1] + clock.age(start, float(self.times[-1])) * velocity
        times, places = np.append(self.times, start), np.append(self.places, end[None], axis=0)
        return Course(velocity, times[-KNOTS:], places[-KNOTS:])

    def _tried(self, length: float) -> Floats:
        dimension = len(self.velocity)
        moves = length / FINENESS * np.kron(np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.eye(dimension))
        tried = np.concatenate([[self.velocity, np.zeros(dimension), -self.velocity], self.velocity + moves])
        # With another length scale than before, the velocity in use may be too fast, too.
        return tried[np.abs(tried).max(axis=1) <= FASTEST * length * (1 + 1e-9)]
