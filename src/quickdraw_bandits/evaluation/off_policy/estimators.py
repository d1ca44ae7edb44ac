"""Six estimators of the value of a policy from the log of another.

Over the n logged events: r is the reward, p the propensity (the logging policy's probability of the logged arm), pi the
target policy's probability of that arm, w = pi / p, q a model of the reward of the logged arm, and v = sum over all
arms of pi(arm) · q(arm), the target policy's reward according to the model:

=====================================  ========================================  ==================================
estimator                              value                                     consistent if
=====================================  ========================================  ==================================
``ips``                                mean(w r)                                 propensities are right
``self_normalised_ips``                sum(w r) / sum(w)                         the same; biased for small n
``direct_method``                      mean(v)                                   the model is right
``doubly_robust``                      mean(v + w (r - q))                       either is right
``self_normalised_doubly_robust``      mean(v) + sum(w (r - q)) / sum(w)         the same; biased for small n
``replay``                             mean of r over events where the policy    arms were logged uniformly
                                       drew the logged arm
=====================================  ========================================  ==================================
"""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from quickdraw_bandits.checks import Floats, numbers_array, refuse_first
from quickdraw_bandits.evaluation.off_policy.estimate import (
    ASYMPTOTIC,
    Estimate,
    Interval,
    effective_sample_size,
    estimate_from_terms,
)

FEWEST_WEIGHTS = 30
"""Events below which the mean weight says nothing."""
UNIFORM = 0.01
"""Relative difference of propensities up to which arms count as logged uniformly."""
MODEL_ERROR = "the interval leaves out the error of the reward model; compare with doubly robust"
MOST_ERRORS = 4.0
"""Standard errors by which the mean weight may differ from 1 by chance."""

Data = ArrayLike
"""One number per event."""


def ips(reward: Data, propensity: Data, target: Data, *, interval: Interval = ASYMPTOTIC) -> Estimate:
    """Inverse propensity scoring: ``mean(w r)``, the estimator of the paper's section 6.

    Parameters
    ----------
    reward, propensity, target
        For each event: the reward, and the probability of the logged arm under the logging and under the target
        policy.
    interval
        How to compute the confidence interval; default asymptotic, 95 %.

    Examples
    --------
    >>> reward = [1, 0] * 100
    >>> ips(reward, propensity=[0.5, 0.25] * 100, target=[0.8, 0.1] * 100).value
    0.8
    """
    r, w = _weights(reward, propensity, target)
    return _from("ips", np.zeros_like(r), w * r, np.ones_like(r), w, r, interval)


def self_normalised_ips(reward: Data, propensity: Data, target: Data, *, interval: Interval = ASYMPTOTIC) -> Estimate:
    """``sum(w r) / sum(w)``: a weighted mean, always within the range of the rewards; parameters as in ``ips``."""
    r, w = _weights(reward, propensity, target)
    return _from("self-normalised ips", np.zeros_like(r), w * r, w, w, r, interval)


def direct_method(expected: Data, model_terms: Data | None = None, *, interval: Interval = ASYMPTOTIC) -> Estimate:
    """``mean(v)``: trust the model.

    Parameters
    ----------
    expected
        v, the target policy's reward according to the model, at each event.
    model_terms
        Influence of each event through the fit of the model, with a mean of about 0, as ``arm_mean_influence`` returns
        it. None (default) means that the model was not fitted to this log. The standard error never includes the
        error of a wrong model.
    interval
        As in ``ips``. It contains the error of the fit at most: no interval from the model can tell how wrong the model
        is. So ``weakness`` always says that; no warning is given for it.
    """
    v = numbers_array("expected", expected)
    moved = np.zeros_like(v) if model_terms is None else _same_length("model_terms", model_terms, len(v))
    # Centred, the influence widens the interval and leaves the value alone.
    terms = v + moved - moved.mean() if len(v) else v
    found = estimate_from_terms(
        "direct method",
        _not_empty("expected", terms),
        np.zeros_like(v),
        np.ones_like(v),
        effective=float(len(v)),
        rewarded=None,
        interval=interval,
    )
    return replace(found, weakness="; ".join(filter(None, [found.weakness, MODEL_ERROR])))


def doubly_robust(
    reward: Data, propensity: Data, target: Data, model: Data, expected: Data, *, interval: Interval = ASYMPTOTIC
) -> Estimate:
    """``mean(v + w (r - q))``: the model, corrected by the log.

    Parameters
    ----------
    reward, propensity, target
        As in ``ips``.
    model
        q, the reward of the logged arm according to the model, at each event; fitted without that event.
    expected
        v, the target policy's reward according to the model, at each event.
    interval
        As in ``ips``.
    """
    r, w = _weights(reward, propensity, target)
    q, v = _same_length("model", model, len(r)), _same_length("expected", expected, len(r))
    return _from("doubly robust", v, w * (r - q), np.ones_like(r), w, r, interval)


def self_normalised_doubly_robust(
    reward: Data, propensity: Data, target: Data, model: Data, expected: Data, *, interval: Interval = ASYMPTOTIC
) -> Estimate:
    """``mean(v) + sum(w (r - q)) / sum(w)``; parameters as in ``doubly_robust``."""
    r, w = _weights(reward, propensity, target)
    q, v = _same_length("model", model, len(r)), _same_length("expected", expected, len(r))
    return _from("self-normalised doubly robust", v, w * (r - q), w, w, r, interval)


def replay(reward: Data, matched: Data, propensity: Data | None = None, *, interval: Interval = ASYMPTOTIC) -> Estimate:
    """Mean reward over the events where the target policy drew the arm that was logged.

    Parameters
    ----------
    reward
        The reward of each event.
    matched
        Whether the target policy drew the logged arm, one boolean per event.
    propensity
        The probability of the logged arm under the logging policy. If it differs between events, the estimate is weak:
        events where the policies agree are then no fair sample. None (default): arms were logged uniformly.
    interval
        As in ``ips``.
    """
    r = _not_empty("reward", numbers_array("reward", reward))
    agrees = np.asarray(matched)
    if agrees.dtype != np.bool_ or agrees.shape != r.shape:
        raise ValueError(
            f"matched must hold {len(r)} booleans, got the type {agrees.dtype} and the shape {agrees.shape}"
        )
    w = agrees.astype(np.float64)
    return estimate_from_terms(
        "replay",
        np.zeros_like(r),
        w * r,
        w,
        effective=effective_sample_size(w),
        rewarded=_rewarded(w, r),
        interval=interval,
        reason="" if propensity is None else _not_uniform(_same_length("propensity", propensity, len(r))),
    )


def _not_uniform(p: Floats) -> str:
    """Say if arms were not logged with equal probabilities; empty if they were."""
    least, most = float(p.min()), float(p.max())
    if most <= (1 + UNIFORM) * least:
        return ""
    return (
        f"arms were not logged uniformly: propensities range from {least:.3g} to {most:.3g}, so that events where the "
        "policies agree are no fair sample; use ips or doubly robust"
    )


def _from(
    name: str, baseline: Floats, numerator: Floats, denominator: Floats, w: Floats, r: Floats, interval: Interval
) -> Estimate:
    return estimate_from_terms(
        name,
        baseline,
        numerator,
        denominator,
        effective=effective_sample_size(w),
        rewarded=_rewarded(w, r),
        interval=interval,
        reason=_missing_overlap(w),
    )


def _missing_overlap(w: Floats) -> str:
    """Say if the mean weight differs from 1 beyond chance; empty if not.

    Each weight has the expectation sum over arms with p > 0 of p · pi / p = 1, if the logging policy could choose every
    arm that the target policy chooses, and if the propensities are those with which it did.
    """
    n = len(w)
    if n < FEWEST_WEIGHTS or not w.any():
        return ""
    mean = float(w.mean())
    # As if two events of the largest weight had been missed by chance: rare large weights make the deviation of the
    # sample too small just where its mean is too low.
    error = float(np.sqrt(np.sum((w - mean) ** 2) + 4 * w.max() ** 2)) / n
    if abs(mean - 1) <= MOST_ERRORS * error + 1e-6:
        return ""
    return (
        f"importance weights are {mean:.3g} on average, where 1 is expected (± {2 * error:.2g}): the log lacks arms "
        "that the policy plays, or its propensities are wrong"
    )


def _rewarded(w: Floats, r: Floats) -> float:
    """Return the effective number of events with a reward.

    The smaller of two numbers: those present, and those to be expected among the weighted events at the log's own rate
    of rewards. The second is small if rewards occur only where there is hardly any weight.
    """
    has_reward = r != 0
    present = effective_sample_size(w * has_reward)
    return min(present, effective_sample_size(w) * float(has_reward.mean()))


def _weights(reward: Data, propensity: Data, target: Data) -> tuple[Floats, Floats]:
    """Return rewards and importance weights of checked columns."""
    r = _not_empty("reward", numbers_array("reward", reward))
    p = _same_length("propensity", propensity, len(r))
    pi = _same_length("target", target, len(r))
    refuse_first("propensity", p, (p <= 0) | (p > 1), "be above 0 and at most 1")
    # A sum of probabilities may exceed 1 by rounding.
    refuse_first("target", pi, (pi < 0) | (pi > 1 + 1e-9), "be from 0 to 1")
    return r, pi / p


def _same_length(name: str, values: Data, n: int) -> Floats:
    array = numbers_array(name, values)
    if len(array) != n:
        raise ValueError(f"{name} must have one entry for each of the {n} events, got {len(array)}")
    return array


def _not_empty(name: str, array: Floats) -> Floats:
    if len(array) == 0:
        raise ValueError(f"{name} must hold at least one event, got none")
    return array
