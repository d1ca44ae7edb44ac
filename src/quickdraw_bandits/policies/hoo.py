"""Hierarchical optimistic optimisation."""

from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.checks import Floats, Seed, not_negative, number, positive
from quickdraw_bandits.policies.lattice import Lattice
from quickdraw_bandits.policies.policy import Policy


class HOO(Policy):
    """Cuts the arms in halves again and again, and looks closer where a half may hold the best arm.

    Bubeck, Munos, Stoltz and Szepesvári, *X-armed bandits* (2011), figure 1. Nodes of a binary tree are cells: the
    root all arms, its children the two halves, and so on. After n observations, for a node of depth h whose cell
    was played N times,

    U = average + sqrt(c ln(n) / N) + nu rho^h,    c = 2,
    B = min(U, larger B of its two children),      B = inf for a node that was never played.

    From the root, go to the child of the larger B until a cell that was never played, one of the two at random where
    they are equal, and play an arm of it, here its middle. The observation counts for all nodes on the way, and the
    cell becomes a node. A cell is halved along its longest side, measured as part of the whole side.

    Where an observation counts follows from its arm alone. So arms chosen by others are learned from like its own,
    and rewards may come late; one that comes after its cell was divided counts for the parts too.

    Departs from its source on a grid, where a cell of one arm cannot be halved: it is played again and again, and
    its B is U without nu rho^h.

    Parameters
    ----------
    arms
        A ``Box``, or ``Arms`` on an evenly spaced grid of any dimension. Others are refused.
    nu, rho
        Rewards within a cell of depth h differ by at most nu rho^h. By default rho is 2^(-1/d) in d dimensions: that
        is right for rewards that change by at most about nu from end to end, and in proportion to the way.
    exploration
        c.
    seed
        An integer or a ``numpy.random.Generator``; breaks ties.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.HOO(qd.Box([0.0, 0.0], [1.0, 2.0]), exploration=0.01, seed=0)
    >>> for t in range(300):
    ...     x, y = policy.select(t)
    ...     policy.update(t, [x, y], 1 - abs(x - 0.7) - abs(y - 0.4))
    >>> policy.select(300.0).round(1)
    array([0.7, 0.4])
    """

    plays_boxes = True

    def __init__(
        self,
        arms: Arms | Box,
        nu: float = 1.0,
        rho: float | None = None,
        exploration: float = 2.0,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, seed)
        self._lattice = Lattice(arms, "HOO")
        self.nu = positive("nu", nu)
        self.rho = 2 ** (-1 / self._lattice.dimension) if rho is None else number("rho", rho)
        if not 0 < self.rho < 1:
            raise ValueError(f"rho must be between 0 and 1, both excluded, got {rho!r}")
        self.exploration = not_negative("exploration", exploration)
        self._n_nodes = 1
        self._children = np.full((64, 2), -2 if not self._lattice.is_box and self._lattice.sizes.max() == 1 else -1)
        self._counts, self._totals, self._bounds = np.zeros(64), np.zeros(64), np.zeros(64)
        self._depths = np.zeros(64, dtype=np.int64)

    def _select(self, time: float) -> Any:
        from quickdraw_bandits.policies import compiled_hoo as compiled

        lattice = self._lattice
        if self._counts[0] > 0:
            known = self._n_nodes, self._children, self._counts, self._totals, self._depths
            compiled.bounds(*known, self.exploration, self.nu, self.rho, self._bounds)
        coins = self._random.integers(2**62)
        return lattice.arm(
            compiled.leaf(self._children, self._bounds, coins, lattice.sizes, lattice.is_box), self._random
        )

    def _update(self, times: Floats, arms: Any, rewards: Floats) -> None:
        from quickdraw_bandits.policies import compiled_hoo as compiled

        self._make_room(self._n_nodes + len(rewards))
        self._n_nodes = compiled.add(
            self._lattice.places(arms),
            rewards,
            self._n_nodes,
            self._children,
            self._counts,
            self._totals,
            self._depths,
            self._lattice.sizes,
            self._lattice.is_box,
        )

    def _make_room(self, n_nodes: int) -> None:
        room = len(self._counts)
        if n_nodes <= room:
            return
        more = max(n_nodes, 2 * room) - room
        self._children = np.concatenate([self._children, np.full((more, 2), -1)])
        self._counts, self._totals, self._bounds = (
            np.concatenate([old, np.zeros(more)]) for old in (self._counts, self._totals, self._bounds)
        )
        self._depths = np.concatenate([self._depths, np.zeros(more, dtype=np.int64)])
