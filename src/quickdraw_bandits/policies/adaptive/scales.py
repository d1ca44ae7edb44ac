"""The scales that a policy learns, and the grid on which it searches for them."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.policies.adaptive.correlation import FAMILIES, Family, Rates
from quickdraw_bandits.policies.adaptive.peaks import Peak
from quickdraw_bandits.times import Span

TRIED = FAMILIES
"""The families that are tried."""
SHARES = (0.0, 0.1, 0.3, 0.6)
"""Part of the signal variance that is a level of each arm's own, which its neighbours do not share."""
NOISES = (1e-8, 1e-5, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0)
"""Variance of the noise in units of the signal's. The first two count as none.

Rewards without noise that change smoothly can be predicted to many digits. A model in which all of them have an error
of 1e-5 takes them for less smooth than they are, so that it trusts old rewards for too long.
"""
USUAL_NOISE = 0.03
AGES = 4.0 * 2.7 ** (np.arange(21) / 2)
"""Time scales in units of the usual time between pulls."""
INSTEAD = 3.0
"""The noise that is tried in place of none with the shortest time scale: all may be noise."""
LENGTHS, WIDEST_STEP = 11, 2.0
"""Number of length scales, and the largest ratio of two neighbours where arms are clustered."""
VERY_MANY = 4096
"""Arms from which on not all of them are searched for every choice."""
CLUSTERED = 8.0
"""Arms are clustered if they are nearer to each other by this factor than if they were spread evenly."""
FEW_ARMS, MOST_CROWDED = 128, 2.0
"""Up to so many arms, every one may be a thing of its own; how far the log prior of that falls at most."""
CROWDED: dict[Family, float] = {"jagged": 1.0, "rough": 0.5, "medium": 0.25, "smooth": 0.0}
"""Part of it by which the log prior of each family falls: arms close to each other are seldom very different."""
HOPELESS = 3.0
"""How far the log prior falls for every power of e by which a time scale is too short to learn anything in."""
LONG, SHORT = 1.0, 1.0
"""How far the log prior falls for every power of e by which scales are longer or shorter than usual."""
USUAL_LENGTH, USUAL_AGE = 0.03, 40.0
"""A length scale in diameters of the arms, and a time scale in steps; longer time scales are as likely."""

FAMILY, LENGTH, AGE, NOISE, SHARE = range(5)


@dataclass(frozen=True)
class Scales:
    """What a policy has learned of how rewards vary, in the units of the user.

    Attributes
    ----------
    family
        ``"jagged"``, ``"rough"``, ``"medium"`` or ``"smooth"``: how fast the correlation falls close to an observation.
    length_scale
        l_x, in units of the arms' distance (for cosine and haversine: of the straight line between the arms).
    time_scale
        l_t, in units of the clock.
    noise
        Standard deviation of the noise, in units of the rewards.
    velocity
        How far the single peak that is followed travels along each coordinate per unit of time; 0 if none is.
    own_level
        Part of the signal variance, from 0 to 1, that is a lasting level of each arm's own.
    gamma
        Index of an arm of which nothing is known, less its mean: its standard deviation, times 0.26 to 1.8.
    peak_width
        If the policy follows a single peak, its width, in units of the arms' distance. Otherwise None.
    """

    family: Family
    length_scale: float
    time_scale: Span
    noise: float
    velocity: tuple[float, ...]
    own_level: float
    gamma: float
    peak_width: float | None = None

    @classmethod
    def of(
        cls,
        candidate: "Candidate",
        signal: float,
        exploration: float,
        diameter: float,
        time_scale: Span,
    ) -> "Scales":
        """Return a candidate in the user's units, for a signal of this standard deviation."""
        return cls(
            family=candidate.family,
            length_scale=candidate.length * diameter,
            time_scale=time_scale,
            noise=signal * candidate.noise**0.5,
            velocity=(0.0,) * candidate.dimension,
            own_level=candidate.share,
            gamma=exploration * signal,
        )

    def with_peak(self, peak: Peak, diameter: float, step: float) -> "Scales":
        """Return the same with width and velocity of the peak that is followed."""
        return replace(self, velocity=(peak.velocity * diameter / step,), peak_width=peak.width * diameter)


@dataclass(frozen=True)
class Candidate:
    """Scales in units of the clock's usual step, of the arms' diameter, and of the signal variance."""

    family: Family
    length: float
    age: float
    noise: float
    dimension: int
    share: float = 0.0
    crowd: float = 0.0

    @cached_property
    def rates(self) -> Rates:
        """How fast the correlation falls with distance and age."""
        return Rates.of(self.length, self.age, self.family, self.share)

    @cached_property
    def log_prior(self) -> float:
        """The logarithm of the prior probability, up to a constant.

        A policy that plays in one place learns little of the length scale, and if it takes it for long it stays there:
        the belief confirms itself. Too short a length scale makes it explore elsewhere, and does not last. But noise
        alone sometimes looks like rewards that vary within few arms and rounds, and while that is believed choices are
        nearly random; so short scales are made a little less likely too. So are scales at which all rewards within a
        time scale and a length scale, l_t l_x^d of them, do not outweigh the noise.

        Of many arms, each is one of many similar ones: own levels and families with little similarity are less likely
        by ``crowd``, or a part of it.
        """
        excess = math.log(self.length / USUAL_LENGTH)
        lack = math.log(USUAL_AGE / self.age)
        hopeless = HOPELESS * max(0.0, math.log(self.noise / self.age) - self.dimension * math.log(self.length))
        alone = self.crowd * (CROWDED[self.family] + (self.share > 0))
        return -(hopeless + alone + LONG * max(0.0, excess) + SHORT * (max(0.0, -excess) + max(0.0, lack)))


class ScaleGrid:
    """All candidates: a grid over family, length scale, time scale, noise, and own levels.

    Parameters
    ----------
    n_arms
        How many arms there are: the more, the smaller the smallest length scale.
    dimension
        How many coordinates they have; 0 where only distances are known.
    spacing
        How far arms are from the next, in diameters. If they are clustered, or few of them are far from all others,
        the smallest length scale is as small as that needs.
    own_levels
        Whether a part of the variance may be a level of each arm's own. Not in a continuum, where no arm is played
        twice but by chance.

    Examples
    --------
    >>> ScaleGrid(1000, 1).lengths[::2].round(3)
    array([0.004, 0.011, 0.028, 0.072, 0.19 , 0.5  ])
    >>> float(ScaleGrid(1000, 1, spacing=1e-5).lengths[0].round(9))
    4e-05
    """

    def __init__(self, n_arms: int, dimension: int, spacing: float = np.inf, own_levels: bool = True) -> None:
        finest = min(4.0 * n_arms ** (-1.0 / max(dimension, 1)), 0.125)
        count = LENGTHS
        if 4.0 * spacing < finest / CLUSTERED:
            finest = max(4.0 * spacing, 1e-9)
            count = max(LENGTHS, 1 + math.ceil(math.log(0.5 / finest) / math.log(WIDEST_STEP)))
        self.lengths: Floats = np.geomspace(finest, 0.5, count)
        self.shape = (len(TRIED), count, len(AGES), len(NOISES), len(SHARES) if own_levels else 1)
        self.start: Integers = np.array([len(TRIED) - 1, count // 3, 6, NOISES.index(USUAL_NOISE), 0])
        self._n_arms, self.dimension = n_arms, max(dimension, 1)
        self.follows = dimension == 1  # a single peak is only looked for along a line
        self.very_many = n_arms > VERY_MANY
        self._made: dict[bytes, Candidate] = {}

    def candidate(self, cell: Integers) -> Candidate:
        """Return the scales of a cell of the grid."""
        key = cell.tobytes()
        if key not in self._made:
            self._made[key] = self._make(cell)
        return self._made[key]

    def _make(self, cell: Integers) -> Candidate:
        length, age, noise = float(self.lengths[cell[LENGTH]]), float(AGES[cell[AGE]]), NOISES[cell[NOISE]]
        crowd = min(max(0.0, math.log(self._n_arms / FEW_ARMS)), MOST_CROWDED)
        return Candidate(TRIED[cell[FAMILY]], length, age, noise, self.dimension, SHARES[cell[SHARE]], crowd)

    def nearest(self, cell: Integers, length: float) -> Integers:
        """Return the cell with the length scale of this grid that is nearest to another, and all else alike."""
        found = cell.copy()
        found[LENGTH] = np.abs(np.log(self.lengths / length)).argmin()
        return found

    def neighbours(self, cell: Integers) -> list[Integers]:
        """Return the cells one step away: the next lengths, ages, noises and shares, and other families.

        Age and noise also change together: a short time scale with little noise can explain rewards about as well as a
        long one with much noise, and what is between them less well.

        Rewards that are nearly all noise, as clicks are, can look like rewards without noise that change within a few
        rounds. A little noise is then less likely than none or much of it. So with the shortest time scale and no
        noise, much of it is tried at once.
        """
        found = []
        for axis, size in enumerate(self.shape):
            ordered = axis in (LENGTH, AGE, NOISE, SHARE)
            others = (cell[axis] - 1, cell[axis] + 1) if ordered else range(size)
            for other in others:
                if 0 <= other < size and other != cell[axis]:
                    step = cell.copy()
                    step[axis] = other
                    found.append(step)
        for age, noise in product((-1, 1), (-1, 1)):
            step = cell.copy()
            step[[AGE, NOISE]] += age, noise
            if (step >= 0).all() and (step < self.shape).all():
                found.append(step)
        if NOISES[cell[NOISE]] < USUAL_NOISE and cell[AGE] == 0:
            step = cell.copy()
            step[NOISE] = NOISES.index(INSTEAD)
            found.append(step)
        return found
