"""Regret of the adaptive policy on random fields, and an ablation of its parts.

``python -m benchmarks.adaptive --fields 20 --first-seed 2000`` prints the first table of docs/adaptive.md for these
seeds. ``--ablation`` prints the ablation table, ``--speed-up`` the results for a drift that becomes ten times faster.
``--data FILE`` plays on recorded rewards, scaled to [0, 1], instead of random fields.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# One thread, for a fair comparison of times. BLAS reads these variables when it is imported.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

import quickdraw_bandits as qd  # noqa: E402
from quickdraw_bandits.environments.plane_waves import gaussian_waves  # noqa: E402
from quickdraw_bandits.policies.adaptive import sample, scales, stay, tuner  # noqa: E402

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


def _half_the_exploration(self: scales.ScaleGrid, candidate: scales.Candidate) -> float:
    return _exploration(self, candidate) / 2


_exploration = scales.ScaleGrid.exploration


def _no_stay(candidate: scales.Candidate, observations: int) -> int:
    return 1


PARTS: dict[str, list[tuple[Any, str, Any]]] = {
    "full policy": [],
    "no jagged family": [(scales, "TRIED", ("rough", "medium", "smooth"))],
    "smooth family only": [(scales, "TRIED", ("smooth",))],
    "no own levels of arms": [(scales, "SHARES", (0.0,))],
    "no travelling patterns": [(scales, "MOVING", np.inf)],
    "no merging or dropping": [(sample, "MERGED", 0.0), (sample, "LEFT_OUT", 0.0)],
    "more merging": [(sample, "MERGED", 0.1)],
    "coarser scale grid": [
        (scales, "LENGTHS", 6),
        (scales, "AGES", scales.AGES[::2]),
        (scales, "NOISES", scales.NOISES[:2] + scales.NOISES[2::2]),
    ],
    "noise ratios up to 3": [(scales, "NOISES", scales.NOISES[:7])],
    "time scales up to 1,550 steps": [(scales, "AGES", scales.AGES[:13])],
    "no stays": [(stay, "rounds", _no_stay)],
    "twice the candidates": [(tuner, "CHALLENGERS", 2), (tuner, "NOISY_CHALLENGERS", 4)],
    "half the observations": [
        (tuner, "MOST", tuner.MOST // 2),
        (tuner, "NOISY_MOST", tuner.NOISY_MOST // 2),
        (tuner, "WEAK_MOST", tuner.WEAK_MOST // 2),
    ],
    "no log prior against long length scales": [(scales, "LONG", 0.0)],
    "no log prior against short scales": [(scales, "SHORT", 0.0)],
    "no log prior against scales too noisy to learn": [(scales, "HOPELESS", 0.0)],
    "constant exploration": [(scales, "LEAST_EXPLORATION", 1.0), (scales, "MOST_EXPLORATION", 1.0)],
    "no less exploration near the largest reward": [(scales, "LEAST_ROOM", 1.0)],
    "half the exploration": [(scales.ScaleGrid, "exploration", _half_the_exploration)],
}


@contextmanager
def changed(values: list[tuple[Any, str, Any]]) -> Iterator[None]:
    """Set names of modules to other values for a while."""
    kept = [(module, name, getattr(module, name)) for module, name, _ in values]
    for module, name, value in values:
        setattr(module, name, value)
    try:
        yield
    finally:
        for module, name, value in kept:
            setattr(module, name, value)


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


def show_parts(seeds: range) -> None:
    names = [", ".join(f"{value:g}" for value in setting) for setting in SETTINGS]
    print(f"| | {' | '.join(names)} | geometric mean | ms per round |\n|---|{'---|' * (len(names) + 2)}")
    played = [fields(setting, seeds) for setting in SETTINGS]
    for part, values in PARTS.items():
        start = time.process_time()
        with changed(values):
            means = [np.mean([regret(qd.AdaptiveQuickDraw, env, s) for s, env in each]) for each in played]
        cost = (time.process_time() - start) / sum(env.n_rounds for each in played for _, env in each)
        cells = " | ".join(f"{mean:.3f}" for mean in means)
        print(f"| {part} | {cells} | {np.exp(np.mean(np.log(means))):.4f} | {1e3 * cost:.2f} |", flush=True)


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
    recorded = qd.environments.Recorded.load(path).mean
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
    parser.add_argument("--ablation", action="store_true", help="print the ablation table instead")
    parser.add_argument("--speed-up", action="store_true", help="play on a drift that speeds up instead")
    parser.add_argument("--data", type=Path, help="play on recorded rewards (.npz, .npy or .csv) instead")
    arguments = parser.parse_args()
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.fields)
    if arguments.data is not None:
        show_recorded(arguments.data, seeds)
    elif arguments.ablation:
        show_parts(seeds)
    elif arguments.speed_up:
        show_speeding_up(seeds)
    else:
        show_fields(seeds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
