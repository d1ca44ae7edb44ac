"""What the compiled files do, in NumPy: slow and obvious, to compare the compiled loops with."""

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats


def posterior(
    between: Floats, towards: Floats, means: Floats, noise: float, counts: Floats, spread: float
) -> tuple[Floats, Floats, float, float, Floats]:
    """Return mean and variance at arms, log likelihood, signal variance, and the weights of the observations.

    With C the correlations ``between`` n points, plus noise / count on the diagonal, and c those ``towards`` the arms:
    weights w = C⁻¹ c, mean w'(y - level) above the level 1'C⁻¹y / (1 + 1'C⁻¹1), variance 1 - c'w in units of the
    signal variance. That is (y'V⁻¹ y + spread / noise) / N with V = C + 1 1': the level of all rewards is not known.
    """
    n, observed = len(means), float(counts.sum())
    matrix = between + np.diag(noise / counts)
    weights: Floats = np.linalg.solve(matrix, towards).astype(np.float64)
    with_level = matrix + 1.0
    signal = (float(means @ np.linalg.solve(with_level, means)) + spread / noise) / observed
    logs = np.linalg.slogdet(with_level)[1] + (observed - n) * np.log(noise)
    value = -0.5 * (observed * np.log(signal) + logs)
    variance: Floats = 1.0 - np.sum(towards * weights, axis=0)
    precisions = np.linalg.solve(matrix, np.ones(n))
    level = float(precisions @ means) / (1.0 + float(precisions.sum()))
    return weights.T @ (means - level), variance, float(value), signal, weights


def group(known: Floats, alike: NDArray[np.bool_], most: int, keep: float) -> list[list[int]]:
    """Return groups of observations: a leader, and those of which it leaves less than ``keep`` of the variance.

    ``known`` has the correlations of all pairs, ``alike`` says which pairs may be in one group. An observation goes to
    the last leader that is near enough.
    """
    groups: list[list[int]] = []
    for i in range(len(known)):
        leaders = [group[0] for group in groups]
        near = np.flatnonzero((1.0 - known[i, leaders] ** 2 < keep) & alike[i, leaders])
        if len(near):
            groups[near[-1]].append(i)
        elif len(groups) == most:
            break
        else:
            groups.append([i])
    return groups
