"""Thompson sampling that does not explore what will be gone before it can be used (predictive sampling)."""

import math
from typing import NamedTuple, final

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed
from quickdraw_bandits.gaussian_process import ArmCorrelations, Directions, DriftingProcess, Forgetting
from quickdraw_bandits.gaussian_process.directions import TOLERANCE
from quickdraw_bandits.gaussian_process.rolling_factor import factorise_with_jitter
from quickdraw_bandits.numerics.ties import argmaxes, pick
from quickdraw_bandits.observations import Window
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.windowed_gp_ucb import PriorMean, checked_prior, follow, prior_of
from quickdraw_bandits.times import Span

DRAWS = 256
"""A choice is one of so many draws, each as likely as any other, so that its probability can be counted."""
MOST_DIRECTIONS = 128


class PredictiveSampling(Policy[int]):
    """Plays the arm of the largest mean, given the observations and rewards to come that are drawn at random.

    Liu, Kuang and Van Roy, *Non-stationary bandit learning via predictive sampling* (2022), on the model of
    ``TimeVaryingGPUCB``: in each round the function f becomes g f + sqrt(1 - g²) h, with g = sqrt(1 - ``forgetting``)
    and h a fresh draw of the same process. The covariance of the rewards of two arms in rounds t and t' is

    k(x, t; x', t') = s² exp(-D(x, x')² / (2 l²)) g^|t - t'|,

    plus the noise variance σ² for an observation with itself. In round t, rewards of all arms in the rounds after t
    are drawn given the observations, and the arm is played whose mean in round t, given both, is largest. Thompson
    sampling draws f itself. Here only that part of f is drawn which later rewards would show, because only that part
    is worth exploring: without drift it is all of f, and with complete change in every round nothing.

    Where arms are independent, the mean of one with the posterior N(m, v) is drawn from

    N(m, g² v² / (g² v + x)),    x = (q + b + sqrt((q + b)² + 4 g² q σ²)) / 2,    q = s² (1 - g²),  b = σ² (1 - g²):

    later rewards are worth one observation of g f with noise variance x, a fixed point of the Kalman filter run
    backwards in time. Arms that are similar are written as phi z plus a rest (``gaussian_process.Directions``). With
    the eigenvalues d_i of phi' phi and its eigenvectors in the columns of Q, rewards of all arms are worth one
    observation of each element of g Q' z, with x_i from q and σ² / d_i. So with V the posterior covariance of z and
    X = Q diag(x_i) Q', z is drawn with the covariance g² V (g² V + X)⁻¹ V.

    Differs from the source in four ways. Rounds are real times divided by ``time_unit``, and only the latest
    ``window`` observations count. The prior mean need not be 0. Arms may be similar: the source has independent ones.
    There are at most 128 directions, and what is outside of them is drawn for each arm independently. Finally, a choice
    is one of 256 draws that are the same until the next observation: so the probabilities of all arms can be counted.

    Parameters
    ----------
    arms, length_scale, signal_variance, noise_variance, prior_mean, window, seed
        As for ``WindowedGPUCB``. ``noise_variance`` is 0.0001 by default and may be 0; ``window`` is 150 by default.
    forgetting, time_unit
        As for ``TimeVaryingGPUCB``.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.PredictiveSampling(qd.Arms.grid(-1, 1, 3), forgetting=0.1, time_unit=1.0, seed=0)
    >>> policy.update([0.0, 0.0, 5.0], [0, 1, 2], [0.5, 0.2, 0.6])
    >>> policy.probabilities(time=6.0).argmax()
    np.int64(2)
    """

    def __init__(
        self,
        arms: Arms,
        length_scale: float = 0.1,
        forgetting: float = 0.01,
        time_unit: Span = 1e-3,
        signal_variance: float = 0.025,
        noise_variance: float = 1e-4,
        prior_mean: PriorMean = "average",
        window: int = 150,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, seed)
        self._seen = Window(window)
        self.window = self._seen.size
        self.prior_mean = checked_prior(prior_mean)
        self.drift = Forgetting(forgetting, self._clock.span("time_unit", time_unit))
        correlations = ArmCorrelations(arms, length_scale)
        self.process = DriftingProcess(correlations, signal_variance, noise_variance, self.window, self.drift)
        self._directions = Directions(self.process.arms, MOST_DIRECTIONS)
        self._key = int(self._random.integers(2**62))
        self._n_updates = 0

    @property
    def jitter(self) -> float:
        """Noise variance that was added so that the covariance could be factored; 0 unless it was needed."""
        return self.process.jitter

    @final
    def _estimate(self, time: float, arms: Integers | None) -> tuple[Floats, Floats]:
        mean, std = self.process.posterior(time, prior_of(self.prior_mean, self._seen.rewards))
        if len(self._pending):
            std = self.process.std_with(time, *self._pending.arrays())
        return (mean, std) if arms is None else (mean[arms], std[arms])

    def _draws(self, time: float) -> "_Draws":
        """Return what a draw is computed from."""
        mean, std = self._estimate(time, None)
        process, directions = self.process, self._directions
        variance, g2 = process.signal_variance, 1 - self.drift.epsilon
        posterior = process.covariance_of(time, directions.phi, *self._pending.arrays())
        shown = later_noise(g2, variance, process.noise_variance / np.maximum(directions.sizes, TOLERANCE**2))
        seen = g2 * posterior + (directions.axes * shown) @ directions.axes.T
        # Where neither drift nor noise is left, later rewards show z itself, which may be known already.
        seen[np.diag_indices_from(seen)] += 1e-12 * variance
        lower, _ = factorise_with_jitter(seen)
        # With ``seen`` = L L', V g² (L L')⁻¹ V is the covariance of (g L⁻¹ V)' times uncorrelated numbers.
        spread = math.sqrt(g2) * np.linalg.solve(lower, posterior)
        alone: Floats | None = None
        if directions.rest.max() > 1e-6:
            inside = np.sum((directions.phi @ posterior) * directions.phi, axis=1)
            rest = np.clip(std**2 - inside, 0.0, variance * directions.rest)
            noise = later_noise(g2, variance * directions.rest, np.full(len(rest), process.noise_variance))
            known = g2 * rest + noise
            alone = np.sqrt(np.divide(g2 * rest**2, known, out=np.zeros_like(rest), where=known > 0))
        return _Draws(mean, directions.phi @ spread.T, alone, (self._key, self._n_updates))

    @final
    def _select(self, time: float, among: Subset | None = None) -> int:
        draw = int(self._random.integers(DRAWS))
        return pick(self._draws(time).best(draw, among), self._random)

    @final
    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        draws, probabilities = self._draws(time), np.zeros(len(self.arms))
        for draw in range(DRAWS):
            best = draws.best(draw, among)
            probabilities[best] += 1 / (DRAWS * len(best))
        return probabilities

    @final
    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        self._n_updates += len(times)
        follow(self.process, self._seen, times, arms, rewards)

    @final
    def _grow(self, arms: Arms) -> None:
        self.process = self.process.extended(ArmCorrelations(arms, self.process.arms.length_scale))
        self._directions = Directions(self.process.arms, MOST_DIRECTIONS)


class _Draws(NamedTuple):
    """The mean of each arm, what uncorrelated numbers add to it, and the key of these numbers."""

    mean: Floats
    spread: Floats
    alone: Floats | None
    key: tuple[int, int]

    def best(self, draw: int, among: Subset | None) -> Integers:
        """Return the arms of the largest value in a draw."""
        random = np.random.default_rng((*self.key, draw))
        values = self.mean + self.spread @ random.standard_normal(self.spread.shape[1])
        if self.alone is not None:
            values += self.alone * random.standard_normal(len(values))
        return argmaxes(values, None if among is None else among.positions)


def later_noise(g2: float, variance: float | Floats, noise: Floats) -> Floats:
    """Return x: all rewards after a round are worth an observation of g f with this noise variance.

    Rewards after the next round are worth an observation of f in the next but one with noise variance x, so that
    1 / (x - q) = 1 / noise + g² / x, where q = variance (1 - g²) is what one round adds.

    Examples
    --------
    >>> x = later_noise(0.81, 1.0, np.array([0.5]))
    >>> bool(abs(1 / (x[0] - 0.19) - (1 / 0.5 + 0.81 / x[0])) < 1e-12)
    True
    """
    step, lost = variance * (1 - g2), noise * (1 - g2)
    return np.asarray(0.5 * (step + lost + np.sqrt((step + lost) ** 2 + 4 * g2 * step * noise)))
