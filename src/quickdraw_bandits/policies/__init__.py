"""Policies, one per file.

``policy.py`` has the abstract class, with its parts in ``base/``. Several policies share ``index_policy``, ``linear``,
``tallies``, ``gaussian_process_ucb`` and ``windowed_gp_ucb``. All other files serve the policy that imports them.
"""

from quickdraw_bandits.policies.adaptive_quick_draw import AdaptiveQuickDraw
from quickdraw_bandits.policies.bandit_convex import BanditConvex
from quickdraw_bandits.policies.discounted_lin_ucb import DiscountedLinUCB
from quickdraw_bandits.policies.discounted_ucb import DiscountedUCB
from quickdraw_bandits.policies.epsilon_greedy import EpsilonGreedy
from quickdraw_bandits.policies.event_triggered_gp_ucb import EventTriggeredGPUCB
from quickdraw_bandits.policies.explore_first import ExploreFirst
from quickdraw_bandits.policies.gp_ucb import GPUCB
from quickdraw_bandits.policies.hoo import HOO
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.predictive_sampling import PredictiveSampling
from quickdraw_bandits.policies.prior_elimination_gp_ucb import PriorEliminationGPUCB
from quickdraw_bandits.policies.quick_draw import QuickDraw
from quickdraw_bandits.policies.random import Random
from quickdraw_bandits.policies.restarted_lin_ucb import RestartedLinUCB
from quickdraw_bandits.policies.restless import Restless
from quickdraw_bandits.policies.sliding_epsilon_greedy import SlidingEpsilonGreedy
from quickdraw_bandits.policies.sliding_gp_ucb import SlidingGPUCB
from quickdraw_bandits.policies.sliding_ucb import SlidingUCB
from quickdraw_bandits.policies.softmax import Softmax
from quickdraw_bandits.policies.space_time_gp_ucb import SpaceTimeGPUCB
from quickdraw_bandits.policies.thompson_sampling import ThompsonSampling
from quickdraw_bandits.policies.time_varying_gp_ucb import TimeVaryingGPUCB
from quickdraw_bandits.policies.ucb1 import UCB1
from quickdraw_bandits.policies.weighted_gp_ucb import WeightedGPUCB
from quickdraw_bandits.policies.zooming import Zooming

__all__ = [
    "GPUCB",
    "HOO",
    "UCB1",
    "AdaptiveQuickDraw",
    "BanditConvex",
    "DiscountedLinUCB",
    "DiscountedUCB",
    "EpsilonGreedy",
    "EventTriggeredGPUCB",
    "ExploreFirst",
    "Policy",
    "PredictiveSampling",
    "PriorEliminationGPUCB",
    "QuickDraw",
    "Random",
    "RestartedLinUCB",
    "Restless",
    "SlidingEpsilonGreedy",
    "SlidingGPUCB",
    "SlidingUCB",
    "Softmax",
    "SpaceTimeGPUCB",
    "ThompsonSampling",
    "TimeVaryingGPUCB",
    "WeightedGPUCB",
    "Zooming",
]
