"""Time to build a set of ten million arms."""

import numpy as np

import quickdraw_bandits as qd
from benchmarks.row import Row, at_most, best_of


def run() -> list[Row]:
    """Compare with copying the array, which ``Arms`` has to do in any case."""
    points = np.random.default_rng(0).random((10**7, 2))
    ours, copy = best_of(3, lambda: qd.Arms(points), points.copy)
    return [at_most("ten million arms in 2-D, against copying the array", ours, copy, 30)]
