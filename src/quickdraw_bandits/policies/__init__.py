"""Policies, one to a file."""

from quickdraw_bandits.policies.adaptive_quick_draw import AdaptiveQuickDraw
from quickdraw_bandits.policies.discounted_ucb import DiscountedUCB
from quickdraw_bandits.policies.gp_ucb import GPUCB
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.quick_draw import QuickDraw
from quickdraw_bandits.policies.random import Random
from quickdraw_bandits.policies.restless import Restless
from quickdraw_bandits.policies.sliding_epsilon_greedy import SlidingEpsilonGreedy
from quickdraw_bandits.policies.sliding_gp_ucb import SlidingGPUCB
from quickdraw_bandits.policies.sliding_ucb import SlidingUCB

__all__ = [
    "GPUCB",
    "AdaptiveQuickDraw",
    "DiscountedUCB",
    "Policy",
    "QuickDraw",
    "Random",
    "Restless",
    "SlidingEpsilonGreedy",
    "SlidingGPUCB",
    "SlidingUCB",
]
