"""What others would have earned on the log of an experiment: random arms, the best fixed arm, other policies."""

import math
import warnings
from collections.abc import Sequence

import numpy as np

from quickdraw_bandits import Arms, policies
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.datasets import Log
from quickdraw_bandits.evaluation.off_policy import (
    Estimate,
    WeakEvidenceWarning,
    builder,
    play_log,
    self_normalised_doubly_robust,
    self_normalised_ips,
)
from quickdraw_service.answers import Estimated, LogRows
from quickdraw_service.definition import POLICIES
from quickdraw_service.errors import BadRequestError

FEWEST = 20
"""Rewarded decisions below which nothing is estimated."""


def evaluate(rows: LogRows, arms: Arms, others: Sequence[str]) -> list[Estimated]:
    """Return what the experiment earned per decision, and estimates of what others would have earned.

    The best fixed arm is looked for in every second decision and evaluated on the rest, because the best of many
    estimates on the same decisions would be too high. Policies learn from every logged reward; their
    estimate is doubly robust. All estimates weight each reward by how much likelier its arm was for the other policy,
    and say where the log holds too little evidence.

    Parameters
    ----------
    rows
        Decisions with their rewards; those without one are left out.
    arms
        The arms of the experiment.
    others
        Names of further policies, with their default parameters.
    """
    unknown = [name for name in others if name not in POLICIES]
    if unknown:
        raise BadRequestError(f"policies: unknown name {unknown[0]!r}", f"Known are {', '.join(POLICIES)}.")
    kept = np.flatnonzero(~np.isnan(rows.rewards))
    if len(kept) < FEWEST:
        raise BadRequestError(f"{len(kept)} decisions have a reward; {FEWEST} are needed", "Ask again later.")
    order = kept[np.argsort(rows.times[kept], kind="stable")]
    arm, reward, propensity = rows.arms[order], rows.rewards[order], rows.propensities[order]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WeakEvidenceWarning)
        found = baselines(arm, reward, propensity, arms)
        if others:
            log = Log(rows.times[order], arm, reward, propensity, np.zeros(len(arm), dtype=np.int64), arms)
            found += [_policy(name, log) for name in others]
    return found


def baselines(arm: Integers, reward: Floats, propensity: Floats, arms: Arms) -> list[Estimated]:
    """Return what the experiment earned per decision, and what random arms and the best fixed arm would have earned."""
    return [_earned(reward), _random(arm, reward, propensity, len(arms)), _fixed(arm, reward, propensity, arms)]


def _earned(reward: Floats) -> Estimated:
    error = float(reward.std(ddof=1) / math.sqrt(len(reward)))
    mean = float(reward.mean())
    return Estimated("this experiment", mean, mean - 1.96 * error, mean + 1.96 * error, "", None)


def _random(arm: Integers, reward: Floats, propensity: Floats, n_arms: int) -> Estimated:
    return _estimated("random arms", self_normalised_ips(reward, propensity, np.full(len(arm), 1 / n_arms)))


def _fixed(arm: Integers, reward: Floats, propensity: Floats, arms: Arms) -> Estimated:
    first, rest = slice(0, None, 2), slice(1, None, 2)
    weight = np.bincount(arm[first], 1 / propensity[first], len(arms))
    total = np.bincount(arm[first], reward[first] / propensity[first], len(arms))
    # An arm that was hardly ever played may look best by chance: the prior is the average of all, worth one draw of
    # the mean weight for each of the ten first.
    prior = 10 * float(np.mean(1 / propensity[first]))
    average = total.sum() / weight.sum()
    best = int(np.argmax((total + prior * average) / (weight + prior)))
    estimate = self_normalised_ips(reward[rest], propensity[rest], (arm[rest] == best).astype(np.float64))
    return _estimated("best fixed arm", estimate, best)


def _policy(name: str, log: Log) -> Estimated:
    played = play_log(log, builder(getattr(policies, name)), learn_from="logged", interval=len(log.arm), seed=0)
    weighting = log.reward, log.propensity, played.target
    return _estimated(name, self_normalised_doubly_robust(*weighting, played.model, played.expected))


def _estimated(name: str, estimate: Estimate, arm: int | None = None) -> Estimated:
    value, low, high = (each if math.isfinite(each) else None for each in (estimate.value, estimate.low, estimate.high))
    return Estimated(name, value, low, high, estimate.weakness, arm)
