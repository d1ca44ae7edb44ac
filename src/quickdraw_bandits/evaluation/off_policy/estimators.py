"""Six estimators of what a policy would have earned, from what another policy did.

Over the n logged events, with r the reward, p the propensity (the logging policy's probability of the arm that it
chose), pi the target policy's probability of that arm, w = pi / p, q a model of the reward of the arm chosen, and
v = sum over all arms of pi(arm) · q(arm), what the model expects of the target policy:

=====================================  ========================================  ==================================
estimator                              value                                     right if
=====================================  ========================================  ==================================
``ips``                                mean(w r)                                 propensities are right
``self_normalised_ips``                sum(w r) / sum(w)                         the same, and n is large
``direct_method``                      mean(v)                                   the model is right
``doubly_robust``                      mean(v + w (r - q))                       either is right
``self_normalised_doubly_robust``      mean(v) + sum(w (r - q)) / sum(w)         either is right, and n is large
``replay``                             mean of r over events where the policy    arms were logged uniformly, and n is
                                       drew the logged arm                       large
=====================================  ========================================  ==================================
"""

from typing import Any

import numpy as np

from quickdraw_bandits.checks import Floats, numbers_array
from quickdraw_bandits.evaluation.off_policy.estimate import (
    ASYMPTOTIC,
    Estimate,
    Interval,
    effective_sample_size,
    estimate_from_terms,
)


def ips(reward: Any, propensity: Any, target: Any, *, interval: Interval = ASYMPTOTIC) -> Estimate:
    """Inverse propensity scoring: ``mean(w r)``, the estimator of the paper's section 6.

    Parameters
    ----------
    reward, propensity, target
        For each event: what was paid, and the probabilities of the logged arm under the logging and under the target
        policy.
    interval
        How to make the interval.

    Examples
    --------
    >>> reward = [1, 0] * 100
    >>> ips(reward, propensity=[0.5, 0.25] * 100, target=[0.8, 0.1] * 100).value
    0.8
    """
    r, w = _weights(reward, propensity, target)
    return _from("ips", np.zeros_like(r), w * r, np.ones_like(r), w, r, interval)


def self_normalised_ips(reward: Any, propensity: Any, target: Any, *, interval: Interval = ASYMPTOTIC) -> Estimate:
    """``sum(w r) / sum(w)``: a weighted mean, never outside the range of the rewards; parameters as in ``ips``."""
    r, w = _weights(reward, propensity, target)
    return _from("self-normalised ips", np.zeros_like(r), w * r, w, w, r, interval)


def direct_method(expected: Any, model_terms: Any = None, *, interval: Interval = ASYMPTOTIC) -> Estimate:
    """``mean(v)``: believe the model.

    Parameters
    ----------
    expected
        v, what the model expects of the target policy at each event.
    model_terms
        How much each event has moved the estimate by having been fitted (the influence of the fit, mean about 0), as
        ``arm_mean_influence`` gives it. Without it the error holds for a model that is known, not fitted. No error
        here knows of a model that is wrong.
    interval
        How to make the interval.
    """
    v = numbers_array("expected", expected)
    moved = np.zeros_like(v) if model_terms is None else _same_length("model_terms", model_terms, len(v))
    # Centred, the influence widens the interval and leaves the value alone.
    terms = v + moved - moved.mean() if len(v) else v
    return estimate_from_terms(
        "direct method",
        _not_empty("expected", terms),
        np.zeros_like(v),
        np.ones_like(v),
        effective=float(len(v)),
        rewarded=None,
        interval=interval,
    )


def doubly_robust(
    reward: Any, propensity: Any, target: Any, model: Any, expected: Any, *, interval: Interval = ASYMPTOTIC
) -> Estimate:
    """``mean(v + w (r - q))``: the model, corrected where the log contradicts it.

    Parameters
    ----------
    reward, propensity, target
        As in ``ips``.
    model
        q, what the model expects of the logged arm at each event; fitted without that event.
    expected
        v, what the model expects of the target policy at each event.
    interval
        How to make the interval.
    """
    r, w = _weights(reward, propensity, target)
    q, v = _same_length("model", model, len(r)), _same_length("expected", expected, len(r))
    return _from("doubly robust", v, w * (r - q), np.ones_like(r), w, r, interval)


def self_normalised_doubly_robust(
    reward: Any, propensity: Any, target: Any, model: Any, expected: Any, *, interval: Interval = ASYMPTOTIC
) -> Estimate:
    """``mean(v) + sum(w (r - q)) / sum(w)``; parameters as in ``doubly_robust``."""
    r, w = _weights(reward, propensity, target)
    q, v = _same_length("model", model, len(r)), _same_length("expected", expected, len(r))
    return _from("self-normalised doubly robust", v, w * (r - q), w, w, r, interval)


def replay(reward: Any, matched: Any, *, interval: Interval = ASYMPTOTIC) -> Estimate:
    """Mean reward over the events where the target policy drew the arm that was logged.

    Parameters
    ----------
    reward
        What was paid.
    matched
        Whether the target policy drew the logged arm.
    interval
        How to make the interval.
    """
    r = _not_empty("reward", numbers_array("reward", reward))
    agrees = np.asarray(matched)
    if agrees.dtype != np.bool_ or agrees.shape != r.shape:
        raise ValueError(
            f"matched must hold {len(r)} booleans, got the type {agrees.dtype} and the shape {agrees.shape}"
        )
    w = agrees.astype(np.float64)
    return _from("replay", np.zeros_like(r), w * r, w, w, r, interval)


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
    )


def _rewarded(w: Floats, r: Floats) -> float:
    """Return how many events with a reward an estimate rests on.

    The smaller of two effective numbers: of those there are, and of those to be expected among the events that carry
    weight, at the log's own rate. The second tells a policy that earns nothing from one of which the log knows nothing.
    """
    has_reward = r != 0
    present = effective_sample_size(w * has_reward)
    return min(present, effective_sample_size(w) * float(has_reward.mean()))


def _weights(reward: Any, propensity: Any, target: Any) -> tuple[Floats, Floats]:
    """Return rewards and importance weights of checked columns."""
    r = _not_empty("reward", numbers_array("reward", reward))
    p = _same_length("propensity", propensity, len(r))
    pi = _same_length("target", target, len(r))
    for name, values, improper in (("propensity", p, p <= 0), ("propensity", p, p > 1), ("target", pi, (pi < 0))):
        if improper.any():
            bad = int(np.flatnonzero(improper)[0])
            limit = "above 0 and at most 1" if name == "propensity" else "from 0 to 1"
            raise ValueError(f"{name} must be {limit}, got {values[bad]} at position {bad}")
    # A sum of probabilities may exceed 1 by rounding.
    if (pi > 1 + 1e-9).any():
        bad = int(np.flatnonzero(pi > 1 + 1e-9)[0])
        raise ValueError(f"target must be from 0 to 1, got {pi[bad]} at position {bad}")
    return r, pi / p


def _same_length(name: str, values: Any, n: int) -> Floats:
    array = numbers_array(name, values)
    if len(array) != n:
        raise ValueError(f"{name} must have one entry for each of the {n} events, got {len(array)}")
    return array


def _not_empty(name: str, array: Floats) -> Floats:
    if len(array) == 0:
        raise ValueError(f"{name} must hold at least one event, got none")
    return array
