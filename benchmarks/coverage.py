"""How often the true mean reward lies in the adaptive policy's 95 % interval.

``python -m benchmarks.coverage`` plays random fields from the first round on, without a warm-up. After 5, 20, 200 and
1,000 rounds it asks for the estimate at the next round's time, and counts the arms whose mean reward lies within 1.96
deviations of the estimate. The table has the share over all arms and fields, and the 10 % of the fields with the least
coverage. ``--out FILE`` keeps it as JSON. Settings are played one after the other, and printed as they finish.
"""

import os
import sys
from collections.abc import Callable

# One thread each: a model is small. Before anything is imported.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

import quickdraw_bandits as qd  # noqa: E402
from benchmarks.repetitions import Options  # noqa: E402

ARMS = 500
AFTER = (5, 20, 200, 1000)
QUANTILE = 1.96

Floats = np.ndarray
Draw = Callable[[qd.environments.Environment, int, int, np.random.Generator], float]


def pull(env: qd.environments.Environment, row: int, arm: int, random: np.random.Generator) -> float:
    """Return the environment's reward, with its own noise."""
    return float(env.pull(row, arm))


def click(env: qd.environments.Environment, row: int, arm: int, random: np.random.Generator) -> float:
    """Return 1 with a probability of half the mean reward, else 0."""
    return float(random.random() < env.mean[row, arm] / 2)


SETTINGS: dict[str, tuple[float, Draw, float]] = {
    "noise 0": (0.0, pull, 1.0),
    "noise 0.05": (0.05, pull, 1.0),
    "noise 0.1": (0.1, pull, 1.0),
    "noise 0.3": (0.3, pull, 1.0),
    "noise 1": (1.0, pull, 1.0),
    "clicks": (0.0, click, 0.5),
}
"""Noise of the field, how rewards are drawn, and what the field's mean is multiplied by."""


def covered(seed: int, noise: float, draw: Draw, factor: float, last: int) -> tuple[Floats, Floats]:
    """Return for every number of rounds which part of the arms is covered, and the median deviation at them."""
    env = qd.environments.RandomField(noise=noise, n_arms=ARMS, n_rounds=max(AFTER) + 1, seed=seed)
    policy: qd.AdaptiveQuickDraw[int] = qd.AdaptiveQuickDraw(env.arms, seed=seed)
    random = np.random.default_rng([seed, 1])
    shares, widths = [], []
    for row, time in enumerate(env.times[: last + 1]):
        if row in AFTER:
            mean, deviation = policy.estimate(time)
            inside = np.abs(mean - factor * env.mean[row]) <= QUANTILE * deviation
            shares.append(inside.mean())
            widths.append(np.median(deviation))
        if row < last:
            arm = policy.select(time)
            policy.update(time, arm, draw(env, row, arm, random))
    return np.array(shares), np.array(widths)


def show(seeds: range, names: list[str], after: list[int]) -> dict[str, dict[str, list[float]]]:
    """Print one row per setting, and return the figures."""
    print("| rewards | " + " | ".join(f"after {rounds:,}" for rounds in after) + " |", flush=True)
    print("|---" * (len(after) + 1) + "|")
    found = {}
    for name in names:
        both = [covered(seed, *SETTINGS[name], after[-1]) for seed in seeds]
        shares, widths = (np.array(each) for each in zip(*both, strict=True))
        low = np.quantile(shares, 0.1, axis=0)
        found[name] = {
            "coverage": shares.mean(axis=0).round(4).tolist(),
            "lowest_tenth": low.round(4).tolist(),
            "median_deviation": np.median(widths, axis=0).round(5).tolist(),
        }
        pairs = zip(found[name]["coverage"], found[name]["lowest_tenth"], strict=True)  # rounded as in the file
        cells = [f"{mean:.3f} ({least:.2f})" for mean, least in pairs]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    return found


def main() -> int:
    """Print the table."""
    options = Options("coverage", __doc__, "fields", 40, 32000)
    options.add_argument("--settings", nargs="*", choices=list(SETTINGS), default=list(SETTINGS), help="default: all")
    options.add_argument("--last", type=int, choices=AFTER, default=AFTER[-1], help="rounds to be played")
    given, seeds = options.given()
    after = [rounds for rounds in AFTER if rounds <= given.last]
    options.write(rounds=after, settings=show(seeds, given.settings, after))
    return 0


if __name__ == "__main__":
    sys.exit(main())
