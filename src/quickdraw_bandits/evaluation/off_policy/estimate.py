"""An estimate from a log, with its uncertainty."""

import warnings
from dataclasses import asdict, dataclass, replace
from statistics import NormalDist
from typing import Literal, get_args

import numpy as np

from quickdraw_bandits.checks import Floats, Integers, Seed, generator, integer, number
from quickdraw_bandits.frames import Column, Tabular, columns_of_rows

ENOUGH_SAMPLES = 100
"""With a smaller effective sample size, an estimate is called weak."""

RARELY = 1e-3
"""Part of a policy's choices that may go to arms that were never logged."""

ENOUGH_REWARDS = 10
"""With fewer rewarded events, a normal interval is called weak."""

LEAST_FREEDOM = 4.0
"""Degrees of freedom of an interval at least. With so few, the estimate is weak anyway."""

Method = Literal["asymptotic", "bootstrap"]


class WeakEvidenceWarning(UserWarning):
    """The log contains too little about the policy for a reliable estimate."""


@dataclass(frozen=True)
class Interval:
    """How to compute a confidence interval.

    Parameters
    ----------
    method
        ``"asymptotic"`` (default): value ± t · standard error, with the quantile t of Student's distribution. It has
        2 n / (kurtosis - 1) degrees of freedom, by the kurtosis of the terms: few where rare large weights carry the
        estimate, because their variance is then poorly known. Both are those of the terms with the largest counted
        twice: where such terms are rare, one of them may as well have been missed. ``"bootstrap"``: percentiles over
        logs resampled with replacement, which takes ``resamples`` times as long. Use it for skewed weights.
    level
        Nominal coverage, above 0 and below 1; default 0.95. A larger value widens the interval.
    resamples
        Number of bootstrap resamples, at least 2; default 1,000. A larger value makes the limits less random.
    seed
        An integer or a ``numpy.random.Generator`` for the bootstrap; default 0.
    """

    method: Method = "asymptotic"
    level: float = 0.95
    resamples: int = 1000
    seed: Seed = 0

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            raise ValueError(f"method must be one of {', '.join(get_args(Method))}, got {self.method!r}")
        if not 0 < number("level", self.level) < 1:
            raise ValueError(f"level must be above 0 and below 1, got {self.level!r}")
        integer("resamples", self.resamples, at_least=2)


ASYMPTOTIC = Interval()


@dataclass(frozen=True)
class Estimate(Tabular):
    """The estimated reward per event of a policy.

    Attributes
    ----------
    estimator
        Name of the estimator.
    value
        The estimate; NaN if the log contains nothing about the policy.
    standard_error
        Standard deviation of its error; NaN if it cannot be estimated.
    low, high
        Limits of the confidence interval.
    effective_sample_size
        (sum w)² / sum w² of the importance weights w: the number of events of the policy itself that would say as
        much.
    n_events
        Number of events in the log.
    weakness
        Why the estimate is unreliable; empty if no reason is known.
    """

    estimator: str
    value: float
    standard_error: float
    low: float
    high: float
    effective_sample_size: float
    n_events: int
    weakness: str = ""

    def columns(self) -> dict[str, Column]:
        """Return one row with the attributes as columns."""
        return Estimates([self]).columns()


class Estimates(list[Estimate], Tabular):
    """A list of estimates that can be turned into a data frame.

    Examples
    --------
    >>> Estimates([Estimate("ips", 0.5, 0.1, 0.3, 0.7, 120.0, 200)]).to_frame().columns[:3]
    ['estimator', 'value', 'standard_error']
    """

    def columns(self) -> dict[str, Column]:
        """Return one row per estimate."""
        return {**columns_of_rows(map(asdict, self))}


def effective_sample_size(weights: Floats) -> float:
    """Return (sum w)² / sum w², or 0 if all weights are 0.

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
    reason: str = "",
) -> Estimate:
    """Return ``mean(baseline) + sum(numerator) / sum(denominator)``, the common form of all estimators.

    Its standard error is that of the mean of the terms ::

        baseline_i - mean(baseline) + (numerator_i - ratio · denominator_i) · (n - 1) / (total - denominator_i)

    with total = sum(denominator). That is the linearisation with each event left out of the mean that it is divided by,
    as the jackknife does: an event of a large weight draws the ratio to itself.

    ``rewarded`` is the effective number of events with a reward, None if rewards do not enter one by one. ``reason``
    says why the estimator itself considers its evidence weak, if it does. Warns if the evidence is weak.
    """
    if not isinstance(interval, Interval):
        raise ValueError(f"interval must be an Interval, as Interval(level=0.9), got {interval!r}")
    n = len(baseline)
    total = float(denominator.sum())
    weakness = _weakness(total, effective, rewarded) or reason
    if weakness:
        warnings.warn(f"{estimator}: {weakness}", WeakEvidenceWarning, stacklevel=4)
    if total == 0:
        nan = float("nan")
        return Estimate(estimator, nan, nan, nan, nan, effective, n, weakness)
    ratio = float(numerator.sum()) / total
    value = float(baseline.mean()) + ratio
    without = np.maximum(total - denominator, 0.0) if n > 1 and (denominator < total).all() else total
    linear = baseline - baseline.mean() + (numerator - ratio * denominator) * (n - 1) / without
    error = float(np.sqrt(np.sum(linear**2) / (n - 1) / n)) if n > 1 and rewarded != 0 else float("nan")
    if np.isnan(error):
        low = high = error
    elif interval.method == "bootstrap":
        low, high = _bootstrap(baseline, numerator, denominator, interval)
    else:
        # Rare large weights: the sample has too small a variance just where it lacks one of them.
        terms = np.append(linear, np.abs(linear).max())
        spread = float(np.sqrt(np.sum(terms**2) / (n - 1) / n))
        reach = student_quantile((1 + interval.level) / 2, _freedom(terms)) * spread if error else 0.0
        low, high = value - reach, value + reach
    return Estimate(estimator, value, error, low, high, effective, n, weakness)


def student_quantile(probability: float, freedom: float) -> float:
    """Return a quantile of Student's distribution, from 0.5 to 0.999 and for at least 4 degrees of freedom.

    By the expansion of Fisher and Cornish (Abramowitz and Stegun, 26.7.5), to 1 % there and 0.1 % from 10 on.

    Examples
    --------
    >>> round(student_quantile(0.975, 10), 2), round(student_quantile(0.975, 1e9), 2)
    (2.23, 1.96)
    """
    z = NormalDist().inv_cdf(probability)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return sum(term / freedom**power for power, term in enumerate(terms))


def _freedom(terms: Floats) -> float:
    """Return the degrees of freedom with which the variance of the mean of some terms is known (Satterthwaite).

    The estimated variance has a relative variance of (kurtosis - 1) / n, and that of a chi-square is 2 / freedom.
    """
    n, scaled = len(terms), terms / np.abs(terms).max()
    kurtosis = float(np.mean(scaled**4) / np.mean(scaled**2) ** 2)
    return float(np.clip(2 * n / max(kurtosis - 1, 1e-9), LEAST_FREEDOM, max(n - 1, LEAST_FREEDOM)))


def never_logged(arms: Integers, share: Floats) -> str:
    """Say if a policy plays arms of which a log has no event; empty if not.

    Parameters
    ----------
    arms
        The logged arms.
    share
        The policy's mean probability of each arm.

    Examples
    --------
    >>> never_logged(np.array([0, 1, 1]), np.array([0.5, 0.25, 0.25]))
    'the log has no event of arm 2, which the policy plays in 25 % of its choices'
    """
    missing = np.flatnonzero((np.bincount(arms, minlength=len(share)) == 0) & (share > 0))
    total = float(share[missing].sum())
    if total <= RARELY:
        return ""
    which = (
        f"arm {missing[0]}, which" if len(missing) == 1 else f"{len(missing):,} arms, among them {missing[0]}, which"
    )
    return f"the log has no event of {which} the policy plays in {100 * total:.2g} % of its choices"


def weakened(estimates: list[Estimate], reason: str) -> list[Estimate]:
    """Return estimates that are weak for one more reason, and warn of those that were not weak yet."""
    if not reason:
        return estimates
    for estimate in estimates:
        if not estimate.weakness:
            warnings.warn(f"{estimate.estimator}: {reason}", WeakEvidenceWarning, stacklevel=3)
    return [replace(each, weakness=f"{each.weakness}; {reason}" if each.weakness else reason) for each in estimates]


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
