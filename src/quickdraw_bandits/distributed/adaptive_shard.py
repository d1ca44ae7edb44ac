"""A shard of the adaptive policy: the best of its arms for a model that is learned elsewhere."""

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.distributed.offers import Offer
from quickdraw_bandits.distributed.shard import Frame, Shard
from quickdraw_bandits.gaussian_process.embedding import coordinates
from quickdraw_bandits.policies.adaptive.best import best_arms
from quickdraw_bandits.policies.adaptive.model import Model
from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample
from quickdraw_bandits.policies.adaptive.scales import Candidate
from quickdraw_bandits.policies.adaptive.shortlist import BLOCK, FEW, Shortlist
from quickdraw_bandits.policies.adaptive.sighting import Sighting
from quickdraw_bandits.policies.adaptive.space import NONE, Targets, in_order
from quickdraw_bandits.policies.adaptive.spacing import NEIGHBOURS


class SpaceFrame(NamedTuple):
    """From where coordinates of the model are counted, and their unit."""

    origin: Floats
    diameter: float

    def scaled(self, points: Floats) -> Floats:
        """Return coordinates of a Gaussian process as the model takes them."""
        return np.asarray((points - self.origin) / self.diameter)


class ToldModel(NamedTuple):
    """A model, told in few numbers: it is built again from them, to the last digit. And gamma."""

    sample: SpaceTimeSample
    candidate: Candidate
    level: float
    signal: float
    gamma: float


class PartOfSpace:
    """Where the arms of a part are; coordinates are made when they are asked for."""

    def __init__(self, arms: Arms, frame: SpaceFrame) -> None:
        self._arms, self._frame = arms, frame
        self._line: Integers | None = None

    def places(self, arms: Integers) -> Floats:
        """Return coordinates in diameters, of shape (n, d)."""
        return self._frame.scaled(coordinates(self._arms.points[arms], self._arms.metric, self._arms.unit))

    def along(self, among: Subset | None) -> Integers:
        """Return all arms or some in the order of their first coordinate; for all, it is remembered."""
        if among is not None:
            return in_order(among.positions, self.places)
        if self._line is None:
            self._line = in_order(np.arange(len(self._arms)), self.places)
        return self._line

    def towards(self, arms: Integers | None, observed: Integers) -> Targets:
        """Return some arms, or all."""
        rows = np.arange(len(self._arms)) if arms is None else arms
        return Targets(np.ascontiguousarray(self.places(rows).T), NONE, rows)


class AdaptiveShard(Shard):
    """Finds the best of its arms, from a shortlist if they are many. It learns nothing itself."""

    def _blocks(self) -> Iterator[Floats]:
        """Yield coordinates as a Gaussian process sees them, in the order of the arms."""
        for start in range(0, len(self._arms), BLOCK):
            yield coordinates(self._arms.points[start : start + BLOCK], self._arms.metric, self._arms.unit)

    def coordinate_range(self, frame: Frame) -> tuple[Floats, Floats]:
        """Return the least and the largest of each coordinate of the model, after setting the frame."""
        self.set_frame(frame)
        lows, highs = zip(*((block.min(axis=0), block.max(axis=0)) for block in self._blocks()), strict=True)
        return np.min(lows, axis=0), np.max(highs, axis=0)

    def farthest_arm(self, frame: Frame, origin: Floats, exponent: int, place: Floats | None) -> tuple[float, Floats]:
        """Return the squared distance of the arm farthest from a place, and its place, in units of 2^exponent.

        Without a place, from the first arm: that is 0, and where it lies.
        """
        self.set_frame(frame)
        largest, found = -1.0, np.empty(0)
        for block in self._blocks():
            points = np.ldexp(block - origin, -exponent)
            if place is None:
                return 0.0, points[0]
            squared = _squared(points, place)
            best = int(squared.argmax())
            if squared[best] > largest:
                largest, found = float(squared[best]), points[best]
        return largest, found

    def model_places(self, frame: Frame, positions: Integers) -> Floats:
        """Return the coordinates of some arms as a Gaussian process sees them."""
        self.set_frame(frame)
        return coordinates(self._arms.points[positions], self._arms.metric, self._arms.unit)

    def nearest_arms(self, frame: Frame, space: SpaceFrame, places: Floats) -> list[Floats]:
        """Return the smallest squared distances above 0 from each place to arms, a few of them."""
        self.set_frame(frame)
        found = [np.empty(0) for _ in places]
        for block in self._blocks():
            points = space.scaled(block)
            for k, place in enumerate(places):
                squared = _squared(points, place)
                both = np.concatenate([found[k], squared[squared > 0]])
                found[k] = np.partition(both, NEIGHBOURS - 1)[:NEIGHBOURS] if len(both) > NEIGHBOURS else both
        return found

    def begin(self, frame: Frame, space: SpaceFrame, start: int) -> None:
        """Build the shortlist; ``start`` is the position of the first arm among all."""
        self.set_frame(frame)
        self._start, self._space = start, PartOfSpace(self._arms, space)
        self._latest = None
        self._shortlist: Shortlist | None = None
        if len(self._arms) > FEW:
            points = np.empty((len(self._arms), len(space.origin)), dtype=self._arms.points.dtype)
            for k, block in enumerate(self._blocks()):
                points[k * BLOCK : (k + 1) * BLOCK] = space.scaled(block)
            self._shortlist = Shortlist(points)

    def contend(self, told: ToldModel | Sighting, among: Subset | None, seed: int | None) -> Offer:
        """Return the best of the arms, of all or of some, and their index in units of the model, or of a filter.

        Without a seed, the shortlist stays as it is.
        """
        if isinstance(told, Sighting):
            self._latest = told.best_arms(self._space, among)
            return Offer.of(*self._latest, np.inf, self.places)
        # Positions are counted from the first arm here; those of other shards are then equal to none of these.
        sample = replace(told.sample, arms=told.sample.arms - self._start)
        model = Model(sample, told.candidate)
        model.prepare(told.level)
        model.signal = told.signal
        random = np.random.default_rng(seed or 0)
        shortlist = copy.copy(self._shortlist) if seed is None else self._shortlist
        arms, values = best_arms(model, told.gamma, self._space, shortlist, among, random)
        order = np.argsort(arms, kind="stable")
        self._latest = arms[order], values[order]
        return Offer.of(*self._latest, np.inf, self.places)


def _squared(points: Floats, place: Floats) -> Floats:
    total = np.zeros(len(points))
    for k in range(points.shape[1]):
        total += (points[:, k] - place[k]) ** 2
    return total
