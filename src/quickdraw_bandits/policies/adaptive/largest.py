"""The arms of the largest index, up to rounding."""

from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.checks import Integers
from quickdraw_bandits.policies.adaptive.shortlist import Listed
from quickdraw_bandits.policies.adaptive.space import Space

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive.model import Model

TIE = 1e-9
"""Indices closer than this, in units of the rewards' range, count as equal."""


def largest_of(model: "Model", space: Space, listed: Listed, gamma: float, slack: float) -> Integers:
    """Return the arms on a list whose index is the largest, or at most ``slack`` below it."""
    targets, mean, bounds = listed
    index, exact, best = model.largest(targets, gamma, slack, mean, bounds)
    near = np.flatnonzero((index >= best - TIE) & (exact | (index <= best + TIE)))
    ties = near[exact[near]]
    others = near[~exact[near]]
    if len(others):  # bounds that reach the largest: the index itself may
        mean, deviation = model.estimate(space.towards(targets.arms[others], model.sample.arms))
        ties = np.union1d(ties, others[mean + gamma * deviation >= best - TIE])
    return np.asarray(targets.arms[ties])
