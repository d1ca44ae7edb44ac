"""What is known at given scales: a Gaussian process on a few observations."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.gaussian_process.compiled_cholesky import explain, factorise
from quickdraw_bandits.policies.adaptive import compiled_index, compiled_likelihood
from quickdraw_bandits.policies.adaptive.scales import Candidate

FLOOR = 1e-12
"""The least variance of the signal, in units of the squared range of the rewards."""
NOISELESS = 1e-4
"""Noise below this counts as none."""
LEFT_OUT = 0.005
"""Without noise, observations of which a later one leaves less than this part of the variance are left out."""
MERGED, MOST_MERGED = 0.03, 0.05
"""With noise, observations are averaged if another leaves less than these parts of the noise and of the variance."""
MOST_TOGETHER = 4096
"""Arms whose deviation is found together, so that memory stays bounded."""


@dataclass
class Sample:
    """Observations in units of their own, counted from the moment of the choice and from the average reward.

    Attributes
    ----------
    places
        Coordinates in diameters of the arms, of shape (n, d); of shape (n, 0) where there are none.
    arms
        Positions of the arms; of those taken together, that of the first.
    matrix
        All squared distances in squared diameters, where there are no coordinates; otherwise of shape (0, 0).
    times
        In steps of the clock, 0 being now.
    rewards
        From -1 to 1.
    counts
        How many observations each stands for, of which ``rewards`` has the mean.
    within
        The sum of the squared differences of their rewards from that mean.
    rows
        Positions in the sample that this one was condensed from.
    """

    places: Floats
    arms: Integers
    matrix: Floats
    times: Floats
    rewards: Floats
    counts: Floats
    within: float = 0.0
    rows: Integers | None = None
    _squared: dict[bytes, Floats] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.times)

    def moved(self, candidate: Candidate) -> Floats:
        """Return where patterns that travel as the candidate says and were seen at the places are now."""
        return self.places - self.times[:, None] * candidate.velocity if candidate.travels else self.places

    def squared(self, candidate: Candidate) -> Floats:
        """Return squared distances between the observations, in the upper triangle, as patterns travel."""
        key = candidate.velocity.tobytes()
        if key not in self._squared:
            if len(self.matrix):
                self._squared[key] = np.ascontiguousarray(self.matrix[np.ix_(self.arms, self.arms)])
            else:
                table = np.empty((len(self), len(self)))
                compiled_likelihood.pair_distances(self.moved(candidate), table)
                self._squared[key] = table
        return self._squared[key]

    def condensed(self, candidate: Candidate, most: int) -> "Sample":
        """Return at most ``most`` observations, the latest first, with those that are almost alike taken together.

        Where there is noise, observations whose rewards differ by far less than it on account of distance and age are
        averaged, with their places and times, so that a steady drift does not bias what stands for them. Where there is
        none, those that say nothing new are left out.
        """
        merges = candidate.noise > NOISELESS
        keep = min(MERGED * candidate.noise, MOST_MERGED) if merges else LEFT_OUT
        leaders, joined = np.empty(most, dtype=np.int64), np.empty(len(self), dtype=np.int64)
        kernel = candidate.doublings, *rates(candidate)
        moved = self.moved(candidate), self.arms, self.matrix, self.times
        m, n = compiled_likelihood.condense(*moved, most, kernel, keep, leaders, joined)
        leaders, joined = leaders[:m], joined[:n]
        if not merges:
            where = self.places[leaders], self.arms[leaders], self.matrix, self.times[leaders]
            return Sample(*where, self.rewards[leaders], np.ones(m), 0.0, leaders)
        counts = np.bincount(joined).astype(np.float64)

        def average(values: Floats) -> Floats:
            return np.asarray(np.bincount(joined, values[:n]) / counts)

        places = np.empty((m, self.places.shape[1]))
        for axis in range(places.shape[1]):
            places[:, axis] = average(self.places[:, axis])
        rewards = average(self.rewards)
        within = float(np.sum((self.rewards[:n] - rewards[joined]) ** 2))
        return Sample(places, self.arms[leaders], self.matrix, average(self.times), rewards, counts, within, leaders)


def rates(candidate: Candidate) -> tuple[float, float]:
    """Return what multiplies squared distances and squared ages in the correlation."""
    h = 0.5 / 2**candidate.doublings
    return h / candidate.length**2, h / candidate.age**2


class Model:
    """The posterior of a Gaussian process with the covariance of ``compiled_likelihood.py``.

    With C the correlations of the observations, plus noise on the diagonal, c those with an arm, and y the rewards
    less their average so far: mean c'C^-1 y, variance s² = 1 - c'C^-1 c in units of the signal's variance
    y'C^-1 y / n, which is the likeliest. An observation that stands for several has their mean, and less noise.

    Attributes
    ----------
    fits
        Whether C is positive definite, as for coordinates it always is.
    score
        The log likelihood, up to a constant that is the same for all candidates.
    """

    def __init__(self, sample: Sample, candidate: Candidate) -> None:
        self.sample, self.candidate = sample, candidate
        self._near, self._recent = rates(candidate)
        n = len(sample)
        self._factor = np.empty((n, n))
        squared = sample.squared(candidate)
        kernel = candidate.doublings, self._near, self._recent
        self._noises = candidate.noise / sample.counts
        self._eigenvalue = compiled_likelihood.covariance(squared, sample.times, *kernel, self._noises, self._factor)
        self.fits = factorise(self._factor, np.zeros(n))
        self.score, self.signal = -np.inf, 1.0
        if self.fits:
            self._white = np.empty(n)
            self.score, self.signal = compiled_likelihood.likelihood(
                self._factor, sample.rewards, candidate.noise, sample.counts, sample.within, FLOOR, self._white
            )

    def prepare(self) -> None:
        """Compute what estimates need beyond the score."""
        sample, candidate = self.sample, self.candidate
        self._lower = np.ascontiguousarray(self._factor.T)
        self._weights = np.empty(len(sample))
        compiled_likelihood.unwhiten(self._factor, self._white, self._weights)
        self._sources = sample.moved(candidate)
        self._fading = 1.0 / (1.0 + self._recent * sample.times**2)

    @property
    def knowledge(self) -> tuple[Floats, Floats, Floats, int, float, Floats, float]:
        """What a survey of arms needs to know."""
        kernel = self.candidate.doublings, self._near
        return self._sources, self._fading, self._weights, *kernel, self._noises, self._eigenvalue

    def bounds(self, targets: Floats, rows: Floats) -> tuple[Floats, Floats]:
        """Return the mean at arms and a bound of their deviation from above, the latter in units of the signal's."""
        mean, variance = np.empty(_count(targets, rows)), np.empty(_count(targets, rows))
        compiled_index.survey(targets, rows, *self.knowledge, mean, variance)
        return mean, np.sqrt(variance, out=variance)

    def deviations(self, targets: Floats, rows: Floats, arms: Integers) -> Floats:
        """Return the deviation sqrt(1 - |L^-1 c|²) at some of the arms, in units of the signal's."""
        mean, explained = np.empty(len(arms)), np.empty(len(arms))
        ones = np.ones(len(self.sample))
        for start in range(0, len(arms), MOST_TOGETHER):
            some = slice(start, start + MOST_TOGETHER)
            table = np.empty((len(self.sample), len(arms[some])))
            compiled_index.correlations(targets, rows, *self._kernel(), arms[some], table)
            explain(self._factor, table, 0, ones, self._white, mean[some], explained[some])
        return np.sqrt(np.maximum(1.0 - explained, 0.0))

    def largest(
        self, targets: Floats, rows: Floats, gamma: float, slack: float = 0.0
    ) -> tuple[Floats, Floats, NDArray[np.bool_], float]:
        """Return means, indices of which the largest are exact and the others bounds, which are exact, and the largest.

        Arms are looked at in the order of their bounds, until no bound left exceeds an exact index by more than the
        slack.
        """
        mean, index = self.bounds(targets, rows)
        index *= gamma
        index += mean
        exact = np.zeros(len(mean), dtype=np.bool_)
        best = compiled_index.settle(targets, rows, *self._kernel(), self._lower, gamma, slack, mean, index, exact)
        return mean, index, exact, best

    def influence(self, targets: Floats, rows: Floats) -> Floats:
        """Return the weights C^-1 c with which rewards enter the mean at one arm."""
        if rows.size:
            squared = rows[:, 0]
        else:
            squared = np.sum((self._sources - targets[:, 0]) ** 2, axis=1)
        c: Floats = (self._fading / (1.0 + self._near * squared)) ** (2**self.candidate.doublings)
        white, weights = np.empty_like(c), np.empty_like(c)
        compiled_likelihood.whiten(self._factor, c, white)
        compiled_likelihood.unwhiten(self._factor, white, weights)
        return weights

    def _kernel(self) -> tuple[Floats, Floats, int, float]:
        return self._sources, self._fading, self.candidate.doublings, self._near


def _count(targets: Floats, rows: Floats) -> int:
    return int(rows.shape[1] if rows.shape[0] else targets.shape[1])
