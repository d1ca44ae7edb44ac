"""The adaptive policy in a box of two dimensions, against a grid of a million points.

``python -m benchmarks.continuum --fields 20`` plays both on the same fields. It measures how far the index of a choice
in the box is below the largest on the grid, and what either policy was paid. It fails if an index is below by more than
0.01 gamma, or if the policy on the grid was paid more, by more than chance explains.
"""

import argparse
import sys
import time

import numpy as np

import quickdraw_bandits as qd
from benchmarks.waves import Waves, shortfall

SETTINGS = ((0.1, 100.0, 0.0), (0.2, 100.0, 0.1), (0.1, 1000.0, 0.1), (0.4, 1000.0, 0.5))
"""Length over the arms, where the box has sides of 1; length over time in rounds; noise. One after the other."""
ROUNDS, FIRST, EVERY = 200, 20, 20
"""Rounds of a game; those in which the index is compared with the grid."""
LIMIT = 0.01


def grid(side: int) -> np.ndarray:
    """Return points of an even grid over the box, of shape (side², 2)."""
    axis = np.linspace(0.0, 1.0, side)
    return np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)


def play(policy: qd.AdaptiveQuickDraw, field: int, places: np.ndarray | None, compared: np.ndarray | None) -> tuple:
    """Return mean rewards without their noise, shortfalls of the index, and the median time of a choice."""
    length, age, noise = SETTINGS[field % len(SETTINGS)]
    waves, random = Waves(2, length, age, field), np.random.default_rng([field, 1])
    paid, below, seconds = [], [], []
    for k in range(ROUNDS):
        measured = compared is not None and k >= FIRST and k % EVERY == 0
        if measured:
            policy._stay = None
        start = time.thread_time()
        arm = policy.select(float(k))
        seconds.append(time.thread_time() - start)
        if measured:
            below.append(shortfall(policy, float(k), arm, compared))
        mean = waves.at(arm if places is None else places[arm], k)
        paid.append(mean)
        policy.update(float(k), arm, mean + noise * random.normal())
    return float(np.mean(paid[FIRST:])), below, float(np.median(seconds[FIRST:]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fields", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--side", type=int, default=1000, help="points along each side of the grid")
    given = parser.parse_args()
    places = grid(given.side)
    arms, columns = qd.Arms(places), np.ascontiguousarray(places.T) / np.sqrt(2)
    gains, below, times = [], [], []
    for field in range(given.first_seed, given.first_seed + given.fields):
        in_box, some, ours = play(
            qd.AdaptiveQuickDraw(qd.Box([0.0, 0.0], [1.0, 1.0]), seed=field), field, None, columns
        )
        on_grid, _, other = play(qd.AdaptiveQuickDraw(arms, seed=field), field, places, None)
        gains.append(in_box - on_grid)
        below += some
        times.append((ours, other))
        print(f"field {field}: {in_box:.3f} in the box, {on_grid:.3f} on the grid", file=sys.stderr, flush=True)
    error = 1.96 * float(np.std(gains, ddof=1)) / len(gains) ** 0.5
    ours, other = np.median(times, axis=0) * 1e3
    print(f"index below the grid's largest, in gamma: mean {np.mean(below):.4f}, most {max(below):.4f}")
    print(f"mean reward in the box less that on the grid: {np.mean(gains):+.4f} ± {error:.4f}")
    print(f"time of a choice: {ours:.1f} ms in the box, {other:.1f} ms on the grid")
    return 0 if max(below) <= LIMIT and np.mean(gains) > -error else 1


if __name__ == "__main__":
    sys.exit(main())
