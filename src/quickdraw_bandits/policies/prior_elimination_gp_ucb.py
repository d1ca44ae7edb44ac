"""GP-UCB that is given several models of the rewards and drops those that predict badly (PE-GP-UCB)."""

import math
from collections.abc import Sequence
from typing import final

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed, number
from quickdraw_bandits.gaussian_process import ArmCorrelations, DriftingProcess, Forgetting
from quickdraw_bandits.policies.event_triggered_gp_ucb import checked_probability
from quickdraw_bandits.policies.gaussian_process_ucb import GaussianProcessUCB
from quickdraw_bandits.policies.windowed_gp_ucb import PriorMean, checked_prior, prior_of
from quickdraw_bandits.times import Span


class PriorEliminationGPUCB(GaussianProcessUCB):
    """GP-UCB by the most optimistic of several candidate models, of which those that prove wrong are eliminated.

    Ziomek, Adachi and Osborne, *Time-varying Gaussian process bandits with unknown prior* (2024). Each candidate u is
    the model of ``TimeVaryingGPUCB`` with a length scale and a rate of forgetting of its own, and has its own
    mean m_u(x) and standard deviation d_u(x). The arm and the candidate of the largest m_u(x) + gamma d_u(x) are
    chosen together. Let S be the rounds in which candidate u was chosen, with rewards y_i of arms x_i. It is eliminated
    once

    |sum_{i in S} (y_i - m_u(x_i))| > sqrt(xi |S|) + sum_{i in S} gamma d_u(x_i),    xi = 2 σ² ln(n π² t² / (3 delta)),

    with m_u and d_u from before each reward, n candidates at the start, and the number t of observations: such an error
    is more than noise and its own confidence bounds allow.

    Differs from the source in five ways. gamma is constant, as is the set of candidates: here length scales times
    rates of forgetting. Rounds are real times divided by ``time_unit``, and only the latest ``window`` observations
    count. The prior mean need not be 0. The last candidate is never eliminated, since none need be true. The
    candidate that a reward counts for is the one of the largest bound at its arm when it arrives: where rewards arrive
    at once, that is the one that was chosen. The formulas are written from what is known of the source; they were
    not compared with its code.

    Parameters
    ----------
    arms, signal_variance, noise_variance, prior_mean, exploration, window, seed
        As for ``WindowedGPUCB``. ``noise_variance`` is 0.0001 by default and may be 0; a larger value also makes
        eliminations rarer. ``window`` is 100 by default: a choice takes as long as one of every candidate that is left.
    length_scales, forgettings
        l and epsilon of the candidates; every length scale is combined with every rate. By default 0.03, 0.1 and 0.3,
        and 0.003 and 0.03. More candidates take longer.
    time_unit
        As for ``TimeVaryingGPUCB``.
    error_probability
        delta, the probability that a true candidate is eliminated, above 0 and below 1; default 0.1. A larger value
        eliminates sooner.

    Attributes
    ----------
    candidates
        Length scale and rate of forgetting of the candidates that are left.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> arms = qd.Arms.grid(0, 1, 50)
    >>> policy = qd.policies.PriorEliminationGPUCB(arms, length_scales=(0.1, 1.0), forgettings=(0.01,), seed=0)
    >>> for k in range(40):
    ...     arm = policy.select(time=k / 1000)
    ...     policy.update(k / 1000, arm, 0.5 + 0.2 * np.sin(arm / 4))
    >>> policy.candidates
    ((0.1, 0.01),)
    """

    def __init__(
        self,
        arms: Arms,
        length_scales: Sequence[float] = (0.03, 0.1, 0.3),
        forgettings: Sequence[float] = (0.003, 0.03),
        time_unit: Span = 1e-3,
        signal_variance: float = 0.025,
        noise_variance: float = 1e-4,
        error_probability: float = 0.1,
        prior_mean: PriorMean = "average",
        exploration: float = 2.0,
        window: int = 100,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, exploration, seed, window)
        self.error_probability = checked_probability(error_probability)
        self.prior_mean = checked_prior(prior_mean)
        self.window = self._seen.size
        unit = self._clock.span("time_unit", time_unit)
        drifts = [Forgetting(rate, unit) for rate in _several("forgettings", forgettings)]
        correlations = [ArmCorrelations(arms, length) for length in _several("length_scales", length_scales)]
        self._processes = [
            DriftingProcess(each, signal_variance, noise_variance, self.window, drift)
            for each in correlations
            for drift in drifts
        ]
        self._n_candidates = len(self._processes)
        self._n_rewards = 0
        # Of each candidate that is left: rounds in which it was chosen, sum of its errors, sum of its gamma d.
        self._chosen_rounds = np.zeros(self._n_candidates)
        self._errors = np.zeros(self._n_candidates)
        self._widths = np.zeros(self._n_candidates)

    @property
    def candidates(self) -> tuple[tuple[float, float], ...]:
        """Length scale and rate of forgetting of the candidates that are left."""
        return tuple((each.arms.length_scale, _forgetting(each)) for each in self._processes)

    @property
    def jitter(self) -> float:
        """Noise variance that was added so that covariances could be factored, the largest; 0 unless it was needed."""
        return max(each.jitter for each in self._processes)

    @final
    def _everywhere(self, time: float) -> tuple[Floats, Floats]:
        """Return, for every arm, what the most optimistic candidate says."""
        offset, pending = self._prior(), self._pending.arrays()
        found = [each.posterior(time, offset) for each in self._processes]
        means = np.array([mean for mean, _ in found])
        if len(self._pending):
            stds = np.array([each.std_with(time, *pending) for each in self._processes])
        else:
            stds = np.array([std for _, std in found])
        best = np.argmax(means + self.exploration * stds, axis=0)[None]
        return np.take_along_axis(means, best, axis=0)[0], np.take_along_axis(stds, best, axis=0)[0]

    def _prior(self) -> float:
        return prior_of(self.prior_mean, self._processes[0].values)

    @final
    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        for time, arm, reward in zip(times.tolist(), arms.tolist(), rewards.tolist(), strict=True):
            self._n_rewards += 1
            # The average of no observations is no prior that could prove wrong.
            if len(self._processes) > 1 and (len(self._processes[0]) or self.prior_mean != "average"):
                self._judge(time, arm, reward)
            for each in self._processes:
                each.insert(time, arm, reward)

    def _judge(self, time: float, arm: int, reward: float) -> None:
        """Count a reward for the candidate that chose it, and eliminate that one if its errors are too large."""
        offset = self._prior()
        means, stds = np.array([each.at(time, arm, offset) for each in self._processes]).T
        widths = self.exploration * stds
        u = int(np.argmax(means + widths))
        self._chosen_rounds[u] += 1
        self._errors[u] += reward - means[u]
        self._widths[u] += widths[u]
        noise = self._processes[u].noise_variance
        xi = 2 * noise * math.log(self._n_candidates * (math.pi * self._n_rewards) ** 2 / (3 * self.error_probability))
        if abs(self._errors[u]) > math.sqrt(xi * self._chosen_rounds[u]) + self._widths[u]:
            del self._processes[u]
            for name in ("_chosen_rounds", "_errors", "_widths"):
                setattr(self, name, np.delete(getattr(self, name), u))

    @final
    def _grow(self, arms: Arms) -> None:
        self._processes = [each.extended(ArmCorrelations(arms, each.arms.length_scale)) for each in self._processes]


def _forgetting(process: DriftingProcess) -> float:
    return process.drift.epsilon if isinstance(process.drift, Forgetting) else 0.0


def _several(name: str, values: Sequence[float]) -> list[float]:
    """Return at least one number, or raise ValueError."""
    if not isinstance(values, list | tuple) or len(values) == 0:
        raise ValueError(f"{name} must be a list or tuple of at least one number, got {values!r}")
    return [number(name, value) for value in values]
