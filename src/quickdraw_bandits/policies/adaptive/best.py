"""The arms of the largest index of a model: of all, of some, or of those on a shortlist."""

from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.policies.adaptive.shortlist import MOST_BOUNDED, Shortlist
from quickdraw_bandits.policies.adaptive.space import Places

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive.model import Model

TIE = 1e-9
"""Indices closer than this, in units of the rewards' range, count as equal."""
SLACK = 0.02
"""How far below the largest index that of the arm chosen from a shortlist may be, in units of gamma."""


def best_arms(
    model: "Model",
    gamma: float,
    space: Places,
    shortlist: Shortlist | None,
    among: Subset | None,
    random: np.random.Generator,
) -> tuple[Integers, Floats]:
    """Return the arms of the largest index, up to rounding, and their index; of very many, of those on a shortlist."""
    arms: Integers | None = None if among is None else among.positions
    slack = 0.0
    if shortlist is not None and (arms is None or len(arms) > MOST_BOUNDED):
        listed = shortlist.search(model, gamma, random).arms
        if len(shortlist.added):
            listed = np.concatenate([listed, shortlist.added])
        if among is not None:
            listed = listed[among.mask[listed]]
        if len(listed):
            arms, slack = listed, SLACK * gamma
    targets = space.towards(arms, model.sample.arms)
    index, exact, best = model.largest(targets, gamma, slack)
    near = np.flatnonzero((index >= best - TIE) & (exact | (index <= best + TIE)))
    ties = near[exact[near]]
    others = near[~exact[near]]
    if len(others):  # bounds that reach the largest: the index itself may
        mean, deviation = model.estimate(space.towards(targets.arms[others], model.sample.arms))
        index[others] = mean + gamma * deviation
        ties = np.union1d(ties, others[index[others] >= best - TIE])
    return (ties if arms is None else arms[ties]), index[ties]
