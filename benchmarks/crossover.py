"""From how many arms on the tree engine is faster than the exact one, by dimension and number of observations.

Both engines learn the history that a policy made itself on a drifting reward and choose along with it; the processor's
time of a round, choice and update, is compared. Run ``python benchmarks/crossover.py`` for the table that
``interpolation/auto.py`` goes by.
"""

import argparse
import time

import numpy as np

import quickdraw_bandits as qd
from quickdraw_bandits.experiments.scale.games import drifting_reward

ROUND = 1e-3
WARMUP = 40


def game(dimension: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return times, places and rewards of ``n`` rounds of a policy on a continuum."""
    policy = qd.QuickDraw(qd.Box([-1.0] * dimension, [1.0] * dimension), tolerance=3e-2, seed=0)
    reward = drifting_reward(dimension)
    times, places, rewards = np.arange(n) * ROUND, np.empty((n, dimension)), np.empty(n)
    for i, now in enumerate(times):
        places[i] = policy.select(now)
        rewards[i] = reward(places[i], now)
        policy.update(now, places[i], rewards[i])
    return times, places, rewards


def arm_set(dimension: int, n: int) -> qd.Arms:
    """Return arms at random places of the box, and at two of its corners."""
    points = np.random.default_rng(1).uniform(-1, 1, (n, dimension))
    points[0], points[1] = -1.0, 1.0
    return qd.Arms(points)


def round_time(engine: str, arms: qd.Arms, seen: tuple[np.ndarray, ...], n: int, rounds: int) -> float:
    """Return the milliseconds of a round after ``n`` observations."""
    from scipy.spatial import KDTree

    times, places, rewards = seen
    chosen = KDTree(arms.points).query(places[: n + WARMUP + rounds])[1]
    policy = qd.QuickDraw(arms, engine=engine, seed=0)
    policy.update(times[:n], chosen[:n], rewards[:n])
    spent = []
    for i in range(n, n + WARMUP + rounds):
        begin = time.process_time()
        policy.select(times[i])
        policy.update(times[i], chosen[i], rewards[i])
        spent.append(time.process_time() - begin)
    return 1e3 * float(np.mean(spent[WARMUP:]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dimensions", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--observations", type=int, nargs="+", default=[500, 2000])
    parser.add_argument("--arms", type=int, nargs="+", default=[2000, 8000, 32000, 128000])
    parser.add_argument("--rounds", type=int, default=60)
    arguments = parser.parse_args()
    for dimension in arguments.dimensions:
        seen = game(dimension, max(arguments.observations) + WARMUP + arguments.rounds)
        for n in arguments.observations:
            for n_arms in arguments.arms:
                arms = arm_set(dimension, n_arms)
                exact, tree = (round_time(engine, arms, seen, n, arguments.rounds) for engine in ("exact", "tree"))
                faster = "tree" if tree < exact else "exact"
                print(
                    f"{dimension}-D {n_arms:8,} arms {n:6,} observations: "
                    f"exact {exact:8.3f} ms, tree {tree:8.3f} ms: {faster}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
