"""The best arms of each shard, and the draw of one of them: as if all were in one process."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.interpolation.index import TIE

LISTED = 64
"""Arms that an offer lists at most."""
MOST_NUMBERS = 1024
"""Coordinates that an offer has at most, beyond those of one arm."""


class Offer(NamedTuple):
    """The best arms of a shard.

    Attributes
    ----------
    n_arms
        How many there are.
    arms, values
        Their positions in the shard, in ascending order, and their index: of the first ``LISTED`` of them.
    least, largest
        The smallest and the largest index of all of them.
    key
        See ``Contenders``.
    places
        Coordinates of the first of them: all that are listed, or fewer where these are many numbers.
    """

    n_arms: int
    arms: Integers
    values: Floats
    least: float
    largest: float
    key: float
    places: Floats

    @classmethod
    def of(cls, arms: Integers, values: Floats, key: float, places: Callable[[Integers], Floats]) -> "Offer":
        """Return the offer of all these arms, whose coordinates can be asked for."""
        listed, first = arms[:LISTED], places(arms[:1])
        some = places(listed[: max(1, MOST_NUMBERS // first.shape[1])]) if len(listed) > 1 else first
        return cls(len(arms), listed, values[:LISTED], float(values.min()), float(values.max()), key, some)


def threshold(offers: list[Offer]) -> float:
    """Return the least index that ties with the largest of all offers."""
    best = max(offer.largest for offer in offers)
    return best - TIE * abs(best) if np.isfinite(best) else best


def listed_ties(offer: Offer, least: float) -> int | None:
    """Return how many arms of an offer have at least this index; None if the offer does not tell."""
    if offer.least >= least:
        return offer.n_arms
    if offer.largest < least:
        return 0
    return int((offer.values >= least).sum()) if offer.n_arms <= LISTED else None


def draw(counts: list[int], keys: list[float], random: np.random.Generator) -> tuple[int, int]:
    """Return an offer and the rank of one of its tied arms, so that all of them are equally likely.

    Where all are counted, one random number is drawn, and none for a single arm, as in one process. Where some offers
    are of an unknown number of arms at the cap, the smallest key wins.

    Examples
    --------
    >>> draw([0, 1], [np.inf, np.inf], np.random.default_rng(0))
    (1, 0)
    """
    tied = [k for k, count in enumerate(counts) if count]
    if any(keys[k] < np.inf for k in tied):
        race = [keys[k] if keys[k] < np.inf else random.exponential() / counts[k] for k in tied]
        winner = tied[int(np.argmin(race))]
        return winner, int(random.integers(counts[winner])) if counts[winner] > 1 else 0
    total = sum(counts)
    rank = int(random.integers(total)) if total > 1 else 0
    for k in tied:
        if rank < counts[k]:
            return k, rank
        rank -= counts[k]
    raise AssertionError("some arm is the best")
