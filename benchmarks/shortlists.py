"""What the adaptive policy's shortlists miss among very many arms, and what a choice costs.

``python -m benchmarks.shortlists`` plays fields over 10^5 arms, with ``--arms`` over another number. It compares the
index of choices with the largest of all arms, and prints a table. ``--out`` adds its rows to a file. Arms are spread
evenly, or in 200 clusters with some arms far from all others. Times are processor times.
"""

import argparse
import csv
import sys
import time
from pathlib import Path

import numpy as np

import quickdraw_bandits as qd
from benchmarks.waves import Waves, shortfall

SETTINGS = ((0.1, 100.0, 0.0), (0.3, 100.0, 0.1), (0.3, 1000.0, 0.5), (0.1, 1000.0, 0.1))
"""Length over the arms in diameters, length over time in rounds, noise. One after the other."""
ROUNDS, FIRST, EVERY = 300, 30, 10
"""Rounds of a game; those in which a choice is compared with all arms."""
COLUMNS = ("version", "arms", "dimension", "metric", "spread", "choices", "mean", "p99", "most", "ms")


def places(spread: str, metric: str, n: int, dimension: int) -> np.ndarray:
    """Return coordinates of arms; directions for the cosine distance."""
    random = np.random.default_rng([n, dimension])
    if spread == "even":
        return random.normal(size=(n, dimension)) if metric == "cosine" else random.random((n, dimension))
    radii = 0.5 * random.gamma(2.0, 0.5, size=(n, 1))
    return random.normal(size=(200, dimension))[random.integers(200, size=n)] + radii * random.normal(
        size=(n, dimension)
    )


def measure(arms: qd.Arms, fields: range) -> tuple[list[float], float]:
    """Return shortfalls of the index, in units of gamma, and the median time of a choice in milliseconds."""
    below, seconds = [], []
    for field in fields:
        length, age, noise = SETTINGS[field % len(SETTINGS)]
        policy, random = qd.AdaptiveQuickDraw(arms, seed=field), np.random.default_rng([field, 1])
        points = policy._space.points
        waves = Waves(points.shape[1], length, age, field)
        for k in range(ROUNDS):
            measured = k >= FIRST and k % EVERY == 0
            if measured:
                policy._stay = None
            start = time.thread_time()
            arm = policy.select(float(k))
            if measured:
                seconds.append(time.thread_time() - start)
                below.append(shortfall(policy, float(k), arm, policy._space.columns))
            policy.update(float(k), arm, waves.at(points[arm], k) + noise * random.normal())
    return below, 1e3 * float(np.median(seconds))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arms", type=float, default=1e5)
    parser.add_argument("--dimensions", type=int, nargs="+", default=[2, 5, 16, 64])
    parser.add_argument("--fields", type=int, default=4)
    parser.add_argument("--first-field", type=int, default=0)
    parser.add_argument("--metrics", nargs="+", default=["euclidean", "cosine"])
    parser.add_argument("--spreads", nargs="+", default=["even", "clusters"])
    parser.add_argument("--version", default="now", help="what the rows are called in the file")
    parser.add_argument("--out", type=Path, help="a .csv file")
    given = parser.parse_args()
    met = True
    print("| arms | d | metric | spread | mean | p99 | most | ms |", "|---|---|---|---|---|---|---|---|", sep="\n")
    for dimension in given.dimensions:
        for metric in given.metrics:
            for spread in given.spreads:
                arms = qd.Arms(places(spread, metric, int(given.arms), dimension), metric=metric)
                below, ms = measure(arms, range(given.first_field, given.first_field + given.fields))
                mean, p99, most = float(np.mean(below)), float(np.percentile(below, 99)), max(below)
                met &= mean <= 0.01 and p99 <= 0.05
                print(f"| {len(arms):,} | {dimension} | {metric} | {spread} | ", end="")
                print(f"{mean:.4f} | {p99:.3f} | {most:.3f} | {ms:.1f} |", flush=True)
                row = [given.version, len(arms), dimension, metric, spread, len(below)]
                if given.out:
                    with given.out.open("a", newline="") as file:
                        writer = csv.writer(file)
                        if file.tell() == 0:
                            writer.writerow(COLUMNS)
                        writer.writerow([*row, f"{mean:.5f}", f"{p99:.4f}", f"{most:.4f}", f"{ms:.2f}"])
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
