"""Rewards that are not as expected: a single one is taken for noise, several in a row for a change."""

import math
from typing import Any, NamedTuple

import numpy as np

from quickdraw_bandits.policies.adaptive.belief import Belief
from quickdraw_bandits.policies.adaptive.pool import Pool

LIKELY = 2.0
"""Deviations from the expected reward beyond which a single reward counts as so far from it and no farther."""
NOISELESS, STRONG = 1e-4, 1.0
"""Noise, in units of the signal variance, between which single rewards are bounded; with more, none is judged."""
NOISY = 0.05
"""Noise from which on rewards are no evidence of a change."""
MOST_EACH, ENOUGH = 4.0, 8.0
"""The most that one reward counts, and the evidence at which all before is forgotten: no two rewards are enough."""
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
    unknown
        The variance of a reward where nothing is known; its mean is 0.
    noise
        The variance of the noise, in units of the signal's.
    centre, unit
        The reward that is 0 in the model, and that by which it is above this if it is 1.
    """

    arm: Any
    mean: float
    variance: float
    unknown: float
    noise: float
    centre: float
    unit: float

    @classmethod
    def of(cls, belief: Belief, arm: Any, towards: Any) -> "Expectation":
        """Return what is expected of an arm; ``towards`` has it as the only target of an estimate."""
        model, noise = belief.model, belief.model.candidate.noise
        mean, deviation = model.estimate(towards)
        variance = model.signal * (float(deviation[0]) ** 2 + noise)
        return cls(arm, float(mean[0]), variance, model.signal * (1.0 + noise), noise, belief.centre, belief.unit)

    def surprise(self, reward: float) -> float:
        """Return by how much the log density of the reward is larger where nothing is known than with the model.

        Examples
        --------
        >>> expected = Expectation(3, mean=0.5, variance=0.01, unknown=1.0, noise=0.0, centre=0.0, unit=1.0)
        >>> round(expected.surprise(0.5), 2), round(expected.surprise(-0.5), 2)
        (-2.43, 47.57)
        """
        value = min(max(reward / self.unit - self.centre / self.unit, -FARTHEST), FARTHEST)
        known, unknown = (value - self.mean) ** 2 / self.variance, value**2 / self.unknown
        return 0.5 * (known - unknown + math.log(self.variance / self.unknown))

    def bounded(self, reward: float) -> float:
        """Return the reward, or the nearest that is within two deviations of its mean.

        Examples
        --------
        >>> expected = Expectation(3, mean=0.5, variance=0.01, unknown=1.0, noise=0.1, centre=0.0, unit=1.0)
        >>> expected.bounded(0.6), expected.bounded(5.0)
        (0.6, 0.7)
        """
        reach = LIKELY * math.sqrt(self.variance)
        low, high = (self.centre + self.unit * (self.mean + side * reach) for side in (-1, 1))
        return min(max(reward, low), high)


class Surprises:
    """What is made of rewards that are not as expected, from one choice to the next.

    **Noise.** A reward that differs from what is expected of the arm by more than two deviations counts as if it
    differed by two: noise with heavy tails then does not mislead. If the next one is as far from what is expected of
    its arm, both are taken as they are, and so are those that follow, until one is as expected.

    **Change.** The evidence that all has changed is the largest sum of surprises over any number of the latest rewards,
    at least 0: a cumulative sum test. A single reward counts for at most 4.

    Attributes
    ----------
    expected
        What the reward of the latest choice should be; None if it was seen, or is not judged.
    evidence, since
        The sum, and the time of the first reward in it.
    """

    def __init__(self) -> None:
        self.expected: Expectation | None = None
        self.evidence, self.since = 0.0, -math.inf
        self._surprised = False
        self._withheld: tuple[float, Any, float] | None = None

    def expect(self, belief: Belief, arm: Any, space: Any, pending: int) -> None:
        """Say what is expected of a choice. With strong noise or pulls pending, its reward is not judged."""
        model, self.expected = belief.model, None
        if pending == 0 and model.candidate.noise < STRONG:
            self.expected = Expectation.of(belief, arm, space.towards(np.array([arm]), model.sample.arms))

    def judged(self, pool: Pool, time: float, arm: Any, reward: float) -> tuple[float, float]:
        """Judge the reward of the latest choice, which is about to go into the pool.

        Returns the reward as the model should take it, and the time before which all is to be forgotten, minus
        infinity for nothing. A reward in the pool that was bounded is restored if this one shows that it was no error.
        """
        expected, self.expected = self.expected, None
        if expected is None or np.any(expected.arm != arm) or not pool.varied:
            return reward, -math.inf
        since = self._changed(expected, time, reward) if expected.noise < NOISY else -math.inf
        if expected.noise < NOISELESS:
            return reward, since
        bounded, again, withheld = expected.bounded(reward), self._surprised, self._withheld
        self._surprised = bounded != reward
        self._withheld = (time, arm, reward) if self._surprised and not again else None
        if not (self._surprised and again):
            return bounded, since
        if withheld is not None:
            pool.restore(*withheld)
        return reward, since

    def _changed(self, expected: Expectation, time: float, reward: float) -> float:
        if self.evidence == 0.0:
            self.since = time
        self.evidence = max(0.0, self.evidence + min(expected.surprise(reward), MOST_EACH))
        if self.evidence <= ENOUGH:
            return -math.inf
        self.evidence = 0.0
        return self.since
