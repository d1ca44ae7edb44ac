"""Choices made to measure a slope, until their rewards are there."""

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from quickdraw_bandits.checks import Floats

MOST_OPEN = 1000
"""Choices that may wait for their rewards; of more, the oldest are given up."""


@dataclass
class Probe:
    """A slope to be: around which point, along which direction, how many rewards are missing, and their difference."""

    middle: Floats
    direction: Floats
    missing: int
    difference: float = 0.0


class OpenProbes:
    """Choices whose rewards have not arrived, each one side of a probe; a reward is told by its time and arm.

    Examples
    --------
    >>> probe, open_probes = Probe(np.zeros(1), np.ones(1), missing=2), OpenProbes()
    >>> open_probes.add(0.0, 7, 1.0, probe)
    >>> open_probes.add(0.1, 5, -1.0, probe)
    >>> open_probes.settle(0.1, 5, reward=0.25), open_probes.settle(0.2, 5, reward=0.9)
    (None, None)
    >>> open_probes.settle(0.0, 7, reward=0.5).difference
    0.25
    """

    def __init__(self) -> None:
        self.n_added = 0
        self._choices: deque[tuple[float, Any, float, Probe]] = deque(maxlen=MOST_OPEN)

    def add(self, time: float, arm: Any, side: float, probe: Probe) -> None:
        """Remember a choice; ``side`` is 1 or -1, along the direction or against it."""
        self._choices.append((time, np.array(arm), side, probe))
        self.n_added += 1

    def settle(self, time: float, arm: Any, reward: float) -> Probe | None:
        """Take in a reward, and return its probe if that has all of its rewards; None for arms not chosen here."""
        for k, (chosen_at, chosen, side, probe) in enumerate(self._choices):
            if chosen_at == time and np.all(chosen == arm):
                del self._choices[k]
                probe.difference += side * reward
                probe.missing -= 1
                return probe if probe.missing == 0 else None
        return None
