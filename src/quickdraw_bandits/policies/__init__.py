"""Policies, one to a file."""

from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.quick_draw import QuickDraw
from quickdraw_bandits.policies.random import Random
from quickdraw_bandits.policies.sliding_epsilon_greedy import SlidingEpsilonGreedy

__all__ = ["Policy", "QuickDraw", "Random", "SlidingEpsilonGreedy"]
