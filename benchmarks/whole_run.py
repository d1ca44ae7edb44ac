"""A whole run with drift, against the same run in vectorised NumPy."""

import numpy as np

import quickdraw_bandits as qd
from benchmarks.row import Row, at_least, best_of

N_ARMS = N_ROUNDS = 1000
WARMUP = 100


def run() -> list[Row]:
    """Play the base setting with both; they have to choose the same arms."""
    env = qd.environments.RandomField(n_arms=N_ARMS, n_rounds=N_ROUNDS, seed=0)
    chosen = {}

    def compiled() -> None:
        chosen["compiled"] = qd.simulate(qd.QuickDraw(env.arms, seed=0), env, warmup=WARMUP, seed=0).arms

    def numpy() -> None:
        chosen["numpy"] = numpy_run(env, chosen["compiled"][:WARMUP])

    compiled()  # compile, and generate the field
    ours, other = best_of(5, compiled, numpy)
    if not np.array_equal(chosen["compiled"], chosen["numpy"]):
        raise RuntimeError("the two runs chose different arms, so their times cannot be compared")
    return [at_least("whole run, 1,000 arms, 1,000 rounds, against vectorised NumPy", ours, other, 30)]


def numpy_run(env: qd.environments.RandomField, warmup: np.ndarray) -> np.ndarray:
    """Return the arms that Quick-Draw plays: its formulas (E2, E3, E4) on one arms × observations array per round."""
    length_scale, time_scale, noise_variance, exploration, cap = 1.0, 1.0, 1e-7, 2.0, 1.0
    x = env.arms.points[:, 0] / env.arms.unit
    times, rewards = env.times, env.rewards
    arms = np.empty(N_ROUNDS, dtype=np.int64)
    paid = np.empty(N_ROUNDS)
    for t in range(N_ROUNDS):
        if t < len(warmup):
            arms[t] = warmup[t]
        else:
            distance = (x[:, None] - x[arms[:t]]) / length_scale
            age = (times[t] - times[:t]) / time_scale
            precision = 1 / (noise_variance + distance**2 + age**2)
            total = precision.sum(axis=1)
            index = np.minimum(precision @ paid[:t] / total + exploration / np.sqrt(total), cap)
            arms[t] = np.argmax(index)
        paid[t] = rewards[t, arms[t]]
    return arms
