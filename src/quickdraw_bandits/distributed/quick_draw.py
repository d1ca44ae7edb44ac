"""Quick-Draw on arms in parts."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from quickdraw_bandits.arms import Metric
from quickdraw_bandits.arms.metrics import distances
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, generator, positive
from quickdraw_bandits.distributed.deployment import ON_THIS_MACHINE, Deployment
from quickdraw_bandits.distributed.fleet import Fleet
from quickdraw_bandits.distributed.measuring import check_metric, measured
from quickdraw_bandits.distributed.offers import Offers, threshold
from quickdraw_bandits.distributed.parts import Part, sources
from quickdraw_bandits.distributed.quick_draw_shard import Asked, QuickDrawShard, Settings
from quickdraw_bandits.distributed.sharded_arms import ShardedArms
from quickdraw_bandits.distributed.sharded_policy import ShardedPolicy, draw_from, free_arms
from quickdraw_bandits.interpolation.engines.registry import ENGINES, EngineName
from quickdraw_bandits.interpolation.limits import is_small
from quickdraw_bandits.observations import Observations
from quickdraw_bandits.policies.index_policy import uniform
from quickdraw_bandits.policies.interpolation_policy import InterpolationPolicy
from quickdraw_bandits.times import Span


class ShardedQuickDraw(ShardedPolicy, InterpolationPolicy[int]):
    """``QuickDraw`` for arms that do not fit one process: each part is held by a Ray actor, a shard.

    Observations go to every shard as points. A choice asks all shards for their best arms and takes the best of these.
    With ``engine="exact"`` choices are those of ``QuickDraw`` on all arms with the same seed, ties included; with the
    other engines they are within ``tolerance`` of the largest index, as there.

    A shard that is lost is started again from its part and the log of observations.

    Parameters
    ----------
    parts
        The arms: a list of arrays of shape (K, d), or of paths of ``.npy`` or Parquet files, which are read by the
        shards and must be there for them. Positions run through the parts in order. One shard is started per part.
    length_scale, time_scale, noise_variance, exploration, cap, sharpness, seed, engine, tolerance
        As for ``QuickDraw``.
    metric
        ``"euclidean"`` (default), ``"cosine"`` or ``"haversine"``, as for ``Arms``. Distances are measured in units of
        the diameter of all arms together, ``policy.arms.unit``.
    deployment
        Which Ray cluster to use and what to do when a shard is lost: a ``Deployment``. The default starts Ray on this
        machine, for this process alone, and waits for lost shards.

    Examples
    --------
    >>> import numpy as np
    >>> from quickdraw_bandits.distributed import ShardedQuickDraw
    >>> parts = [np.linspace(0, 0.49, 50), np.linspace(0.5, 1, 51)]
    >>> with ShardedQuickDraw(parts, seed=0) as policy:  # doctest: +SKIP
    ...     policy.update(time=0.0, arm=30, reward=0.4)
    ...     arm = policy.select(time=0.1)
    """

    def __init__(
        self,
        parts: Sequence[Part],
        length_scale: float = 1.0,
        time_scale: Span | None = 1.0,
        noise_variance: float = 1e-7,
        exploration: float | Callable[[int], float] = 2.0,
        cap: float | None = 1.0,
        sharpness: int = 1,
        seed: Seed = None,
        engine: EngineName = "auto",
        tolerance: float = 1e-3,
        metric: Metric = "euclidean",
        deployment: Deployment = ON_THIS_MACHINE,
    ) -> None:
        given = sources(parts, deployment.columns)
        check_metric(metric)
        if engine not in ENGINES:
            raise ValueError(f"engine must be one of {', '.join(ENGINES)}, got {engine!r}")
        self.tolerance, self.engine = positive("tolerance", tolerance), engine
        random = generator(seed)
        host = deployment.open(len(given))
        try:
            self._fleet = Fleet(host, QuickDrawShard, given, metric, deployment.on_loss)
            super().__init__(measured(self._fleet, metric), random)
            self._set(length_scale, time_scale, noise_variance, exploration, cap, sharpness)
            # The stream of ties stays that of one process: shards have streams of their own.
            self._seeds = [int(each) for each in np.random.SeedSequence(_entropy(random)).generate_state(len(given))]
            self._fleet.begin(self._seen, self._beginning(self.arms), deployment.at_once)
        except BaseException:
            host.close()
            raise

    def _beginning(self, arms: ShardedArms) -> Callable[[int], tuple[Any, ...]]:
        """Return what gives each shard the arguments of its ``begin``."""
        return lambda k: (arms.frame, Settings(self.kernel, self.engine, self.tolerance, self._seeds[k]))

    def _select(self, time: float, among: Subset | None = None) -> int:
        self._count(time)
        if self._seen.n == 0:
            return draw_from(free_arms(len(self.arms), among, self._pending), self._random)
        if len(self._pending) == 0 and (among is None or not is_small(among)):
            arm = self._drawn(time, None, every=False)[0]
            if among is None or among.has(arm):
                return arm  # the best of all arms is the best of those that hold it
        return self._drawn(time, among, every=False)[0]

    def _decide(self, time: float, among: Subset | None) -> tuple[int, float]:
        self._count(time)
        if self._seen.n == 0:
            free = free_arms(len(self.arms), among, self._pending)
            return draw_from(free, self._random), 1 / len(free)
        arm, count = self._drawn(time, among, every=True)
        return arm, 1 / count

    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        return uniform(len(self.arms), self._ties(time, among))

    def _ties(self, time: float, among: Subset | None) -> Integers:
        if self._seen.n == 0:
            return free_arms(len(self.arms), among, self._pending).positions
        offers = self._best(time, among, every=True)
        return self._all_of(offers, threshold(offers))

    def _best(self, time: float, among: Subset | None, every: bool) -> Offers:
        """Ask shards for their best arms; ``every`` is that of ``QuickDrawShard.contend``."""
        asked = self._asked(time)
        return self._offers(among, lambda part: (asked, part, every))

    def _drawn(self, time: float, among: Subset | None, every: bool) -> tuple[int, int]:
        """Return one of the best arms, and how many there are."""
        offers = self._best(time, among, every)
        return self._one_of(offers, threshold(offers))

    def _asked(self, time: float) -> Asked:
        """Return the question of this moment, after all shards were sent what they need for it."""
        self._fleet.tell(self.arms, wait=True)
        pending = None
        if len(self._pending):
            times, pulled = self._pending.arrays()
            held: Any = self.arms
            pulls = Observations(held)
            pulls.append(times, pulled, np.zeros(len(times)))
            self._fleet.locate(pulls, self.arms)
            pending = pulls.times[: pulls.n], np.ascontiguousarray(pulls.coordinates[:, : pulls.n].T)
        return Asked(self._seen.n, time, self._gamma(), self._cap, pending)

    def _estimate(self, time: float, arms: Any) -> tuple[Floats, Floats]:
        if self._seen.n == 0:
            return self._of_nothing(arms)
        asked, n = self._asked(time), len(self.arms) if arms is None else len(arms)
        owners = None if arms is None else self.arms.owners(arms)
        mean, std = np.empty(n), np.empty(n)
        where: dict[int, Any] = {}
        for k, (begin, end) in enumerate(zip(self.arms.starts[:-1], self.arms.starts[1:], strict=True)):
            some = slice(begin, end) if owners is None else np.flatnonzero(owners == k)
            if isinstance(some, slice) or len(some):
                where[k] = some
        questions = {
            k: ("estimate", asked, None if arms is None else arms[some] - self.arms.starts[k])
            for k, some in where.items()
        }
        for k, answer in self._fleet.ask(questions, wait=True).items():
            mean[where[k]], std[where[k]] = answer
        return mean, std

    def _distances_from(self, arm: Any) -> Floats:
        self._fleet.tell(self.arms, wait=True)
        owner = int(self.arms.owners(arm)[0])
        place = self._fleet.ask({owner: ("places", arm - self.arms.starts[owner])}, wait=True)[owner]
        found = distances(self.arms.metric, self._seen.coordinates[:, : self._seen.n].T, place)[0]
        return np.asarray(found / self.arms.unit)

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        self._fleet.tell(self.arms)

    def _grow(self, arms: Any) -> None:
        self._fleet.tell(self.arms, wait=True)
        self._fleet.grow(arms.added, self._beginning(arms))


def _entropy(random: np.random.Generator) -> int:
    """Return a number that follows from the state of a generator, and leaves it as it is."""
    return int(copy.deepcopy(random).integers(2**63))
