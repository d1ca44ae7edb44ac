"""Regret of the adaptive policy on random fields.

``python -m benchmarks.adaptive --fields 20 --first-seed 2000`` prints the first table of docs/results/adaptive.md for
these seeds. ``--speed-up`` prints the results for a drift that becomes ten times faster.
``--data FILE`` plays on recorded rewards, scaled to [0, 1], instead of random fields.
"""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

# One thread, for a fair comparison of times. BLAS reads these variables when it is imported.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

import quickdraw_bandits as qd  # noqa: E402
from quickdraw_bandits.environments.plane_waves import gaussian_waves  # noqa: E402

SETTINGS = [
    (0.1, 0.1, 1.0, 0.0),
    (0.1, 0.1, 1.0, 0.1),
    (0.1, 0.1, 1.0, 0.3),
    (0.1, 0.1, 3.0, 0.0),
    (0.01, 0.1, 1.0, 0.0),
    (1.0, 0.1, 1.0, 0.0),
    (0.1, 0.01, 1.0, 0.0),
    (0.1, 1.0, 1.0, 0.0),
]
"""rho_x, rho_t, alpha and noise of the random fields."""


def regret(policy: Callable[..., Any], env: qd.environments.Environment, seed: int) -> float:
    return qd.simulate(policy(env.arms, seed=seed), env, seed=seed).regret_per_round


def fields(setting: tuple[float, ...], seeds: range) -> list[tuple[int, qd.environments.Environment]]:
    length_x, length_t, power, noise = setting
    return [(s, qd.environments.RandomField(length_x, length_t, power, noise, seed=s)) for s in seeds]


def interval(values: Any) -> str:
    half = 1.96 * np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{np.mean(values):.4f} ± {half:.4f}"


def show_fields(seeds: range) -> None:
    print("| rho_x, rho_t, alpha, noise | paper's defaults | adaptive | difference | ratio |\n|---|---|---|---|---|")
    ratios = []
    for setting in SETTINGS:
        played = fields(setting, seeds)
        paper = np.array([regret(qd.QuickDraw, env, s) for s, env in played])
        ours = np.array([regret(qd.AdaptiveQuickDraw, env, s) for s, env in played])
        ratios.append(ours.mean() / paper.mean())
        name = ", ".join(f"{value:g}" for value in setting)
        print(
            f"| {name} | {interval(paper)} | {interval(ours)} | {interval(ours - paper)} | {ratios[-1]:.2f} |",
            flush=True,
        )
    mean = np.exp(np.mean(np.log(ratios)))
    print(f"\nGeometric mean of the ratios: {mean:.3f}; {len(seeds)} fields from seed {seeds[0]} on.")


FIXED = [
    {"time_scale": t, "noise_variance": r, "sharpness": p}
    for t in (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
    for r in (1e-7, 1e-4, 1e-3, 1e-2)
    for p in (1, 2, 3)
]
"""Settings of Quick-Draw; the best in the first half is compared with the adaptive policy in the second."""


def speeding_up(seed: int) -> qd.environments.Recorded:
    """Return a random field with a correlation length in time of 0.3 for 500 rounds, then 0.03 for another 500."""
    slow = 1e-3 * np.arange(500)
    times = np.concatenate([slow, slow[-1] + 1e-2 * np.arange(1, 501)])
    arms = qd.Arms.grid(-1, 1, 1000)
    field = gaussian_waves(0.1, 0.3, seed).on_grid(arms.points[:, 0], times)
    return qd.environments.Recorded((field - field.min()) / np.ptp(field), arms)


def show_speeding_up(seeds: range) -> None:
    def halves(policy: Any, env: qd.environments.Environment, seed: int) -> tuple[float, float]:
        regret = qd.simulate(policy, env, seed=seed).regret
        return float(regret[100:500].mean()), float(regret[500:].mean())

    envs = [(s, speeding_up(s)) for s in seeds]
    fixed = np.array([[halves(qd.QuickDraw(env.arms, seed=s, **p), env, s) for s, env in envs] for p in FIXED])
    ours = np.array([halves(qd.AdaptiveQuickDraw(env.arms, seed=s), env, s) for s, env in envs])
    best = int(fixed[:, :, 0].mean(axis=1).argmin())
    for name, each in ((f"Quick-Draw, {FIXED[best]}", fixed[best]), ("adaptive", ours)):
        print(f"{name}: first half {interval(each[:, 0])}, second half {interval(each[:, 1])}")
    print(f"difference in the second half: {interval(ours[:, 1] - fixed[best][:, 1])}")
    print(f"lowest regret of any setting in the second half: {fixed[:, :, 1].mean(axis=1).min():.4f}")


def show_recorded(path: Path, seeds: range) -> None:
    recorded = qd.environments.Recorded.load(path, fill="linear").mean
    scaled = (recorded - recorded.min()) / np.ptp(recorded)
    for noise in (0.0, 0.05):
        envs = [
            (s, qd.environments.Recorded(scaled, qd.Arms.grid(-1, 1, scaled.shape[1]), None, noise, s)) for s in seeds
        ]
        print(
            f"noise {noise:g}: adaptive {interval([regret(qd.AdaptiveQuickDraw, env, s) for s, env in envs])}",
            flush=True,
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fields", type=int, default=20, help="number of fields per setting (default 20)")
    parser.add_argument("--first-seed", type=int, default=2000, help="seed of the first field (default 2000)")
    parser.add_argument("--speed-up", action="store_true", help="play on a drift that speeds up instead")
    parser.add_argument("--data", type=Path, help="play on recorded rewards (.npz, .npy or .csv) instead")
    arguments = parser.parse_args()
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.fields)
    if arguments.data is not None:
        show_recorded(arguments.data, seeds)
    elif arguments.speed_up:
        show_speeding_up(seeds)
    else:
        show_fields(seeds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
