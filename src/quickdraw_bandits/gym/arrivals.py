"""Rewards that arrive some rounds after their pull."""

from typing import Generic, NamedTuple

import numpy as np

from quickdraw_bandits.checks import integer
from quickdraw_bandits.policies.decision import ArmT

Delay = int | tuple[int, int]
"""A number of rounds, or the smallest and the largest of them."""


class Arrival(NamedTuple, Generic[ArmT]):
    """A reward that arrives, in the order in which ``policy.update`` takes its parts.

    Attributes
    ----------
    time, arm
        The time of the pull, and what was pulled.
    reward
        What it paid.
    """

    time: float
    arm: ArmT
    reward: float


class Arrivals(Generic[ArmT]):
    """The pulls of one episode whose rewards have not arrived."""

    def __init__(self, delay: tuple[int, int]) -> None:
        self._delay = delay
        self._due: dict[int, list[Arrival[ArmT]]] = {}

    def add(self, round: int, arrival: Arrival[ArmT], random: np.random.Generator) -> None:
        """Schedule the reward of a pull in ``round``; ``random`` draws its delay where that varies."""
        low, high = self._delay
        delay = low if low == high else int(random.integers(low, high + 1))
        self._due.setdefault(round + delay, []).append(arrival)

    def arrive(self, round: int) -> list[Arrival[ArmT]]:
        """Return the rewards that are due in ``round``, in the order of their pulls, and forget them."""
        return self._due.pop(round, [])

    def arrive_all(self) -> list[Arrival[ArmT]]:
        """Return all rewards still to come, in the order in which they are due, and forget them."""
        rest = [arrival for round in sorted(self._due) for arrival in self._due[round]]
        self._due.clear()
        return rest


def checked_delay(delay: Delay) -> tuple[int, int]:
    """Return the smallest and the largest delay."""
    if not isinstance(delay, tuple | list):
        rounds = integer("delay", delay, at_least=0)
        return rounds, rounds
    if len(delay) != 2:
        raise ValueError(f"delay must be a number of rounds, or the smallest and the largest, got {delay!r}")
    low = integer("the smallest delay", delay[0], at_least=0)
    return low, integer("the largest delay", delay[1], at_least=low)
