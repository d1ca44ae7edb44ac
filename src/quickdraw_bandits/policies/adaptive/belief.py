"""A model, and what its numbers are in the units of the rewards."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.policies.adaptive.space import Places

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive.model import Model

FLOOR = 1e-12
"""The least signal variance, in units of the squared range of the rewards: that of rewards that are all alike."""
LARGEST = float(np.finfo(float).max)


class Belief(NamedTuple):
    """A model, the centre and the unit of its rewards, and how many deviations the index lies above the mean."""

    model: "Model"
    centre: float
    unit: float
    exploration: float

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
        the variance where both are, in units of g², a the share of the level in the estimate, u the likeliest level
        less the average reward, and v g² the variance of u::

            deviation² = g² (s² + a² v) + a² u²

        where g² is that of ``uncertain_signal``. The last term is there because the average is used for the level: a
        policy plays good arms, so that the average is above the level.

        ``model`` has pending pulls besides; they lower the first term, and leave the second as it is.
        """
        mean, squared = squared_deviation(self.model, model, model.uncertain_signal, space, arms)
        return self.rewards(mean), self.deviations(np.sqrt(squared))

    def rewards(self, values: Floats) -> Floats:
        """Return means or indices of the model in units of the rewards, at most the largest number."""
        with np.errstate(over="ignore"):
            return np.clip(self.centre + self.unit * values, -LARGEST, LARGEST)

    def deviations(self, values: Floats) -> Floats:
        """Return deviations in units of the rewards, at most the largest number."""
        with np.errstate(over="ignore"):
            return np.minimum(self.unit * values, LARGEST)


def squared_deviation(model: "Model", after: "Model", signal: float, space: Places, arms: Any) -> tuple[Floats, Floats]:
    """Return the mean at arms, and g² (s² + a² v) + a² u² for a signal variance g²; see ``Belief.uncertainty``.

    ``after`` is the model with pending pulls, or the model itself where there are none.
    """
    targets = space.towards(arms, after.sample.arms)
    mean, deviation = after.estimate(targets)
    share, offset, variance = after.level(targets)
    first = signal * (deviation**2 + variance * share**2)
    if after is not model:
        share, offset, _ = model.level(space.towards(arms, model.sample.arms))
    return mean, first + (share * offset) ** 2
