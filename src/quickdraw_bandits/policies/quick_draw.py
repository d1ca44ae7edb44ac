"""Quick-Draw, the paper's policy (E1-E9, A1)."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.arms.arm_set import ArmSet
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, integer, not_negative, number, positive
from quickdraw_bandits.interpolation import Kernel, upper_bound
from quickdraw_bandits.interpolation.limits import FREE, Limits, PendingPulls
from quickdraw_bandits.interpolation.reference import precision
from quickdraw_bandits.numerics.ties import argmaxes, pick
from quickdraw_bandits.policies.adaptive.explanation import Explanation
from quickdraw_bandits.policies.decision import ArmT
from quickdraw_bandits.policies.index_policy import not_pending, uniform
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.scale_warning import warn_if_nothing_counts
from quickdraw_bandits.times import Span, Time

if TYPE_CHECKING:
    from quickdraw_bandits.interpolation.engine import Engine
    from quickdraw_bandits.interpolation.engines import EngineName
    from quickdraw_bandits.interpolation.parts import Parts

FIRST_LOOK = 64
"""The choice at which a policy first checks whether it can learn at all; then at twice as many, and so on."""
LONGEST_LOOKED_AT = 4096
"""Observations up to which it checks, so that no choice waits for it: a problem of units shows long before."""

SMALL_PART = 8
"""A subset of less than one in so many arms is searched by itself, without the engine of all arms."""
MOST_SUMMED = 10_000_000
"""Arms times observations up to which a subset that is asked for the first time is summed directly."""
FEW = 64
"""Arms of a subset up to which their index is computed from all observations, without the engine."""


class QuickDraw(Policy[ArmT]):
    """Plays the arm of the largest upper confidence bound, from a precision-weighted average of past rewards.

    For every arm x at time t, over all observations s:

    sigma²_s = (rho² + (D(x, x_s) / l_x)² + ((t - t_s) / l_t)²)^p      (E3; E9 for p > 1)
    Sigma    = (sum 1 / sigma²_s)^(-1/(2p))                            (E2)
    mu       = sum (y_s / sigma²_s) / sum (1 / sigma²_s)
    index    = min(mu + gamma Sigma, cap)                              (E4)

    The arm of the largest index is played. Ties are broken uniformly at random, and so is the first choice, before any
    observation (A1).

    The engine decides how that arm is found:

    =============  ====================================================================================================
    engine         what it does
    =============  ====================================================================================================
    ``"exact"``    keeps sums at every arm and finds all arms of the largest index
    ``"cached"``   the same sums, faster: the choice is within ``tolerance`` of the largest index
    ``"tree"``     searches a tree of arms, within ``tolerance``; for euclidean arms of up to three dimensions, however
                   many, and for a ``Box``
    ``"auto"``     the exact one while arms and observations are few, then the faster of the others
    =============  ====================================================================================================

    Estimates are exact with every engine. Without drift (``time_scale=None``) the first two keep running sums (E7), and
    are exact.

    Parameters
    ----------
    arms
        The choices: an ``Arms`` set, or a ``Box`` whose arms are given and returned as coordinates.
    length_scale
        l_x, the distance over which a reward stays informative. Default 1, in units of the arms' scaled distance: the
        whole set. With a larger value, rewards of distant arms count more. Choose a smaller one where rewards change
        over a fraction of the set.
    time_scale
        l_t, the same for time. Default 1, in units of your clock. With a larger value, old rewards count for longer.
        It should span many pulls, a thousand in the paper. If it is as short as the time between pulls, all that was
        learned is too old at the next choice, and choices are random: the policy gives one ``ScaleWarning`` then.
        None: rewards do not drift.
    noise_variance
        rho², the variance left at zero distance and zero age. Default 1e-7, in units of squared scaled distance. With a
        larger value, more observations are averaged. Raise it for noisy rewards.
    exploration
        gamma, how many standard deviations are added to the mean. Default 2. With a larger value, more is explored.
        A number, or a function of the number of observations (E5).
    cap
        Upper limit of the index. Default 1. Set it to the largest mean reward you expect, or None. Rewards are not
        clipped: if they exceed the cap, every arm reaches it, and choices are random.
    sharpness
        p = 1, 2 or 3. Default 1, as in the paper. With a larger value, near and recent observations count more against
        distant and old ones. One observation alone gives the same Sigma for each.
    seed
        An integer or a ``numpy.random.Generator``, to break ties. Default None: a new one each time.
    engine
        ``"auto"`` (default), ``"exact"``, ``"cached"`` or ``"tree"``. Change it to have exact choices however large the
        problem (``"exact"``), or less memory with very many arms (``"tree"``).
    tolerance
        How far below the largest index that of the chosen arm may be. Default 1e-3, in units of rewards. With a larger
        value, choices of the cached and of the tree engine are faster.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 5), seed=0)
    >>> policy.update(time=0.0, arm=2, reward=0.4)
    >>> policy.update(time=0.1, arm=4, reward=0.1)
    >>> mean, std = policy.estimate(time=0.2)
    >>> mean.round(3), std.round(3)
    (array([0.333, 0.354, 0.36 , 0.224, 0.11 ]), array([0.475, 0.295, 0.186, 0.206, 0.098]))
    >>> policy.select(time=0.2)
    0

    A continuum:

    >>> policy = qd.QuickDraw(qd.Box([0.0, 0.0], [1.0, 2.0]), seed=0)
    >>> policy.update(time=0.0, arm=[0.5, 0.5], reward=0.4)
    >>> policy.select(time=0.1).shape
    (2,)
    """

    plays_boxes = True
    _kept: "Engine | None" = None  # the engine itself, while a fork of it is asked

    def __init__(
        self,
        arms: ArmSet[ArmT],
        length_scale: float = 1.0,
        time_scale: Span | None = 1.0,
        noise_variance: float = 1e-7,
        exploration: float | Callable[[int], float] = 2.0,
        cap: float | None = 1.0,
        sharpness: int = 1,
        seed: Seed = None,
        engine: "EngineName" = "auto",
        tolerance: float = 1e-3,
    ) -> None:
        super().__init__(arms, seed)
        if time_scale is not None:
            time_scale = self._clock.span("time_scale", time_scale)
        self.kernel = Kernel.checked(length_scale, time_scale, noise_variance, sharpness)
        self.exploration = exploration if callable(exploration) else not_negative("exploration", exploration)
        self.cap = None if cap is None else number("cap", cap)
        self.tolerance = positive("tolerance", tolerance)
        self.engine: EngineName = engine
        self._engine = self._new_engine(self.arms)
        self._parts: Parts | None = None
        self._choices = 0
        self._next_look = FIRST_LOOK

    def explain(self, time: Time, arm: ArrayLike, most: int = 10) -> Explanation:
        """Return the estimate of an arm, and the ``most`` observations of the largest weights in its mean.

        The weight of observation s is nu_s / sum nu, with nu_s = 1 / sigma²_s (E2).

        Examples
        --------
        >>> import quickdraw_bandits as qd
        >>> policy = qd.QuickDraw(qd.Arms.grid(0, 1, 5), seed=0)
        >>> policy.update([0.0, 1.0, 2.0], [0, 4, 3], [0.2, 0.4, 0.9])
        >>> policy.explain(time=2.5, arm=3).arms[0]
        np.int64(3)
        """
        with self._lock:
            now, most = self._clock.seconds(time), integer("most", most, at_least=1)
            if isinstance(self.arms, Box):
                chosen: Any = self.arms.checked("arm", arm, 1)
            else:
                chosen = np.array([integer("arm", arm, at_least=0, at_most=len(self.arms) - 1)])
            if self._seen.n == 0:
                return Explanation.of_nothing()
            distances = self._distances_from(chosen)
            ages = now - self._seen.times[: self._seen.n]
            precisions = precision(self.kernel, distances, ages)
            weights = precisions / precisions.sum()
            order = np.argsort(-weights, kind="stable")[:most]
            mean, std = self._estimate(now, chosen)
            n = self._seen.n
            seen = self._seen.coordinates[:, :n].T if isinstance(self.arms, Box) else self._seen.arms[:n]
            return Explanation(
                float(mean[0]),
                float(std[0]),
                float(self._index(now, chosen)[0]),
                self._clock.original(self._seen.times[:n][order]),
                ages[order],
                seen[order],
                distances[order],
                self._seen.rewards[:n][order],
                np.ones(len(order)),
                weights[order],
            )

    def _distances_from(self, arm: Any) -> Floats:
        """Return the scaled distance of every observation from one arm."""
        n = self._seen.n
        if isinstance(self.arms, Box):
            return np.asarray(np.sqrt(np.square(self._seen.coordinates[:, :n] - arm.T).sum(axis=0)) / self.arms.unit)
        return np.asarray(self.arms.distances(int(arm[0]))[self._seen.arms[:n]])

    def _estimate(self, time: float, arms: Any) -> tuple[Floats, Floats]:
        if self._seen.n == 0:
            n = len(self.arms) if arms is None else len(arms)
            return np.full(n, np.nan), np.full(n, np.inf)
        mean, std = self._engine.estimate(time, arms)
        pending = self._pulls()
        return mean, std if pending is None else pending.lowered(time, arms, std)

    def _pulls(self) -> PendingPulls | None:
        """Return the pulls that are pending, None where there are none."""
        return PendingPulls(self.arms, self.kernel, *self._pending.arrays()) if len(self._pending) else None

    def _index(self, time: float, arms: Any) -> Floats:
        mean, std = self._estimate(time, arms)
        if self._seen.n == 0:
            return np.full(len(mean), self._cap)
        return upper_bound(mean, std, self._gamma(), self._cap)

    def _count(self, time: float) -> None:
        """Count a choice, and check now and then whether the policy can learn at all."""
        if self._choices + 1 == self._next_look:
            self._look(time)
        self._choices += 1

    def _select(self, time: float, among: Subset | None = None) -> Any:
        self._count(time)
        if self._seen.n and len(self._pending) == 0 and (among is None or len(among) * SMALL_PART > len(self.arms)):
            arm = self._engine.choose(time, self._gamma(), self._cap, self._random)
            if among is None or among.mask[arm]:
                return arm  # the best of all arms is the best of those that hold it
        if isinstance(self.arms, Box):
            return self._select_in_box(time)
        return pick(self._best(time, among, keep=True), self._random)

    def _best(self, time: float, among: Subset | None, keep: bool = False) -> Integers:
        """Return the best arms, all equally likely to be chosen; ``keep`` is that of ``Engine.best``."""
        if self._seen.n == 0:
            return not_pending(len(self.arms), among, self._pending)
        pending = self._pulls()
        if among is not None and len(among) * SMALL_PART <= len(self.arms):
            return self._best_of_part(time, among.positions, pending, keep)
        limits = FREE if among is None and pending is None else Limits(among, pending)
        return self._engine.best(time, self._gamma(), self._cap, keep, limits)

    def _best_of_part(self, time: float, some: Integers, pending: PendingPulls | None, keep: bool) -> Integers:
        """Return the best of few arms, from an engine of theirs or from sums at each of them."""
        if len(some) > FEW and self._seen.n > FEW:
            from quickdraw_bandits.interpolation.parts import Parts

            self._parts = self._parts or Parts()
            limits = FREE if pending is None else Limits(None, pending)
            part = self._parts.get(self.arms, self.kernel, some, self._seen)
            if part is not None:
                return part.best(time, self._gamma(), self._cap, keep, limits)
            if len(some) * self._seen.n > MOST_SUMMED:
                limits = Limits(Subset(len(self.arms), positions=some), pending)
                return self._engine.best(time, self._gamma(), self._cap, keep, limits)
        return np.asarray(some[argmaxes(self._index(time, some))])

    def _select_in_box(self, time: float) -> Floats:
        """Choose in a continuum while pulls are pending, or before the first observation."""
        box: Box = self.arms
        if self._seen.n == 0:
            return self._random.uniform(box.low, box.high)
        limits = Limits(None, self._pulls())
        chosen: Floats = self._engine.choose(time, self._gamma(), self._cap, self._random, limits)
        return chosen

    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        return uniform(len(self.arms), self._best(time, among))

    def _decide(self, time: float, among: Subset | None) -> tuple[int, float]:
        self._count(time)
        best = self._best(time, among, keep=True)
        return pick(best, self._random), 1 / len(best)

    def _ties(self, time: float, among: Subset | None) -> Integers:
        return self._best(time, among, keep=self._kept is not None)

    def _begin_asking(self) -> None:
        self._kept, self._engine = self._engine, self._engine.forked()

    def _end_asking(self) -> None:
        if self._kept is not None:
            self._engine, self._kept = self._kept, None

    def _tidy(self, time: float) -> None:
        if self._seen.n:
            self._engine.tidy(time)

    def _chance(self, time: float, among: Subset | None, arm: int) -> float:
        best = self._best(time, among, keep=True)
        return float(np.mean(best == arm))

    def _update(self, times: Floats, arms: Any, rewards: Floats) -> None:
        self._engine.extend()

    def _grow(self, arms: Arms) -> None:
        from quickdraw_bandits.interpolation.parts import grown

        self._parts = None
        engine = grown(self._engine, self.arms, arms, self.kernel, self._seen)
        self._engine = self._new_engine(arms) if engine is None else engine
        if self._seen.n and engine is None:
            self._engine.extend()

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the lock, and the engines of subsets, which are made again."""
        return {**super().__getstate__(), "_parts": None}

    def _new_engine(self, arms: Arms | Box) -> "Engine":
        # Engines import numba, which takes longer than all the rest of the package.
        from quickdraw_bandits.interpolation.engines import build

        return build(self.engine, arms, self.kernel, self.tolerance, self._seen, self._random)

    def _look(self, time: float) -> None:
        """Warn, once, if nothing that was learned can count at ``time``."""
        n, gamma = self._seen.n, self._gamma()  # if a schedule raises here, the next choice checks again
        self._next_look = 0  # never again, also where warnings are errors
        if n > LONGEST_LOOKED_AT:
            return
        if n < FIRST_LOOK // 2 or not warn_if_nothing_counts(self._seen, time, self.kernel, gamma, self._cap):
            self._next_look = 2 * (self._choices + 1)

    @property
    def _cap(self) -> float:
        return np.inf if self.cap is None else self.cap

    def _gamma(self) -> float:
        if callable(self.exploration):
            return not_negative("exploration(n_observations)", self.exploration(self.n_observations))
        return self.exploration
