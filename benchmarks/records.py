"""The adaptive policy on recorded rewards and on weak signals.

``python -m benchmarks.records --folder FOLDER`` plays every record of a folder: ``.npz`` files with ``rewards``, one
row per round and one column per arm, and ``points``, the coordinates of the arms. Quick-Draw is tuned on the first
30 % of each record, and both policies are compared on the rest. ``--weak`` plays settings in which single rewards say
little or mislead: clicks, strong noise, redrawn fields, offsets per arm, heavy tails, slow drift, and arms in two
dimensions.
"""

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

# One thread each, so that policies are compared and not their threads; before anything is imported.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

import quickdraw_bandits as qd  # noqa: E402
from quickdraw_lab.contest.grids import GRIDS  # noqa: E402

TUNING = 0.3
"""Part of a record on which Quick-Draw is tuned."""
SETTINGS = GRIDS["QuickDraw"][:9]
"""The settings of Quick-Draw that are tried; times run from 0 to 1 over a record."""
NOISES = (0.0, 0.05)

Floats = np.ndarray


@dataclass
class Game:
    """Rounds in which ``means[round // lasting]`` are the mean rewards of the arms.

    ``draw`` makes a reward of a mean and a generator. The warm-up is played at random.
    """

    arms: qd.Arms
    means: Floats
    draw: Callable[[float, np.random.Generator], float]
    lasting: int = 1
    warmup: int = 100

    def regret(self, policy: qd.policies.Policy, seed: int, rounds: int | None = None) -> Floats:
        """Play all rounds, or the first ones, and return the regret of each after the warm-up."""
        random, noise = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
        best = self.means.max(axis=1)
        total = len(self.means) * self.lasting
        lost = np.empty(total if rounds is None else rounds)
        for k in range(len(lost)):
            time = k / total
            arm = int(random.integers(len(self.arms))) if k < self.warmup else policy.select(time)
            mean = float(self.means[k // self.lasting, arm])
            policy.update(time, arm, self.draw(mean, noise))
            lost[k] = best[k // self.lasting] - mean
        return lost[self.warmup :]


def normal(noise: float, mean: float, random: np.random.Generator) -> float:
    """Return a reward with white noise."""
    return float(mean + noise * random.standard_normal())


def heavy(noise: float, mean: float, random: np.random.Generator) -> float:
    """Return a reward with noise of infinite variance: Student's t with 2 degrees of freedom."""
    return float(mean + noise * random.standard_t(2))


def click(mean: float, random: np.random.Generator) -> float:
    """Return 1 with the probability ``mean``, else 0."""
    return float(random.random() < mean)


def scaled(values: Floats) -> Floats:
    """Return values shifted and scaled to [0, 1]."""
    return np.asarray((values - values.min()) / np.ptp(values))


def field(length_x: float, length_t: float, seed: int, rounds: int = 1000, n_arms: int = 1000) -> Floats:
    """Return the means of the paper's test bed."""
    return qd.environments.RandomField(length_x, length_t, n_arms=n_arms, n_rounds=rounds, seed=seed).mean


def clicks(low: float, high: float, seed: int) -> Game:
    """Return rewards of 0 and 1 whose probabilities drift between two values; each row lasts for 20 rounds."""
    means = low + (high - low) * field(0.2, 0.3, seed)
    return Game(qd.Arms.grid(-1, 1, 1000), means, click, lasting=20, warmup=0)


def noisy(noise: float, length_t: float, seed: int) -> Game:
    """Return the base field over 20,000 rounds."""
    return Game(qd.Arms.grid(-1, 1, 1000), field(0.1, length_t, seed), partial(normal, noise), lasting=20)


def redrawn(seed: int) -> Game:
    """Return a field that is replaced by another every 250 rounds."""
    parts = [field(0.1, 0.1, 4 * seed + k)[:250] for k in range(4)]
    return Game(qd.Arms.grid(-1, 1, 1000), np.concatenate(parts), partial(normal, 0.0))


def offsets(seed: int) -> Game:
    """Return a field with a level of its own for each arm."""
    levels = np.random.default_rng([seed, 2]).normal(0, 0.05, 100)
    means = scaled(field(0.1, 0.1, seed, n_arms=100) + levels)
    return Game(qd.Arms.grid(-1, 1, 100), means, partial(normal, 0.0))


def outliers(seed: int) -> Game:
    """Return the base field with heavy-tailed noise."""
    return Game(qd.Arms.grid(-1, 1, 1000), field(0.1, 0.1, seed), partial(heavy, 0.05))


def plane(seed: int) -> Game:
    """Return a grid of 50 by 50 arms: a field over two coordinates that drifts."""
    x = np.linspace(-1, 1, 50)
    times = np.arange(1000) / 1000
    random = np.random.default_rng([seed, 3])
    waves = 1000
    vectors = random.normal(0, np.sqrt(np.pi / 2), (2, waves)) / 0.3
    rates = random.normal(0, np.sqrt(np.pi / 2), waves) / 0.3
    phases, amplitudes = random.uniform(0, 2 * np.pi, waves), np.sqrt(2 / waves)
    across = np.exp(1j * np.outer(x, vectors[0]))
    along = np.exp(1j * np.outer(x, vectors[1]))
    both = (across[:, None, :] * along[None, :, :]).reshape(-1, waves)
    drift = amplitudes * np.exp(1j * (np.outer(times, rates) + phases))
    means = scaled((drift @ both.T).real)
    points = np.stack(np.meshgrid(x, x, indexing="ij"), axis=2).reshape(-1, 2)
    return Game(qd.Arms(points), means, partial(normal, 0.0))


WEAK: dict[str, Callable[[int], Game]] = {
    "clicks .01-.06": partial(clicks, 0.01, 0.06),
    "clicks .1-.6": partial(clicks, 0.1, 0.6),
    "noise 1": partial(noisy, 1.0, 0.1),
    "noise 3": partial(noisy, 3.0, 0.1),
    "redrawn": redrawn,
    "offsets": offsets,
    "Student t2": outliers,
    "slow drift": partial(noisy, 0.1, 1.0),
    "2-D": plane,
}


def records(folder: Path) -> dict[str, tuple[Floats, qd.Arms]]:
    """Return rewards and arms of every record; of congestion, also the reverse, to look for the worst."""
    found = {}
    for path in sorted(folder.glob("*.npz")):
        content = np.load(path)
        rewards, arms = content["rewards"].astype(float), qd.Arms(content["points"].astype(float))
        found[path.stem] = rewards, arms
        if path.stem == "metr":
            found["1 - metr"] = 1 - rewards, arms
    return found


def parts(rewards: Floats, arms: qd.Arms, noise: float, seed: int) -> tuple[qd.environments.Recorded, ...]:
    """Return the first 30 % of a record, for tuning, and the rest."""
    times = np.arange(len(rewards)) / len(rewards)
    cut = int(TUNING * len(rewards))
    return tuple(
        qd.environments.Recorded(rewards[some], arms, times[some], noise, seed)
        for some in (slice(0, cut), slice(cut, None))
    )


def regret(policy: Callable[..., qd.policies.Policy], env: qd.environments.Environment, seed: int) -> float:
    return qd.simulate(policy(env.arms, seed=seed), env, seed=seed).regret_per_round


def tuned(rewards: Floats, arms: qd.Arms, noise: float, seeds: range) -> list[float]:
    """Return the regret of Quick-Draw with its best setting for the first part of a record, on the rest."""
    both = [(seed, *parts(rewards, arms, noise, seed)) for seed in seeds]
    builds = [partial(qd.QuickDraw, **setting) for setting in SETTINGS]
    best = min(builds, key=lambda build: np.mean([regret(build, first, seed) for seed, first, _ in both]))
    return [regret(best, rest, seed) for seed, _, rest in both]


def interval(values: Floats) -> str:
    """Return mean and 95 % interval."""
    half = 1.96 * np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{np.mean(values):.4f} ± {half:.4f}"


def show_records(folder: Path, seeds: range) -> None:
    """Print the table of records."""
    print("| record | noise | Quick-Draw tuned | adaptive | difference | ratio |\n|---|---|---|---|---|---|")
    ratios = []
    for name, (rewards, arms) in records(folder).items():
        for noise in NOISES:
            theirs = tuned(rewards, arms, noise, seeds)
            ours = [regret(qd.AdaptiveQuickDraw, parts(rewards, arms, noise, seed)[1], seed) for seed in seeds]
            ratios.append(np.mean(ours) / np.mean(theirs))
            cells = interval(theirs), interval(ours), interval(np.subtract(ours, theirs)), f"{ratios[-1]:.2f}"
            print(f"| {name} | {noise:g} | {' | '.join(cells)} |", flush=True)
    print(f"\nGeometric mean of the ratios: {np.exp(np.mean(np.log(ratios))):.3f}")


def show_weak(seeds: range) -> None:
    """Print the table of weak signals."""
    print("| setting | adaptive | largest |\n|---|---|---|")
    for name, make in WEAK.items():
        games = [(seed, make(seed)) for seed in seeds]
        found = [game.regret(qd.AdaptiveQuickDraw(game.arms, seed=seed), seed).mean() for seed, game in games]
        print(f"| {name} | {interval(found)} | {max(found):.4f} |", flush=True)


def main() -> int:
    """Print the tables asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="of records to play")
    parser.add_argument("--weak", action="store_true", help="play the weak signals")
    parser.add_argument("--seeds", type=int, default=8, help="runs per record or setting (default 8)")
    parser.add_argument("--first-seed", type=int, default=0, help="of the runs (default 0)")
    arguments = parser.parse_args()
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    if arguments.folder is not None:
        show_records(arguments.folder, seeds)
    if arguments.weak:
        show_weak(seeds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
