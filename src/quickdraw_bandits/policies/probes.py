"""Pulls made to measure a slope, until their rewards arrive."""

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats

Arm = int | np.integer | Floats
"""A position, or coordinates in a ``Box``."""

MOST_OPEN = 1000
"""Pulls that may wait for their rewards; beyond that the oldest are dropped."""


@dataclass
class Probe:
    """A slope to measure at ``middle`` along ``direction``.

    ``missing`` rewards have not arrived; ``difference`` is the signed sum of those that have.
    """

    middle: Floats
    direction: Floats
    missing: int
    difference: float = 0.0


class OpenProbes:
    """Pulls whose rewards have not arrived, each one side of a probe. A reward is identified by its time and arm.

    Examples
    --------
    >>> probe, open_probes = Probe(np.zeros(1), np.ones(1), missing=2), OpenProbes()
    >>> open_probes.add(0.0, 7, 1.0, probe)
    >>> open_probes.add(0.1, 5, -1.0, probe)
    >>> open_probes.add_reward(0.1, 5, reward=0.25), open_probes.add_reward(0.2, 5, reward=0.9)
    (None, None)
    >>> open_probes.add_reward(0.0, 7, reward=0.5).difference
    0.25
    """

    def __init__(self) -> None:
        self.n_added = 0
        self._choices: deque[tuple[float, NDArray[np.float64 | np.int64], float, Probe]] = deque(maxlen=MOST_OPEN)

    def add(self, time: float, arm: Arm, side: float, probe: Probe) -> None:
        """Remember a pull; ``side`` is 1 along the direction, -1 against it."""
        self._choices.append((time, np.array(arm), side, probe))
        self.n_added += 1

    def add_reward(self, time: float, arm: Arm, reward: float) -> Probe | None:
        """Add a reward and return its probe if that is now complete; None for pulls not made here."""
        for k, (chosen_at, chosen, side, probe) in enumerate(self._choices):
            if chosen_at == time and np.all(chosen == arm):
                del self._choices[k]
                probe.difference += side * reward
                probe.missing -= 1
                return probe if probe.missing == 0 else None
        return None
