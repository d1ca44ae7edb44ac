"""What is known at given scales: a Gaussian process on a few observations."""

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.arms.metrics import squared_distances
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.numerics.cholesky import factorise, solve, solve_few, solve_transposed
from quickdraw_bandits.policies.adaptive.belief import FLOOR
from quickdraw_bandits.policies.adaptive.correlation import correlation
from quickdraw_bandits.policies.adaptive.covariance import fill_covariance, likelihood_sums
from quickdraw_bandits.policies.adaptive.rough_bounds import Rounded
from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample
from quickdraw_bandits.policies.adaptive.scales import Candidate
from quickdraw_bandits.policies.adaptive.space import Targets
from quickdraw_bandits.policies.adaptive.upper_bounds import SINGLE, Observed, bound, tighten

PRIOR_SQUARES, PRIOR_FREEDOM = 2.0, 3.0
"""Prior of the signal variance: sum of squares in units of the rewards' squared range, and degrees of freedom."""
LEVEL = 1.0
"""Prior variance of the level of all rewards, in units of the signal's."""
MOST_TOGETHER = 4096
"""Arms estimated together, so that memory stays bounded."""
SMALL = 8
"""Observations up to which NumPy solves the triangular systems: first choices then need not wait for the compiler."""


class Model:
    """The posterior of a Gaussian process with the covariance of ``correlation.py``.

    With C = L L' the covariance of n points, the noise of each on the diagonal, c the covariances with an arm, y the
    mean rewards at the points less the average so far, z = L⁻¹ y, and o = L⁻¹ 1::

        level      = o'z / (1 + o'o)                    less the average so far
        mean       = c' C⁻¹ (y - level)                 above the level
        variance   = 1 - |L⁻¹ c|²                       in units of the signal variance
        total      = z'z - (o'z)² / (1 + o'o) + spread / noise
        signal     = total / N                          the likeliest, for N observations
        log p(y)   = -N/2 log signal - sum log L_ii - 1/2 log(1 + o'o) - (N - n)/2 log noise + constant

    The level of all rewards is not known. Before any reward, it is normal around the average, with the variance of the
    signal: the covariance of y is C + 1 1'. Above is its mean, given y; its variance is 1 / (1 + o'o). A policy plays
    good arms, so that the average is usually above the level. Far from all observations the mean is the level. If the
    level were taken for the average in the likelihood, arms that were played once and are bad would all have to be
    alike, and scales with long tails would be the likeliest.

    Attributes
    ----------
    fits
        Whether C is positive definite, as for coordinates it always is.
    score
        The log likelihood, up to a constant that is the same for all candidates.
    signal
        The signal variance.
    uncertain_signal
        The mean of what it may be, where few observations leave it open: (total + 2) / (N + 1), the mean of an inverse
        gamma distribution whose prior has three degrees of freedom.
    level
        The mean level of all rewards, given them, less the average so far. Known once ``prepare`` was called.
    """

    def __init__(self, sample: SpaceTimeSample, candidate: Candidate) -> None:
        self.sample, self.candidate = sample, candidate
        n = len(sample)
        # The last two columns hold y and 1, and z and o once C is factored.
        self._upper = np.empty((n, n + 2))
        self._noises = candidate.noise / sample.counts
        self._columns = sample.columns
        where = self._columns, sample.matrix, sample.arms, sample.times
        self._eigenvalue = fill_covariance(*where, candidate.rates, self._noises, sample.means, self._upper)
        self.fits = factorise(self._upper, np.zeros(n))
        self.score, self.signal, self.uncertain_signal = -np.inf, 1.0, 1.0
        if self.fits:
            observed = float(np.add.reduce(sample.counts))
            squares, shift, precision, logs = likelihood_sums(self._upper)
            squares -= LEVEL * shift**2 / (1.0 + LEVEL * precision)
            total = squares + float(np.add.reduce(sample.spreads)) / candidate.noise
            self.uncertain_signal = (total + PRIOR_SQUARES) / (observed + PRIOR_FREEDOM - 2)
            self.signal = max(total / observed, FLOOR)
            logs += 0.5 * (math.log1p(LEVEL * precision) + (observed - n) * math.log(candidate.noise))
            self.score = -0.5 * observed * math.log(self.signal) - logs

    def prepare(self, level: float | None = None) -> None:
        """Compute what estimates need beyond the score; with a level of all rewards, for this one."""
        rates, n = self.candidate.rates, len(self.sample)
        self._lower = np.ascontiguousarray(self._upper[:, :n].T)
        self._ones = self._upper[:, n + 1].copy()
        self._doubt = LEVEL / (1.0 + LEVEL * float(self._ones @ self._ones))
        self.level = self._doubt * float(self._ones @ self._upper[:, n]) if level is None else level
        self._white = self._upper[:, n] - self.level * self._ones
        weights = self._white.copy()
        solve_transposed(self._upper, weights)
        lateness = rates.recent * self.sample.times**2
        error = SINGLE * float(np.abs(weights).sum())
        self._observed = Observed(
            self._columns, self.sample.arms, lateness, weights, self._noises, rates, self._eigenvalue, error
        )

    def bounds(self, targets: Targets, gamma: float) -> tuple[Floats, Floats]:
        """Return the mean at arms, and an upper bound of the index mean + gamma s."""
        mean, index = np.empty(len(targets.arms)), np.empty(len(targets.arms))
        bound(targets, self._observed, gamma, mean, index)
        return mean, index

    def largest(
        self,
        targets: Targets,
        gamma: float,
        slack: float,
        mean: Floats,
        index: Floats,
        rounded: bool = False,
        around: int = 0,
    ) -> tuple[Floats, NDArray[np.bool_], float]:
        """Return indices of which the largest are exact and the others upper bounds, which are exact, and the largest.

        ``mean`` and ``index`` are those of ``bounds``, or with ``rounded`` those of ``bound_rounded``. The latter is
        overwritten, and the former where it was rounded. No bound exceeds the largest exact index by more than the
        slack. ``around`` is that of ``tighten``.
        """
        exact = np.zeros(len(mean), dtype=np.bool_)
        best = tighten(targets, self._observed, self._lower, gamma, slack, mean, index, exact, rounded, around)
        return index, exact, best

    @cached_property
    def observed(self) -> tuple[Observed, Rounded]:
        """The observations as compiled functions take them, and what of them is needed in single precision."""
        return self._observed, Rounded.of(self._observed)

    @property
    def places(self) -> Floats:
        """The coordinates of the observations, of shape (n, d)."""
        return self._columns.T

    def ascend(self, places: Floats, high: Floats, gamma: float, steps: int) -> Floats:
        """Move places uphill within the box from 0 to ``high``, and return the index at each; see ``ascent.py``."""
        from quickdraw_bandits.policies.adaptive.ascent import ascend

        return np.asarray(ascend(places, high, self._observed, self._lower, gamma, steps))

    def estimate(self, targets: Targets) -> tuple[Floats, Floats]:
        """Return mean and deviation at arms, the latter in units of the signal's."""
        count = len(targets.arms)
        mean, explained = np.empty(count), np.empty(count)
        for start in range(0, count, MOST_TOGETHER):
            some = slice(start, start + MOST_TOGETHER)
            self._predict(self._correlations(targets, some), mean[some], explained[some])
        return mean, np.sqrt(np.maximum(1.0 - explained, 0.0))

    def estimate_one(self, target: Targets) -> tuple[float, float]:
        """Return mean and deviation at a single arm, in a quarter of the time of ``estimate``."""
        mean = np.empty(1)
        _, _, index = self.largest(target, 1.0, 0.0, mean, np.array([np.inf]), rounded=True)  # fills the mean, too
        return float(mean[0]), index - float(mean[0])

    def _predict(self, table: Floats, mean: Floats, explained: Floats) -> None:
        """Fill mean and |L⁻¹ c|² for the columns c of a table, which may be overwritten."""
        n = len(table)
        if n > SMALL:
            from quickdraw_bandits.gaussian_process.prediction import predict

            predict(self._upper, table, 0, np.ones(n), self._white, mean, explained)
            return
        solve_few(self._upper, table)
        mean[:] = self._white @ table
        explained[:] = (table * table).sum(axis=0)

    def variance_of_level(self, targets: Targets) -> Floats:
        """Return what the variance at each arm gains because the level of all rewards is not known for sure.

        It is a² / (1 + 1'C⁻¹1), in units of the signal variance, where a = 1 - 1'C⁻¹c of the mean are the level's.
        """
        weights = self._ones.copy()
        solve_transposed(self._upper, weights)
        share = np.empty(len(targets.arms))
        for start in range(0, len(share), MOST_TOGETHER):
            some = slice(start, start + MOST_TOGETHER)
            share[some] = 1.0 - weights @ self._correlations(targets, some)
        return self._doubt * share**2

    def mean_at(self, others: SpaceTimeSample) -> Floats:
        """Return the mean at the points and times of other observations, less the average so far."""
        if len(self.sample.matrix):
            squared = self.sample.matrix[np.ix_(self.sample.arms, others.arms)]
        else:
            squared = squared_distances(self._columns.T, others.points)
        rates = self.candidate.rates
        lateness = rates.recent * (self.sample.times[:, None] - others.times) ** 2
        same = self.sample.arms[:, None] == others.arms
        return np.asarray(self.level + self._observed.weights @ correlation(squared, lateness, same, rates))

    def at_observations(self) -> tuple[Floats, Floats]:
        """Return mean and variance of the mean reward at the points and times of the observations, given all.

        With R the noise of each on the diagonal, the covariance of the mean rewards there is C - R, so that::

            mean      = y - R C⁻¹ (y - level)       less the average so far
            variance  = R - R diag(C⁻¹) R           in units of the signal variance

        where the diagonal of C⁻¹ has the squared lengths of the columns of L⁻¹.
        """
        n = len(self.sample)
        inverse = np.empty(n)
        self._predict(np.eye(n), np.empty(n), inverse)
        means = self.sample.means - self._noises * self._observed.weights
        return means, self._noises * (1.0 - self._noises * inverse)

    def influence(self, targets: Targets) -> Floats:
        """Return the weights C⁻¹ c with which rewards enter the mean at the first of the arms."""
        weights = np.ascontiguousarray(self._correlations(targets, slice(1))[:, 0])
        solve(self._upper, weights)
        solve_transposed(self._upper, weights)
        return weights

    def _correlations(self, targets: Targets, some: slice) -> Floats:
        """Return one row per observation, one column for each of some arms."""
        columns, arms = targets.columns[:, some], targets.arms[some]
        squared = targets.rows[:, some] if len(targets.rows) else np.zeros((len(self.sample), len(arms)))
        for column, target in zip(self._columns, columns, strict=True):
            squared += (column[:, None] - target) ** 2
        same = self.sample.arms[:, None] == arms
        return correlation(squared, self._observed.lateness[:, None], same, self.candidate.rates)
