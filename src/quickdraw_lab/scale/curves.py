"""Time of a choice against the number of arms and of observations, for several methods."""

from collections.abc import Callable, Iterator
from time import process_time
from typing import Literal, TypedDict

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.interpolation.engines.registry import EngineName
from quickdraw_lab.scale.direct import direct_index
from quickdraw_lab.scale.histories import History, box_history, drifting_reward, informed, places, play

TOO_LONG = 2.0
"""A series ends when a choice takes more seconds."""

FIXED = 1000
"""Number of observations where arms vary, and of arms where observations vary."""


Varied = Literal["arms", "observations"]
VARIED: tuple[Varied, Varied] = ("arms", "observations")


class Point(TypedDict):
    """One point of the curves: milliseconds of a choice, by what is varied and how the arm is found."""

    against: Varied
    series: str
    arms: int
    observations: int
    ms: float


def _engine(name: EngineName) -> Callable[[Arms, History], float]:
    def seconds(arms: Arms, seen: History) -> float:
        n = len(seen.times)
        policy = informed(arms, seen, name)
        reward = drifting_reward(2)
        play(policy, reward, n, 10, seconds=TOO_LONG)
        return play(policy, reward, n + 10, 64, seconds=1.0)[1].choice

    return seconds


def _numpy(arms: Arms, seen: History) -> float:
    start = process_time()
    direct_index(seen, float(seen.times[-1]) + 1e-3, arms.points.astype(np.float64, copy=False), arms.unit).argmax()
    return process_time() - start


def _scikit_learn(arms: Arms, seen: History) -> float:
    """Return the seconds of a choice by a Gaussian process over place and time with fixed parameters."""
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


SERIES: dict[str, Callable[[Arms, History], float]] = {
    "auto": _engine("auto"),
    "tree": _engine("tree"),
    "cached": _engine("cached"),
    "exact": _engine("exact"),
    "NumPy": _numpy,
    "scikit-learn": _scikit_learn,
}
# Exponent by which the time grows (0.5 if not given), to skip points that would take too long.
_POWER = {"observations": {"scikit-learn": 2.5}}


def points(quick: bool, known: list[Point]) -> Iterator[Point]:
    """Yield one record per point that is not known yet, series after series."""
    for against in VARIED:
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
