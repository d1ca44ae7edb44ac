"""Pending pulls in the adaptive policy's model."""

from typing import TYPE_CHECKING, Any

import numpy as np

from quickdraw_bandits.checks import Floats, Integers

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive.model import Model
    from quickdraw_bandits.policies.adaptive_quick_draw import AdaptiveQuickDraw

LATEST = 256
"""How many of the latest pending pulls count; those almost alike are merged."""
MOST = 64
"""Points that stand for pending pulls at most."""


def with_pending(policy: "AdaptiveQuickDraw[Any]", model: "Model", time: float) -> "Model":
    """Return the model with pending pulls as observations of its mean, which lowers the deviation around them."""
    if len(policy._pending) == 0:
        return model
    times, arms = policy._pending.arrays()
    latest = np.argsort(times, kind="stable")[::-1][:LATEST]
    pulled = np.ascontiguousarray(arms[latest])
    steps = policy._steps.steps(times[latest], time)
    return with_pulls(model, policy._space.places(pulled), policy._space.numbers(pulled), steps)


def with_pulls(model: "Model", points: Floats, arms: Integers, times: Floats) -> "Model":
    """Return the model with pulls as observations of its own mean at their arms and times.

    Such an observation changes no mean, and lowers the variance around it. Near duplicates are merged.

    Parameters
    ----------
    model
        The model of what was observed.
    points, arms
        Coordinates and positions of the arms that were pulled, the latest first.
    times
        When, in steps of the clock, 0 being now.
    """
    from quickdraw_bandits.policies.adaptive.model import Model  # imports numba
    from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample

    sample, candidate = model.sample, model.candidate
    nothing = np.zeros(len(arms))
    merged = points, np.ones(len(arms)), nothing, nothing
    pulls = SpaceTimeSample(*merged, times, arms, sample.matrix, np.arange(len(arms)))
    pulls = pulls.condensed(candidate, MOST)
    joined = SpaceTimeSample(
        np.concatenate([sample.points, pulls.points]),
        np.concatenate([sample.counts, pulls.counts]),
        np.concatenate([sample.means, model.mean_at(pulls)]),
        np.concatenate([sample.spreads, pulls.spreads]),
        np.concatenate([sample.times, pulls.times]),
        np.concatenate([sample.arms, pulls.arms]),
        sample.matrix,
        np.concatenate([sample.rows, np.full(len(pulls), -1)]),
    )
    believed = Model(joined, candidate)
    if not believed.fits:  # distances without coordinates
        return model
    believed.prepare(model.level)
    believed.signal, believed.uncertain_signal = model.signal, model.uncertain_signal
    return believed
