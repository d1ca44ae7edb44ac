"""A model, and what its numbers are in the units of the rewards."""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.policies.adaptive.exploration import exploration
from quickdraw_bandits.policies.adaptive.space import Places

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive.model import Model

FLOOR = 1e-12
"""The least signal variance, in units of the squared range of the rewards: that of rewards that are all alike."""
LARGEST = float(np.finfo(float).max)


class Belief(NamedTuple):
    """A model, the centre and the unit of its rewards, and how many deviations the index lies above the mean.

    The centre is the average so far, which is 0 in the model; the means of the model are counted from its level.
    """

    model: "Model"
    centre: float
    unit: float
    exploration: float

    @classmethod
    def of(cls, model: "Model", average: float, unit: float, largest: float) -> "Belief":
        """Return what is believed with a model; in its units, ``largest`` is the largest reward less the average."""
        room = (largest - model.level) / math.sqrt(model.signal)
        return cls(model, average, unit, exploration(model.candidate, room))

    @property
    def gamma(self) -> float:
        """What the index adds to the mean where nothing is known, in units of the model."""
        return self.exploration * float(np.sqrt(self.model.signal))

    @property
    def spread(self) -> float:
        """The standard deviation of the signal as it is shown, in units of the model.

        Rewards that are all alike do not say how large the signal is. It is then shown as it is likely to be; choices
        take it for tiny, so that arms of almost the same deviation tie.
        """
        alike = self.model.signal <= FLOOR
        return float(np.sqrt(self.model.uncertain_signal if alike else self.model.signal))

    @property
    def signal(self) -> float:
        """The standard deviation of the signal, in units of the rewards; at most the largest number."""
        return min(self.unit * self.spread, LARGEST)

    def indices(self, mean: Floats, deviation: Floats) -> Floats:
        """Return indices in units of the rewards, for means and deviations of the model."""
        return self.rewards(mean + self.exploration * self.spread * deviation)

    def uncertainty(self, space: Places, arms: Any, model: "Model") -> tuple[Floats, Floats]:
        """Return mean and deviation of the mean reward at all arms or at some, in units of the rewards.

        The index explores as if the signal variance g² and the level of all rewards were known. Neither is. With s²
        the variance where both are, in units of g², a the share of the level in the estimate, and v g² the variance of
        the level::

            deviation² = g² (s² + a² v)

        where g² is that of ``uncertain_signal``. ``model`` has pending pulls besides.
        """
        mean, squared = squared_deviation(model, model.uncertain_signal, space, arms)
        return self.rewards(mean), self.deviations(np.sqrt(squared))

    def rewards(self, values: Floats) -> Floats:
        """Return means or indices of the model in units of the rewards, at most the largest number.

        In halves, so that a unit of nearly the largest number may be multiplied by more than one.
        """
        with np.errstate(over="ignore"):
            half = self.centre / 2 + self.unit / 2 * (values + self.model.level)
            return 2 * np.clip(half, -LARGEST / 2, LARGEST / 2)

    def deviations(self, values: Floats) -> Floats:
        """Return deviations in units of the rewards, at most the largest number."""
        with np.errstate(over="ignore"):
            return np.minimum(self.unit * values, LARGEST)


def squared_deviation(model: "Model", signal: float, space: Places, arms: Any) -> tuple[Floats, Floats]:
    """Return the mean at arms, and g² (s² + a² v) for a signal variance g²; see ``Belief.uncertainty``."""
    targets = space.towards(arms, model.sample.arms)
    mean, deviation = model.estimate(targets)
    return mean, signal * (deviation**2 + model.variance_of_level(targets))
