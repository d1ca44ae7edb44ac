"""A round of Quick-Draw and of SW-GP-UCB against SW-GP-UCB on scikit-learn's Gaussian process."""

import time
import warnings
from typing import Any

import numpy as np

import quickdraw_bandits as qd
from benchmarks.row import Row, at_least

WARMUP, ROUNDS, WINDOW = 100, 100, 100


def run() -> list[Row]:
    """Play 100 rounds of the base setting with 1,000 arms; compare the medians of the time a round.

    All three get the same rounds. Both Gaussian processes fit every round on the same window: ours from the last
    optimum and one more start, scikit-learn's from the last optimum alone.
    """
    env = qd.environments.RandomField(seed=0)
    warmup = np.random.default_rng(0).integers(len(env.arms), size=WARMUP)
    policies = [qd.policies.SlidingGPUCB(env.arms, seed=0), qd.QuickDraw(env.arms, seed=0)]
    for policy in policies:
        policy.update(env.times[:WARMUP], warmup, env.rewards[np.arange(WARMUP), warmup])
        policy.select(env.times[WARMUP])  # compiles
    outside = _ScikitLearn(env.arms, warmup, env.rewards[np.arange(WARMUP), warmup])
    taken: list[list[float]] = [[], [], []]
    for now in range(WARMUP, WARMUP + ROUNDS):
        start = time.perf_counter()
        outside.select()
        taken[2].append(time.perf_counter() - start)
        played = -1
        for k in (1, 0):
            start = time.perf_counter()
            arm = policies[k].select(env.times[now])
            policies[k].update(env.times[now], arm, env.pull(now, arm))
            taken[k].append(time.perf_counter() - start)
            played = arm
        outside.update(played, env.pull(now, played))
    gaussian, quick, scikit = (float(np.median(times)) for times in taken)
    return [
        at_least("Quick-Draw, a round of 1,000 arms, against SW-GP-UCB on scikit-learn", quick, scikit, 150),
        at_least("SW-GP-UCB, a round of 1,000 arms, against the same on scikit-learn", gaussian, scikit, 5),
    ]


class _ScikitLearn:
    """SW-GP-UCB on scikit-learn, fitted every round from the last optimum."""

    def __init__(self, arms: qd.Arms, played: np.ndarray, paid: np.ndarray) -> None:
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

        self.points = arms.points / arms.unit
        self.kernel: Any = ConstantKernel(1.0) * RBF(0.1) + WhiteKernel(0.05)
        self.played, self.paid = list(played), list(paid)

    def select(self) -> int:
        from sklearn.gaussian_process import GaussianProcessRegressor

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that an optimum lies at a bound
            process = GaussianProcessRegressor(self.kernel, alpha=0.0)
            process.fit(self.points[self.played[-WINDOW:]], self.paid[-WINDOW:])
            mean, std = process.predict(self.points, return_std=True)
        self.kernel = process.kernel_
        noise = np.exp(self.kernel.theta[2])
        return int(np.argmax(mean + 2 * np.sqrt(np.maximum(std**2 - noise, 0))))

    def update(self, arm: int, reward: float) -> None:
        self.played.append(arm)
        self.paid.append(reward)
