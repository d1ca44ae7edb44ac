"""What the compiled files do, in NumPy: slow, obvious, and the judge of the compiled loops."""

from collections.abc import Callable

import numpy as np

from quickdraw_bandits.checks import Floats, Integers


def correlation(squared: Floats, ages: Floats, doublings: int, near: float, recent: float) -> Floats:
    """Return (1 / ((1 + near D²) (1 + recent age²)))^(2^doublings).

    Examples
    --------
    >>> float(correlation(np.array(0.0), np.array(2.0), doublings=0, near=1.0, recent=0.25))
    0.5
    """
    return np.asarray((1.0 / ((1.0 + near * squared) * (1.0 + recent * ages**2))) ** (2**doublings))


def posterior(
    between: Floats, towards: Floats, rewards: Floats, noise: float, counts: Floats, within: float
) -> tuple[Floats, Floats, float, float, Floats]:
    """Return mean and variance at arms, log likelihood, the signal's variance, and the weights of the observations.

    With C the correlations ``between`` n points, plus noise / count on the diagonal, and c those ``towards`` the arms:
    weights w = C^-1 c, mean w'y, variance 1 - c'w in units of the signal's (y'C^-1 y + within / noise) / N.
    """
    n, observed = len(rewards), float(counts.sum())
    matrix = between + np.diag(noise / counts)
    weights: Floats = np.linalg.solve(matrix, towards).astype(np.float64)
    signal = (float(rewards @ np.linalg.solve(matrix, rewards)) + within / noise) / observed
    value = -0.5 * observed * np.log(signal) - 0.5 * np.linalg.slogdet(matrix)[1] - 0.5 * (observed - n) * np.log(noise)
    variance: Floats = 1.0 - np.sum(towards * weights, axis=0)
    return weights.T @ rewards, variance, float(value), signal, weights


def condense(
    squared: Floats, times: Floats, most: int, kernel: tuple[int, float, float], keep: float
) -> list[list[int]]:
    """Return groups of observations, each led by its first, with those of which the leader leaves less than ``keep``.

    An observation goes to the oldest leader that will have it.
    """
    groups: list[list[int]] = []
    for i in range(len(times)):
        leaders = [group[0] for group in groups]
        known = correlation(squared[i, leaders], times[i] - times[leaders], *kernel)
        near = np.flatnonzero(1.0 - known**2 < keep)
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
    promise: Callable[[Integers], Floats],
    seen: set[int],
    order: Integers,
) -> list[int]:
    """Return positions of arms found from coarse to fine, in increasing order.

    Halves the range of all positions ``first`` times, keeps the ``beam`` ranges whose middles promise most, halves
    these, and so on, down to ranges of at most ``finest``; ranges so fine that hold a position of ``seen`` are added.
    Of ranges that promise the same, those are kept whose numbers come first in ``order``.

    Examples
    --------
    >>> shortlist(16, 2, 1, 2, promise=lambda some: -abs(some - 9.1), seen={0}, order=np.arange(4))
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
            values = promise(np.array([(r.start + r.stop) // 2 for r in ranges]))
            ranges = [ranges[k] for k in sorted(np.argsort(-values, kind="stable")[:beam])]
        if max(map(len, ranges)) <= finest:
            break
        ranges = [half for r in ranges for half in (halved([r]) if len(r) > finest else [r])]
    everywhere = [range(n_arms)]
    while max(map(len, everywhere)) > finest:
        everywhere = [half for r in everywhere for half in (halved([r]) if len(r) > finest else [r])]
    ranges += [r for r in everywhere if seen.intersection(r)]
    return sorted({position for r in ranges for position in r})
