"""Rewards far from what was expected: a single one is taken for an error, two in a row for a change."""

import math
from typing import Any, NamedTuple

import numpy as np

from quickdraw_bandits.policies.adaptive.belief import LARGEST, Belief
from quickdraw_bandits.policies.adaptive.pool import Pool, is_same

NOISELESS = 1e-4
"""Noise, in units of the signal variance, below which a model has none."""
LIKELY, NOISY_LIKELY = 2.0, 1.0
"""Deviations from the expected reward as which a single surprise counts, without noise and with it."""
SURE = 50.0
"""Without noise, a reward is surprising if it would be likelier by this power of e where nothing is known."""
FAR = 3.0
"""With noise, a reward is surprising if it is more than this many deviations from the expected one."""
KNOWN = 0.3
"""Deviation, in units of the signal's, up to which the level of all rewards hardly counts in the mean of an arm."""
FARTHEST = 1e100
"""Rewards farther from the average, in units of the model, count as this far: squares stay finite."""


class Expectation(NamedTuple):
    """The distribution of the next reward of an arm, in units of a model.

    Attributes
    ----------
    arm
        The arm: a position, or coordinates.
    mean, variance
        Those of the reward, with its noise.
    level, unknown
        Mean and variance of a reward where nothing is known.
    centre, unit
        The reward that is 0 in the model, and that by which it is above this if it is 1.
    noisy
        Whether the model has noise.
    doubt
        What the variance gains because the level of all rewards is not known for sure.
    """

    arm: Any
    mean: float
    variance: float
    level: float
    unknown: float
    centre: float
    unit: float
    noisy: bool = False
    doubt: float = 0.0

    @classmethod
    def of(cls, belief: Belief, arm: Any, towards: Any, predicts: bool) -> "Expectation":
        """Return what is expected of an arm; ``towards`` has it as the only target of an estimate.

        ``predicts`` says whether its log density will be asked for.
        """
        model, noise = belief.model, belief.model.candidate.noise
        mean, deviation = model.estimate_one(towards)
        variance = model.signal * (deviation**2 + noise)
        unknown = model.signal * (1.0 + noise)
        doubt = model.signal * float(model.variance_of_level(towards)[0]) if predicts and deviation > KNOWN else 0.0
        where = belief.centre, belief.unit
        return cls(arm, model.level + mean, variance, model.level, unknown, *where, noise >= NOISELESS, doubt)

    def side(self, reward: float) -> int:
        """Return 1 if a reward is surprising and above its mean, -1 if it is below, and 0 if it is as expected.

        Examples
        --------
        >>> expected = Expectation(3, mean=0.5, variance=0.01, level=0.0, unknown=1.0, centre=0.0, unit=1.0, noisy=True)
        >>> expected.side(0.79), expected.side(0.81), expected._replace(noisy=False).side(0.81)
        (0, 1, 0)
        """
        above = self._value(reward) - self.mean
        far = abs(above) > FAR * math.sqrt(self.variance) if self.noisy else self.surprise(reward) > SURE
        return int(math.copysign(1, above)) if far else 0

    def surprise(self, reward: float) -> float:
        """Return by how much the log density of the reward is larger where nothing is known than with the model.

        Examples
        --------
        >>> expected = Expectation(3, mean=0.5, variance=0.01, level=0.0, unknown=1.0, centre=0.0, unit=1.0)
        >>> round(expected.surprise(0.5), 2), round(expected.surprise(-0.5), 2)
        (-2.43, 47.57)
        """
        value = self._value(reward)
        known, unknown = (value - self.mean) ** 2 / self.variance, (value - self.level) ** 2 / self.unknown
        return 0.5 * (known - unknown + math.log(self.variance / self.unknown))

    def log_density(self, reward: float) -> float:
        """Return the log density of a reward.

        The level of all rewards is not known for sure, which surprises leave out.

        Examples
        --------
        >>> expected = Expectation(3, mean=0.5, variance=0.01, level=0.0, unknown=1.0, centre=0.0, unit=1.0)
        >>> round(expected.log_density(0.5), 3)
        1.384
        """
        variance = self.variance + self.doubt
        squared = (self._value(reward) - self.mean) ** 2 / variance
        return -0.5 * (squared + math.log(2 * math.pi * variance)) - math.log(self.unit)

    def _value(self, reward: float) -> float:
        """Return a reward in units of the model."""
        return min(max(reward / self.unit - self.centre / self.unit, -FARTHEST), FARTHEST)

    def bounded(self, reward: float) -> float:
        """Return the reward, or the nearest that is within two deviations of its mean; with noise, within one.

        Examples
        --------
        >>> expected = Expectation(3, mean=0.5, variance=0.01, level=0.0, unknown=1.0, centre=0.0, unit=1.0)
        >>> expected.bounded(0.6), expected.bounded(5.0)
        (0.6, 0.7)
        """
        reach = (NOISY_LIKELY if self.noisy else LIKELY) * math.sqrt(self.variance)
        # In halves: a unit of nearly the largest number may be multiplied by more than one.
        low, high = (self.centre / 2 + self.unit / 2 * (self.mean + side * reach) for side in (-1, 1))
        if low <= reward / 2 <= high:
            return reward
        return 2 * min(max(low if reward / 2 < low else high, -LARGEST / 2), LARGEST / 2)


class Surprises:
    """What is made of rewards that are not as expected, from one choice to the next.

    Without noise, a reward is surprising if it would be likelier by a factor of e^50 where nothing is known. It counts
    as if it were two deviations from what is expected, so that an error does not mislead. If the next one is
    surprising too, all has changed: both are taken as they are, all before them is forgotten, and those that follow
    are taken as they are until one is as expected.

    With noise, a reward is surprising if it is more than three deviations from what is expected. It counts as if it
    were one deviation from that: rewards with heavy tails say nothing by how far out they are. If the next one is
    surprising on the same side, both are taken as they are, and nothing is forgotten.

    Outliers are not bounded: the pool leaves them out. Bounded, they would be errors that the next reward contradicts.
    After an outlier, only another one proves a change.

    Attributes
    ----------
    expected
        What the reward of the latest choice should be; None if it was seen, or is not judged.
    """

    def __init__(self) -> None:
        self.expected: Expectation | None = None
        self._side, self._outlying = 0, False
        self._withheld: tuple[float, Any] | None = None

    def expect(self, belief: Belief, arm: Any, space: Any, pending: int, predicts: bool = False) -> None:
        """Say what is expected of a choice. With pulls pending, its reward is not judged.

        ``predicts`` says whether the log density of the reward will be asked for.
        """
        self.expected = None
        if pending == 0:
            towards = space.towards(np.array([arm]), belief.model.sample.arms)
            self.expected = Expectation.of(belief, arm, towards, predicts)

    def log_density(self, pool: Pool, arm: Any, reward: float) -> float | None:
        """Return the log density of the reward of the latest choice, None if it is not judged."""
        if self.expected is None or not is_same(self.expected.arm, arm) or not pool.varied:
            return None
        return self.expected.log_density(reward)

    def judged(self, pool: Pool, time: float, arm: Any, reward: float) -> tuple[float, float]:
        """Judge the reward of the latest choice, which is about to go into the pool.

        Returns the reward as the model should take it, and the time before which all is to be forgotten, minus
        infinity for nothing. A reward in the pool that was bounded is restored if this one shows that it was no error.
        """
        expected, self.expected = self.expected, None
        if expected is None or not is_same(expected.arm, arm) or not pool.varied:
            return reward, -math.inf
        low, high = pool.limits
        before, self._side = self._side, expected.side(reward)
        outlying, self._outlying = self._outlying, not low <= reward <= high
        withheld, self._withheld = self._withheld, None
        if self._side == 0:
            return reward, -math.inf
        again = before == self._side if expected.noisy else before != 0
        if not again or outlying != self._outlying:
            self._withheld = time, arm
            return reward if self._outlying else expected.bounded(reward), -math.inf
        if withheld is None:
            return reward, -math.inf
        pool.restore(*withheld)
        return reward, -math.inf if expected.noisy else withheld[0]
