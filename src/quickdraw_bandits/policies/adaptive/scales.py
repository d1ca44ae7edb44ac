"""The scales that a policy learns, and the ladders on which it looks for them."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quickdraw_bandits.checks import Floats, Integers

FAMILIES = ("rough", "smooth")
DOUBLINGS = (0, 4)
"""A family's covariance is the rational one, 1 / (1 + h r²), squared this many times; h keeps the scale the same."""
NOISES = (1e-5, 0.03, 0.1, 0.3, 1.0, 3.0)
"""Variance of the noise in units of the signal's."""
AGES = 4.0 * 2.7 ** (np.arange(13) / 2)
"""Time scales in units of the usual time between pulls."""
LENGTHS, WIDEST_STEP = 11, 2.0
"""Length scales, and the most from one to the next where arms crowd."""
CROWDED = 8.0
"""Arms crowd if they are nearer to each other by this factor than if they were spread evenly."""
SPEED = 1.5
"""How fast patterns may travel along an axis, in length scales a time scale."""
MOST_AXES = 3
"""Arms of more coordinates are not looked at for patterns that travel."""

LEAST_EXPLORATION = 0.5
MOVING = 4.0
"""How much likelier patterns that travel must make the observations to be believed."""
LONG, SHORT = 2.0, 1.0
"""How much scales are doubted that are longer or shorter than usual, for every power of e."""
USUAL_LENGTH, USUAL_AGE = 0.03, 40.0
"""A length scale in diameters of the arms, and the least usual time scale in steps; longer ones are not doubted."""

FAMILY, LENGTH, AGE, NOISE, COURSE = range(5)


@dataclass(frozen=True)
class Scales:
    """What a policy has learned of how rewards vary, in the units of the user.

    Attributes
    ----------
    family
        ``"rough"`` or ``"smooth"``: which covariance.
    length_scale
        l_x, in units of the arms' distance (for cosine and haversine: of the straight line between the arms).
    time_scale
        l_t, in units of the clock.
    noise
        Standard deviation of the noise, in units of the rewards.
    velocity
        How far patterns travel along each coordinate in a unit of time.
    gamma
        How far the index of an arm of which nothing is known lies above the mean: its deviation, times 0.5 to 1.
    """

    family: str
    length_scale: float
    time_scale: float
    noise: float
    velocity: tuple[float, ...]
    gamma: float


@dataclass(frozen=True)
class Candidate:
    """Scales in units of the clock's usual step, of the arms' diameter, and of the signal's variance."""

    doublings: int
    length: float
    age: float
    noise: float
    velocity: Floats

    @cached_property
    def travels(self) -> bool:
        """Whether patterns travel over the arms."""
        return bool(self.velocity.any())

    @cached_property
    def doubt(self) -> float:
        """How much likelier, as a logarithm, it must make the observations to be believed.

        A policy that plays in one place learns little of the length scale, and if it takes it for long it stays there:
        the belief confirms itself. Too short a length scale makes it look elsewhere, and does not last. But noise alone
        now and then looks like rewards that vary within few arms and rounds, and while it is believed choices are
        nearly at random; so short scales are doubted a little.
        """
        moving = MOVING if self.travels else 0.0
        excess = math.log(self.length / USUAL_LENGTH)
        lack = math.log(USUAL_AGE / self.age)
        return moving + LONG * max(0.0, excess) + SHORT * (max(0.0, -excess) + max(0.0, lack))


class Ladders:
    """All candidates: one rung of each of five ladders.

    Parameters
    ----------
    n_arms
        How many arms there are: the more, the finer the smallest length scale.
    dimension
        How many coordinates they have; 0 where only distances are known.
    spacing
        How far arms are from the next, in diameters. If they crowd, the smallest length scale is as small as that
        needs: in clusters, or with few arms far from all others.

    Examples
    --------
    >>> Ladders(1000, 1).lengths[::2].round(3)
    array([0.004, 0.011, 0.028, 0.072, 0.19 , 0.5  ])
    >>> float(Ladders(1000, 1, spacing=1e-5).lengths[0].round(9))
    4e-05
    """

    def __init__(self, n_arms: int, dimension: int, spacing: float = np.inf) -> None:
        finest = min(4.0 * n_arms ** (-1.0 / max(dimension, 1)), 0.125)
        count = LENGTHS
        if 4.0 * spacing < finest / CROWDED:
            finest = max(4.0 * spacing, 1e-9)
            count = max(LENGTHS, 1 + math.ceil(math.log(0.5 / finest) / math.log(WIDEST_STEP)))
        self.lengths: Floats = np.geomspace(finest, 0.5, count)
        axes = dimension if dimension <= MOST_AXES else 0
        still = np.zeros((1, max(dimension, 1)))
        along = np.eye(dimension) if axes else np.empty((0, max(dimension, 1)))
        self.courses: Floats = np.concatenate([still, along, -along])
        self.shape = (len(FAMILIES), count, len(AGES), len(NOISES), len(self.courses))
        self.start: Integers = np.array([len(FAMILIES) - 1, count // 3, len(AGES) // 2, 1, 0])
        self._n_arms, self._dimension = n_arms, dimension
        self._made: dict[bytes, Candidate] = {}

    def candidate(self, rungs: Integers) -> Candidate:
        """Return the scales at these rungs."""
        key = rungs.tobytes()
        if key not in self._made:
            self._made[key] = self._make(rungs)
        return self._made[key]

    def _make(self, rungs: Integers) -> Candidate:
        length, age = float(self.lengths[rungs[LENGTH]]), float(AGES[rungs[AGE]])
        velocity = self.courses[rungs[COURSE]] * (SPEED * length / age)
        return Candidate(DOUBLINGS[rungs[FAMILY]], length, age, NOISES[rungs[NOISE]], velocity)

    def exploration(self, candidate: Candidate) -> float:
        """Return how many deviations the index lies above the mean: sqrt(q), at least 0.5 and at most 1.

        q = l_t l_x^d, in steps and diameters, is how many rounds there are in a time scale for each patch of the size
        of a length scale, or for each arm where there are fewer of them. Where it is small, what all patches pay cannot
        be known at any time, and looking for the best pays less.
        """
        patches = min(candidate.length ** -max(self._dimension, 1), self._n_arms)
        return float(min(max((candidate.age / patches) ** 0.5, LEAST_EXPLORATION), 1.0))

    def neighbours(self, rungs: Integers) -> list[Integers]:
        """Return the candidates one step away: the next rungs, the other family, the other courses."""
        found = []
        for ladder, size in enumerate(self.shape):
            ordered = ladder in (LENGTH, AGE, NOISE)
            others = (rungs[ladder] - 1, rungs[ladder] + 1) if ordered else range(size)
            for other in others:
                if 0 <= other < size and other != rungs[ladder]:
                    step = rungs.copy()
                    step[ladder] = other
                    found.append(step)
        return found
