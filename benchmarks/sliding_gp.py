"""A round of Quick-Draw, of its adaptive form and of SW-GP-UCB against SW-GP-UCB on scikit-learn's Gaussian process."""

import time
import warnings
from typing import Any

import numpy as np

import quickdraw_bandits as qd
from benchmarks.row import Row, at_least

WARMUP, ROUNDS, WINDOW = 100, 100, 100


def run() -> list[Row]:
    """Play rounds 100 to 200 of the base setting with 1,000 arms; compare the time a round.

    Each policy plays the rounds by itself, best of several games; scikit-learn's plays one. Both Gaussian processes
    fit every round: ours from the last optimum and one more start, scikit-learn's from the last optimum alone.
    """
    env = qd.environments.RandomField(seed=0)
    quick = min(_seconds_a_round(env, qd.QuickDraw(env.arms, seed=0)) for _ in range(10))
    adaptive = min(_seconds_a_round(env, qd.AdaptiveQuickDraw(env.arms, seed=0)) for _ in range(5))
    gaussian = min(_seconds_a_round(env, qd.policies.SlidingGPUCB(env.arms, seed=0)) for _ in range(3))
    scikit = _seconds_a_round(env, _ScikitLearn(env.arms))
    return [
        at_least("Quick-Draw, a round of 1,000 arms, against SW-GP-UCB on scikit-learn", quick, scikit, 150),
        at_least("Adaptive Quick-Draw, a round of 1,000 arms, against SW-GP-UCB on scikit-learn", adaptive, scikit, 25),
        at_least("SW-GP-UCB, a round of 1,000 arms, against the same on scikit-learn", gaussian, scikit, 5),
    ]


def _seconds_a_round(env: qd.environments.RandomField, policy: Any) -> float:
    for t, arm in enumerate(np.random.default_rng(0).integers(len(env.arms), size=WARMUP).tolist()):
        policy.update(env.times[t], arm, env.pull(t, arm))
    policy.select(env.times[WARMUP])  # compiles
    start = time.perf_counter()
    for t in range(WARMUP, WARMUP + ROUNDS):
        arm = policy.select(env.times[t])
        policy.update(env.times[t], arm, env.pull(t, arm))
    return (time.perf_counter() - start) / ROUNDS


class _ScikitLearn:
    """SW-GP-UCB on scikit-learn, fitted every round from the last optimum."""

    def __init__(self, arms: qd.Arms) -> None:
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

        self.points = arms.points / arms.unit
        self.kernel: Any = ConstantKernel(1.0) * RBF(0.1) + WhiteKernel(0.05)
        self.played: list[int] = []
        self.paid: list[float] = []

    def select(self, time: float) -> int:
        from sklearn.gaussian_process import GaussianProcessRegressor

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that an optimum lies at a bound
            process = GaussianProcessRegressor(self.kernel, alpha=0.0)
            process.fit(self.points[self.played[-WINDOW:]], self.paid[-WINDOW:])
            mean, std = process.predict(self.points, return_std=True)
        self.kernel = process.kernel_
        noise = np.exp(self.kernel.theta[2])
        return int(np.argmax(mean + 2 * np.sqrt(np.maximum(std**2 - noise, 0))))

    def update(self, time: float, arm: int, reward: float) -> None:
        self.played.append(arm)
        self.paid.append(reward)
