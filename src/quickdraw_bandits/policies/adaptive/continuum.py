"""A box of arms, in units of its own diagonal, and the search for the place of the largest index in it."""

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.arms import Box
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.policies.adaptive.best import TIE
from quickdraw_bandits.policies.adaptive.space import NONE, Targets

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive.model import Model

EVERYWHERE, ON_FACES = 1024, 256
"""Candidates all over the box, and on its faces."""
AROUND = (0.1, 0.3, 0.6, 1.0, 1.5, 2.2, 3.0, 4.0)
"""Distances from every observation, in length scales, at which there is one candidate, in a random direction."""
ESTIMATED = 384
"""Candidates of the highest bounds whose index is computed."""
CLIMBS, APART = 24, 0.5
"""Candidates of the largest indices from which the search climbs, and how far apart they are, in length scales."""
STEPS = 40
"""Evaluations of a climb at most."""


class Continuum:
    """All places of a box.

    Coordinates are measured from its low corner, in units of its diagonal.

    Parameters
    ----------
    box
        The arms.

    Attributes
    ----------
    diameter
        The diagonal, in units of the box's distances.
    matrix
        Of shape (0, 0): distances follow from coordinates.
    """

    spread_out = True

    def __init__(self, box: Box) -> None:
        self._low = box.low
        self._high = box.high
        self._diagonal = float(np.sqrt(np.sum((box.high - box.low) ** 2)))
        self._extent: Floats = (box.high - box.low) / self._diagonal
        self.diameter = self._diagonal / box.unit
        self.matrix = NONE
        # Fractions of multiples of these fill a cube evenly (Roberts' sequence).
        root = 2.0
        for _ in range(64):
            root = (1.0 + root) ** (1.0 / (box.dimension + 1))
        self._stride: Floats = root ** -np.arange(1.0, box.dimension + 1)
        corners = list(product((0.0, 1.0), repeat=box.dimension))
        self._corners: Floats = np.array(corners) * self._extent

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return len(self._extent)

    def places(self, arms: Floats) -> Floats:
        """Return coordinates in diagonals, of shape (n, d)."""
        return np.asarray((arms - self._low) / self._diagonal)

    def numbers(self, arms: Floats) -> Integers:
        """Return zeros: no place has a level of its own."""
        return np.zeros(len(arms), dtype=np.int64)

    def towards(self, arms: Floats, observed: Integers) -> Targets:
        """Return arms as targets of an estimate."""
        return _targets(self.places(arms))

    def best(self, model: "Model", gamma: float, random: np.random.Generator, pending: Floats) -> Floats:
        """Return the arm of the largest index that was found; one that is pending only if there is no other.

        Candidates are spread over the box and its faces, in its corners, and around all observations. From the best of
        them, each far from the others, the search climbs to the nearest maximum.

        Parameters
        ----------
        model
            A model that is prepared for estimates.
        gamma
            How many deviations the index lies above the mean.
        random
            Shifts the candidates, and breaks ties.
        pending
            Pending arms, of shape (n, d).
        """
        candidates = self._candidates(model, random)
        _, bounds = model.bounds(_targets(candidates), gamma)
        if len(candidates) > ESTIMATED:
            candidates = candidates[np.argpartition(bounds, -ESTIMATED)[-ESTIMATED:]]
        mean, deviation = model.estimate(_targets(candidates))
        starts = _apart(candidates, mean + gamma * deviation, APART * model.candidate.length)
        index = model.ascend(starts, self._extent, gamma, STEPS)
        arms = np.clip(self._low + starts * self._diagonal, self._low, self._high)
        if len(pending):
            fresh = ~(arms[:, None] == pending).all(axis=2).any(axis=1)
            if fresh.any():
                arms, index = arms[fresh], index[fresh]
        ties = np.flatnonzero(index >= index.max() - TIE)
        return np.asarray(arms[ties[random.integers(len(ties))] if len(ties) > 1 else ties[0]])

    def _candidates(self, model: "Model", random: np.random.Generator) -> Floats:
        """Return places of all kinds, of shape (n, d)."""
        d = self.dimension
        spread = (random.random(d) + np.arange(EVERYWHERE + ON_FACES)[:, None] * self._stride) % 1.0
        on_faces = spread[EVERYWHERE:]
        on_faces[np.arange(ON_FACES), np.arange(ON_FACES) % d] = np.arange(ON_FACES) // d % 2
        observed = model.places
        directions = random.standard_normal((len(AROUND), len(observed), d))
        directions /= np.sqrt(np.square(directions).sum(axis=2, keepdims=True))
        directions *= (model.candidate.length * np.array(AROUND))[:, None, None]
        around = (observed + directions).reshape(-1, d)
        near = np.clip(np.concatenate([observed, around]), 0.0, self._extent)
        return np.concatenate([spread * self._extent, self._corners, near])


def _targets(places: Floats) -> Targets:
    # No arm has a level of its own in a continuum, so that their numbers do not matter.
    return Targets(np.ascontiguousarray(places.T), NONE, np.arange(len(places)))


def _apart(places: Floats, index: Floats, least: float) -> Floats:
    """Return the places of the largest index that are at least so far from each other."""
    order = np.argsort(-index, kind="stable")
    places = places[order]
    chosen: list[int] = []
    near = np.zeros(len(places), dtype=np.bool_)
    while len(chosen) < CLIMBS and not near.all():
        first = int(np.argmin(near))
        chosen.append(first)
        near |= np.square(places - places[first]).sum(axis=1) < least**2
        near[first] = True
    return places[chosen]
