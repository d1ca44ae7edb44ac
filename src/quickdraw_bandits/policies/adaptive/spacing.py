"""How far arms are from their neighbours."""

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


def _squared(columns: Floats, arm: np.int64) -> Floats:
    """Return squared distances of all arms from one, an axis at a time, so that memory stays small."""
    total = np.zeros(columns.shape[1])
    for column in columns:
        total += (column - column[arm]) ** 2
    return total
