"""A policy played on a log, and the six estimates of its value from that."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.datasets import Log
from quickdraw_bandits.evaluation.off_policy import estimators
from quickdraw_bandits.evaluation.off_policy.estimate import (
    ASYMPTOTIC,
    Estimate,
    Estimates,
    Interval,
    never_logged,
    weakened,
)
from quickdraw_bandits.evaluation.off_policy.reward_model import arm_mean_influence
from quickdraw_bandits.frames import Column, Tabular

LearnFrom = Literal["logged", "matched"]


@dataclass(frozen=True, eq=False, repr=False)
class Played(Tabular):
    """What a policy did on a log, event by event in the order of the log.

    Attributes
    ----------
    log
        The log.
    learn_from
        Which events the policy learned from.
    target
        Its probability of the logged arm.
    matched
        Whether it drew the logged arm.
    model, expected
        Reward of the logged arm and of the policy according to the arms' mean rewards in other events.
    target_share
        Its mean probability of each arm.
    true_reward
        Its true mean reward at each event; None if the truth is unknown.
    """

    log: Log
    learn_from: LearnFrom
    target: Floats
    matched: NDArray[np.bool_]
    model: Floats
    expected: Floats
    target_share: Floats
    true_reward: Floats | None

    def __repr__(self) -> str:
        return f"Played({self.log!r}, learn_from={self.learn_from!r})"

    def ips(self, interval: Interval = ASYMPTOTIC) -> Estimate:
        """Return the estimate by inverse propensity scoring, which the paper prints."""
        estimate = estimators.ips(self.log.reward, self.log.propensity, self.target, interval=interval)
        return weakened([estimate], never_logged(self.log.arm, self.target_share))[0]

    def estimates(self, interval: Interval = ASYMPTOTIC) -> Estimates:
        """Return all six estimates: a list that has ``to_frame`` as well."""
        weighting = (self.log.reward, self.log.propensity, self.target)
        fitted = arm_mean_influence(self.log.arm, self.log.reward, self.model, self.target_share)
        found = [
            estimators.ips(*weighting, interval=interval),
            estimators.self_normalised_ips(*weighting, interval=interval),
            estimators.direct_method(self.expected, fitted, interval=interval),
            estimators.doubly_robust(*weighting, self.model, self.expected, interval=interval),
            estimators.self_normalised_doubly_robust(*weighting, self.model, self.expected, interval=interval),
            estimators.replay(self.log.reward, self.matched, self.log.propensity, interval=interval),
        ]
        return Estimates(weakened(found, never_logged(self.log.arm, self.target_share)))

    def columns(self) -> dict[str, Column]:
        """Return one row per event, in the order of the log."""
        log = self.log
        columns: dict[str, Column] = {
            "time": log.time,
            "group": np.array(log.group_names)[log.group],
            "arm": np.array(log.arm_names)[log.arm],
            "reward": log.reward,
            "propensity": log.propensity,
            "target": self.target,
            "matched": self.matched,
            "model": self.model,
            "expected": self.expected,
        }
        return columns if self.true_reward is None else columns | {"true_reward": self.true_reward}

    @property
    def true_value(self) -> float:
        """The true mean reward per event; NaN if the truth is unknown."""
        return float("nan") if self.true_reward is None else float(self.true_reward.mean())
