"""How far a model trusts single rewards: those far from what it expects count for less."""

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.policies.adaptive.model import Model
from quickdraw_bandits.policies.adaptive.sample import NOISELESS, SpaceTimeSample

SURPRISING = 2.0
"""Deviations of the noise up to which a reward has its full weight."""
STRONG = 1.0
"""Noise, in units of the signal variance, from which on every reward has its full weight."""


def trust(model: Model, latest: SpaceTimeSample) -> Floats:
    """Return the weight of each of the observations that a model was condensed from.

    A reward that differs from the mean of the model by z deviations of the noise has the weight min(1, (2 / z)²). Its
    pull on the mean then falls as 1 / z, as it does for noise of Student's distribution. Models that are fitted with
    these weights have other means, so that weights are found again with every model.

    Without noise there is nothing to distrust. Where noise is as strong as the signal or stronger, weights are 1: an
    arm may pay by rare large rewards alone, as purchases do, and without them the mean would be wrong.

    Parameters
    ----------
    model
        The model, with ``prepare`` called.
    latest
        What its sample was condensed from.
    """
    candidate, members = model.candidate, model.sample.members
    if members is None or not NOISELESS < candidate.noise < STRONG:
        return np.ones(len(latest))
    deviation = np.sqrt(candidate.noise * model.signal / latest.counts)
    surprise = np.abs(latest.means - model.fitted[members]) / deviation
    weights = (SURPRISING / np.maximum(surprise, SURPRISING)) ** 2
    return np.asarray(np.where(members < 0, latest.trust, weights))
