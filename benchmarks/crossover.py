"""Find the fastest engine by dimension, number of arms and number of observations.

Every engine loads a history that Quick-Draw played on a drifting reward, and plays on. The processor time of a round
(choice and update) is compared. ``python -m benchmarks.crossover`` prints the table from which the thresholds in
``interpolation/auto.py`` were chosen.
"""

import argparse

from quickdraw_lab.scale.histories import box_history, drifting_reward, informed, places, play

PLAYED = 5_000
"""Rounds of the history; longer histories repeat these rounds at later times."""
WARMUP = 20
SECONDS = 1.5
"""Processor time after which a measurement ends."""


def round_time(engine: str, dimension: int, n_arms: int, n: int, rounds: int) -> float:
    """Return the time of a round after ``n`` observations, in milliseconds."""
    policy = informed(places(dimension, n_arms), box_history(dimension, PLAYED).first(n), engine)
    reward = drifting_reward(dimension)
    play(policy, reward, n, WARMUP, SECONDS)
    pace = play(policy, reward, n + WARMUP, rounds, SECONDS)[1]
    return 1e3 * (pace.choice + pace.update)


def main() -> None:
    """Print one line per size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dimensions", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--observations", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--arms", type=int, nargs="+", default=[1_000, 4_000, 16_000, 64_000, 256_000])
    parser.add_argument("--engines", nargs="+", default=["exact", "cached", "tree"])
    parser.add_argument("--rounds", type=int, default=512)
    arguments = parser.parse_args()
    for dimension in arguments.dimensions:
        for n in arguments.observations:
            for n_arms in arguments.arms:
                times = {e: round_time(e, dimension, n_arms, n, arguments.rounds) for e in arguments.engines}
                shown = ", ".join(f"{engine} {took:8.3f} ms" for engine, took in times.items())
                print(f"{dimension}-D {n_arms:8,} arms {n:7,} observations: {shown}", flush=True)


if __name__ == "__main__":
    main()
