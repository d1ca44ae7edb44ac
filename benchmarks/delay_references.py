"""What late rewards cost players that are given the covariance of the field: references for ``benchmarks/delays.py``.

All know the prior mean and variance, the covariance exp(-pi/4 (distance / length)²) and the noise. None is a policy
of the library.

- ``everything`` sees the noisy rewards of all arms, as late as the policy's, and plays the largest posterior mean. A
  policy sees one of these rewards per round, so no policy has less regret on average over such fields: it is a bound.
- ``upper_bound`` plays for real: one reward per round, that of the arm it played. It plays the largest posterior mean
  plus ``width`` deviations, with pending pulls as observations of the current mean.

``python -m benchmarks.delay_references`` prints the table; ``--out FILE`` keeps it.
"""

import argparse
import json
import sys
from pathlib import Path

from benchmarks.delays import DELAYS, WARMUP, field  # first: it says how many threads NumPy uses

import numpy as np  # isort: skip

import quickdraw_bandits as qd  # isort: skip

WIDTHS = (0.25, 0.5, 1.0, 2.0)
MEMORY = 160
"""Rounds whose rewards are used, the latest that have come: twice the correlation length in time."""
JITTER = 1e-6
EVERY = 5
"""Of how many rounds ``everything`` plays one."""

Floats = np.ndarray


def correlation(one: Floats, other: Floats, length: float) -> Floats:
    """Return the correlations of all pairs."""
    return np.asarray(np.exp(-np.pi / 4 * np.square((one[:, None] - other) / length)))


def everything(env: qd.environments.RandomField, warmup: int, seed: int, delay: int) -> float:
    """Return the regret per round of the player that sees the rewards of all arms.

    With Kx = Qx Lx Qx' over arms and Kt = Qt Lt Qt' over times, the inverse of Kt ⊗ Kx + s² is diagonal in the products
    of both bases, so that 80,000 rewards take no more than two small decompositions.
    """
    places, times, (level, variance) = env.arms.points[:, 0].astype(np.float64), env.times, env.prior
    noise = env.noise * np.random.default_rng([seed, 4]).standard_normal(env.mean.shape)
    rewards = (env.mean + noise - level) / variance**0.5
    over_arms, arm_basis = np.linalg.eigh(correlation(places, places, env.length_x))
    over_arms = np.maximum(over_arms, 0.0)
    lost, bases = [], {}
    for row in range(warmup, len(times), EVERY):
        seen = np.arange(max(0, row - delay - MEMORY), max(row - delay, 1))
        if len(seen) not in bases:  # rounds are evenly spaced
            bases[len(seen)] = np.linalg.eigh(correlation(times[seen], times[seen], env.length_t))
        over_times, time_basis = bases[len(seen)]
        sizes = np.outer(np.maximum(over_times, 0.0), over_arms) + env.noise**2 / variance
        weights = (time_basis.T @ rewards[seen] @ arm_basis) / sizes
        ahead = correlation(times[row : row + 1], times[seen], env.length_t)[0] @ time_basis
        mean = arm_basis @ (over_arms * (ahead @ weights))
        lost.append(env.best_mean[row] - env.mean[row, mean.argmax()])
    return float(np.mean(lost))


def upper_bound(env: qd.environments.RandomField, warmup: int, seed: int, delay: int, width: float) -> float:
    """Return the regret per round of the player that explores for itself, after a warm-up of random arms."""
    places, times, (level, variance) = env.arms.points[:, 0].astype(np.float64), env.times, env.prior
    random, spread = np.random.default_rng([seed, 5]), env.noise**2 / variance + JITTER
    played = np.empty(len(times), dtype=np.int64)
    paid, lost = np.empty(len(times)), []
    for row in range(len(times)):
        if row < warmup:
            played[row] = random.integers(len(places))
        else:
            some = np.arange(max(0, row - delay - MEMORY), row)  # the last ``delay`` of them are pending
            known = len(some) - delay
            at = correlation(places[played[some]], places[played[some]], env.length_x)
            at *= correlation(times[some], times[some], env.length_t)
            at[np.diag_indices(len(some))] += spread
            now = correlation(places[played[some]], places, env.length_x)
            now *= correlation(times[some], times[row : row + 1], env.length_t)
            mean = np.zeros(len(places))
            if known > 0:
                mean = np.linalg.solve(at[:known, :known], paid[some[:known]]) @ now[:known]
            half = np.linalg.solve(np.linalg.cholesky(at), now)
            deviation = np.sqrt(np.maximum(1.0 - np.square(half).sum(axis=0), 0.0))
            index = mean + width * deviation
            played[row] = random.choice(np.flatnonzero(index >= index.max() - 1e-12))
            lost.append(env.best_mean[row] - env.mean[row, played[row]])
        paid[row] = (env.pull(row, int(played[row])) - level) / variance**0.5
    return float(np.mean(lost))


def main() -> int:
    """Print the regret of all references with rewards 100 rounds late, and that of ``everything`` for other delays."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fields", type=int, default=20, help="fields of everything (default 20)")
    parser.add_argument("--games", type=int, default=6, help="fields of upper_bound, the first of them (default 6)")
    parser.add_argument("--first-seed", type=int, default=40000, help="seed of the first (default 40000)")
    parser.add_argument("--out", type=Path, help="file for the table")
    arguments = parser.parse_args()
    first = arguments.first_seed
    rows = []
    for delay in DELAYS:
        seeds = range(first, first + arguments.fields)
        rows.append(row("everything", delay, [everything(field(seed), WARMUP, seed, delay) for seed in seeds]))
    for width in WIDTHS:
        seeds = range(first, first + arguments.games)
        found = [upper_bound(field(seed), WARMUP, seed, DELAYS[-1], width) for seed in seeds]
        rows.append(row(f"upper bound, {width:g} deviations", DELAYS[-1], found))
    if arguments.out is not None:
        command = f"python -m benchmarks.delay_references --fields {arguments.fields} --games {arguments.games}"
        arguments.out.write_text(json.dumps({"command": command, "rows": rows}, indent=1) + "\n")
    return 0


def row(player: str, delay: int, found: list[float]) -> dict[str, str | int | float]:
    """Print and return one row of the table."""
    half = 1.96 * float(np.std(found, ddof=1)) / len(found) ** 0.5
    print(f"| {player} | {delay} | {np.mean(found):.4f} ± {half:.4f} | {len(found)} fields |", flush=True)
    regret, interval = round(float(np.mean(found)), 4), round(half, 4)
    return {"player": player, "delay": delay, "regret": regret, "interval": interval, "fields": len(found)}


if __name__ == "__main__":
    sys.exit(main())
