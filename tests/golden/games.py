"""Small games, one for every policy, engine, metric and sharpness, with fixed seeds.

They use nothing but the public interface, so that they can be played before and after any change of the code behind it.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import quickdraw_bandits as qd

ROUNDS = 240
SLOW = ("GPUCB", "SlidingGPUCB")
"""Policies whose rounds are slow enough to play fewer of them."""
BOX_ROUNDS = {1: 120, 2: 30, 5: 20}
"""Rounds of the adaptive policy in boxes of so many dimensions.

Few, because places follow from rewards without noise to many digits: what rounding changed grows from round to round.
"""
ON_GRIDS = ("HOO", "BanditConvex")
"""Policies that play grids and boxes only."""


def points(metric: str, n: int, dimension: int) -> np.ndarray:
    """Return places of arms; every tenth lies where its predecessor does, so that the two tie."""
    random = np.random.default_rng(n + dimension)
    if metric == "haversine":
        places = np.column_stack([random.uniform(-1.2, 1.2, n), random.uniform(-3, 3, n)])
    elif metric == "cosine":
        places = random.normal(size=(n, dimension))
    else:
        places = random.random((n, dimension))
    places[10::10] = places[9:-1:10]
    return places


def arm_set(metric: str, n: int, dimension: int) -> tuple[qd.Arms, np.ndarray]:
    """Return arms and the coordinates that their rewards depend on."""
    places = points(metric, n, dimension)
    if metric == "precomputed":
        distances = np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=2))
        return qd.Arms(distances, metric="precomputed"), places
    return qd.Arms(places, metric=metric), places


def play(policy: Any, places: np.ndarray | None, rounds: int) -> list[Any]:
    """Play and return the choices; rewards drift, have noise, and every third comes five rounds late."""
    random = np.random.default_rng(7)
    noise = 0.05 * random.normal(size=rounds)
    chosen, late = [], []
    for k in range(rounds):
        time = 0.01 * k
        arm = policy.select(time)
        place = arm if places is None else places[arm]
        wave = float(np.sin(4 * np.sum(place) + 3 * time) + np.cos(5 * place[0] - 2 * time))
        reward = float(np.clip(0.5 + 0.2 * wave + noise[k], 0, 1))
        if k % 3:
            policy.update(time, arm, reward)
        else:
            late.append((k, time, arm, reward))
        if late and late[0][0] <= k - 5:
            policy.update(*late.pop(0)[1:])
        chosen.append([round(float(x), 9) for x in np.ravel(arm)] if places is None else arm)
    return chosen


def quick_draw(metric: str, n: int, dimension: int, parameters: dict[str, Any]) -> list[Any]:
    """Play Quick-Draw with the given parameters."""
    arms, places = arm_set(metric, n, dimension)
    return play(qd.QuickDraw(arms, seed=3, **parameters), places, ROUNDS)


def any_policy(name: str, metric: str, n: int, dimension: int, rounds: int) -> list[Any]:
    """Play a policy with its defaults."""
    arms, places = arm_set(metric, n, dimension)
    return play(getattr(qd.policies, name)(arms, seed=3), places, rounds)


def in_a_box(name: str, dimension: int, parameters: dict[str, Any], rounds: int) -> list[Any]:
    """Play a policy that takes a continuum."""
    box = qd.Box([0.0] * dimension, [1.0] * dimension)
    return play(getattr(qd.policies, name)(box, seed=3, **parameters), None, rounds)


def on_a_grid(name: str) -> list[Any]:
    """Play a policy on an evenly spaced grid."""
    arms = qd.Arms.grid(0, 1, 64)
    return play(getattr(qd.policies, name)(arms, seed=3), np.asarray(arms.points), ROUNDS)


def along_a_peak() -> list[Any]:
    """Play the adaptive policy where one peak goes to and fro, so that it follows the peak."""
    places, random = np.linspace(0, 1, 64), np.random.default_rng(7)
    policy = qd.AdaptiveQuickDraw(qd.Arms(places), seed=3)
    chosen: list[Any] = []
    for k in range(400):
        arm = int(random.integers(64)) if k < 100 else policy.select(0.01 * k)
        height = 0.5 + 0.1 * random.normal()
        nearness = 1 / (1 + ((places[arm] - abs(k / 80 % 2 - 1)) / 0.04) ** 4)
        policy.update(0.01 * k, arm, 0.05 + height * nearness + 0.02 * random.normal())
        chosen.append(arm)
    return chosen


def after_errors() -> list[Any]:
    """Play the adaptive policy after a log of noisy rewards with errors, so that it judges them in hindsight."""
    random = np.random.default_rng(8)
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 64), seed=3)
    chosen: list[Any] = []
    for k in range(250):
        arm = int(random.integers(64)) if k < 120 else policy.select(0.01 * k)
        error = 2.5 * random.choice([-1, 1]) if random.random() < 0.05 else 0.0
        policy.update(0.01 * k, arm, np.sin(arm / 10 + k / 80) + 0.1 * random.normal() + error)
        chosen.append(arm)
    return chosen


def games() -> Iterator[tuple[str, Callable[[], list[Any]]]]:
    """Yield the name of every game, and how to play it."""
    spaces = [("euclidean", 1), ("euclidean", 2), ("euclidean", 3), ("euclidean", 6)]
    spaces += [("cosine", 8), ("haversine", 2), ("precomputed", 2)]
    scales = {"length_scale": 0.5, "time_scale": 0.3}
    variants: dict[str, dict[str, Any]] = {
        "defaults": {},
        "short scales": scales,
        "many at the cap": {"cap": 0.55, **scales},
        "no exploration": {"exploration": 0.0, **scales},
        "no cap": {"cap": None, "noise_variance": 1e-3, **scales},
        "stationary": {"time_scale": None, "length_scale": 0.5},
    }
    for metric, dimension in spaces:
        for engine in ("auto", "exact", "cached", "tree"):
            if engine == "tree" and (metric != "euclidean" or dimension > 3):
                continue
            for sharpness in (1, 2, 3):
                for variant, parameters in variants.items():
                    if sharpness > 1 and variant not in ("short scales", "many at the cap"):
                        continue
                    given = {"engine": engine, "sharpness": sharpness, **parameters}
                    name = f"QuickDraw {metric} {dimension}-D {engine} sharpness {sharpness}, {variant}"
                    yield name, partial(quick_draw, metric, 150, dimension, given)
    for metric, dimension, n in (("euclidean", 1, 12_000), ("euclidean", 2, 9_000), ("cosine", 8, 2_000)):
        name = f"QuickDraw {metric} {dimension}-D auto, {n} arms"
        yield name, partial(quick_draw, metric, n, dimension, {"engine": "auto", **scales})
    # Few rounds in three dimensions: later on, rounding decides between places of the same index, and it differs
    # between a process that has just compiled the code and one that loads it (docs/architecture.md says why).
    for dimension, rounds in ((1, 150), (2, 100), (3, 14)):
        yield f"QuickDraw Box {dimension}-D", partial(in_a_box, "QuickDraw", dimension, scales, rounds)
    for dimension, rounds in BOX_ROUNDS.items():
        yield f"AdaptiveQuickDraw Box {dimension}-D", partial(in_a_box, "AdaptiveQuickDraw", dimension, {}, rounds)
    for name in ON_GRIDS:
        yield f"{name} Box 2-D", partial(in_a_box, name, 2, {}, ROUNDS)
        yield f"{name} grid 1-D", partial(on_a_grid, name)
    for metric, dimension in spaces:
        yield (
            f"AdaptiveQuickDraw {metric} {dimension}-D",
            partial(any_policy, "AdaptiveQuickDraw", metric, 150, dimension, ROUNDS),
        )
    yield "AdaptiveQuickDraw along a peak", along_a_peak
    yield "AdaptiveQuickDraw after errors", after_errors
    for metric, dimension in (("euclidean", 1), ("euclidean", 2), ("cosine", 8)):
        name = f"AdaptiveQuickDraw {metric} {dimension}-D, 6000 arms"
        yield name, partial(any_policy, "AdaptiveQuickDraw", metric, 6_000, dimension, ROUNDS)
    for name in qd.policies.__all__:
        if name not in ("Policy", "Scales", "Explanation", "QuickDraw", "AdaptiveQuickDraw", *ON_GRIDS):
            for metric, dimension in (("euclidean", 1), ("euclidean", 2), ("cosine", 8)):
                rounds = 60 if name in SLOW else ROUNDS
                yield f"{name} {metric} {dimension}-D", partial(any_policy, name, metric, 60, dimension, rounds)
