"""The adaptive policy in a box of two dimensions, against a grid of a million points.

``python -m benchmarks.continuum --fields 20 --seeds 4`` plays both on the same fields, with the same noise, four games
each. It measures how far the index of a choice in the box is below the largest on the grid, and what either policy was
paid. It fails if an index is below by more than 0.01 gamma, or if the policy on the grid was paid more, by more than
chance explains. ``--out`` adds a row per game to a file; ``--first-field`` continues one.
"""

import argparse
import csv
import sys
import time
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np

import quickdraw_bandits as qd
from benchmarks.waves import Waves, shortfall

SETTINGS = ((0.1, 100.0, 0.0), (0.2, 100.0, 0.1), (0.1, 1000.0, 0.1), (0.4, 1000.0, 0.5))
"""Length over the arms, where the box has sides of 1; length over time in rounds; noise. One after the other."""
ROUNDS, FIRST, EVERY = 1000, 50, 50
"""Rounds of a game; those in which the index is compared with the grid."""
LIMIT = 0.01


def grid(side: int) -> np.ndarray:
    """Return points of an even grid over the box, of shape (side², 2)."""
    axis = np.linspace(0.0, 1.0, side)
    return np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)


def play(
    policy: qd.AdaptiveQuickDraw, field: int, seed: int, places: np.ndarray | None, compared: np.ndarray | None
) -> tuple:
    """Return mean rewards without their noise, shortfalls of the index, and the median time of a choice."""
    length, age, noise = SETTINGS[field % len(SETTINGS)]
    waves, random = Waves(2, length, age, field), np.random.default_rng([field, seed])
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
    parser.add_argument("--first-field", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=4, help="games on each field")
    parser.add_argument("--side", type=int, default=1000, help="points along each side of the grid")
    parser.add_argument("--out", type=Path, help="a .csv file")
    given = parser.parse_args()
    places = grid(given.side)
    arms, columns = qd.Arms(places), np.ascontiguousarray(places.T) / np.sqrt(2)
    rows = read(given.out) if given.out and given.out.exists() else []
    for field in range(given.first_field, given.first_field + given.fields):
        for seed in range(given.seeds):
            # The index is compared in one game per field: that takes longer than to play.
            compared = columns if seed == 0 else None
            box = qd.AdaptiveQuickDraw(qd.Box([0.0, 0.0], [1.0, 1.0]), seed=seed)
            in_box, below, ours = play(box, field, seed, None, compared)
            on_grid, _, other = play(qd.AdaptiveQuickDraw(arms, seed=seed), field, seed, places, None)
            row = Game(field, seed, in_box, on_grid, max(below, default=0.0), len(below), 1e3 * ours, 1e3 * other)
            rows.append(row)
            print(f"field {field}: {in_box:.3f} in the box, {on_grid:.3f} on the grid", file=sys.stderr, flush=True)
            if given.out:
                add(given.out, row)
    return summary(rows)


def summary(rows: list["Game"]) -> int:
    """Print what came of all games; return 0 if the box did not do worse."""
    played = sorted({row.field for row in rows})
    # Games on one field have much in common: fields count, not games.
    gains = [float(np.mean([row.in_box - row.on_grid for row in rows if row.field == field])) for field in played]
    error = 1.96 * float(np.std(gains, ddof=1)) / len(gains) ** 0.5
    most, compared = max(row.below for row in rows), sum(row.compared for row in rows)
    ours, other = (float(np.median([getattr(row, name) for row in rows])) for name in ("ms", "ms_on_grid"))
    print(f"{len(rows)} games on {len(played)} fields")
    print(f"index below the grid's largest, in gamma: at most {most:.4f} in {compared} choices")
    print(f"mean reward in the box less that on the grid: {np.mean(gains):+.4f} ± {error:.4f}")
    print(f"time of a choice: {ours:.1f} ms in the box, {other:.1f} ms on the grid")
    return 0 if most <= LIMIT and np.mean(gains) > -error else 1


@dataclass(frozen=True)
class Game:
    """Mean rewards without noise, how far the index was below the grid's at most, in how many choices, and times."""

    field: int
    seed: int
    in_box: float
    on_grid: float
    below: float
    compared: int
    ms: float
    ms_on_grid: float


def add(path: Path, row: Game) -> None:
    """Add a row to a file."""
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if file.tell() == 0:
            writer.writerow([each.name for each in fields(Game)])
        writer.writerow([f"{value:.5f}" if isinstance(value, float) else value for value in astuple(row)])


def read(path: Path) -> list[Game]:
    """Return the rows of a file."""
    with path.open(newline="") as file:
        return [Game(*(each.type(row[each.name]) for each in fields(Game))) for row in csv.DictReader(file)]


if __name__ == "__main__":
    sys.exit(main())
