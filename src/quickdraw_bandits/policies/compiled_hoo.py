"""The compiled loops of HOO: putting observations into its tree, and finding the leaf to play.

Importing this module imports numba. A cell of the tree is a range of places along each axis; it is not stored, but
follows from the way that leads to it. Children come after their parents, so that one pass backwards sees them first.
"""

import numpy as np
from numba import njit

jit = njit(cache=True, nogil=True, error_model="numpy", fastmath=False)

LEFT, RIGHT = 0, 1
NOBODY = -1
LONE = -2
"""Instead of a child: the cell is a single arm and has none."""


@jit
def halve(low, high, sizes, is_box):
    """Return the axis along which a cell is longest, and where it is halved; -1 for a cell that cannot be."""
    axis, middle, longest = -1, 0.0, 0.0
    for j in range(low.shape[0]):
        centre = (low[j] + high[j]) / 2
        if not is_box:
            centre = np.floor(centre)
        length = (high[j] - low[j]) / sizes[j]
        if low[j] < centre < high[j] and length > longest:
            axis, middle, longest = j, centre, length
    return axis, middle


@jit
def add(places, rewards, n_nodes, children, counts, totals, depths, sizes, is_box):
    """Count each reward at every node on its way, and add the node where the way leaves the tree.

    The arrays must have room for one more node an observation. Returns how many nodes there are.
    """
    d = sizes.shape[0]
    low, high = np.empty(d), np.empty(d)
    for s in range(places.shape[0]):
        low[:] = 0.0
        high[:] = sizes
        node = 0
        while True:
            counts[node] += 1
            totals[node] += rewards[s]
            if children[node, LEFT] == LONE:
                break
            axis, middle = halve(low, high, sizes, is_box)
            side = RIGHT if places[s, axis] >= middle else LEFT
            if side == RIGHT:
                low[axis] = middle
            else:
                high[axis] = middle
            child = children[node, side]
            if child == NOBODY:
                children[node, side] = n_nodes
                depths[n_nodes] = depths[node] + 1
                counts[n_nodes] = 1
                totals[n_nodes] = rewards[s]
                lone = halve(low, high, sizes, is_box)[0] < 0
                children[n_nodes, :] = LONE if lone else NOBODY
                n_nodes += 1
                break
            node = child
    return n_nodes


@jit
def bounds(n_nodes, children, counts, totals, depths, exploration, nu, rho, out):
    """Fill ``out`` with B of every node."""
    log_n = np.log(counts[0])
    for node in range(n_nodes - 1, -1, -1):
        bound = totals[node] / counts[node] + np.sqrt(exploration * log_n / counts[node])
        left, right = children[node, LEFT], children[node, RIGHT]
        if left != LONE:
            below_left = np.inf if left == NOBODY else out[left]
            below_right = np.inf if right == NOBODY else out[right]
            bound = min(bound + nu * rho ** depths[node], max(below_left, below_right))
        out[node] = bound


@jit
def leaf(children, b, coins, sizes, is_box):
    """Follow the larger B from the root and return the middle of the cell where the way ends."""
    d = sizes.shape[0]
    low, high = np.zeros(d), np.empty(d)
    high[:] = sizes
    node = 0
    step = 0
    while node != NOBODY and children[node, LEFT] != LONE:
        axis, middle = halve(low, high, sizes, is_box)
        if axis < 0:  # the root alone, if it is a single arm
            break
        left, right = children[node, LEFT], children[node, RIGHT]
        below_left = np.inf if left == NOBODY else b[left]
        below_right = np.inf if right == NOBODY else b[right]
        if below_left == below_right:
            side = (coins >> (step % 62)) & 1
        else:
            side = RIGHT if below_right > below_left else LEFT
        if side == RIGHT:
            low[axis] = middle
        else:
            high[axis] = middle
        node = children[node, side]
        step += 1
    place = (low + high) / 2
    return place if is_box else np.floor((low + high - 1) / 2)
