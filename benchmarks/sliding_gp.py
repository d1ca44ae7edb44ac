"""One round of Quick-Draw, Adaptive Quick-Draw and SW-GP-UCB, against SW-GP-UCB on scikit-learn's Gaussian process."""

import time
import warnings
from typing import Any

import numpy as np

import quickdraw_bandits as qd
from benchmarks.row import Row, at_least

WARMUP, ROUNDS, WINDOW = 100, 100, 100


def run() -> list[Row]:
    """Play rounds 100 to 200 of the base setting with 1,000 arms, and compare the time per round.

    Each policy plays on its own. Ours play several games, of which the best counts; scikit-learn's plays one. Both
    Gaussian processes are refitted every round: ours from the last optimum and one more starting point, scikit-learn's
    from the last optimum only.
    """
    env = qd.environments.RandomField(seed=0)
    quick = min(_seconds_per_round(env, qd.QuickDraw(env.arms, seed=0)) for _ in range(10))
    adaptive = min(_seconds_per_round(env, qd.AdaptiveQuickDraw(env.arms, seed=0)) for _ in range(5))
    gaussian = min(_seconds_per_round(env, qd.policies.SlidingGPUCB(env.arms, seed=0)) for _ in range(3))
    scikit = _seconds_per_round(env, _ScikitLearn(env.arms))
    return [
        at_least("Quick-Draw, one round of 1,000 arms, against SW-GP-UCB on scikit-learn", quick, scikit, 150),
        at_least(
            "Adaptive Quick-Draw, one round of 1,000 arms, against SW-GP-UCB on scikit-learn", adaptive, scikit, 25
        ),
        at_least("SW-GP-UCB, one round of 1,000 arms, against the same on scikit-learn", gaussian, scikit, 5),
    ]


def _seconds_per_round(env: qd.environments.RandomField, policy: Any) -> float:
    for t, arm in enumerate(np.random.default_rng(0).integers(len(env.arms), size=WARMUP).tolist()):
        policy.update(env.times[t], arm, env.pull(t, arm))
    policy.select(env.times[WARMUP])  # compile
    start = time.perf_counter()
    for t in range(WARMUP, WARMUP + ROUNDS):
        arm = policy.select(env.times[t])
        policy.update(env.times[t], arm, env.pull(t, arm))
    return (time.perf_counter() - start) / ROUNDS


class _ScikitLearn:
    """SW-GP-UCB on scikit-learn, refitted every round from the last optimum."""

    def __init__(self, arms: qd.Arms) -> None:
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

        self.points = arms.points / arms.unit
        self.kernel: Any = ConstantKernel(1.0) * RBF(0.1) + WhiteKernel(0.05)
        self.played: list[int] = []
        self.paid: list[float] = []

    def select(self, time: float) -> int:
        from sklearn.gaussian_process import GaussianProcessRegressor

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-learn warns if the optimum lies on a bound
            process = GaussianProcessRegressor(self.kernel, alpha=0.0)
            process.fit(self.points[self.played[-WINDOW:]], self.paid[-WINDOW:])
            mean, std = process.predict(self.points, return_std=True)
        self.kernel = process.kernel_
        noise = np.exp(self.kernel.theta[2])
        return int(np.argmax(mean + 2 * np.sqrt(np.maximum(std**2 - noise, 0))))

    def update(self, time: float, arm: int, reward: float) -> None:
        self.played.append(arm)
        self.paid.append(reward)
