"""One round of each policy on a windowed Gaussian process, against the minimal LAPACK work for it."""

import time
from typing import Any

import numpy as np
from scipy.linalg import cholesky, solve_triangular

import quickdraw_bandits as qd
from benchmarks.row import Row, at_most

WINDOW, ROUNDS = 300, 200


def run() -> list[Row]:
    """Play rounds 300 to 500 of the base setting with 1,000 arms and a full window of 300 observations.

    After each round, SciPy factors one 300 × 300 matrix and solves one 300 × 1,000 triangular system. The medians of
    the processor times are compared.
    """
    env = qd.environments.RandomField(seed=0)
    rows = []
    for name, policy in (
        ("TV-GP-UCB", qd.policies.TimeVaryingGPUCB(env.arms, window=WINDOW, seed=0)),
        ("space-time GP-UCB", qd.policies.SpaceTimeGPUCB(env.arms, window=WINDOW, seed=0)),
        ("WGP-UCB", qd.policies.WeightedGPUCB(env.arms, window=WINDOW, seed=0)),
    ):
        ours, other = _medians(env, policy)
        what = f"{name}, window 300, one round of 1,000 arms, against one Cholesky and one solve"
        rows.append(at_most(what, ours, other, 10))
    return rows


def _medians(env: qd.environments.RandomField, policy: Any) -> tuple[float, float]:
    arms = np.random.default_rng(0).integers(len(env.arms), size=WINDOW)
    policy.update(env.times[:WINDOW], arms, env.rewards[np.arange(WINDOW), arms])
    policy.update(env.times[WINDOW], policy.select(env.times[WINDOW]), 0.5)  # compile
    lags = env.times[:WINDOW, None] - env.times[:WINDOW]
    covariance = np.exp(-((lags / 0.08) ** 2) / 2) + 0.01 * np.eye(WINDOW)
    right = np.random.default_rng(0).random((WINDOW, len(env.arms)))
    seconds = np.empty((2, ROUNDS))
    for k in range(ROUNDS):
        now = env.times[WINDOW + 1 + k]
        start = time.process_time()
        arm = policy.select(now)
        policy.update(now, arm, env.pull(WINDOW + 1 + k, arm))
        played = time.process_time()
        solve_triangular(cholesky(covariance, lower=True), right, lower=True)
        seconds[:, k] = played - start, time.process_time() - played
    ours, other = np.median(seconds, axis=1)
    return float(ours), float(other)
