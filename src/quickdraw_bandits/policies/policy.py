"""The abstract class of all policies: select an arm, learn from its reward."""

import copy
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, cast, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.arms.arm_set import ArmSet
from quickdraw_bandits.arms.subset import Remembered, Subset, remembered
from quickdraw_bandits.arrays import plain_array
from quickdraw_bandits.checks import Floats, Integers, Seed, box_observations, box_pulls, generator, observations, pulls
from quickdraw_bandits.observations import Observations, Pending
from quickdraw_bandits.policies.base.batch import checked_count, choose_several, refuse_all_or_nothing
from quickdraw_bandits.policies.base.copying import Copyable
from quickdraw_bandits.policies.base.following import Following
from quickdraw_bandits.policies.base.held_arms import HeldArms
from quickdraw_bandits.policies.base.locks import new_lock
from quickdraw_bandits.policies.base.questions import Questions
from quickdraw_bandits.policies.clock_warning import ClockWatch
from quickdraw_bandits.policies.decision import ArmArray, ArmT, Decision
from quickdraw_bandits.times import Clock, Time, TimeArray, Times

PLAY_BOXES = "AdaptiveQuickDraw, QuickDraw, HOO or BanditConvex"


class Policy(Copyable, Questions, Following, ABC, Generic[ArmT]):
    """A rule for choosing among arms.

    The public methods check their input once, here; a policy fills in the methods behind them and can rely on what
    they get. A call that raises has changed nothing. Any number of threads may call one policy: each call is atomic.

    A policy fills in ``_select`` and ``_update``. One that draws its choice also fills in ``_probabilities``, which
    says how the draw is weighted. One that keeps something for every arm fills in ``_grow``. One that has an estimate
    at every arm fills in ``_estimate`` and ``_index``.

    Parameters
    ----------
    arms, seed
        The choices; an integer or a ``numpy.random.Generator``. The same seed and calls give the same choices.
    """

    if TYPE_CHECKING:
        arms = HeldArms()
    plays_boxes = False
    """Whether arms may be a ``Box``."""
    _last_among: Remembered | None = None
    learns_in_select = False
    """Whether ``select`` itself learns, so that evaluation on logs must call it."""

    def __init__(self, arms: ArmSet[ArmT], seed: Seed = None) -> None:
        if not self._takes(arms):
            expected = "an Arms set or a Box" if self.plays_boxes else "an Arms set"
            advice = f"a Box is for {PLAY_BOXES}" if isinstance(arms, Box) else "build one with Arms(points)"
            name = type(self).__name__
            raise ValueError(f"arms must be {expected} for {name}, got {type(arms).__name__}; {advice}")
        self.arms = cast(Arms | Box, arms)
        self._random = generator(seed)
        self._seen: Any = Observations(self.arms)  # a Window for policies that keep the latest observations alone
        self._pending = Pending()
        self._retired: NDArray[np.bool_] | None = None
        self._clock = Clock()
        self._watch = ClockWatch()
        self._lock = new_lock()

    @classmethod
    def _takes(cls, arms: object) -> bool:
        """Return whether the policy can play such arms."""
        return isinstance(arms, (Arms, Box) if cls.plays_boxes else Arms)

    @overload
    def select(self, time: Time, among: ArrayLike | None = None, count: None = None) -> ArmT: ...

    @overload
    def select(self: "Policy[int]", time: Time, among: ArrayLike | None = None, *, count: int) -> Integers: ...

    @overload
    def select(self: "Policy[Floats]", time: Time, among: ArrayLike | None = None, *, count: int) -> Floats: ...

    @final
    def select(self, time: Time, among: ArrayLike | None = None, count: int | None = None) -> Any:
        """Return the arm to play at ``time``: its position, an int, or in a ``Box`` its coordinates, an array.

        Parameters
        ----------
        time
            When the arm will be pulled: a number, or a datetime. A policy takes one kind or the other.
        among
            Only these arms now: positions, labels, or a boolean mask over all arms. By default all that are not
            retired.
        count
            Return an array of this many different arms, the best first: each is chosen as if those before it were
            pending. Nothing is registered; call ``expect`` for what you pull.
        """
        with self._lock:
            now = self._clock.seconds(time)
            allowed = self._allowed(among)
            count = checked_count(self, allowed, count)
            self._watch.look(now, len(self._seen))
            chosen = self._choose(now, allowed) if count is None else choose_several(self, now, allowed, count)
            self._clock.accept(time)
            return chosen

    @final
    def decide(self, time: Time, among: ArrayLike | None = None) -> Decision[ArmT]:
        """Return the arm to play at ``time`` as ``select`` does, with the exact probability of this choice.

        Examples
        --------
        >>> import quickdraw_bandits as qd
        >>> policy = qd.policies.Random(qd.Arms.grid(0, 1, 4), seed=0)
        >>> policy.decide(time=0.0, among=[1, 3]).probability
        0.5
        """
        with self._lock:
            self._refuse_box("decide")
            now, allowed = self._clock.seconds(time), self._allowed(among)
            self._watch.look(now, len(self._seen))
            decided: tuple[Any, float] = self._decide(now, allowed)
            self._clock.accept(time)
            return Decision(time, *decided)

    @final
    def update(self, time: Times, arm: ArrayLike, reward: ArrayLike) -> None:
        """Learn that ``arm``, pulled at ``time``, paid ``reward``.

        Scalars, or arrays of equal length to load a history at once, or columns of a data frame (pandas, Polars,
        Arrow). ``time`` is the time of the pull: rewards may arrive late and in any order. ``arm`` is a position, or a
        label where arms have labels, or in a ``Box`` a row of coordinates. A pull that was announced by ``expect`` is
        no longer pending.

        Examples
        --------
        >>> import pandas, quickdraw_bandits as qd
        >>> sales = pandas.DataFrame({
        ...     "day": pandas.to_datetime(["2026-07-01", "2026-07-02"]), "price": ["low", "high"], "profit": [3.5, 4.0],
        ... })
        >>> policy = qd.AdaptiveQuickDraw(qd.Arms([4.99, 5.99], labels=["low", "high"]), seed=0)
        >>> policy.update(sales["day"], sales["price"], sales["profit"])
        >>> policy.n_observations
        2
        """
        with self._lock:
            times, arms, rewards = self._checked(time, arm, reward)
            if len(times) == 0:
                return
            self._check_rewards(rewards)
            self._end_pending(times, arms)
            self._clock.accept(time)
            self._observe(times, arms, rewards)

    @final
    def expect(self, time: Times, arm: ArrayLike) -> None:
        """Announce that ``arm`` was pulled at ``time`` and that its reward is still to come.

        Until ``update`` brings the reward, or ``forget`` gives it up, the pull is pending: it counts as an observation
        of the current mean. So it lowers the uncertainty around the arm and moves no estimate, and other arms are
        chosen meanwhile. Scalars, or arrays of equal length.
        """
        with self._lock:
            times, arms = self._announced(time, arm)
            for when, which in zip(times.tolist(), arms if arms.ndim == 2 else arms.tolist(), strict=True):
                self._pending.add(when, which)
            if len(times):
                self._clock.accept(time)

    @final
    def forget(self, time: Times, arm: ArrayLike) -> None:
        """Give up the reward of a pending pull; ValueError if there is none of this time and arm."""
        with self._lock:
            times, arms = self._announced(time, arm)
            given = list(zip(times.tolist(), arms if arms.ndim == 2 else arms.tolist(), strict=True))
            missing = self._pending.missing(given)
            if missing is not None:
                shown = self._clock.original(times)[missing]
                raise ValueError(f"time and arm must be those of a pending pull, got {shown} and {given[missing][1]}")
            for when, which in given:
                self._pending.remove(when, which)

    @property
    def pending(self) -> tuple[TimeArray, ArmArray]:
        """The times and arms of all pulls that are pending."""
        with self._lock:
            times, arms = self._pending.arrays()
            arms = np.empty((0, self.arms.dimension)) if len(times) == 0 and isinstance(self.arms, Box) else arms.copy()
            return self._clock.original(times.copy()), arms

    @property
    def observations(self) -> tuple[TimeArray, ArmArray, Floats]:
        """The times, arms and rewards that the policy holds, in the order in which it keeps them."""
        with self._lock:
            n = len(self._seen)
            arms = self._seen.coordinates[:, :n].T if isinstance(self.arms, Box) else self._seen.arms[:n]
            return self._clock.original(self._seen.times[:n].copy()), arms.copy(), self._seen.rewards[:n].copy()

    @property
    def n_observations(self) -> int:
        """How many observations the policy has learned from."""
        return self._watch.n_observations

    @final
    def add_arms(self, points: ArrayLike, labels: list[str] | None = None) -> Integers:
        """Add arms to the set, and return their positions; what was learned stays, and so does the unit of distance.

        Parameters
        ----------
        points
            Coordinates, one row per arm; not for precomputed distances.
        labels
            Names of the new arms, where the set has labels.
        """
        with self._lock:
            self._refuse_box("add_arms")
            before, arms = len(self._arm_set), self._arm_set.extended(points, labels)
            self._check_growth(arms)
            if isinstance(self._seen, Observations):
                self._seen.grow(arms)
            try:
                self._grow(arms)
            except BaseException:  # such as a shard that is lost
                if isinstance(self._seen, Observations):
                    self._seen.grow(self._arm_set)
                raise
            self.arms = arms
            if self._retired is not None:
                self._retired = np.concatenate([self._retired, np.zeros(len(arms) - before, dtype=np.bool_)])
            return np.arange(before, len(arms))

    @final
    def retire(self, arms: ArrayLike) -> None:
        """Never select these arms again, given by position or label; what was learned from them stays."""
        with self._lock:
            self._refuse_box("retire")
            refuse_all_or_nothing(self)
            given: Any = self._arm_set.resolved("arms", arms)
            if isinstance(given, int | np.generic) or getattr(given, "ndim", 1) == 0:
                given = [given]
            gone = Subset.checked(given, len(self._arm_set), "arms").mask
            retired = gone if self._retired is None else self._retired | gone
            if retired.all():
                raise ValueError("arms must leave at least one that is not retired, got all")
            self._retired = retired

    @final
    def probabilities(self, time: Time, among: ArrayLike | None = None) -> Floats:
        """Return the probability of each arm to be what ``select(time, among)`` returns, given all that was learned.

        Asking changes nothing: neither what the policy knows nor its stream of random numbers. For a policy that
        does not say how it draws, the arm that it would select has probability 1.

        Examples
        --------
        >>> import quickdraw_bandits as qd
        >>> policy = qd.policies.SlidingEpsilonGreedy(qd.Arms.grid(-1, 1, 4), epsilon=0.2)
        >>> policy.update(0.0, 2, 1.0)
        >>> policy.probabilities(time=0.1)
        array([0.05, 0.05, 0.85, 0.05])
        """
        with self._lock:
            self._refuse_box("probabilities")
            now, allowed = self._clock.seconds(time), self._allowed(among)
            return self._probabilities(now) if allowed is None else self._probabilities(now, allowed)

    @abstractmethod
    def _select(self, time: float, among: Subset | None = None) -> Any:
        """Choose at a finite time, among all arms or some."""

    @abstractmethod
    def _update(self, times: Floats, arms: Any, rewards: Floats) -> None:
        """Learn from at least one observation, which is in ``self._seen`` already; the arrays are not to be changed."""

    @final
    def _observe(self, times: Floats, arms: Any, rewards: Floats) -> None:
        """Learn from at least one observation that was checked; pending pulls stay as they are."""
        self._seen.append(times, arms, rewards)
        self._watch.extend(times)
        self._update(times, arms, rewards)

    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        """Say how ``_select`` weights the arms, given a finite time; must change nothing.

        The default suits policies whose choice follows from what they know: probability 1 for what a copy of the
        policy selects, with ties broken as the copy breaks them. Evaluation on logs needs no copy: it asks such a
        policy to select, once per event.
        """
        certain = np.zeros(len(self._arm_set))
        certain[copy.deepcopy(self)._choose(time, among)] = 1.0
        return certain

    def _decide(self, time: float, among: Subset | None) -> tuple[int, float]:
        """Choose, and return the probability of that choice as well.

        A policy that knows the weights of its draw while it chooses says both here, in one pass.
        """
        if type(self)._probabilities is Policy._probabilities:
            return self._choose(time, among), 1.0
        probabilities = self._probabilities(time) if among is None else self._probabilities(time, among)
        arm = self._choose(time, among)
        return arm, float(probabilities[arm])

    def _chance(self, time: float, among: Subset | None, arm: int) -> float:
        """Return the probability of one arm; may reorganise what is kept, but must change no choice."""
        probabilities = self._probabilities(time) if among is None else self._probabilities(time, among)
        return float(probabilities[arm])

    def _check_rewards(self, rewards: Floats) -> None:
        """Raise ValueError for finite rewards that the policy cannot learn from; by default there are none."""
        return

    def _choose(self, time: float, among: Subset | None) -> Any:
        return self._select(time) if among is None else self._select(time, among)

    def _allowed(self, among: ArrayLike | None) -> Subset | None:
        """Return the arms that may be chosen, None for all."""
        if among is None:
            return None if self._retired is None else Subset(len(self._arm_set), mask=~self._retired)
        self._refuse_box("among")
        refuse_all_or_nothing(self)
        self._last_among = remembered(self._last_among, among, self._arm_set, self._retired)
        return self._last_among.subset

    def _checked(self, time: Any, arm: Any, reward: Any) -> tuple[Floats, Any, Floats]:
        time = self._clock.numbers(time)
        if type(reward) is not float:
            reward = plain_array(reward)
        if isinstance(self.arms, Box):
            return box_observations(time, arm, reward, self.arms.checked)
        return observations(time, self.arms.resolved("arm", arm), reward, len(self.arms))

    def _announced(self, time: Any, arm: Any) -> tuple[Floats, Any]:
        time = self._clock.numbers(time)
        if isinstance(self.arms, Box):
            return box_pulls(time, arm, self.arms.checked)
        return pulls(time, self.arms.resolved("arm", arm), len(self.arms))

    def _end_pending(self, times: Floats, arms: Any) -> None:
        if len(self._pending):
            for when, which in zip(times.tolist(), arms if arms.ndim == 2 else arms.tolist(), strict=True):
                self._pending.remove(when, which)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.arms!r})"
