"""Off-policy evaluation: the value of a policy, from the log of another."""

from quickdraw_bandits.evaluation.off_policy.estimate import Estimate, Estimates, Interval, WeakEvidenceWarning
from quickdraw_bandits.evaluation.off_policy.estimators import (
    direct_method,
    doubly_robust,
    ips,
    replay,
    self_normalised_doubly_robust,
    self_normalised_ips,
)
from quickdraw_bandits.evaluation.off_policy.played import LearnFrom, Played
from quickdraw_bandits.evaluation.off_policy.protocol import builder, play_log, play_logs
from quickdraw_bandits.evaluation.off_policy.reward_model import arm_mean_influence, arm_means

__all__ = [
    "Estimate",
    "Estimates",
    "Interval",
    "LearnFrom",
    "Played",
    "WeakEvidenceWarning",
    "arm_mean_influence",
    "arm_means",
    "builder",
    "direct_method",
    "doubly_robust",
    "ips",
    "play_log",
    "play_logs",
    "replay",
    "self_normalised_doubly_robust",
    "self_normalised_ips",
]
