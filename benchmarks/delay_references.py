"""What late rewards cost players that are given the covariance of the field: references for ``benchmarks/delays.py``.

All know the prior mean and variance, the covariance exp(-pi/4 (distance / length)²) and the noise. None is a policy
of the library.

- ``everything`` sees the noisy rewards of all arms, as late as the policy's, and plays the largest posterior mean. A
  policy sees one of these rewards per round, so no policy has less regret on average over such fields: it is a bound.
- The other players have one reward per round, that of the arm they played. Pending pulls count as observations of the
  current mean, which leaves the mean as it is and lowers the deviation. They play the largest mean plus some
  deviations (``upper bound``; 0 is greedy), the largest of a draw from the posterior with its deviations made smaller
  (``Thompson``), or the largest mean and in a part of the rounds the largest deviation (``mixed``).

``python -m benchmarks.delay_references`` prints the table; ``--out FILE`` keeps it, and ``--folder`` finished games.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.delays import DELAYS, WARMUP, field  # first: it says how many threads NumPy uses

import numpy as np  # isort: skip
from scipy.linalg import cholesky, solve_triangular  # isort: skip

from benchmarks.repetitions import Options  # isort: skip

import quickdraw_bandits as qd  # isort: skip

MEMORY = 160
"""Rounds whose rewards ``everything`` uses, the latest that have come: twice the correlation length in time."""
KNOWN = 110
"""The same for the players. The correlation with older rewards is below 0.004."""
STRIDE = 5
"""Of how many arms a player considers one: they are 0.2 of the correlation length apart."""
JITTER = 1e-6
LATEST = DELAYS[-1]
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


class Belief(NamedTuple):
    """Mean and covariance at the arms considered, in units of the prior, and the deviation told of pending pulls."""

    mean: Floats
    deviation: Floats
    covariance: Callable[[], Floats]


Rule = Callable[[Belief, np.random.Generator], Floats]
"""Returns the index of every arm considered."""


def upper_bound(width: float, belief: Belief, random: np.random.Generator) -> Floats:
    """Return the mean plus some deviations."""
    return belief.mean + width * belief.deviation


def thompson(share: float, belief: Belief, random: np.random.Generator) -> Floats:
    """Return a draw from the posterior, with deviations that are a share of the true ones."""
    covariance = belief.covariance() + 1e-4 * np.eye(len(belief.mean))
    return belief.mean + share * (np.linalg.cholesky(covariance) @ random.standard_normal(len(belief.mean)))


def mixed(part: float, belief: Belief, random: np.random.Generator) -> Floats:
    """Return the mean, and in a part of the rounds the deviation."""
    return belief.deviation if random.random() < part else belief.mean


PLAYERS: dict[str, Rule] = {
    **{f"upper bound, {width:g} deviations": partial(upper_bound, width) for width in (0, 0.1, 0.25, 0.5, 1)},
    **{f"Thompson, {share:g} of the deviation": partial(thompson, share) for share in (0.1, 0.25, 0.5)},
    **{f"mixed, {part:g} of the rounds": partial(mixed, part) for part in (0.05, 0.15)},
}


FIRST = 4
"""Fields that all players play. The one that did best there plays all the others."""
BEST = "upper bound, 0.1 deviations"


def plays(env: qd.environments.RandomField, warmup: int, seed: int, delay: int, rule: Rule) -> float:
    """Return the regret per round of a player that explores for itself, after a warm-up of random arms.

    All in float32: with this noise, matrices are well conditioned.
    """
    n_rounds, n_arms = env.mean.shape
    places, times, (level, variance) = env.arms.points[:, 0].astype(np.float64), env.times, env.prior
    # Arms and rounds are evenly spaced, so that correlations follow from differences of their numbers.
    over_arms = correlation(places, places[:1], env.length_x)[:, 0].astype(np.float32)
    over_times = correlation(times, times[:1], env.length_t)[:, 0].astype(np.float32)
    random, spread = np.random.default_rng([seed, 5]), np.float32(env.noise**2 / variance + JITTER)
    considered = np.arange(STRIDE // 2, n_arms, STRIDE)
    played = random.integers(n_arms, size=n_rounds)
    paid, lost = np.empty(n_rounds, dtype=np.float32), []
    for row in range(n_rounds):
        if row >= warmup:
            some = np.arange(max(0, row - delay - KNOWN), row)  # the last ``delay`` of them are pending
            known, arms = max(len(some) - delay, 0), played[some]
            at = over_arms[abs(arms[:, None] - arms)] * over_times[abs(some[:, None] - some)]
            at[np.diag_indices(len(some))] += spread
            now = over_arms[abs(arms[:, None] - considered)] * over_times[row - some][:, None]
            factor = cholesky(at, lower=True, check_finite=False)
            half = solve_triangular(factor, now, lower=True, check_finite=False)
            whitened = solve_triangular(factor[:known, :known], paid[some[:known]], lower=True, check_finite=False)
            belief = Belief(
                whitened @ half[:known],  # the first rows of both are those of the known rewards alone
                np.sqrt(np.maximum(1 - np.square(half).sum(axis=0), 0)),
                lambda sure=half[:known]: over_arms[abs(considered[:, None] - considered)] - sure.T @ sure,
            )
            index = rule(belief, random)
            played[row] = considered[random.choice(np.flatnonzero(index >= index.max()))]
            lost.append(env.best_mean[row] - env.mean[row, played[row]])
        paid[row] = (env.pull(row, int(played[row])) - level) / variance**0.5
    return float(np.mean(lost))


def main() -> int:
    """Print the regret of all players with rewards 100 rounds late, and that of ``everything`` for other delays."""
    options = Options("delay_references", __doc__, "fields", 20, 40000)
    options.add_argument("--folder", type=Path, default=Path("results/delay-references"), help="of finished games")
    given, seeds = options.given()
    games: dict[tuple[str, int], list[float]] = {}
    for name, rule in PLAYERS.items():
        game = partial(plays, warmup=WARMUP, delay=LATEST, rule=rule)
        some = seeds if name == BEST else seeds[:FIRST]
        games[name, LATEST] = [kept(given.folder, name, seed, game) for seed in some]
    first = [found[:FIRST] for found in games.values()]
    games["the best of all players in each field", LATEST] = np.min(first, axis=0).tolist()
    for delay in DELAYS:
        game = partial(everything, warmup=WARMUP, delay=delay)
        games["everything", delay] = [kept(given.folder, f"everything {delay}", seed, game) for seed in seeds]
    rows = [row(name, delay, found) for (name, delay), found in games.items()]
    options.write(rows=rows)
    return 0


def kept(folder: Path, name: str, seed: int, game: Callable[..., float]) -> float:
    """Return the regret of one game, from the folder if it is there."""
    path = folder / f"{name.replace(', ', '-').replace(' ', '-')}-{seed}.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".tmp")
        temporary.write_text(json.dumps(game(field(seed), seed=seed)))
        temporary.replace(path)
    return float(json.loads(path.read_text()))


def row(player: str, delay: int, found: list[float]) -> dict[str, str | int | float]:
    """Print and return one row of the table."""
    half = 1.96 * float(np.std(found, ddof=1)) / len(found) ** 0.5
    print(f"| {player} | {delay} | {np.mean(found):.4f} ± {half:.4f} | {len(found)} fields |", flush=True)
    regret, interval = round(float(np.mean(found)), 4), round(half, 4)
    return {"player": player, "delay": delay, "regret": regret, "interval": interval, "fields": len(found)}


if __name__ == "__main__":
    sys.exit(main())
