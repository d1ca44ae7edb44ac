"""How far above the mean the index lies: what it pays to look for a better arm."""

import math
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive.scales import Candidate

PAYS_FOR = 1.5
"""Time scales for which an arm that was found to be better is played."""
MOST = 1.8
"""Deviations above the mean, at most. With slower drift, more than this gains nothing."""
USUAL_ROOM, LEAST_ROOM = 3.0, 1.0
"""Deviations by which the largest reward of many arms is above their level if rewards are normal, and at least."""
EVEN = ("medium", "smooth")
"""Families whose rewards can be higher between two observations than at them."""


@cache
def reservation(rounds: float) -> float:
    """Return how many deviations above the mean an arm must be for it not to pay to look for a better one.

    An arm of which nothing is known costs z deviations less than one that is z deviations above the mean. If it is
    better, it is played for so many rounds. Looking pays up to the z at which loss and expected gain are the same, with
    the density phi and the distribution Phi of the standard normal distribution::

        z = rounds (phi(z) - z (1 - Phi(z)))

    Examples
    --------
    >>> [round(reservation(rounds), 2) for rounds in (1, 8, 80, 800)]
    [0.28, 0.86, 1.65, 2.37]
    """
    low, high = 0.0, 40.0
    for _ in range(60):
        z = (low + high) / 2
        density, above = math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi), 0.5 * math.erfc(z / math.sqrt(2))
        low, high = (z, high) if rounds * (density - z * above) > z else (low, z)
    return low


def exploration(candidate: "Candidate", room: float) -> float:
    """Return how many deviations the index lies above the mean.

    That is the ``reservation`` for 1.5 time scales, for which the arm that is found stays the better one; at most 1.8.

    ``room`` is how far the largest reward is above the level of all, in deviations of the signal. If it is less than 3,
    rewards are not symmetric: hardly any arm is much better than the best so far, and exploration is reduced, down to a
    third. Not for the medium and the smooth family: their rewards can be higher between observations.
    """
    usual = min(reservation(PAYS_FOR * candidate.age), MOST)
    if candidate.family in EVEN and candidate.share == 0:
        return usual
    return usual * min(max(room, LEAST_ROOM) / USUAL_ROOM, 1.0)
