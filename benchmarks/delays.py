"""Regret of the adaptive policy where rewards come late.

``python -m benchmarks.delays`` plays random fields (500 arms, 800 rounds, noise 0.05) with rewards that are 0, 5, 20
and 100 rounds late: once told of every pull by ``expect``, and once not told. Beside it are

- a random arm,
- the best arm of a Gaussian process that is given the field's own covariance, and as many rewards per round, equally
  late, at arms spread evenly: it need not explore. With one reward per round it knows more than a policy can.

Finished games are kept in ``--folder``; a run that was stopped goes on where it was. ``--out FILE`` keeps the table.
"""

import json
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

# One thread each: a model is small. Before anything is imported.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

import quickdraw_bandits as qd  # noqa: E402
from benchmarks.repetitions import Options  # noqa: E402

DELAYS = (0, 5, 20, 100)
ARMS, ROUNDS, WARMUP, NOISE = 500, 800, 100, 0.05
LENGTH = 0.1
"""Correlation lengths of the fields over arms, from -1 to 1, and time, from 0 to 1."""
MEMORY, EVERY = 150, 5
"""Rounds whose rewards the Gaussian process uses, and of how many rounds it plays one."""
GOLDEN = 0.6180339887498949

Environment = qd.environments.Environment


class NotTold:
    """The adaptive policy without ``expect``."""

    def __init__(self, arms: qd.Arms, seed: int) -> None:
        self._policy: qd.AdaptiveQuickDraw[int] = qd.AdaptiveQuickDraw(arms, seed=seed)
        self.select, self.update = self._policy.select, self._policy.update


def field(seed: int) -> qd.environments.RandomField:
    """Return the environment of a seed."""
    return qd.environments.RandomField(LENGTH, LENGTH, noise=NOISE, n_arms=ARMS, n_rounds=ROUNDS, seed=seed)


def played(kind: Callable[..., qd.policies.Policy[int]], seed: int, delay: int) -> float:
    """Return the regret of a policy."""
    env = field(seed)
    return qd.simulate(kind(env.arms, seed=seed), env, WARMUP, seed=seed, delay=delay).regret_per_round


def informed(per_round: int, seed: int, delay: int) -> float:
    """Return the regret of the best arm of a process with the true covariance, exp(-pi/4 (distance / length)²)."""
    env = field(seed)
    times, places, level, spread = env.times, np.linspace(-1, 1, ARMS), env.mean.mean(), env.mean.std()
    arms = ((np.arange(ROUNDS * per_round) * GOLDEN % 1) * ARMS).astype(int).reshape(ROUNDS, per_round)
    noise = NOISE * np.random.default_rng([seed, 4]).standard_normal(arms.shape)
    rewards = env.mean[np.arange(ROUNDS)[:, None], arms] + noise - level

    def correlation(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        apart = (one[:, None] - other) / LENGTH
        return np.asarray(np.exp(-np.pi / 4 * (apart**2).sum(axis=2)))

    lost = []
    for row in range(WARMUP, ROUNDS, EVERY):
        end = max(row - delay, 1)
        seen = np.arange(max(0, end - MEMORY), end)
        at = np.stack([places[arms[seen]].ravel(), np.repeat(times[seen], per_round)], axis=1)
        now = np.stack([places, np.full(ARMS, times[row])], axis=1)
        matrix = correlation(at, at) + np.eye(len(at)) * (NOISE / spread) ** 2
        mean = np.linalg.solve(matrix, rewards[seen].ravel()) @ correlation(at, now)
        lost.append(env.best_mean[row] - env.mean[row, mean.argmax()])
    return float(np.mean(lost))


PLAYERS: dict[str, Callable[[int, int], float]] = {
    "told": partial(played, qd.AdaptiveQuickDraw),
    "not told": partial(played, NotTold),  # type: ignore[arg-type]
    "random": partial(played, qd.policies.Random),
    "informed, 1": partial(informed, 1),
    "informed, 3": partial(informed, 3),
}


def kept(folder: Path, name: str, delay: int, seed: int) -> float:
    """Return the regret of one game, from the folder if it is there."""
    path = folder / f"{name.replace(', ', '-').replace(' ', '-')}-{delay}-{seed}.json"
    if not path.exists():
        temporary = path.with_suffix(".tmp")
        temporary.write_text(json.dumps(PLAYERS[name](seed, delay)))
        temporary.replace(path)
    return float(json.loads(path.read_text()))


def table(folder: Path, seeds: range, names: list[str]) -> list[dict[str, str | int | float]]:
    """Print one row per player and delay as it is finished, and return all."""
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, str | int | float]] = []
    print("| player | delay | regret per round |\n|---|---|---|")
    for name in names:
        for delay in DELAYS:
            found = np.array([kept(folder, name, delay, seed) for seed in seeds])
            half = 1.96 * found.std(ddof=1) / len(found) ** 0.5
            rows.append({"player": name, "delay": delay, "regret": round(found.mean(), 4), "interval": round(half, 4)})
            print(f"| {name} | {delay} | {found.mean():.4f} ± {half:.4f} |", flush=True)
    return rows


def main() -> int:
    """Print the table."""
    options = Options("delays", __doc__, "fields", 20, 40000)
    options.add_argument("--players", nargs="*", choices=list(PLAYERS), default=list(PLAYERS), help="default: all")
    options.add_argument("--folder", type=Path, default=Path("results/delays"), help="of finished games")
    given, seeds = options.given()
    options.write(rows=table(given.folder, seeds, given.players))
    return 0


if __name__ == "__main__":
    sys.exit(main())
