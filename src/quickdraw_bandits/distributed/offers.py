"""The best arms of each shard, and the draw of one of them: as if all were in one process."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.distributed.fleet import Fleet
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


@dataclass(frozen=True)
class Offers:
    """The offers of all shards to one question, and what they do not list.

    Attributes
    ----------
    fleet
        The shards.
    arguments
        Of the question, by shard.
    found
        The offers, by shard.
    """

    fleet: Fleet
    arguments: dict[int, tuple[Any, ...]]
    found: dict[int, Offer]

    def count(self, k: int, least: float) -> int:
        """Return how many arms of a shard have at least this index."""
        offer = self.found[k]
        if offer.least >= least:
            return offer.n_arms
        if offer.largest < least:
            return 0
        return self._ask(k, least, 0)[0] if offer.n_arms > LISTED else int((offer.values >= least).sum())

    def arms(self, k: int, least: float, rank: int | None = None) -> Integers:
        """Return the arms of a shard that have at least this index, all or that of a rank, by position in the shard."""
        offer = self.found[k]
        if offer.n_arms > LISTED:
            return self._ask(k, least, rank)[1]
        found = offer.arms[offer.values >= least]
        return found if rank is None else found[rank : rank + 1]

    def arm(self, k: int, least: float, rank: int) -> tuple[int, Floats]:
        """Return one arm of a shard by its rank, and its coordinates."""
        arm, offer = int(self.arms(k, least, rank)[0]), self.found[k]
        listed = np.flatnonzero(offer.arms[: len(offer.places)] == arm)
        if len(listed):
            return arm, offer.places[listed[0]]
        return arm, self.fleet.ask({k: ("places", np.array([arm]))}, wait=True)[k][0]

    def _ask(self, k: int, least: float, rank: int | None) -> tuple[int, Integers]:
        answer: tuple[int, Integers] = self.fleet.ask({k: ("tied", self.arguments[k], least, rank)}, wait=True)[k]
        return answer


def threshold(offers: Offers) -> float:
    """Return the least index that ties with the largest of all offers."""
    best = max(offer.largest for offer in offers.found.values())
    return best - TIE * abs(best) if np.isfinite(best) else best


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
