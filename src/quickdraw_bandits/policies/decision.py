"""An arm chosen at a time, with the probability with which it was chosen."""

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.times import Time

ArmT = TypeVar("ArmT")
"""The type of an arm: an int, or an array of coordinates in a ``Box``."""
ArmArray = NDArray[np.int64 | np.float64]
"""Several arms: positions, or rows of coordinates in a ``Box``."""


@dataclass(frozen=True)
class Decision(Generic[ArmT]):
    """What a policy decided, as logs for off-policy evaluation need it.

    Attributes
    ----------
    time
        The time of the decision, as it was given.
    arm
        The arm: its position, an int.
    probability
        The exact probability with which the policy chose this arm, given all that it had learned: the propensity.
    """

    time: Time
    arm: ArmT
    probability: float
