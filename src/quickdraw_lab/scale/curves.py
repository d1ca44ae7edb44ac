"""Time of a choice against arms and against observations, for several ways to find the arm."""

from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.interpolation.engines import EngineName
from quickdraw_lab.scale.direct import direct_index
from quickdraw_lab.scale.games import Observations, box_history, drifting_reward, informed, places, play

TOO_LONG = 2.0
"""Seconds of a choice beyond which a series ends."""
FIXED = 1000
"""Observations where arms grow, and arms where observations do."""


def _engine(name: EngineName) -> Callable[[Arms, Observations], float]:
    def seconds(arms: Arms, seen: Observations) -> float:
        n = len(seen.times)
        policy = informed(arms, seen, name)
        reward = drifting_reward(2)
        play(policy, reward, n, 10, seconds=TOO_LONG)
        return play(policy, reward, n + 10, 64, seconds=1.0)[1].choice

    return seconds


def _numpy(arms: Arms, seen: Observations) -> float:
    start = process_time()
    direct_index(seen, float(seen.times[-1]) + 1e-3, arms.points.astype(np.float64, copy=False), arms.unit).argmax()
    return process_time() - start


def _scikit_learn(arms: Arms, seen: Observations) -> float:
    """Return the seconds of a choice by a Gaussian process over place and time whose parameters are known."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, WhiteKernel

    start = process_time()
    process = GaussianProcessRegressor(RBF([0.1] * 3) + WhiteKernel(1e-3), optimizer=None)
    process.fit(np.column_stack([seen.places, seen.times]), seen.rewards)
    now = np.full(len(arms), seen.times[-1] + 1e-3)
    best = -np.inf
    for some in np.array_split(np.column_stack([arms.points, now]), -(-len(arms) // 10_000)):
        mean, std = process.predict(some, return_std=True)
        best = max(best, float((mean + 2 * std).max()))
    return process_time() - start


SERIES: dict[str, Callable[[Arms, Observations], float]] = {
    "auto": _engine("auto"),
    "tree": _engine("tree"),
    "cached": _engine("cached"),
    "exact": _engine("exact"),
    "NumPy": _numpy,
    "scikit-learn": _scikit_learn,
}
# Growth of the time with what is varied, by which to tell beforehand that the next point takes too long.
_POWER = {"observations": {"scikit-learn": 2.5}}


def points(quick: bool, known: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield a record for every point of the curves that is not known, series after series."""
    for against in ("arms", "observations"):
        most = (4 if quick else 7) if against == "arms" else (3 if quick else 5)
        sizes = [10**k for k in range(2, most + 1)]
        for name in SERIES:
            seconds = 0.0
            for size in sizes:
                old = [p for p in known if (p["against"], p["series"], p[against]) == (against, name, size)]
                if old:
                    seconds = old[0]["ms"] / 1e3
                elif seconds * 10 ** _POWER.get(against, {}).get(name, 0.5) > 5 * TOO_LONG:
                    break
                else:
                    n_arms, n = (size, FIXED) if against == "arms" else (FIXED, size)
                    seen = box_history(2, min(n, 10_000)).first(n)
                    seconds = SERIES[name](places(2, n_arms), seen)
                    yield {
                        "against": against, "series": name, "arms": n_arms, "observations": n, "ms": 1e3 * seconds,
                    }  # fmt: skip
                if seconds > TOO_LONG:
                    break
