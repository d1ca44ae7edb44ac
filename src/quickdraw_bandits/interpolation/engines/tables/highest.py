"""Which arms to look at first, and what a bound of the index takes."""

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Integers

HIGHEST = 64
"""Arms of the highest bounds that are looked at first, where pulls are pending."""
PARTS = 1024
"""Parts of the set, of which these are the best."""


def highest_of_parts(index: NDArray[np.float32]) -> Integers:
    """Return the arms of the largest index in each of some parts of the set, those of the highest parts."""
    part = -(-len(index) // PARTS)
    whole = len(index) - len(index) % part
    found = index[:whole].reshape(-1, part).argmax(axis=1) + part * np.arange(whole // part)
    if whole < len(index):
        found = np.append(found, whole + index[whole:].argmax())
    found = found[index[found] > -np.inf]
    return np.sort(found[np.argsort(-index[found], kind="stable")[:HIGHEST]])


def surely_above(value: float, slack: float, spread: float) -> float:
    """Return the least index whose lower bound is at least ``value``."""
    return max(value + 2 * slack * spread, (value + 3 * slack * spread) / (1 - slack))
