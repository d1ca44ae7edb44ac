"""The adaptive policy on arms in parts."""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from quickdraw_bandits.arms import Metric
from quickdraw_bandits.arms.metrics import distances
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, generator
from quickdraw_bandits.distributed.adaptive_shard import AdaptiveShard, SpaceFrame, ToldModel
from quickdraw_bandits.distributed.deployment import ON_THIS_MACHINE, Deployment
from quickdraw_bandits.distributed.fleet import Fleet
from quickdraw_bandits.distributed.measuring import check_metric, measured
from quickdraw_bandits.distributed.offers import Offers
from quickdraw_bandits.distributed.parts import Part, sources
from quickdraw_bandits.distributed.sharded_arms import ShardedArms
from quickdraw_bandits.distributed.sharded_policy import ShardedPolicy, draw_from, free_arms
from quickdraw_bandits.gaussian_process.embedding import coordinates
from quickdraw_bandits.policies.adaptive.belief import Belief
from quickdraw_bandits.policies.adaptive.best import TIE
from quickdraw_bandits.policies.adaptive.following import adapt_to_arms, follows_peak, sighting
from quickdraw_bandits.policies.adaptive.peaks import HISTORY
from quickdraw_bandits.policies.adaptive.pending import with_pending
from quickdraw_bandits.policies.adaptive.scales import ScaleGrid
from quickdraw_bandits.policies.adaptive.shortlist import FEW
from quickdraw_bandits.policies.adaptive.sighting import Sighting
from quickdraw_bandits.policies.adaptive.space import NONE, Targets, on_a_line, some_of
from quickdraw_bandits.policies.adaptive.spacing import NEIGHBOURS, SAMPLED
from quickdraw_bandits.policies.adaptive_quick_draw import AdaptiveQuickDraw


class ShardedSpace:
    """Where arms of shards are, in units of their diameter, asked for a few at a time.

    Attributes
    ----------
    diameter
        As that of ``Space``.
    matrix
        Empty: there are coordinates.
    spread_out
        As that of ``Space``.
    """

    def __init__(self, fleet: Fleet, arms: ShardedArms, frame: SpaceFrame) -> None:
        self._fleet, self.arms, self._frame = fleet, arms, frame
        self.diameter, self.matrix = frame.diameter, NONE
        self._first = len(arms)
        self.look_at(arms)

    def look_at(self, arms: ShardedArms) -> None:
        """Find out where these arms are."""
        self.arms, self.spread_out = arms, False
        if len(self._frame.origin) == 1:
            places = _places(self._fleet, arms, self._frame, some_of(self._first, len(arms)))
            self.spread_out = on_a_line(places[:, 0])

    def places(self, positions: Integers) -> Floats:
        """Return the coordinates of some arms, one row each."""
        places = coordinates(self.raw(positions), self.arms.metric, self.arms.unit)
        return self._frame.scaled(places)

    def numbers(self, positions: Integers) -> Integers:
        """Return the positions."""
        return positions

    def raw(self, positions: Integers) -> Floats:
        """Return coordinates as they were given; those not known here are asked for."""
        places = self.arms.places(positions)
        lacking = np.flatnonzero(np.isnan(places[:, 0]))
        if len(lacking):
            wanted, inverse = np.unique(positions[lacking], return_inverse=True)
            places[lacking] = self._fleet.fetch(self.arms, wanted)[inverse]
        return places

    def towards(self, arms: Integers | None, observed: Integers) -> Targets:
        """Return some arms."""
        if arms is None:
            raise NotImplementedError("arms must be given where they are in shards: estimate(time, arms=[...])")
        return Targets(np.ascontiguousarray(self.places(arms).T), NONE, arms)


class ShardedAdaptiveQuickDraw(ShardedPolicy, AdaptiveQuickDraw[int]):
    """``AdaptiveQuickDraw`` for arms that do not fit one process: each part is held by a Ray actor, a shard.

    The policy learns in this process: its model uses the latest observations only. For a choice, the model is sent to
    all shards. Each finds the best of its arms, from a shortlist of its own if they are more than 4,096, and the best
    of these is played. With up to 4,096 arms in all, choices are those of ``AdaptiveQuickDraw`` with the same seed.
    Where arms are added, the scales to try stay those of the arms at the beginning.

    Parameters
    ----------
    parts, metric, deployment
        As for ``ShardedQuickDraw``.
    seed
        An integer or a ``numpy.random.Generator``; breaks ties.

    Examples
    --------
    >>> import numpy as np
    >>> from quickdraw_bandits.distributed import ShardedAdaptiveQuickDraw
    >>> parts = [np.linspace(0, 0.49, 50), np.linspace(0.5, 1, 51)]
    >>> with ShardedAdaptiveQuickDraw(parts, seed=0) as policy:  # doctest: +SKIP
    ...     policy.update(time=0.0, arm=30, reward=0.4)
    ...     arm = policy.select(time=1.0)
    """

    def __init__(
        self,
        parts: Sequence[Part],
        seed: Seed = None,
        metric: Metric = "euclidean",
        deployment: Deployment = ON_THIS_MACHINE,
    ) -> None:
        given = sources(parts, deployment.columns)
        check_metric(metric)
        random = generator(seed)
        host = deployment.open(len(given))
        try:
            self._fleet = Fleet(host, AdaptiveShard, given, metric, deployment.on_loss)
            super(AdaptiveQuickDraw, self).__init__(measured(self._fleet, metric), random)
            self._frame = _space_frame(self._fleet, self.arms)
            self._shortlist = None  # shards have their own
            self._space = ShardedSpace(self._fleet, self.arms, self._frame)
            nearest = _spacing(self._fleet, self.arms, self._frame)
            self._know_nothing(ScaleGrid(len(self.arms), len(self._frame.origin), nearest))
            self._fleet.begin(None, self._beginning(self.arms), deployment.at_once)
        except BaseException:
            host.close()
            raise

    def _checked(self, time: Any, arm: Any, reward: Any) -> tuple[Floats, Any, Floats]:
        times, arms, rewards = super()._checked(time, arm, reward)
        if self._grid.follows:  # before anything is learned, so that a shard that does not answer changes nothing
            latest = arms[-HISTORY:]
            for position, place in zip(latest.tolist(), self._space.raw(latest), strict=True):
                self.arms.remember(position, place)
        return times, arms, rewards

    def _beginning(self, arms: ShardedArms) -> Callable[[int], tuple[Any, ...]]:
        return lambda k: (arms.frame, self._frame, int(arms.starts[k]))

    def _drawn(self, belief: Belief, time: float, among: Subset | None) -> tuple[int, int]:
        return self._one_of(*self._offered(belief, time, among, self._random))

    def _best(self, belief: Belief, time: float, among: Subset | None) -> Integers:
        return self._all_of(*self._offered(belief, time, among, self._random))

    def _ties(self, time: float, among: Subset | None) -> Integers:
        if self.n_observations == 0:
            return free_arms(len(self.arms), among, self._pending).positions
        held = self._held(time, among)
        if held is not None:
            return np.array([held])
        return self._all_of(*self._offered(self._model(time, 0), time, among, None))

    def _offered(
        self, belief: Belief, time: float, among: Subset | None, random: np.random.Generator | None
    ) -> tuple[Offers, float]:
        """Ask shards for their best arms; return also the least index that ties with the largest.

        Shortlists remember what they find, unless no generator is given: then asking changes nothing.
        """
        told: ToldModel | Sighting
        if follows_peak(self):
            told = sighting(self, time)
        else:
            model = with_pending(self, belief.model, time)
            told = ToldModel(model.sample, model.candidate, model.level, model.signal, belief.gamma)
        # Only a shortlist needs random numbers, so that with few arms the stream is that of one process.
        seed = None if random is None else int(random.integers(2**63)) if max(self.arms.counts) > FEW else 0
        offers = self._offers(among, lambda part: (told, part, seed))
        return offers, max(offer.largest for offer in offers.found.values()) - TIE

    def _first(self, among: Subset | None) -> tuple[int, float]:
        free = free_arms(len(self.arms), among, self._pending)
        return draw_from(free, self._random), 1 / len(free)

    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        raise NotImplementedError("probabilities of all arms are not known where they are in shards; decide gives one")

    def _distances(self, alone: Any, others: Any) -> Floats:
        places = self._space.raw(np.append(others, alone))
        return np.asarray(distances(self.arms.metric, places[:-1], places[-1:])[0] / self.arms.unit)

    def _grow(self, arms: Any) -> None:
        self._stay = None
        self._fleet.grow(arms.added, self._beginning(arms))
        self._space.look_at(arms)
        adapt_to_arms(self, 1.0)


def _space_frame(fleet: Fleet, arms: ShardedArms) -> SpaceFrame:
    """Return the origin and the diameter of all arms together, as ``Space`` and ``farthest`` find them."""
    everyone = range(len(arms.counts))
    ranges = list(fleet.ask(dict.fromkeys(everyone, ("coordinate_range", arms.frame)), wait=True).values())
    origin = reduce(np.minimum, [low for low, _ in ranges])
    _, exponent = np.frexp((reduce(np.maximum, [high for _, high in ranges]) - origin).max())
    asked = "farthest_arm", arms.frame, origin, int(exponent)
    _, place = fleet.ask({0: (*asked, None)}, wait=True)[0]
    largest = 0.0
    while True:
        answers = fleet.ask(dict.fromkeys(everyone, (*asked, place)), wait=True)
        squared, place = max(answers.values(), key=lambda answer: answer[0])  # of equal ones the first, as argmax
        if squared <= largest:
            break
        largest = squared
    return SpaceFrame(origin, float(np.ldexp(np.sqrt(largest) if largest > 0 else 1.0, exponent)))


def _places(fleet: Fleet, arms: ShardedArms, frame: SpaceFrame, positions: Integers) -> Floats:
    """Return where arms are, given in order, as the model takes their coordinates."""
    owners = arms.owners(positions)
    asked = {int(k): ("model_places", arms.frame, positions[owners == k] - arms.starts[k]) for k in np.unique(owners)}
    return frame.scaled(np.concatenate(list(fleet.ask(asked, wait=True).values())))


def _spacing(fleet: Fleet, arms: ShardedArms, frame: SpaceFrame) -> float:
    """Return how far arms are from their neighbours, as ``spacing`` does."""
    sampled = np.linspace(0, len(arms) - 1, min(len(arms), SAMPLED)).astype(np.int64)
    places = _places(fleet, arms, frame, sampled)
    everyone = dict.fromkeys(range(len(arms.counts)), ("nearest_arms", arms.frame, frame, places))
    found = []
    for some in zip(*fleet.ask(everyone, wait=True).values(), strict=True):
        others = np.sort(np.concatenate(some))
        if len(others):
            found.append(float(np.sqrt(others[min(NEIGHBOURS, len(others)) - 1])))
    return float(np.median(found)) / 2 if found else np.inf
