"""The unit of distance of arms in parts: the same, to the last digit, as that of one ``Arms`` set."""

from functools import reduce
from math import pi

import numpy as np

from quickdraw_bandits.arms import METRICS, Metric
from quickdraw_bandits.arms.arms import checked_unit
from quickdraw_bandits.arms.metrics import EXACT_DIAMETER_UP_TO, diagonal, diameter
from quickdraw_bandits.distributed.fleet import Fleet
from quickdraw_bandits.distributed.shard import Frame, Summary
from quickdraw_bandits.distributed.sharded_arms import ShardedArms


def check_metric(metric: Metric) -> None:
    """Raise an error for a metric that arms in parts cannot have."""
    if metric not in METRICS:
        raise ValueError(f"metric must be one of {', '.join(METRICS)}, got {metric!r}")
    if metric == "precomputed":
        raise NotImplementedError(
            "arms in parts need coordinates, since no shard has the distances to arms of others; use QuickDraw in one "
            "process, or coordinates of the arms"
        )


def measured(fleet: Fleet, metric: Metric) -> ShardedArms:
    """Ask all shards for what tells the unit of distance, and return the arms of all."""
    everyone = range(len(fleet.members))
    answers = fleet.ask(dict.fromkeys(everyone, ("summary",)), wait=True)
    summaries: list[Summary] = [answers[k] for k in everyone]
    first = summaries[0]
    for k, summary in enumerate(summaries):
        for what, here, there in (
            ("coordinates", len(summary.low), len(first.low)),
            ("numbers of the type", summary.type, first.type),
        ):
            if here != there:
                raise ValueError(f"parts[{k}] must have {what} as parts[0], {there}, got {here}")
    low = reduce(np.minimum, [summary.low for summary in summaries])
    high = reduce(np.maximum, [summary.high for summary in summaries])
    fleet.summaries = list(summaries)
    counts = [summary.n_arms for summary in summaries]
    with np.errstate(over="ignore"):
        unit = checked_unit(_diameter(fleet, metric, counts, high - low))
    return ShardedArms(metric, counts, Frame(unit, low, high))


def _diameter(fleet: Fleet, metric: Metric, counts: list[int], extent: np.ndarray) -> float:
    """Do as ``arms.metrics.diameter`` does."""
    everyone = range(len(fleet.members))
    if metric == "euclidean" and len(extent) == 1:
        return float(extent[0])
    if sum(counts) <= EXACT_DIAMETER_UP_TO:
        points = fleet.ask(dict.fromkeys(everyone, ("points",)), wait=True)
        return diameter(metric, np.concatenate([points[k] for k in everyone]))
    if metric == "euclidean":
        return diagonal(extent)
    if metric == "cosine":
        return 2.0
    [place] = fleet.ask({0: ("places", np.array([0]))}, wait=True)[0]
    farthest = fleet.ask(dict.fromkeys(everyone, ("farthest", place)), wait=True)
    return min(pi, 2 * float(max(farthest.values())))
