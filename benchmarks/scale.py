"""How long a choice takes with very many arms and observations, against the direct sum in NumPy.

Histories are those that the policy itself makes on a reward that drifts, 1000 rounds to a unit of time. The direct sum
is timed at a sample of arms, in the same run, and scaled up to all of them.

Run ``python benchmarks/scale.py`` for the table and ``--out FILE`` to write it as JSON; ``--quick`` leaves out the
histories that take long to make.
"""

import argparse
import json
import platform
import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import quickdraw_bandits as qd

ROUND = 1e-3
WARMUP = 100


@dataclass(frozen=True)
class Row:
    """One line of the table, times in milliseconds."""

    arms: str
    observations: int
    choice: float
    update: float
    direct: float
    ratio: float
    wanted: str


def drifting_reward(dimension: int, seed: int = 0) -> Any:
    """Return a function of place and time: a sum of plane waves, about a Gaussian field of length 0.1 each way."""
    random = np.random.default_rng(seed)
    k = random.normal(size=(150, dimension)) * np.sqrt(np.pi / 2) / 0.1
    w = random.normal(size=150) * np.sqrt(np.pi / 2) / 0.1
    phase = random.uniform(0, 2 * np.pi, 150)

    def reward(place: np.ndarray, now: float) -> float:
        return float(np.clip(0.5 + np.cos(k @ place + w * now + phase).sum() * np.sqrt(2 / 150) / 6, 0, 1))

    return reward


def play(policy: qd.QuickDraw, n: int, reward: Any, start: int = 0) -> tuple[Any, list[float], list[float]]:
    """Play ``n`` rounds; return observations, and the milliseconds that choices and updates took."""
    clock = time.perf_counter
    arms, rewards, choices, updates = [], [], [], []
    for i in range(start, start + n):
        now = i * ROUND
        begin = clock()
        arm = policy.select(now)
        chosen = clock()
        place = arm if isinstance(policy.arms, qd.Box) else policy.arms.points[arm]
        paid = reward(place, now)
        learning = clock()
        policy.update(now, arm, paid)
        updates.append(1e3 * (clock() - learning))
        choices.append(1e3 * (chosen - begin))
        arms.append(place)
        rewards.append(paid)
    return (np.arange(start, start + n) * ROUND, np.array(arms), np.array(rewards)), choices, updates


def history(dimension: int, n: int, tolerance: float) -> Any:
    """Return times, places and rewards of ``n`` rounds on a continuum."""
    policy = qd.QuickDraw(qd.Box([-1.0] * dimension, [1.0] * dimension), tolerance=tolerance, seed=0)
    return play(policy, n, drifting_reward(dimension))[0]


def arm_set(dimension: int, n: int) -> qd.Arms:
    """Return arms on a grid in one dimension, at random places in others."""
    if dimension == 1:
        return qd.Arms.grid(-1, 1, n)
    points = np.random.default_rng(1).uniform(-1, 1, (n, dimension))
    # Corners, so that the unit of distance is that of the box.
    points[0], points[1] = -1.0, 1.0
    return qd.Arms(points)


def nearest(arms: qd.Arms, places: np.ndarray) -> np.ndarray:
    """Return for every place the position of the arm nearest to it."""
    from scipy.spatial import KDTree

    return np.asarray(KDTree(arms.points).query(places)[1])


def direct_choice(seen: Any, now: float, unit: float, n_arms: int, sample: int = 200) -> float:
    """Return the milliseconds of one choice by the direct sum in vectorised NumPy, from a sample of arms."""
    times, places, rewards = seen
    points = np.random.default_rng(2).uniform(-1, 1, (sample, places.shape[1]))
    coordinates = [np.ascontiguousarray(places[:, j]) / unit for j in range(places.shape[1])]
    begin = time.perf_counter()
    terms = 1e-7 + (now - times) ** 2
    rows = max(1, 2**18 // len(times))
    index = []
    for start in range(0, sample, rows):
        some = points[start : start + rows] / unit
        r2 = np.broadcast_to(terms, (len(some), len(terms))).copy()
        for j, x in enumerate(coordinates):
            d = some[:, j, None] - x
            d *= d
            r2 += d
        nu = np.divide(1.0, r2, out=r2)
        total = nu.sum(axis=1)
        index.append(nu @ rewards / total + 2 / np.sqrt(total))
    np.argmax(np.concatenate(index))
    return 1e3 * (time.perf_counter() - begin) * n_arms / sample


def measure(arms: qd.Arms | qd.Box, name: str, seen: Any, wanted: str, rounds: int = 200, n_direct: int = 10**6) -> Row:
    """Load a history, play on, and compare with the direct sum."""
    times, places, rewards = seen
    n = len(times)
    policy = qd.QuickDraw(arms, engine="tree", seed=0)
    policy.update(times, places if isinstance(arms, qd.Box) else nearest(arms, places), rewards)
    reward = drifting_reward(places.shape[1])
    play(policy, WARMUP, reward, n)
    _, choices, updates = play(policy, rounds, reward, n + WARMUP)
    direct = min(direct_choice(seen, n * ROUND, arms.unit, n_direct) for _ in range(3))
    choice = float(np.mean(choices))
    return Row(name, n, choice, float(np.mean(updates)), direct, direct / choice, wanted)


def measure_cached(n_arms: int, n: int, rounds: int = 200) -> Row:
    """Time rounds (choice and update) by cosine in 32 dimensions; "direct" is one pass over the coordinates."""
    random = np.random.default_rng(3)
    arms = qd.Arms(random.normal(size=(n_arms, 32)), metric="cosine")
    direction = arms.points[0].copy()

    def reward(place: np.ndarray, now: float) -> float:
        return float(0.5 + 0.4 * np.sin(3 * place @ direction + 10 * now))

    policy = qd.QuickDraw(arms, engine="cached", seed=0)
    seen = random.integers(n_arms, size=n)
    times = np.arange(n) * ROUND
    policy.update(times, seen, [reward(arms.points[arm], now) for arm, now in zip(seen, times, strict=True)])
    play(policy, 20, reward, n)
    _, choices, updates = play(policy, rounds, reward, n + 20)
    passes = []
    for _ in range(5):
        begin = time.perf_counter()
        arms.points @ direction
        passes.append(1e3 * (time.perf_counter() - begin))
    choice, update = float(np.mean(choices)), float(np.mean(updates))
    return Row(f"{n_arms:,}, cosine 32-D", n, choice, update, min(passes), min(passes) / (choice + update), "1/12")


def run(quick: bool = False) -> list[Row]:
    """Return the table."""
    rows = []
    many = 10**4 if quick else 10**5
    rows.append(measure(arm_set(1, 10**6), "10^6 on a line", history(1, many, 1e-3), "1,000,000"))
    plane = history(2, many, 1e-2)
    rows.append(measure(arm_set(2, 10**6), "10^6 in 2-D", plane, "100,000"))
    rows.append(measure(arm_set(2, 10**7), "10^7 in 2-D", plane, "1.5 times the cost of 10^6", n_direct=10**7))
    rows.append(measure(arm_set(2, 10**6), "10^6 in 2-D", tuple(part[: 10**4] for part in plane), ""))
    box = qd.Box([-1.0] * 3, [1.0] * 3)
    rows.append(measure(box, "continuum in 3-D", history(3, many // 10, 1e-2), "5,000", rounds=50))
    rows.extend(measure_cached(10**5 if not quick else 10**4, n) for n in (10**3, many // 10))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="shorter histories")
    parser.add_argument("--out", help="file to write the table to, as JSON")
    arguments = parser.parse_args()
    rows = run(arguments.quick)
    for row in rows:
        print(
            f"{row.arms:18} {row.observations:9,} observations: choice {row.choice:9.3f} ms, "
            f"update {row.update:7.3f} ms, direct {row.direct:13,.0f} ms, "
            f"ratio {row.ratio:13,.4g} (wanted {row.wanted})"
        )
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as file:
            machine = {"processor": platform.processor() or platform.machine(), "python": platform.python_version()}
            json.dump({"machine": machine, "rows": [asdict(row) for row in rows]}, file, indent=2)


if __name__ == "__main__":
    main()
