"""W-DBO: dynamic Bayesian optimisation that drops irrelevant observations; for short runs."""

from importlib.metadata import version

import gpytorch
import numpy as np
import torch
from wdbo_algo.optimizer import WDBOOptimizer

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed
from quickdraw_bandits.policies import Policy


class WDBO(Policy):
    """W-DBO (Bardou et al. 2024) on euclidean arms; plays the arm nearest to the point requested by W-DBO.

    It fits a Gaussian process in space and time at every observation, and takes about a second per choice. Use short
    runs, for example ``--rounds 200 --warmup 20``. It uses the global random numbers of torch and NumPy, which are
    seeded when the policy is built.
    """

    contest_version = f"wdbo-algo {version('wdbo-algo')}"
    contest_grid = ({}, {"alpha": 1.0}, {"alpha": 0.05})

    def __init__(self, arms: Arms, alpha: float = 0.25, seed: Seed = None) -> None:
        super().__init__(arms, seed)
        if arms.metric != "euclidean":
            raise ValueError(f"arms must be euclidean for W-DBO, got {arms!r}")
        drawn = int(self._random.integers(2**31))
        torch.set_default_dtype(torch.float64)  # the library mixes float32 and float64, which newer torch rejects
        torch.manual_seed(drawn)
        np.random.seed(drawn)  # noqa: NPY002 - the library draws from NumPy's global stream
        self._points = np.asarray(arms.points, dtype=float)
        domain = np.column_stack([self._points.min(axis=0), self._points.max(axis=0)])
        self._optimizer = WDBOOptimizer(
            domain, gpytorch.kernels.MaternKernel, gpytorch.kernels.MaternKernel, [2.5], [1.5], alpha=alpha
        )

    def _select(self, time: float) -> int:
        self._optimizer.clean(time)
        point = np.asarray(self._optimizer.next_query(time), dtype=float)
        return int(np.argmin(((self._points - point) ** 2).sum(axis=1)))

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        for time, arm, reward in zip(times.tolist(), arms.tolist(), rewards.tolist(), strict=True):
            self._optimizer.tell(self._points[arm], time, reward)
