"""Why an arm has its index."""

from dataclasses import dataclass

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.policies.decision import ArmArray
from quickdraw_bandits.times import TimeArray


@dataclass(frozen=True, eq=False)
class Explanation:
    """The estimate of an arm, and the observations with the largest weights in it.

    Attributes
    ----------
    mean, deviation, index
        The estimate, and what the policy maximises. The deviation is that of the mean reward; it also counts that
        variance, level and, where there is noise, the scales of all rewards are not known. The index adds to the mean
        0.26 to 1.8 times the deviation without these. While the policy follows a single peak, all three are those of
        the rewards around the peak, and the index is the mean; the weights are those of the field of similar rewards.
    times, ages, arms, distances, rewards, counts
        The observations, those of the largest weights first. With noise, near duplicates are merged: the latest of
        them is shown, with their mean reward and their number.
    weights
        The mean is the level of all rewards, as far as it is known, plus the sum of weight times (reward - that level).
    """

    mean: float
    deviation: float
    index: float
    times: TimeArray
    ages: Floats
    arms: ArmArray
    distances: Floats
    rewards: Floats
    counts: Floats
    weights: Floats

    @classmethod
    def of_nothing(cls) -> "Explanation":
        """Return what is known before the first observation."""
        empty, none = np.empty(0), np.empty(0, dtype=np.int64)
        return cls(np.nan, np.inf, np.inf, empty, empty, none, empty, empty, empty, empty)
