"""What a policy believes over arms and time, with the latest decisions: what the live page draws."""

import math

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_service.answers import Chosen, History, LogRows
from quickdraw_service.errors import BadRequestError
from quickdraw_service.learner import Learner


def history(learner: Learner, latest: LogRows, times: int, points: int) -> History:
    """Return mean and deviation at up to ``points`` arms and ``times`` times that span the latest decisions.

    All of it is estimated from what is known now, so that the past is seen with the rewards that came later. For a
    policy that has no estimate it is NaN.

    Parameters
    ----------
    learner
        The experiment.
    latest
        Its latest decisions, the oldest first.
    times, points
        Rows and columns at most.
    """
    arms = learner.arms
    some = np.unique(np.linspace(0, len(arms) - 1, min(points, len(arms))).round().astype(np.int64))
    moments = _moments(latest.times, times)
    shape = len(moments), len(some)
    mean, deviation = np.full(shape, np.nan), np.full(shape, np.nan)
    try:
        with learner.asking() as policy:
            if policy.n_observations:
                for row, time in enumerate(moments):
                    mean[row], deviation[row] = policy.estimate(float(time), some)
    except NotImplementedError:
        pass  # a policy without an estimate: its decisions and rewards are shown all the same
    except ValueError as error:
        raise BadRequestError(str(error)) from error
    places = np.empty((len(arms), 0)) if arms.metric == "precomputed" else arms.points
    labels = None if isinstance(arms.labels, range) else [str(label) for label in arms.labels[some]]
    rewards = [None if math.isnan(reward) else reward for reward in latest.rewards.tolist()]
    chosen = Chosen(
        latest.ids,
        latest.times.tolist(),
        latest.arms.tolist(),
        places[latest.arms].tolist(),
        rewards,
        latest.propensities.tolist(),
    )
    scales = sorted(learner.scales_over_time, key=lambda each: each.time)  # decisions may be written out of their order
    return History(moments, some, labels, places[some].astype(np.float64), mean, deviation, chosen, scales)


def _moments(times: Floats, most: int) -> Floats:
    """Return evenly spaced times from the first to the last of some."""
    if len(times) == 0:
        return np.empty(0)
    low, high = float(times.min()), float(times.max())
    return np.linspace(low, high, most) if high > low else np.array([low])
