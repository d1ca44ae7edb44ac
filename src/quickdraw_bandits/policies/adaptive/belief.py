"""A model, and what its numbers are in the units of the rewards."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quickdraw_bandits.checks import Floats

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive.model import Model

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
    def signal(self) -> float:
        """The standard deviation of the signal, in units of the rewards; at most the largest number."""
        return min(self.unit * float(np.sqrt(self.model.signal)), LARGEST)

    def rewards(self, values: Floats) -> Floats:
        """Return means or indices of the model in units of the rewards, at most the largest number."""
        with np.errstate(over="ignore"):
            return np.clip(self.centre + self.unit * values, -LARGEST, LARGEST)

    def deviations(self, values: Floats) -> Floats:
        """Return deviations in units of the rewards, at most the largest number."""
        with np.errstate(over="ignore"):
            return np.minimum(self.unit * values, LARGEST)
