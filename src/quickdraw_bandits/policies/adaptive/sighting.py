"""Where a peak may be at a time, and the arms that pay most then."""

from typing import NamedTuple, Protocol

import numpy as np

from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.policies.adaptive.peak_profile import Profile, Units

FEW = 4096
"""Arms up to which all are compared; of more, evenly spaced ones first."""
TIE = 1e-9
"""Expected rewards closer than this, in units of the first rewards' range, count as equal."""
LARGEST = float(np.finfo(float).max)


class Line(Protocol):
    """Arms along a line."""

    def places(self, arms: Integers) -> Floats:
        """Return coordinates in diameters, of shape (n, 1)."""

    def along(self, among: Subset | None) -> Integers:
        """Return all arms or some in the order of their coordinate."""


class Sighting(NamedTuple):
    """The probability of each velocity, by rows, and place of a peak, its width, and the rewards around it."""

    chances: Floats
    width: float
    profile: Profile
    units: Units

    def estimate(self, places: Floats) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the rewards of arms at some places, in the units of a filter.

        With E[h] the expected nearness of the peak::

            mean     = low + (high - low) E[h]
            variance = (1 - E[h]) low_variance + E[h] high_variance + (high - low)² (E[h²] - E[h]²)
        """
        from quickdraw_bandits.policies.adaptive.peak_filter import nearness

        low, high, low_variance, high_variance = self.profile
        first, second = nearness(self.chances, np.ascontiguousarray(places), self.width)
        within = (1.0 - first) * low_variance + first * high_variance
        variance = within + (high - low) ** 2 * np.maximum(second - first**2, 0.0)
        return low + (high - low) * first, np.sqrt(variance)

    def rewards(self, places: Floats) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of rewards, in the user's units; at most the largest number."""
        mean, deviation = self.estimate(places)
        centre, unit = self.units
        with np.errstate(over="ignore"):
            return np.clip(centre + unit * mean, -LARGEST, LARGEST), np.minimum(unit * deviation, LARGEST)

    def best_arms(self, line: Line, among: Subset | None) -> tuple[Integers, Floats]:
        """Return the arms of the largest expected reward, up to rounding, and that reward in the units of a filter.

        Of very many arms, evenly spaced ones are compared, and then all between the neighbours of the best.
        """
        arms = line.along(among)
        stride = -(-len(arms) // FEW)
        some = arms[::stride]
        if stride > 1:
            middle = stride * int(self.estimate(line.places(some)[:, 0])[0].argmax())
            some = arms[max(middle - stride, 0) : middle + stride + 1]
        mean, _ = self.estimate(line.places(some)[:, 0])
        ties = np.flatnonzero(mean >= mean.max() - TIE)
        ties = ties[np.argsort(some[ties])]
        return some[ties], mean[ties]

    def best_place(self) -> float:
        """Return the place from 0 to 1 of the largest expected reward."""
        places = np.linspace(0.0, 1.0, FEW // 4)
        return float(places[self.estimate(places)[0].argmax()])
