"""An estimate from a log, and how far to trust it."""

import warnings
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, get_args

import numpy as np

from quickdraw_bandits.checks import Floats, Seed, generator, integer, number

ENOUGH_SAMPLES = 100
"""Below this effective sample size an estimate is called weak."""

ENOUGH_REWARDS = 10
"""Below this many events with a reward an interval that leans on the normal distribution is called weak."""

Method = Literal["asymptotic", "bootstrap"]


class WeakEvidenceWarning(UserWarning):
    """The log holds too little about the policy for the estimate to be relied on."""


@dataclass(frozen=True)
class Interval:
    """How an interval is made.

    Parameters
    ----------
    method
        ``"asymptotic"``: value ± z · standard error. ``"bootstrap"``: percentiles of the estimate over logs that are
        drawn from the events with replacement; costs ``resamples`` times the estimate.
    level
        How often the interval shall cover the truth.
    resamples, seed
        How many logs the bootstrap draws, and its randomness.
    """

    method: Method = "asymptotic"
    level: float = 0.95
    resamples: int = 1000
    seed: Seed = 0

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            raise ValueError(f"method must be one of {', '.join(get_args(Method))}, got {self.method!r}")
        if not 0 < number("level", self.level) < 1:
            raise ValueError(f"level must be between 0 and 1, got {self.level!r}")
        integer("resamples", self.resamples, at_least=2)


ASYMPTOTIC = Interval()


@dataclass(frozen=True)
class Estimate:
    """What a policy would have earned an event, by one estimator.

    Parameters
    ----------
    estimator
        Which.
    value
        The estimate; NaN where the log says nothing at all.
    standard_error
        The standard deviation of its error; NaN where it cannot be known.
    low, high
        An interval that covers the truth at the asked level, if the log is large enough.
    effective_sample_size
        (sum w)² / sum w² of the importance weights w: how many events of the policy's own the log is worth.
    n_events
        How many events the log has.
    weakness
        Why not to rely on the estimate; empty where nothing speaks against it.
    """

    estimator: str
    value: float
    standard_error: float
    low: float
    high: float
    effective_sample_size: float
    n_events: int
    weakness: str = ""


def effective_sample_size(weights: Floats) -> float:
    """Return (sum w)² / sum w², and 0 where all weights are 0.

    Examples
    --------
    >>> effective_sample_size(np.array([1.0, 1.0, 0.0, 0.0]))
    2.0
    """
    squares = float(np.sum(weights**2))
    return float(np.sum(weights)) ** 2 / squares if squares > 0 else 0.0


def estimate_from_terms(
    estimator: str,
    baseline: Floats,
    numerator: Floats,
    denominator: Floats,
    *,
    effective: float,
    rewarded: float | None,
    interval: Interval,
) -> Estimate:
    """Return ``mean(baseline) + sum(numerator) / sum(denominator)``, the form that all estimators here have.

    Its standard error is that of its linear part, whose terms are ::

        baseline_i - mean(baseline) + (numerator_i - ratio · denominator_i) / mean(denominator)

    ``rewarded`` is how many events with a reward it rests on, None where rewards do not enter one by one. Warns where
    the log cannot carry it.
    """
    n = len(baseline)
    total = float(denominator.sum())
    weakness = _weakness(total, effective, rewarded)
    if weakness:
        warnings.warn(f"{estimator}: {weakness}", WeakEvidenceWarning, stacklevel=4)
    if total == 0:
        nan = float("nan")
        return Estimate(estimator, nan, nan, nan, nan, effective, n, weakness)
    ratio = float(numerator.sum()) / total
    value = float(baseline.mean()) + ratio
    linear = baseline - baseline.mean() + (numerator - ratio * denominator) / (total / n)
    error = float(np.sqrt(np.sum(linear**2) / (n - 1) / n)) if n > 1 and rewarded != 0 else float("nan")
    if np.isnan(error):
        low = high = error
    elif interval.method == "bootstrap":
        low, high = _bootstrap(baseline, numerator, denominator, interval)
    else:
        reach = NormalDist().inv_cdf((1 + interval.level) / 2) * error
        low, high = value - reach, value + reach
    return Estimate(estimator, value, error, low, high, effective, n, weakness)


def _weakness(total: float, effective: float, rewarded: float | None) -> str:
    if total == 0:
        return "no logged event agrees with the policy"
    if rewarded == 0:
        return "no logged event that agrees with the policy has a reward, so that no interval can be given"
    if rewarded is not None and rewarded < ENOUGH_REWARDS:
        number = f"{rewarded:.2g}"
        who = "1 event with a reward carries" if number == "1" else f"{number} events with a reward carry"
        return f"only about {who} the estimate"
    if effective < ENOUGH_SAMPLES:
        what = "event" if f"{effective:.3g}" == "1" else "events"
        return f"the log is worth only {effective:.3g} {what} of the policy's own"
    return ""


def _bootstrap(baseline: Floats, numerator: Floats, denominator: Floats, interval: Interval) -> tuple[float, float]:
    random = generator(interval.seed)
    n = len(baseline)
    values = np.full(interval.resamples, np.nan)
    for b in range(interval.resamples):
        rows = random.integers(n, size=n)
        total = denominator[rows].sum()
        if total > 0:
            values[b] = baseline[rows].mean() + numerator[rows].sum() / total
    low, high = np.nanquantile(values, [(1 - interval.level) / 2, (1 + interval.level) / 2])
    return float(low), float(high)
