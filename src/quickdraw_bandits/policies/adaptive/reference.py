"""What the compiled files do, in NumPy: slow and obvious, to compare the compiled loops with."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats, Integers


def posterior(
    between: Floats, towards: Floats, means: Floats, noise: float, counts: Floats, spread: float
) -> tuple[Floats, Floats, float, float, Floats]:
    """Return mean and variance at arms, log likelihood, signal variance, and the weights of the observations.

    With C the correlations ``between`` n points, plus noise / count on the diagonal, and c those ``towards`` the arms:
    weights w = C⁻¹ c, mean w'y, variance 1 - c'w in units of the signal variance (y'C⁻¹ y + spread / noise) / N.
    """
    n, observed = len(means), float(counts.sum())
    matrix = between + np.diag(noise / counts)
    weights: Floats = np.linalg.solve(matrix, towards).astype(np.float64)
    signal = (float(means @ np.linalg.solve(matrix, means)) + spread / noise) / observed
    value = -0.5 * observed * np.log(signal) - 0.5 * np.linalg.slogdet(matrix)[1] - 0.5 * (observed - n) * np.log(noise)
    variance: Floats = 1.0 - np.sum(towards * weights, axis=0)
    return weights.T @ means, variance, float(value), signal, weights


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


def shortlist(
    n_arms: int,
    first: int,
    beam: int,
    finest: int,
    bound: Callable[[Integers], Floats],
    seen: set[int],
    order: Integers,
) -> list[int]:
    """Return positions of arms found from coarse to fine, in increasing order.

    Halves the range of all positions ``first`` times, keeps the ``beam`` ranges whose middles have the highest bounds,
    halves these, and so on, down to ranges of at most ``finest``; ranges so fine that hold a position of ``seen`` are
    added. Of ranges of equal bounds, those are kept whose numbers come first in ``order``.

    Examples
    --------
    >>> shortlist(16, 2, 1, 2, bound=lambda some: -abs(some - 9.1), seen={0}, order=np.arange(4))
    [0, 1, 8, 9]
    """

    def halved(ranges: list[range]) -> list[range]:
        return [half for r in ranges for half in (r[: len(r) // 2], r[len(r) // 2 :])]

    ranges = [range(n_arms)]
    for _ in range(first):
        ranges = halved(ranges)
    while True:
        if len(ranges) > beam:
            ranges = [ranges[k] for k in order if k < len(ranges)]
            values = bound(np.array([(r.start + r.stop) // 2 for r in ranges]))
            ranges = [ranges[k] for k in sorted(np.argsort(-values, kind="stable")[:beam])]
        if max(map(len, ranges)) <= finest:
            break
        ranges = [half for r in ranges for half in (halved([r]) if len(r) > finest else [r])]
    everywhere = [range(n_arms)]
    while max(map(len, everywhere)) > finest:
        everywhere = [half for r in everywhere for half in (halved([r]) if len(r) > finest else [r])]
    ranges += [r for r in everywhere if seen.intersection(r)]
    return sorted({position for r in ranges for position in r})
