"""Answers that change nothing: what an experiment is, knows and believes."""

import math
from collections.abc import Sequence

import numpy as np

from quickdraw_bandits import Arms
from quickdraw_service.answers import Belief, LogRows, Summary, Weighed, Why
from quickdraw_service.errors import BadRequestError
from quickdraw_service.experiment import Experiment
from quickdraw_service.learner import Learner
from quickdraw_service.stores.store import LoggedDecision

CANNOT = "Its decisions, its log and its evaluation can be asked for all the same."
"""Advice where a policy cannot say what it believes."""


def summary(experiment: Experiment, now: float) -> Summary:
    """Return an experiment as it stands when the server's clock shows ``now``."""
    learner = experiment.learner
    retired = learner.policy._retired
    return Summary(
        name=experiment.name,
        definition=experiment.definition,
        created=experiment.created,
        n_arms=len(learner.arms),
        n_retired=0 if retired is None else int(retired.sum()),
        dimension=learner.arms.dimension,
        decisions=learner.counts.decisions,
        rewards=learner.counts.rewards,
        observations=learner.counts.observations,
        pending=learner.n_pending(now),
        latest_time=learner.latest_time if math.isfinite(learner.latest_time) else None,
        position=learner.position,
        lag=max(0, experiment.last_position - learner.position),
        scales=learner.scales,
    )


def belief(learner: Learner, time: float, points: int) -> Belief:
    """Return what is believed at ``points`` arms from the first to the last, or at all arms if there are fewer.

    The arm most likely to be chosen is among them: it takes the place of the one nearest to it.
    """
    arms = learner.arms
    some = np.unique(np.linspace(0, len(arms) - 1, min(points, len(arms))).round().astype(np.int64))
    try:
        with learner.asking() as policy:
            if len(some) < len(arms) and policy.n_observations:
                best = int(np.argmax(policy.probabilities(time)))
                some[np.argmin(np.abs(some - best))] = best
            mean, deviation = policy.estimate(time, some)
            index = policy.index(time, some)
    except NotImplementedError as error:
        raise BadRequestError(str(error), CANNOT) from error
    except ValueError as error:
        raise BadRequestError(str(error)) from error
    labels = None if isinstance(arms.labels, range) else [str(label) for label in arms.labels[some]]
    places = np.empty((len(some), 0)) if arms.metric == "precomputed" else arms.points[some].astype(np.float64)
    return Belief(time, some, labels, places, mean, deviation, index)


def explain(learner: Learner, arm: int | str, time: float, most: int) -> Why:
    """Return the estimate at an arm, and the observations that weigh most in it."""
    arms = learner.arms
    try:
        position = int(learner.positions([arm], "arm")[0])  # type: ignore[arg-type]
        with learner.asking() as policy:
            found = policy.explain(time, position, most)
    except NotImplementedError as error:
        raise BadRequestError(str(error), CANNOT) from error
    except ValueError as error:
        raise BadRequestError(str(error)) from error
    columns = (found.times, found.ages, found.arms, found.distances, found.rewards, found.counts, found.weights)
    weighed = [
        Weighed(when, age, which, _label(arms, which), distance, reward, count, weight)
        for when, age, which, distance, reward, count, weight in zip(*(c.tolist() for c in columns), strict=True)
    ]
    return Why(time, position, _label(arms, position), found.mean, found.deviation, found.index, weighed)


def _label(arms: Arms, position: int) -> str | None:
    return None if isinstance(arms.labels, range) else str(arms.labels[position])


def log_rows(arms: Arms, rows: Sequence[LoggedDecision]) -> LogRows:
    """Return decisions as columns."""
    positions = np.array([row.arm for row in rows], dtype=np.int64)
    return LogRows(
        ids=[row.id for row in rows],
        times=np.array([row.time for row in rows], dtype=np.float64),
        arms=positions,
        labels=None if isinstance(arms.labels, range) else [str(label) for label in arms.labels[positions]],
        rewards=np.array([math.nan if row.reward is None else row.reward for row in rows], dtype=np.float64),
        propensities=np.array([row.probability for row in rows], dtype=np.float64),
    )
