"""A whole non-stationary run against the same run in vectorised NumPy."""

import numpy as np

import quickdraw_bandits as qd
from benchmarks.row import Row, at_least, best_of

N_ARMS = N_ROUNDS = 1000
WARMUP = 100


def run() -> list[Row]:
    """Play the base setting with both; they must choose the same arms."""
    env = qd.environments.RandomField(n_arms=N_ARMS, n_rounds=N_ROUNDS, seed=0)
    chosen = {}

    def compiled() -> None:
        chosen["compiled"] = qd.simulate(qd.QuickDraw(env.arms, seed=0), env, warmup=WARMUP, seed=0).arms

    def numpy() -> None:
        chosen["numpy"] = numpy_run(env, chosen["compiled"][:WARMUP])

    compiled()  # compiles, and makes the field
    ours, other = best_of(5, compiled, numpy)
    if not np.array_equal(chosen["compiled"], chosen["numpy"]):
        raise RuntimeError("the two runs chose different arms, so that their times say nothing")
    return [at_least("whole run, 1,000 arms, 1,000 rounds, against vectorised NumPy", ours, other, 30)]


def numpy_run(env: qd.environments.RandomField, warmup: np.ndarray) -> np.ndarray:
    """Return the arms that Quick-Draw plays, from one arms × observations array a round."""
    x = env.arms.points[:, 0] / env.arms.unit
    times, rewards = env.times, env.rewards
    arms = np.empty(N_ROUNDS, dtype=np.int64)
    paid = np.empty(N_ROUNDS)
    for t in range(N_ROUNDS):
        if t < len(warmup):
            arms[t] = warmup[t]
        else:
            precision = 1 / (1e-7 + (x[:, None] - x[arms[:t]]) ** 2 + (times[t] - times[:t]) ** 2)
            total = precision.sum(axis=1)
            index = np.minimum(precision @ paid[:t] / total + 2 / np.sqrt(total), 1)
            arms[t] = np.argmax(index)
        paid[t] = rewards[t, arms[t]]
    return arms
