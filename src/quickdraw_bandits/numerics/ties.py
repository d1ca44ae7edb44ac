"""Ties: which values are as large as the largest, and drawing one of them."""

import numpy as np

from quickdraw_bandits.checks import Floats, Integers


def argmaxes(values: Floats, among: Integers | None = None) -> Integers:
    """Return the positions of the largest value, of all or of those at some positions.

    Values that differ by rounding alone (1e-12 of the largest) count as equal, so that arms that are equal by
    symmetry are.

    Examples
    --------
    >>> argmaxes(np.array([1.0, 3.0, 3.0]))
    array([1, 2])
    """
    if among is not None:
        return among[argmaxes(values[among])]
    best = values.max()
    if np.isnan(best):  # 0 · inf, far beyond any rewards and times of use
        values = np.where(np.isnan(values), -np.inf, values)
        best = values.max()
    margin = 1e-12 * abs(best) if np.isfinite(best) else 0.0
    return np.flatnonzero(values >= best - margin)


def pick(positions: Integers, random: np.random.Generator) -> int:
    """Return one of ``positions``, uniformly at random; a single one takes no random number."""
    return int(positions[0] if len(positions) == 1 else positions[random.integers(len(positions))])
