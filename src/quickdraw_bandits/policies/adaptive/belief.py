"""What the adaptive policy believes at a time, and its numbers in units of the rewards."""

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


def in_rewards(centre: float, unit: float, values: Floats) -> Floats:
    """Return values in the user's units, at most the largest number."""
    with np.errstate(over="ignore"):
        return np.clip(centre + unit * values, -LARGEST, LARGEST)
