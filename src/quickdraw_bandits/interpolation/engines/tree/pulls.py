"""Pending pulls in groups, so that a search need not look at each of them for every box."""

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.numerics.balanced_tree import balanced_tree

MOST_GROUPS = 32


def pulls_and_groups(pulls: Floats) -> dict[str, Floats]:
    """Return the fields ``pulls`` and ``pull_groups`` of a query, for rows of place and time.

    Pulls are in columns, so that a sum over them reads memory in order. A group has its centre, half its sides, and
    how many pulls it holds.

    Examples
    --------
    >>> pulls_and_groups(np.array([[0.5, 2.0]]))["pull_groups"]
    array([[0.5, 2. , 0. , 0. , 1. ]])
    """
    n, width = pulls.shape
    if n <= MOST_GROUPS:
        groups = np.concatenate([pulls, np.zeros((n, width)), np.ones((n, 1))], axis=1)
        return {"pulls": np.ascontiguousarray(pulls.T), "pull_groups": groups}
    ordered, _, bounds = balanced_tree(pulls, -(-n // MOST_GROUPS))
    edges = np.array([0, n])
    while len(edges) <= len(bounds) // 2 + 1:
        edges = np.sort(np.concatenate([edges, (edges[:-1] + edges[1:]) // 2]))
    corners = bounds[len(bounds) // 2 :]
    low, high = corners[:, :width], corners[:, width:]
    groups = np.concatenate([(low + high) / 2, (high - low) / 2, np.diff(edges)[:, None]], axis=1)
    return {"pulls": np.ascontiguousarray(ordered.T), "pull_groups": groups}
