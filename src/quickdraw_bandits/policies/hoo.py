"""Hierarchical optimistic optimisation."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.arm_set import ArmSet
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, not_negative, number, positive
from quickdraw_bandits.policies.decision import ArmT
from quickdraw_bandits.policies.lattice import Lattice
from quickdraw_bandits.policies.policy import Policy

if TYPE_CHECKING:
    from quickdraw_bandits.policies.hoo_tree import Tree

FIRST_ROOM = 64
"""Nodes for which a new tree has room."""


class HOO(Policy[ArmT]):
    """Halves the set of arms again and again, and refines the cells that may hold the best arm.

    Bubeck, Munos, Stoltz and Szepesvári, *X-armed bandits* (2011), figure 1. The nodes of a binary tree are cells: the
    root is the whole set, its children are the two halves, and so on. After n observations, for a node of depth h
    whose cell was played N times,

        U = average + sqrt(c ln(n) / N) + nu rho^h,    c = 2,
        B = min(U, larger B of its two children),      B = inf for a node never played.

    Starting at the root, go to the child of the larger B (at random if they are equal) until you reach a cell never
    played. Play its middle. The reward counts for all nodes on the path, and the cell becomes a node. A cell is halved
    along the axis where it covers the largest part of the whole range.

    The path of an observation depends on its arm alone. So the policy learns from arms chosen by others, and rewards
    may arrive late; if the cell has been divided by then, the reward counts for the parts too.

    Differs from the source on a grid: a cell of one arm cannot be halved. It is played again and again, and its B is U
    without nu rho^h. ``add_arms`` needs arms that make a grid again, together with those there are; the tree is then
    built anew from all observations.

    Parameters
    ----------
    arms
        A ``Box``, or ``Arms`` on an evenly spaced grid of any dimension. Other arms raise ValueError.
    nu
        Largest difference of mean rewards over the whole set, in units of the reward; default 1. A larger value
        explores more. Set it to the range of your rewards.
    rho
        Factor by which that difference shrinks with each halving, between 0 and 1. The default None is 2^(-1/d) in d
        dimensions, which suits rewards that change in proportion to distance. A larger value explores more: use it
        for rewards with sharp peaks.
    exploration
        c, without unit; default 2. A larger value explores more. The default is for proofs: with smooth rewards and
        little noise, 0.01 learns much faster.
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
        self, arms: ArmSet[ArmT], nu: float = 1.0, rho: float | None = None, exploration: float = 2.0, seed: Seed = None
    ) -> None:
        super().__init__(arms, seed)
        self._lattice = Lattice(self.arms, "HOO")
        self.nu = positive("nu", nu)
        self.rho = 2 ** (-1 / self._lattice.dimension) if rho is None else number("rho", rho)
        if not 0 < self.rho < 1:
            raise ValueError(f"rho must be above 0 and below 1, got {rho!r}")
        self.exploration = not_negative("exploration", exploration)
        self._clear()

    def _clear(self) -> None:
        """Start with a tree of the root alone."""
        # Imports numba, which takes longer than all the rest of the package.
        from quickdraw_bandits.policies import hoo_tree

        self._tree = hoo_tree.empty_tree(FIRST_ROOM, not self._lattice.is_box and self._lattice.sizes.max() == 1)
        self._n_nodes = 1

    def _select(self, time: float, among: Subset | None = None) -> int | Floats:
        return self._lattice.arm(self._follow(self._bounded_tree())[0], self._random, among)

    def _decide(self, time: float, among: Subset | None) -> tuple[int, float]:
        tree = self._bounded_tree()
        place, chance = self._follow(tree)
        arm: Any = self._lattice.arm(place, self._random, among)
        if among is None:
            return arm, chance / len(self._lattice.arms_near(place, None))
        # From several places the same arm can be the nearest of those that may be chosen.
        chances = (chance * np.count_nonzero(arms == arm) / len(arms) for arms, chance in self._ends(tree, among))
        return arm, float(sum(chances))

    def _follow(self, tree: "Tree") -> tuple[Floats, float]:
        """Return the place where a random path of the largest bounds ends, and the probability of the path."""
        from quickdraw_bandits.policies import hoo_tree

        lattice = self._lattice
        coins = int(self._random.integers(2**62))
        place, chance = hoo_tree.most_promising(tree, coins, lattice.sizes, lattice.is_box)
        return place, chance

    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        probabilities = np.zeros(len(self._arm_set))
        for arms, chance in self._ends(self._bounded_tree(), among):
            probabilities[arms] += chance / len(arms)
        return probabilities

    def _ends(self, tree: "Tree", among: Subset | None) -> Iterator[tuple[Integers, float]]:
        """Yield the arms where a path down the tree can end, one set per path, and the probability of the path."""
        from quickdraw_bandits.policies import hoo_tree

        lattice = self._lattice
        for place, chance in hoo_tree.all_most_promising(tree, lattice.sizes, lattice.is_box):
            yield lattice.arms_near(place, among), chance

    def _bounded_tree(self) -> "Tree":
        """Return the tree with its bounds, and with pending pulls as plays that paid the mean of each cell."""
        from quickdraw_bandits.policies import hoo_tree

        tree, n_nodes, lattice = self._tree, self._n_nodes, self._lattice
        if len(self._pending):
            places = lattice.places(self._pending.arrays()[1])
            tree, n_nodes = hoo_tree.with_pending(tree, n_nodes, places, lattice.sizes, lattice.is_box)
        if tree.counts[0] > 0:
            hoo_tree.update_bounds(tree, n_nodes, self.exploration, self.nu, self.rho)
        return tree

    def _update(self, times: Floats, arms: Integers | Floats, rewards: Floats) -> None:
        from quickdraw_bandits.policies import hoo_tree

        lattice = self._lattice
        self._tree = hoo_tree.with_room(self._tree, self._n_nodes + len(rewards))
        self._n_nodes = hoo_tree.add(
            self._tree, self._n_nodes, lattice.places(arms), rewards, lattice.sizes, lattice.is_box
        )

    def _check_growth(self, arms: Arms) -> None:
        Lattice(arms, "HOO")  # raises where the arms are no grid any more

    def _grow(self, arms: Arms) -> None:
        self._lattice = Lattice(arms, "HOO")
        self._clear()
        n = self._seen.n
        if n:
            self._update(self._seen.times[:n], self._seen.arms[:n], self._seen.rewards[:n])
