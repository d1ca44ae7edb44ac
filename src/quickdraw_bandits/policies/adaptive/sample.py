"""Observations as the adaptive policy's model takes them: over arms and time, near duplicates merged."""

from dataclasses import dataclass, field

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.policies.adaptive.grouping import group
from quickdraw_bandits.policies.adaptive.pool import repeats
from quickdraw_bandits.policies.adaptive.scales import Candidate

NOISELESS = 1e-4
"""Noise below this counts as none."""
LEFT_OUT = 0.005
"""Without noise, observations of which a later one leaves less than this part of the variance are left out."""
MERGED, MOST_MERGED = 0.03, 0.05
"""With noise, observations are averaged if another leaves less than these parts of the noise and of the variance."""


def no_rows() -> Integers:
    """Return an empty array of positions."""
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class SpaceTimeSample:
    """Observations counted from the time of the choice and from the average reward.

    Attributes
    ----------
    points
        Coordinates in diameters of the arms, of shape (n, d); of shape (n, 0) where there are none.
    counts, means, spreads
        How many observations each stands for, the mean of their rewards, from -1 to 1, and the sum of squared
        differences from it.
    times
        In steps of the clock, 0 being now.
    arms
        Positions of the arms; of those merged, that of the first.
    matrix
        All squared distances in squared diameters, where there are no coordinates; otherwise of shape (0, 0).
    rows
        Positions in the sample that this one was condensed from; of those merged, that of the first.
    members, groups
        If near duplicates were merged: positions of all of them there, and the observation that each is part of here.
    """

    points: Floats
    counts: Floats
    means: Floats
    spreads: Floats
    times: Floats
    arms: Integers
    matrix: Floats
    rows: Integers
    members: Integers = field(default_factory=no_rows)
    groups: Integers = field(default_factory=no_rows)

    def __len__(self) -> int:
        return len(self.times)

    @property
    def columns(self) -> Floats:
        """The coordinates, one row per dimension."""
        return np.ascontiguousarray(self.points.T)

    def condensed(self, candidate: Candidate, most: int) -> "SpaceTimeSample":
        """Return at most ``most`` observations, the latest first, with near duplicates merged.

        Where arms have a level of their own, old observations of arms that were not played since are worth as much as
        later ones of others: they come in the order of age times (1 + later observations of the same arm).

        With noise, observations whose rewards differ by far less than it on account of distance and age are averaged,
        with their points and times, so that a steady drift does not bias the average. Without, those that say nothing
        new are left out.
        """
        if candidate.share == 0:
            return self._grouped(candidate, most)
        order = np.argsort(-self.times * (1.0 + repeats(self.arms)), kind="stable")
        return self.some(order)._grouped(candidate, most)

    def some(self, rows: Integers) -> "SpaceTimeSample":
        """Return the observations at some positions."""
        merged = self.points[rows], self.counts[rows], self.means[rows], self.spreads[rows]
        return SpaceTimeSample(*merged, self.times[rows], self.arms[rows], self.matrix, self.rows[rows])

    def _grouped(self, candidate: Candidate, most: int) -> "SpaceTimeSample":
        """Return groups of observations, from the first on."""
        merges = candidate.noise > NOISELESS
        keep = min(MERGED * candidate.noise, MOST_MERGED) if merges else LEFT_OUT
        leaders, joined = np.empty(most, dtype=np.int64), np.empty(len(self), dtype=np.int64)
        where = self.columns, self.matrix, self.arms, self.times
        m, n = group(*where, candidate.rates, candidate.rates.reach(keep), leaders, joined)
        leaders, joined = leaders[:m], joined[:n]
        if not merges:
            return self.some(leaders)
        arms, rows = self.arms[leaders], self.rows[leaders]
        counts = np.bincount(joined, self.counts[:n]).astype(np.float64)

        def average(values: Floats) -> Floats:
            return np.asarray(np.bincount(joined, self.counts[:n] * values[:n]) / counts)

        means = average(self.means)
        between = self.counts[:n] * (self.means[:n] - means[joined]) ** 2
        spreads = np.bincount(joined, self.spreads[:n] + between).astype(np.float64)
        points = np.empty((m, self.points.shape[1]))
        for axis in range(points.shape[1]):
            points[:, axis] = average(self.points[:, axis])
        merged = points, counts, means, spreads
        return SpaceTimeSample(*merged, average(self.times), arms, self.matrix, rows, self.rows[:n], joined)
