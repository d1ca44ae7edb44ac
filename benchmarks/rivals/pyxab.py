"""PyXAB: HCT, a tree of intervals for stationary rewards."""

from importlib.metadata import version

import numpy as np
import PyXAB.algos.HCT

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed
from quickdraw_bandits.policies import Policy


class HCT(Policy):
    """High-confidence trees (Azar et al. 2014) for arms on a line; plays the arm nearest to the point requested by HCT.

    The library can only learn from points that it requested itself. It does not learn from random warm-up rounds, late
    rewards or rewards of other arms.
    """

    contest_version = f"PyXAB {version('PyXAB')}"
    contest_grid = (
        {},
        {"rho": 0.75},
        {"c": 0.03},
        {"nu": 0.3},
        {"nu": 0.3, "rho": 0.75},
        {"c": 0.3},
        {"c": 0.01, "rho": 0.75},
        {"nu": 3.0},
        {"c": 0.01, "nu": 0.3},
    )

    def __init__(self, arms: Arms, nu: float = 1.0, rho: float = 0.5, c: float = 0.1, seed: Seed = None) -> None:
        super().__init__(arms, seed)
        if arms.metric != "euclidean" or arms.dimension != 1:
            raise ValueError(f"arms must lie on a line (euclidean, one dimension) for HCT, got {arms!r}")
        self._points = arms.points[:, 0]
        domain = [[float(self._points.min()), float(self._points.max())]]
        self._tree = PyXAB.algos.HCT.HCT(nu=nu, rho=rho, c=c, domain=domain)
        self._asked: int | None = None
        self._round = 0

    def _select(self, time: float) -> int:
        if self._asked is None:
            self._round += 1
            point = self._tree.pull(self._round)[0]
            self._asked = int(np.argmin(np.abs(self._points - point)))
        return self._asked

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        for arm, reward in zip(arms.tolist(), rewards.tolist(), strict=True):
            if arm == self._asked:
                self._tree.receive_reward(self._round, reward)
                self._asked = None
