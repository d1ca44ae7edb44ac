"""Which observations weigh most in the adaptive policy's estimate of an arm."""

from typing import TYPE_CHECKING, Any

import numpy as np

from quickdraw_bandits.policies.adaptive.belief import LARGEST
from quickdraw_bandits.policies.adaptive.explanation import Explanation

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive_quick_draw import AdaptiveQuickDraw


def explained(policy: "AdaptiveQuickDraw[Any]", time: float, alone: Any, most: int) -> Explanation:
    """Return the estimate of one arm, and the ``most`` observations of the largest weights in its mean.

    ``alone`` is an array with the arm as its only entry: a position, or coordinates.
    """
    if policy.n_observations == 0:
        return Explanation.of_nothing()
    belief = policy._model(time, 0)
    model, sample = belief.model, belief.model.sample
    mean, deviation = (float(value[0]) for value in policy._estimate(time, alone))
    weights = model.influence(policy._space.towards(alone, sample.arms))
    order = np.argsort(-np.abs(weights), kind="stable")[:most]
    pulled = policy._pool.times[sample.rows][order]
    seen = policy._pool.arms[sample.rows][order]
    return Explanation(
        mean,
        deviation,
        float(policy._index(time, alone)[0]),
        policy._clock.original(pulled),
        np.clip(time / 2 - pulled / 2, -LARGEST / 2, LARGEST / 2) * 2,
        seen,
        policy._distances(alone, seen),
        belief.rewards(sample.means[order] - model.level),
        sample.counts[order],
        weights[order],
    )
