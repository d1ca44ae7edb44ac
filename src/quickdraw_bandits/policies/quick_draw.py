"""Quick-Draw, the paper's policy (E1-E9, A1)."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.arms.arm_set import ArmSet
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, positive
from quickdraw_bandits.interpolation.limits import FREE, Limits, PendingPulls, is_small
from quickdraw_bandits.numerics.ties import pick
from quickdraw_bandits.policies.decision import ArmT
from quickdraw_bandits.policies.index_policy import not_pending, uniform
from quickdraw_bandits.policies.interpolation_policy import InterpolationPolicy
from quickdraw_bandits.times import Span

if TYPE_CHECKING:
    from quickdraw_bandits.interpolation.answers import Answers
    from quickdraw_bandits.interpolation.engine import Engine
    from quickdraw_bandits.interpolation.engines.registry import EngineName
    from quickdraw_bandits.interpolation.parts import Parts


class QuickDraw(InterpolationPolicy[ArmT]):
    """Plays the arm of the largest upper confidence bound, from a precision-weighted average of past rewards.

    For every arm x at time t, over all observations s:

        sigma²_s = (rho² + (D(x, x_s) / l_x)² + ((t - t_s) / l_t)²)^p      (E3; E9 for p > 1)
        Sigma    = (sum 1 / sigma²_s)^(-1/(2p))                            (E2)
        mu       = sum (y_s / sigma²_s) / sum (1 / sigma²_s)
        index    = min(mu + gamma Sigma, cap)                              (E4)

    The arm of the largest index is played. Ties are broken uniformly at random, and so is the first choice, before any
    observation (A1).

    The engine decides how that arm is found:

    - ``"exact"`` keeps sums at every arm and finds all arms of the largest index.
    - ``"cached"`` keeps the same sums and is faster: the choice is within ``tolerance`` of the largest index.
    - ``"tree"`` searches a tree of arms, within ``tolerance``; for euclidean arms of up to three dimensions, however
      many, and for a ``Box``.
    - ``"auto"`` is the tree for very many arms; otherwise choices are exact first, and cached later.

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
        self._set(length_scale, time_scale, noise_variance, exploration, cap, sharpness)
        self.tolerance = positive("tolerance", tolerance)
        self.engine: EngineName = engine
        self._engine = self._new_engine(self.arms)
        self._parts: Parts | None = None

    @property
    def _answers(self) -> "Answers":
        from quickdraw_bandits.interpolation.answers import Answers
        from quickdraw_bandits.interpolation.parts import Parts

        self._parts = self._parts or Parts()
        return Answers(self.arms, self.kernel, self._engine, self._parts, self._seen)

    def _pulls(self) -> PendingPulls | None:
        """Return the pulls that are pending, None where there are none."""
        return PendingPulls(self.arms, self.kernel, *self._pending.arrays()) if len(self._pending) else None

    def _distances_from(self, arm: Any) -> Floats:
        n = self._seen.n
        if isinstance(self.arms, Box):
            return np.asarray(np.sqrt(np.square(self._seen.coordinates[:, :n] - arm.T).sum(axis=0)) / self.arms.unit)
        return np.asarray(self.arms.distances(int(arm[0]))[self._seen.arms[:n]])

    def _estimate(self, time: float, arms: Any) -> tuple[Floats, Floats]:
        if self._seen.n == 0:
            return self._of_nothing(arms)
        return self._answers.estimate(time, arms, self._pulls())

    def _select(self, time: float, among: Subset | None = None) -> Any:
        self._count(time)
        if self._seen.n and len(self._pending) == 0 and (among is None or not is_small(among)):
            arm = self._engine.choose(time, self._gamma(), self._cap, self._random)
            if among is None or among.has(arm):
                return arm  # the best of all arms is the best of those that hold it
        if isinstance(self.arms, Box):
            return self._select_in_box(time)
        return pick(self._best(time, among, keep=True), self._random)

    def _best(self, time: float, among: Subset | None, keep: bool = False) -> Integers:
        """Return the best arms, all equally likely to be chosen; ``keep`` is that of ``Engine.best``."""
        if self._seen.n == 0:
            return not_pending(len(self._arm_set), among, self._pending)
        if among is None:
            pulls = self._pulls()
            limits = FREE if pulls is None else Limits(None, pulls)
            return self._engine.best(time, self._gamma(), self._cap, keep, limits)
        from quickdraw_bandits.interpolation.answers import Question

        return self._answers.best(Question(time, self._gamma(), self._cap, self._pulls()), among, keep)

    def _select_in_box(self, time: float) -> Floats:
        """Choose in a continuum while pulls are pending, or before the first observation."""
        box = cast(Box, self.arms)
        if self._seen.n == 0:
            return self._random.uniform(box.low, box.high)
        limits = Limits(None, self._pulls())
        chosen: Floats = self._engine.choose(time, self._gamma(), self._cap, self._random, limits)
        return chosen

    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        return uniform(len(self._arm_set), self._best(time, among))

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

    def _tidy(self, time: float, later: bool = False) -> None:
        if self._seen.n:
            self._engine.tidy(time, later)

    def _chance(self, time: float, among: Subset | None, arm: int) -> float:
        best = self._best(time, among, keep=True)
        return float(np.mean(best == arm))

    def _update(self, times: Floats, arms: Any, rewards: Floats) -> None:
        self._engine.extend()

    def _grow(self, arms: Arms) -> None:
        from quickdraw_bandits.interpolation.parts import grown

        self._parts = None
        engine = grown(self._engine, self._arm_set, arms, self.kernel, self._seen)
        self._engine = self._new_engine(arms) if engine is None else engine
        if self._seen.n and engine is None:
            self._engine.extend()

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the lock, and the engines of subsets, which are made again."""
        return {**super().__getstate__(), "_parts": None}

    def _new_engine(self, arms: Arms | Box) -> "Engine":
        # Engines import numba, which takes longer than all the rest of the package.
        from quickdraw_bandits.interpolation.engines.registry import build

        return build(self.engine, arms, self.kernel, self.tolerance, self._seen, self._random)
