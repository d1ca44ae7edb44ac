"""Decisions whose rewards have not come yet, as a learner holds them."""

from typing import NamedTuple

TIDY = 8
"""Events after which a policy reorganises what it keeps: at given decisions, so that all learners are alike."""

MOST_PENDING = 1024
"""Decisions that are pending at most, the latest ones: with more, every choice would take longer."""

MOST_EARLIER = 65_536
"""Decisions without a reward that are remembered once they are no longer pending: looking up others takes longer."""


class Pull(NamedTuple):
    """A decision without a reward: when it was written, time and arm of the pull, and its probability."""

    at: float
    time: float
    arm: int
    probability: float
