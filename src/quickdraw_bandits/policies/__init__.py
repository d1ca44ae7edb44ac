"""Policies, one to a file."""

from quickdraw_bandits.policies.discounted_ucb import DiscountedUCB
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.quick_draw import QuickDraw
from quickdraw_bandits.policies.random import Random
from quickdraw_bandits.policies.restless import Restless
from quickdraw_bandits.policies.sliding_epsilon_greedy import SlidingEpsilonGreedy
from quickdraw_bandits.policies.sliding_ucb import SlidingUCB

__all__ = [
    "DiscountedUCB",
    "Policy",
    "QuickDraw",
    "Random",
    "Restless",
    "SlidingEpsilonGreedy",
    "SlidingUCB",
]
