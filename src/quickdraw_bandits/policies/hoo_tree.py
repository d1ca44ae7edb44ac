"""The tree of HOO: adding observations, updating bounds, and finding the cell to play.

A cell is a range of places along each axis. It is not stored: it follows from the path that leads to its node.
Children come after their parents, so that one backward pass sees them first. Importing this module imports Numba.
"""

from typing import NamedTuple

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.numerics.jit import in_order

LEFT, RIGHT = 0, 1
NO_CHILD = -1
SINGLE_ARM = -2
"""In place of both children: the cell holds one arm and cannot be halved."""


class Tree(NamedTuple):
    """One entry per node, the root first; the arrays have room for more nodes than there are.

    Attributes
    ----------
    children
        The two children of each node, ``NO_CHILD`` or ``SINGLE_ARM``.
    depths
        How many times the whole set was halved to get the node's cell.
    counts, totals
        Number and sum of the rewards observed in the cell.
    bounds
        B of each node, as of the latest call of ``update_bounds``.
    """

    children: Integers
    depths: Integers
    counts: Floats
    totals: Floats
    bounds: Floats


def empty_tree(room: int, single_arm: bool) -> Tree:
    """Return a tree of the root alone, with room for ``room`` nodes."""
    children = np.full((room, 2), NO_CHILD)
    children[0] = SINGLE_ARM if single_arm else NO_CHILD
    return Tree(children, np.zeros(room, dtype=np.int64), np.zeros(room), np.zeros(room), np.zeros(room))


def with_room(tree: Tree, room: int) -> Tree:
    """Return the same nodes with room for at least ``room``, at least doubled if it grows."""
    now = len(tree.counts)
    if room <= now:
        return tree
    larger = empty_tree(max(room, 2 * now), single_arm=False)
    for old, new in zip(tree, larger, strict=True):
        new[:now] = old
    return larger


def with_pending(tree: Tree, n_nodes: int, places: Floats, sizes: Integers, is_box: bool) -> tuple[Tree, int]:
    """Return a copy in which pulls at ``places`` count as plays that paid the mean of each cell on their path."""
    before = tree.counts[:n_nodes].copy()
    means = np.divide(tree.totals[:n_nodes], before, out=np.zeros(n_nodes), where=before > 0)
    copied = Tree(*[array.copy() for array in tree])  # type: ignore[arg-type]
    more = with_room(copied, n_nodes + len(places))
    n_more = add(more, n_nodes, places, np.zeros(len(places)), sizes, is_box)
    more.totals[:n_nodes] = means * more.counts[:n_nodes]
    for node in range(n_nodes, n_more):  # a new cell has the mean of the cell around it, which comes before it
        parent = int(np.flatnonzero((more.children[:node] == node).any(axis=1))[0])
        more.totals[node] = more.totals[parent] / more.counts[parent] * more.counts[node]
    return more, n_more


def all_most_promising(tree: Tree, sizes: Integers, is_box: bool) -> list[tuple[Floats, float]]:
    """Return every place where ``most_promising`` may end, with its probability over fair coins."""
    found = []
    waiting = [(0, np.zeros(len(sizes)), sizes.astype(np.float64), 1.0)]
    while waiting:
        node, low, high, chance = waiting.pop()
        if node == NO_CHILD or tree.children[node, LEFT] == SINGLE_ARM:
            found.append(((low + high) / 2 if is_box else np.floor((low + high - 1) / 2), chance))
            continue
        axis, middle = _halve(low, high, sizes, is_box)
        left, right = _child_bound(tree, node, LEFT), _child_bound(tree, node, RIGHT)
        sides = [side for side, bound in ((LEFT, left), (RIGHT, right)) if bound == max(left, right)]
        for side in sides:
            inside = low.copy(), high.copy()
            inside[0 if side == RIGHT else 1][axis] = middle
            waiting.append((int(tree.children[node, side]), *inside, chance / len(sides)))
    return found


@in_order
def _halve(low: Floats, high: Floats, sizes: Integers, is_box: bool) -> tuple[int, float]:
    """Return the axis along which a cell is longest, and where it is halved; axis -1 if it cannot be."""
    axis, middle, longest = -1, 0.0, 0.0
    for j in range(low.shape[0]):
        centre = (low[j] + high[j]) / 2
        if not is_box:
            centre = np.floor(centre)
        length = (high[j] - low[j]) / sizes[j]
        if low[j] < centre < high[j] and length > longest:
            axis, middle, longest = j, centre, length
    return axis, middle


@in_order
def add(tree: Tree, n_nodes: int, places: Floats, rewards: Floats, sizes: Integers, is_box: bool) -> int:
    """Count each reward at every node on its path, and add the node where the path leaves the tree.

    The tree must have room for one more node per observation. Returns the new number of nodes.
    """
    d = sizes.shape[0]
    low, high = np.empty(d), np.empty(d)
    for s in range(places.shape[0]):
        low[:] = 0.0
        high[:] = sizes
        node = 0
        while True:
            tree.counts[node] += 1
            tree.totals[node] += rewards[s]
            if tree.children[node, LEFT] == SINGLE_ARM:
                break
            axis, middle = _halve(low, high, sizes, is_box)
            side = RIGHT if places[s, axis] >= middle else LEFT
            if side == RIGHT:
                low[axis] = middle
            else:
                high[axis] = middle
            child = tree.children[node, side]
            if child == NO_CHILD:
                tree.children[node, side] = n_nodes
                tree.depths[n_nodes] = tree.depths[node] + 1
                tree.counts[n_nodes] = 1
                tree.totals[n_nodes] = rewards[s]
                single = _halve(low, high, sizes, is_box)[0] < 0
                tree.children[n_nodes, :] = SINGLE_ARM if single else NO_CHILD
                n_nodes += 1
                break
            node = child
    return n_nodes


@in_order
def update_bounds(tree: Tree, n_nodes: int, exploration: float, nu: float, rho: float) -> None:
    """Compute B of every node, the deepest first."""
    log_n = np.log(tree.counts[0])
    for node in range(n_nodes - 1, -1, -1):
        bound = tree.totals[node] / tree.counts[node] + np.sqrt(exploration * log_n / tree.counts[node])
        if tree.children[node, LEFT] != SINGLE_ARM:
            below = max(_child_bound(tree, node, LEFT), _child_bound(tree, node, RIGHT))
            bound = min(bound + nu * rho ** tree.depths[node], below)
        tree.bounds[node] = bound


@in_order
def _child_bound(tree: Tree, node: int, side: int) -> float:
    child = tree.children[node, side]
    return np.inf if child == NO_CHILD else tree.bounds[child]


@in_order
def most_promising(tree: Tree, coins: int, sizes: Integers, is_box: bool) -> tuple[Floats, float]:
    """Follow the larger B from the root and return the middle of the cell where the path ends, and its probability.

    The bits of ``coins`` decide where two children have equal bounds.
    """
    d = sizes.shape[0]
    low, high = np.zeros(d), np.empty(d)
    high[:] = sizes
    node = 0
    step = 0
    chance = 1.0
    while node != NO_CHILD and tree.children[node, LEFT] != SINGLE_ARM:
        axis, middle = _halve(low, high, sizes, is_box)
        left, right = _child_bound(tree, node, LEFT), _child_bound(tree, node, RIGHT)
        if left == right:
            side = (coins >> (step % 62)) & 1
            chance /= 2
        else:
            side = RIGHT if right > left else LEFT
        if side == RIGHT:
            low[axis] = middle
        else:
            high[axis] = middle
        node = tree.children[node, side]
        step += 1
    middle_of_cell = (low + high) / 2
    return (middle_of_cell if is_box else np.floor((low + high - 1) / 2)), chance
