"""Peak memory of a game with ten million arms in 2-D and a million observations: ``python benchmarks/memory.py``."""

import resource

import numpy as np

from quickdraw_bandits import Arms, QuickDraw
from quickdraw_lab.scale.histories import box_history, drifting_reward, play

ARMS = 10**7
OBSERVATIONS = 10**6
PLAYED = 2000


def peak() -> float:
    """Return the peak resident memory of this process, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def main() -> None:
    """Print the peak memory after each step."""
    game = box_history(2, PLAYED)
    seen = game.first(OBSERVATIONS)
    points = np.random.default_rng(1).uniform(-1, 1, (ARMS, 2))
    # The played points are arms themselves, so there is no need to search for the nearest arm.
    points[:PLAYED] = game.places
    arms = Arms(points)
    del points
    print(f"arms: {peak():.2f} GB")
    policy = QuickDraw(arms, seed=0)
    policy.update(seen.times, np.arange(OBSERVATIONS) % PLAYED, seen.rewards)
    print(f"observations loaded: {peak():.2f} GB")
    play(policy, drifting_reward(2), OBSERVATIONS, 200)
    print(f"200 rounds played: {peak():.2f} GB")


if __name__ == "__main__":
    main()
