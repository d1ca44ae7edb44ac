"""Quick-Draw that learns its scales from the rewards: no parameter to set."""

from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.arms.arm_set import ArmSet
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed
from quickdraw_bandits.numerics.ties import pick
from quickdraw_bandits.observations import Window
from quickdraw_bandits.policies.adaptive import following, hindsight
from quickdraw_bandits.policies.adaptive.belief import Belief
from quickdraw_bandits.policies.adaptive.best import best_arms
from quickdraw_bandits.policies.adaptive.clock import Clock
from quickdraw_bandits.policies.adaptive.continuum import Continuum
from quickdraw_bandits.policies.adaptive.explanation import Explanation
from quickdraw_bandits.policies.adaptive.influence import explained
from quickdraw_bandits.policies.adaptive.peaks import Peaks
from quickdraw_bandits.policies.adaptive.pending import with_pending
from quickdraw_bandits.policies.adaptive.pool import Pool, is_same
from quickdraw_bandits.policies.adaptive.scales import Candidate, ScaleGrid, Scales
from quickdraw_bandits.policies.adaptive.shortlist import FEW, Shortlist
from quickdraw_bandits.policies.adaptive.space import Space
from quickdraw_bandits.policies.adaptive.spacing import spacing
from quickdraw_bandits.policies.adaptive.stay import Stay
from quickdraw_bandits.policies.adaptive.surprises import Surprises
from quickdraw_bandits.policies.decision import ArmT
from quickdraw_bandits.policies.index_policy import not_pending, uniform
from quickdraw_bandits.policies.policy import Policy

WINDOW = 600
"""How many of the latest observations are kept for ``observations``."""
POOL = 600
"""How many entries the model has to choose from: observations, or stays at an arm."""
STRONG = 1.0
"""Noise, in units of the signal variance, below which the entries of arms that were not played for long are kept."""
CLOCK_EVERY = 16
"""Observations after which the step of the clock is checked again."""
FEWEST_CHANGES = 6
"""Changes from one reward to the next before other scales are tried: rewards that are all the same prove nothing."""
PER_AXIS, MOST = 1000, 10**6
"""The scales tried in a box are those of a set of so many arms along each axis, and in all at most."""


class AdaptiveQuickDraw(Policy[ArmT]):
    """Plays the arm of the largest upper confidence bound, with scales that it learns while it plays.

    Nothing needs to be known of how fast rewards drift, over which distances arms are alike, how noisy rewards are, or
    in which units anything is measured. The page on the adaptive policy has the formulas.

    The estimate is that of a Gaussian process on the latest observations. Its covariance falls with
    distance² / l_x² + age² / l_t², in one of four families, from jagged to smooth; a part of it may be a lasting level
    of each arm's own. Family, length scale, time scale, noise and own level are chosen by the likelihood of the
    observations: at every choice a few others are tried, and replace those in use if they are likelier. Where a single
    reward says little, an arm is played for several rounds. Outliers among the rewards are left out, and a single
    reward far from what was expected is bounded. Where rewards have no noise, two such in a row make it forget all
    before. The index is the mean plus 0.26 to 1.8 standard deviations.

    Along a line of arms, it also follows a single peak that travels, as the best beam of a passing car does. While that
    has predicted rewards better, the arm of the largest expected reward is played instead.

    ``estimate`` returns a standard deviation of the mean reward, without the noise of a single reward. Unlike the one
    in the index, it counts that variance, level and, where there is noise, the scales of rewards are not known.

    Up to 4096 arms, the arm of the largest index is found exactly; of larger sets, groups of arms are searched in turn.

    In a ``Box``, arms are coordinates. Candidates all over the box and around the observations are compared, and the
    best of them are improved along the gradient of the index.

    Parameters
    ----------
    arms
        The choices: an ``Arms`` set, or a ``Box`` whose arms are given and returned as coordinates.
    seed
        An integer or a ``numpy.random.Generator``; breaks ties.

    Examples
    --------
    >>> import numpy as np
    >>> import quickdraw_bandits as qd
    >>> policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 101), seed=0)
    >>> for day in range(60):
    ...     arm = policy.select(time=day)
    ...     policy.update(day, arm, reward=-abs(arm / 100 - 0.3))
    >>> abs(policy.select(time=60) - 30) <= 2
    True
    >>> policy.scales.family in ("jagged", "rough", "medium", "smooth")
    True

    A continuum:

    >>> policy = qd.AdaptiveQuickDraw(qd.Box([0.0, 0.0], [1.0, 2.0]), seed=0)
    >>> for day in range(60):
    ...     arm = policy.select(time=day)
    ...     policy.update(day, arm, reward=-abs(arm[0] - 0.3) - abs(arm[1] - 1.5))
    >>> bool(np.abs(policy.select(time=60) - [0.3, 1.5]).max() < 0.1)
    True
    """

    plays_boxes = True
    learns_in_select = True

    def __init__(self, arms: ArmSet[ArmT], seed: Seed = None) -> None:
        super().__init__(arms, seed)
        self._space: Any  # a Space, or a Continuum for a Box
        self._shortlist: Shortlist | None = None
        if isinstance(self.arms, Box):
            self._space = Continuum(self.arms)
            n_arms = min(PER_AXIS**self.arms.dimension, MOST)
            self._know_nothing(ScaleGrid(n_arms, self.arms.dimension, own_levels=False))
        else:
            self._know_nothing(self._settle(self.arms))

    def _know_nothing(self, grid: ScaleGrid) -> None:
        """Set what is learned to the state before the first observation."""
        coordinates = self.arms.dimension if isinstance(self.arms, Box) else None
        self._seen = Window(WINDOW, coordinates)
        self._pool = Pool(POOL, coordinates)
        self._stay: Stay | None = None
        self._surprises = Surprises()
        self._peaks = Peaks()
        self._steps = Clock()
        self._grid = grid
        # The tuner imports numba, which takes longer than all the rest of the package.
        from quickdraw_bandits.policies.adaptive.tuner import Tuner

        self._tuner = Tuner(self._grid)
        self._tuned_at = self._timed_at = self._unjudged = 0
        self._starts_anew = True
        self._learned: tuple[Candidate, float, float] | None = None

    @property
    def scales(self) -> Scales | None:
        """What the policy has learned, in the user's units; None before a choice was made on observations."""
        with self._lock:
            if self._learned is None:
                return None
            age = self._clock.original_span(self._learned[0].age * self._steps.step)
            return following.with_peak(self, Scales.of(*self._learned, self._space.diameter, age))

    def _explain(self, time: float, alone: Any, most: int) -> Explanation:
        return explained(self, time, alone, most)

    def _distances(self, alone: Any, others: Any) -> Floats:
        """Return the scaled distances of some arms from one, the only entry of an array."""
        arms, arm = self.arms, alone[0]
        return np.asarray(arms.distances(arm, others) if isinstance(arms, Box) else arms.distances(int(arm))[others])

    def _update(self, times: Floats, arms: Any, rewards: Floats) -> None:
        stay, before, since, seen = self._stay, self.n_observations - len(rewards), -np.inf, rewards
        following.follow(self, times, arms, rewards)
        self._unjudged += hindsight.not_compared(self, arms)
        if len(times) == 1:
            taken, since = self._surprises.judged(self._pool, float(times[0]), arms[0], float(rewards[0]))
            rewards = np.array([taken])
        if stay is None or len(times) > 1 or not is_same(stay.arm, arms[0]) or not stay.lasts(float(times[0]), before):
            self._pool.append(times, arms, rewards, seen)
        elif stay.joins:
            self._pool.join(float(times[0]), stay.arm, float(rewards[0]))
        else:
            self._pool.append(times, arms, rewards, seen)
            stay.joins = True
        self._pool.forget(since)

    def _grow(self, arms: Arms) -> None:
        self._stay = None
        if self._shortlist is not None:
            space = self._space.grown(arms)
            if self._shortlist.extend(space.places(np.arange(self._shortlist.n_arms, len(arms)))):
                self._space = space
                following.adapt_to_arms(self, 1.0)
                return
        before, self._grid = self._space.diameter, self._settle(arms)
        self._tuner.move(self._grid, ratio := before / self._space.diameter)
        following.adapt_to_arms(self, ratio)
        if self._learned is not None:
            self._learned = self._tuner.candidate, *self._learned[1:]

    def _settle(self, arms: Arms) -> ScaleGrid:
        """Find out where arms are, and return the scales to try."""
        self._space = Space(arms)
        few = len(arms) <= FEW or arms.metric == "precomputed"
        self._shortlist = None if few else Shortlist(self._space.points)
        return ScaleGrid(len(arms), self._space.dimension, spacing(self._space.columns, self._space.matrix))

    def _select(self, time: float, among: Subset | None = None) -> Any:
        return self._select_place(self.arms, time) if isinstance(self.arms, Box) else self._decide(time, among)[0]

    def _select_place(self, box: Box, time: float) -> Floats:
        if self.n_observations == 0:
            return self._random.uniform(box.low, box.high)
        held = self._held(time, None)
        if held is not None:
            return np.array(held)
        belief = self._tuned(time)
        model = with_pending(self, belief.model, time)
        if following.follows_peak(self):
            place = following.best_place(self, box, time)
        else:
            place = self._space.best(model, belief.gamma, self._random, self._pending.arrays()[1])
        if len(self._pending) == 0:
            self._stay = self._new_stay(place.copy(), time, None)
        self._surprises.expect(belief, place.copy(), self._space, len(self._pending), self._peaks.contends)
        return place

    def _decide(self, time: float, among: Subset | None) -> tuple[int, float]:
        if self.n_observations == 0:
            return self._first(among)
        held = self._held(time, among)
        if held is not None:
            return held, 1.0
        belief = self._tuned(time)
        arm, ties = self._drawn(belief, time, among)
        if len(self._pending) == 0:
            self._stay = self._new_stay(arm, time, among)
        self._surprises.expect(belief, arm, self._space, len(self._pending), self._peaks.contends)
        return arm, 1 / ties

    def _first(self, among: Subset | None) -> tuple[int, float]:
        """Choose before the first observation, and return the probability."""
        free = not_pending(len(self._arm_set), among, self._pending)
        return pick(free, self._random), 1 / len(free)

    def _drawn(self, belief: Belief, time: float, among: Subset | None) -> tuple[int, int]:
        """Return one of the best arms, and how many there are."""
        best = self._best(belief, time, among)
        return pick(best, self._random), len(best)

    def _tuned(self, time: float) -> Belief:
        """Try other scales, and return what is believed with those in use afterwards."""
        belief = self._learn(time)
        # With strong noise, entries are means over stays, and the latest few hundred reach far back. Where arms have
        # levels of their own, keeping entries for longer gained nothing.
        scales = belief.model.candidate
        self._pool.remembers = not isinstance(self.arms, Box) and scales.noise < STRONG and scales.share == 0
        self._learned = scales, belief.signal, belief.exploration
        return belief

    def _learn(self, time: float) -> Belief:
        return hindsight.reconsidered(self, self._model(time, self._challengers()), time)

    def _ties(self, time: float, among: Subset | None) -> Integers:
        if self.n_observations == 0:
            return not_pending(len(self._arm_set), among, self._pending)
        held = self._held(time, among)
        if held is not None:
            return np.array([held])
        # Other scales are tried when the choice counts, and not here: asking changes nothing.
        twin = self
        if self._shortlist is not None:  # which remembers what it found, and draws
            twin = self._sharing_all_but("_shortlist")
            twin._random = np.random.default_rng(0)
        return twin._best(self._model(time, 0), time, among)

    def _chosen(self, time: float, arm: int, among: Subset | None) -> None:
        if self.n_observations == 0 or self._held(time, among) is not None:
            return
        belief, stay = self._tuned(time), None
        self._surprises.expect(belief, arm, self._space, len(self._pending), self._peaks.contends)
        if len(self._pending) == 0:
            stay = self._stay = self._new_stay(arm, time, among)
        # A shortlist learns from every search, as it does when the policy chooses. An arm that was explored at random
        # is not stayed at.
        searched = self._shortlist is not None or stay is not None
        if searched and arm not in self._best(belief, time, among) and stay is not None:
            self._stay = None

    def _new_stay(self, arm: Any, time: float, among: Subset | None) -> Stay | None:
        if following.follows_peak(self):
            return None
        return Stay.begun(arm, self._tuner.candidate, self.n_observations, time, self._steps.step, among)

    def _held(self, time: float, among: Subset | None) -> Any:
        """Return the arm of a stay that goes on; none does while pulls are pending, which say where to look instead."""
        stay = self._stay
        if stay is None or len(self._pending) or not stay.lasts(time, self.n_observations) or not stay.suits(among):
            return None
        return stay.arm

    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        if self.n_observations == 0 or self._held(time, among) is not None:
            return uniform(len(self._arm_set), self._ties(time, among))
        twin = self._sharing_all_but("_tuner", "_steps", "_shortlist", "_peaks", "_pool")  # which a choice changes
        return uniform(len(self._arm_set), twin._best(twin._learn(time), time, among))

    def _best(self, belief: Belief, time: float, among: Subset | None) -> Integers:
        """Return the arms of the largest index, up to rounding; of very many, of those on a shortlist."""
        if following.follows_peak(self):
            return following.sighting(self, time).best_arms(self._space, among)[0]
        model = with_pending(self, belief.model, time)
        return best_arms(model, belief.gamma, self._space, self._shortlist, among, self._random)[0]

    def _challengers(self) -> int:
        """Set the step of the clock, and return how many scales to try now."""
        fresh = self.n_observations - self._tuned_at
        if not self._steps.known or self.n_observations - self._timed_at >= CLOCK_EVERY:
            self._timed_at = self.n_observations
            if self._steps.adjust(self._pool.pulls):
                self._starts_anew = True
                following.look_for_peak(self)
        if self._pool.changes < FEWEST_CHANGES:
            return 0
        self._tuned_at = self.n_observations
        if self._starts_anew:
            self._starts_anew = False
            return self._tuner.start_anew()
        return self._tuner.challengers(fresh)

    def _estimate(self, time: float, arms: Any) -> tuple[Floats, Floats]:
        if self.n_observations == 0:
            return np.full(count := self._asked(arms), np.nan), np.full(count, np.inf)
        if following.follows_peak(self) and not following.is_past(self, time):
            return following.rewards_around_peak(self, time, arms)
        from quickdraw_bandits.policies.adaptive.averaging import estimated

        return estimated(self, self._model(time, 0), time, arms)

    def _index(self, time: float, arms: Any) -> Floats:
        """Return the mean plus 0.26 to 1.8 deviations: the shorter the time scale, the fewer."""
        if self.n_observations == 0:
            return np.full(self._asked(arms), np.inf)
        if following.follows_peak(self):
            return following.rewards_around_peak(self, time, arms)[0]
        belief = self._model(time, 0)
        model = with_pending(self, belief.model, time)
        mean, deviation = model.estimate(self._space.towards(arms, model.sample.arms))
        return belief.indices(mean, deviation)

    def _asked(self, arms: Any) -> int:
        return len(self._arm_set) if arms is None else len(arms)

    def _model(self, time: float, challengers: int) -> Belief:
        """Return what is believed at a time, from all that is in the pool but outliers."""
        from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample

        pool = self._pool
        rows, means, spreads, centre, unit = pool.standardised()
        arms = pool.arms[rows]
        clock = self._steps
        if not clock.known:  # asked before the first choice, which sets the clock
            clock = Clock()
            clock.adjust(pool.pulls)
        merged = self._space.places(arms), pool.counts[rows], means, spreads
        times = clock.steps(pool.times[rows], time)
        sample = SpaceTimeSample(*merged, times, self._space.numbers(arms), self._space.matrix, rows)
        model = self._tuner.improve(sample, challengers, time, clock)
        model.prepare()
        return Belief.of(model, centre, unit, float(means.max()))
