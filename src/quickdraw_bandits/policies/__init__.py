"""Policies, one to a file."""

from quickdraw_bandits.policies.gp_ucb import GPUCB
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.random import Random
from quickdraw_bandits.policies.sliding_epsilon_greedy import SlidingEpsilonGreedy
from quickdraw_bandits.policies.sliding_gp_ucb import SlidingGPUCB

__all__ = ["GPUCB", "Policy", "Random", "SlidingEpsilonGreedy", "SlidingGPUCB"]
