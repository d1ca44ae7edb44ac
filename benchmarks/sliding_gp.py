"""How long a round of SW-GP-UCB takes: the package's own process against scikit-learn's."""

import time
import warnings
from typing import Any

import numpy as np

import quickdraw_bandits as qd


def run(n_arms: int = 1000, n_rounds: int = 100) -> list[dict[str, Any]]:
    """Return the median milliseconds of a choice, fit included, on the same windows of one game (window 100).

    Both fit every round on the same observations: ours from the last optimum and one more start, scikit-learn's
    from the last optimum alone. scikit-learn's time depends on the threads of its BLAS, and where cores are shared
    more threads make it slower; with OPENBLAS_NUM_THREADS=1 the ratio is the one to quote.
    """
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    random = np.random.default_rng(0)
    arms = qd.Arms.grid(-1, 1, n_arms)
    rewards = _drifting_field(n_arms, 100 + n_rounds, random)
    policy = qd.policies.SlidingGPUCB(arms, seed=0)
    first = random.integers(n_arms, size=100)
    policy.update(np.arange(100), first, rewards[np.arange(100), first])
    policy.select(100.0)  # compiles

    kernel: Any = ConstantKernel(1.0) * RBF(0.1) + WhiteKernel(0.05)
    points = arms.points / arms.unit
    played, paid = list(first), list(rewards[np.arange(100), first])
    ours, theirs = [], []
    for now in range(100, 100 + n_rounds):
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            process = GaussianProcessRegressor(kernel, alpha=0.0).fit(points[played[-100:]], paid[-100:])
            mean, std = process.predict(points, return_std=True)
        np.argmax(mean + 2.0 * np.sqrt(np.maximum(std**2 - np.exp(process.kernel_.theta[2]), 0.0)))
        theirs.append(time.perf_counter() - start)
        kernel = process.kernel_
        start = time.perf_counter()
        arm = policy.select(now)
        ours.append(time.perf_counter() - start)
        policy.update(now, arm, rewards[now, arm])
        played.append(arm)
        paid.append(rewards[now, arm])
    own, other = 1e3 * float(np.median(ours[1:])), 1e3 * float(np.median(theirs))
    return [
        {"what": "SlidingGPUCB, one round, window 100", "arms": n_arms, "milliseconds": own, "ratio": 1.0},
        {"what": "the same on scikit-learn", "arms": n_arms, "milliseconds": other, "ratio": other / own},
    ]


def _drifting_field(n_arms: int, n_rounds: int, random: np.random.Generator) -> np.ndarray:
    """Return a sum of plane waves, about a Gaussian field of length 0.1 over arms and over 1000 rounds."""
    across = np.linspace(-1, 1, n_arms)[:, None] * random.normal(size=300) * np.sqrt(np.pi / 2) / 0.1
    along = np.arange(n_rounds)[:, None] / 1000 * random.normal(size=300) * np.sqrt(np.pi / 2) / 0.1
    phase = random.uniform(0, 2 * np.pi, size=300)
    field = np.cos(along + phase) @ np.cos(across).T - np.sin(along + phase) @ np.sin(across).T
    return np.asarray((field - field.min()) / (field.max() - field.min()))


if __name__ == "__main__":
    for row in run():
        print(row)
