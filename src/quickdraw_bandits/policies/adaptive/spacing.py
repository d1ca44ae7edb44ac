"""How far arms are from their neighbours, and from each other at most."""

import numpy as np

from quickdraw_bandits.checks import Floats

SAMPLED = 32
"""Number of arms whose neighbours are searched for, evenly through the set."""
NEIGHBOURS = 4


def spacing(columns: Floats, matrix: Floats) -> float:
    """Return half the median distance of an arm to its fourth neighbour; on an even grid, the distance to the next.

    Arms at distance 0 are not counted as neighbours. Infinite if all are.

    Parameters
    ----------
    columns
        Coordinates of shape (d, K).
    matrix
        Squared distances, where there are no coordinates; otherwise of shape (0, 0).

    Examples
    --------
    >>> float(spacing(np.linspace(0, 1, 101)[None], np.empty((0, 0))).__round__(9))
    0.01
    """
    n_arms = len(matrix) if len(matrix) else columns.shape[1]
    found = []
    for arm in np.linspace(0, n_arms - 1, min(n_arms, SAMPLED)).astype(np.int64):
        squared = matrix[arm] if len(matrix) else _squared(columns, arm)
        others = squared[squared > 0]
        if len(others):
            last = min(NEIGHBOURS, len(others)) - 1
            found.append(float(np.sqrt(np.partition(others, last)[last])))
    return float(np.median(found)) / 2 if found else np.inf


def farthest(columns: Floats) -> float:
    """Return the largest distance between arms; 1 if it is 0.

    The search goes from an arm to the one farthest from it, as long as that is farther than the last. Along a line this
    is exact. In more dimensions the result can be a few per cent less than the largest distance.

    Parameters
    ----------
    columns
        Coordinates of shape (d, K), of absolute values of at most 1.

    Examples
    --------
    >>> farthest(np.array([[0.0, 0.6, 0.1], [0.0, 0.8, 0.1]]))
    1.0
    """
    arm, largest = np.int64(0), 0.0
    while True:
        squared = _squared(columns, arm)
        arm = squared.argmax()
        if squared[arm] <= largest:
            return float(np.sqrt(largest)) if largest > 0 else 1.0
        largest = float(squared[arm])


def _squared(columns: Floats, arm: np.int64) -> Floats:
    """Return squared distances of all arms from one, an axis at a time, so that memory stays small."""
    total = np.zeros(columns.shape[1])
    for column in columns:
        total += (column - column[arm]) ** 2
    return total
