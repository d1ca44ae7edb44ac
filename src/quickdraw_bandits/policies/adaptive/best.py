"""The arms of the largest index of a model, up to rounding: of all, of some, or of those on a shortlist."""

from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.policies.adaptive.shortlist import (
    AROUND,
    FEW,
    ROUNDED_SLACK,
    SLACK,
    Listed,
    Shortlist,
    affordable,
)
from quickdraw_bandits.policies.adaptive.space import Places

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive.model import Model

TIE = 1e-9
"""Indices closer than this, in units of the rewards' range, count as equal."""


def best_arms(
    model: "Model",
    gamma: float,
    space: Places,
    shortlist: Shortlist | None,
    among: Subset | None,
    random: np.random.Generator,
) -> tuple[Integers, Floats]:
    """Return the arms of the largest index, up to rounding, and their index; of very many, of those on a shortlist."""
    targets, mean, bounds, rounded = _bounded(model, gamma, space, shortlist, among, random)
    slack = 0.0
    if shortlist is not None and (among is None or len(among) > FEW):
        slack = (ROUNDED_SLACK if rounded else SLACK) * gamma
    index, exact, best = model.largest(targets, gamma, slack, mean, bounds, rounded, AROUND if rounded else 0)
    ties = (index >= best - TIE).nonzero()[0]
    known = exact[ties]
    if not known.all():  # bounds that reach the largest: the index itself may
        others = ties[~known & (index[ties] <= best + TIE)]
        ties = ties[known]
        mean, deviation = model.estimate(space.towards(targets.arms[others], model.sample.arms))
        index[others] = mean + gamma * deviation
        ties = np.union1d(ties, others[index[others] >= best - TIE])
    return np.asarray(targets.arms[ties]), index[ties]


def _bounded(
    model: "Model",
    gamma: float,
    space: Places,
    shortlist: Shortlist | None,
    among: Subset | None,
    random: np.random.Generator,
) -> Listed:
    """Return arms among which the best is, with their means and upper bounds of their indices."""
    arms = None if among is None else among.positions
    if shortlist is not None and (arms is None or len(arms) > max(FEW, affordable(model))):
        listed = shortlist.search(model, gamma, random, None if among is None else among.mask)
        if len(listed.bounds):
            return listed
    targets = space.towards(arms, model.sample.arms)
    return Listed(targets, *model.bounds(targets, gamma))
