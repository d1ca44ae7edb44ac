"""What late rewards cost players that are given the covariance of the field: references for ``benchmarks/delays.py``.

All know the prior mean and variance, the covariance exp(-pi/4 (distance / length)²) and the noise. None is a policy
of the library.

- ``everything`` sees the noisy rewards of all arms, as late as the policy's, and plays the largest posterior mean. A
  policy sees one of these rewards per round, so no policy has less regret on average over such fields: it is a bound.
- ``upper_bound`` plays for real: one reward per round, that of the arm it played. It plays the largest posterior mean
  plus ``width`` deviations, with pending pulls as observations of the current mean.
"""

import numpy as np

import quickdraw_bandits as qd

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
