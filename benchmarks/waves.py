"""Rewards that drift over points of any number of dimensions."""

import numpy as np

import quickdraw_bandits as qd

WAVES = 200
TOGETHER = 4096
"""Points whose index is computed at a time, the most promising first."""


class Waves:
    """A random field of variance 1 with a Gaussian covariance: a sum of plane waves.

    Parameters
    ----------
    dimension
        How many coordinates a point has.
    length, age
        Correlation lengths over the coordinates and over time.
    seed
        Draws the waves.
    """

    def __init__(self, dimension: int, length: float, age: float, seed: int) -> None:
        random = np.random.default_rng([seed, 2])
        self._k = random.normal(size=(WAVES, dimension)) / length
        self._w = random.normal(size=WAVES) / age
        self._phase = random.uniform(0, 2 * np.pi, WAVES)

    def at(self, place: np.ndarray, time: float) -> float:
        """Return the field at a place and a time."""
        return float(np.sqrt(2 / WAVES) * np.cos(self._k @ place + self._w * time + self._phase).sum())


def shortfall(policy: qd.AdaptiveQuickDraw, time: float, chosen: object, columns: np.ndarray) -> float:
    """Return by how much the index of a choice is below the largest at some points, in units of gamma; 0 if it is not.

    Parameters
    ----------
    policy
        The policy that has just made the choice. It made none that continues a stay.
    time, chosen
        Of the choice.
    columns
        The points in the policy's own units, one row per dimension: all arms of a set, or any points of a box.
    """
    from quickdraw_bandits.policies.adaptive.space import NONE, Targets

    belief = policy._model(time, 0)
    model, gamma = belief.model, belief.exploration * float(np.sqrt(belief.model.signal))
    mean, deviation = model.estimate(policy._space.towards(np.asarray(chosen)[None], model.sample.arms))
    own = float(mean[0] + gamma * deviation[0])
    _, bounds = model.bounds(Targets(columns, NONE, np.arange(columns.shape[1])), gamma)
    higher = np.flatnonzero(bounds > own)
    higher = higher[np.argsort(-bounds[higher])]
    largest = own
    for start in range(0, len(higher), TOGETHER):
        some = higher[start : start + TOGETHER]
        if bounds[some[0]] <= largest:  # and so are all others
            break
        mean, deviation = model.estimate(Targets(np.ascontiguousarray(columns[:, some]), NONE, some))
        largest = max(largest, float((mean + gamma * deviation).max()))
    return (largest - own) / gamma
