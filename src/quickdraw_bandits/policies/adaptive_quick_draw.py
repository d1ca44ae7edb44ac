"""Quick-Draw that learns its scales from the rewards: no parameter to set."""

from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, integer
from quickdraw_bandits.numerics.ties import pick
from quickdraw_bandits.observations import Window
from quickdraw_bandits.policies.adaptive.belief import LARGEST, Belief, in_rewards
from quickdraw_bandits.policies.adaptive.best import best_arms
from quickdraw_bandits.policies.adaptive.clock import Clock
from quickdraw_bandits.policies.adaptive.explanation import Explanation
from quickdraw_bandits.policies.adaptive.influence import explained
from quickdraw_bandits.policies.adaptive.pool import Pool
from quickdraw_bandits.policies.adaptive.scales import Candidate, ScaleGrid, Scales
from quickdraw_bandits.policies.adaptive.shortlist import MOST_BOUNDED, Shortlist
from quickdraw_bandits.policies.adaptive.space import Space
from quickdraw_bandits.policies.adaptive.spacing import spacing
from quickdraw_bandits.policies.adaptive.stay import Stay, rounds
from quickdraw_bandits.policies.index_policy import not_pending, uniform
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.times import Time

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive.model import Model

WINDOW = 600
"""How many of the latest observations are kept for ``observations``."""
POOL = 600
"""How many entries the model has to choose from: observations, or stays at an arm."""
CLOCK_EVERY = 16
"""Observations after which the step of the clock is checked again."""
MOST_PENDING = 256
"""How many of the latest pending pulls count; those almost alike are merged."""
FEWEST_CHANGES = 6
"""Changes from one reward to the next before other scales are tried: rewards that are all the same prove nothing."""
LEAST_ROOM = 1 / 3
"""Part of the exploration that is left where the largest reward is hardly above the average."""


class AdaptiveQuickDraw(Policy[int]):
    """Plays the arm of the largest upper confidence bound, with scales that it learns while it plays.

    Nothing needs to be known of how fast rewards drift, over which distances arms are alike, how noisy rewards are, or
    in which units anything is measured. The page on the adaptive policy has the formulas.

    The estimate is that of a Gaussian process on the latest observations. Its covariance falls with
    distance² / l_x² + age² / l_t², in one of three families, from jagged to smooth; a part of it may be a lasting level
    of each arm's own. Family, length scale, time scale, noise, own level, and the velocity of patterns that travel over
    the arms are chosen by the likelihood of the observations: at every choice a few others are tried, and replace those
    in use if they are likelier. Where a single reward says little, an arm is played for several rounds. Outliers among
    the rewards are left out. The index is the mean plus 1/6 to 2 standard deviations.

    Up to 4096 arms, the arm of the largest index is found exactly; larger sets are searched from coarse to fine. Where
    only distances are known, scales that make no valid covariance of them are skipped.

    Parameters
    ----------
    arms
        The choices.
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
    >>> policy.scales.family in ("jagged", "rough", "smooth")
    True
    """

    arms: Arms
    learns_in_select = True

    def __init__(self, arms: Arms, seed: Seed = None) -> None:
        super().__init__(arms, seed)
        self._space = Space(arms)
        few = len(arms) <= MOST_BOUNDED or arms.metric == "precomputed"
        self._shortlist = None if few else Shortlist(self._space.points)
        nearest = spacing(self._space.columns, self._space.matrix)
        self._know_nothing(ScaleGrid(len(arms), self._space.points.shape[1], nearest))

    def _know_nothing(self, grid: ScaleGrid) -> None:
        """Set what is learned to the state before the first observation."""
        self._seen = Window(WINDOW)
        self._pool = Pool(POOL)
        self._stay: Stay | None = None
        self._steps = Clock()
        self._grid = grid
        # The tuner imports numba, which takes longer than all the rest of the package.
        from quickdraw_bandits.policies.adaptive.tuner import Tuner

        self._tuner = Tuner(self._grid)
        self._tuned_at = 0
        self._timed_at = 0
        self._starts_anew = True
        self._learned: tuple[Candidate, float, float] | None = None

    @property
    def scales(self) -> Scales | None:
        """What the policy has learned, in the user's units; None before a choice was made on observations."""
        with self._lock:
            return None if self._learned is None else self._in_units(*self._learned)

    def explain(self, time: Time, arm: int, most: int = 10) -> Explanation:
        """Return the estimate of an arm, and the ``most`` observations of the largest weights in its mean.

        Examples
        --------
        >>> import quickdraw_bandits as qd
        >>> policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 5), seed=0)
        >>> policy.update([0.0, 1.0, 2.0], [0, 4, 3], [0.2, 0.4, 0.9])
        >>> policy.explain(time=3.0, arm=3).arms[0]
        np.int64(3)
        """
        with self._lock:
            now = self._clock.seconds(time)
            arm = integer("arm", arm, at_least=0, at_most=len(self.arms) - 1)
            return explained(self, now, arm, integer("most", most, at_least=1))

    def _distances(self, arm: int, others: Integers) -> Floats:
        """Return the scaled distances of some arms from one."""
        return self.arms.distances(arm)[others]

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        stay, before = self._stay, self.n_observations - len(rewards)
        if stay is None or len(times) > 1 or arms[0] != stay.arm or not stay.lasts(float(times[0]), before):
            self._pool.append(times, arms, rewards)
        elif stay.joins:
            self._pool.join(float(times[0]), stay.arm, float(rewards[0]))
        else:
            self._pool.append(times, arms, rewards)
            stay.joins = True

    def _grow(self, arms: Arms) -> None:
        self._stay = None
        if self._shortlist is not None and self._shortlist.extend(len(arms)):
            self._space = self._space.grown(arms)
            return
        self._space = Space(arms, self._space.diameter)
        few = len(arms) <= MOST_BOUNDED or arms.metric == "precomputed"
        self._shortlist = None if few else Shortlist(self._space.points)

    def _select(self, time: float, among: Subset | None = None) -> int:
        return self._decide(time, among)[0]

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
        return arm, 1 / ties

    def _first(self, among: Subset | None) -> tuple[int, float]:
        """Choose before the first observation, and return the probability."""
        free = not_pending(len(self.arms), among, self._pending)
        return pick(free, self._random), 1 / len(free)

    def _drawn(self, belief: Belief, time: float, among: Subset | None) -> tuple[int, int]:
        """Return one of the best arms, and how many there are."""
        best = self._best(belief, time, among)
        return pick(best, self._random), len(best)

    def _tuned(self, time: float) -> Belief:
        """Try other scales, and return what is believed with those in use afterwards."""
        belief = self._model(time, self._challengers())
        signal = min(belief.unit * float(np.sqrt(belief.model.signal)), LARGEST)
        self._learned = belief.model.candidate, signal, belief.exploration
        return belief

    def _ties(self, time: float, among: Subset | None) -> Integers:
        if self.n_observations == 0:
            return not_pending(len(self.arms), among, self._pending)
        held = self._held(time, among)
        if held is not None:
            return np.array([held])
        # Other scales are tried when the choice counts, and not here: asking changes nothing.
        return self._best(self._model(time, 0), time, among, np.random.default_rng(0))

    def _chosen(self, time: float, arm: int, among: Subset | None) -> None:
        if self.n_observations == 0 or self._held(time, among) is not None:
            return
        belief = self._tuned(time)
        if len(self._pending) == 0:
            stay = self._new_stay(arm, time, among)
            # An arm that was explored at random is not stayed at.
            self._stay = stay if stay is None or arm in self._best(belief, time, among) else None

    def _new_stay(self, arm: int, time: float, among: Subset | None) -> Stay | None:
        candidate, n = self._tuner.candidate, self.n_observations
        lasting = rounds(candidate, n)
        if lasting == 1:
            return None
        until = time + candidate.age / 50 * self._steps.step
        return Stay(arm, n + lasting, until, None if among is None else among.mask.copy())

    def _held(self, time: float, among: Subset | None) -> int | None:
        """Return the arm of a stay that goes on; none does while pulls are pending, which say where to look instead."""
        stay = self._stay
        if stay is None or len(self._pending) or not stay.lasts(time, self.n_observations) or not stay.suits(among):
            return None
        return stay.arm

    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        if self.n_observations == 0:
            return uniform(len(self.arms), not_pending(len(self.arms), among, self._pending))
        held = self._held(time, among)
        if held is not None:
            return uniform(len(self.arms), np.array([held]))
        twin = self._sharing_all_but("_tuner", "_steps")  # which trying scales changes
        return uniform(len(self.arms), twin._best(twin._model(time, twin._challengers()), time, among))

    def _best(
        self, belief: Belief, time: float, among: Subset | None, random: np.random.Generator | None = None
    ) -> Integers:
        """Return the arms of the largest index, up to rounding; of very many, of those on a shortlist."""
        model, gamma = self._asked(belief, time)
        return best_arms(model, gamma, self._space, self._shortlist, among, random or self._random)[0]

    def _asked(self, belief: Belief, time: float) -> "tuple[Model, float]":
        """Return the model with pending pulls, and how far the index is above the mean per unit of deviation."""
        gamma = belief.exploration * float(np.sqrt(belief.model.signal))
        return (self._with_pending(belief.model, time) if len(self._pending) else belief.model), gamma

    def _with_pending(self, model: "Model", time: float) -> "Model":
        """Return the model with pending pulls as observations of its mean, which lowers the deviation around them."""
        from quickdraw_bandits.policies.adaptive.pending import with_pulls

        times, arms = self._pending.arrays()
        latest = np.argsort(times, kind="stable")[::-1][:MOST_PENDING]
        pulled = np.ascontiguousarray(arms[latest])
        return with_pulls(model, self._space.at(pulled), pulled, self._steps.steps(times[latest], time))

    def _challengers(self) -> int:
        """Set the step of the clock, and return how many scales to try now."""
        from quickdraw_bandits.policies.adaptive.tuner import FIRST_CHALLENGERS

        fresh = self.n_observations - self._tuned_at
        if not self._steps.known or self.n_observations - self._timed_at >= CLOCK_EVERY:
            self._timed_at = self.n_observations
            self._starts_anew |= self._steps.adjust(self._pool.pulls)
        if self._pool.changes < FEWEST_CHANGES:
            return 0
        self._tuned_at = self.n_observations
        if self._starts_anew:
            self._starts_anew = False
            return FIRST_CHALLENGERS
        return self._tuner.challengers(fresh)

    def _estimate(self, time: float, arms: Integers | None) -> tuple[Floats, Floats]:
        mean, deviation, belief = self._scaled_estimate(time, arms)
        if belief is None:
            return mean, deviation
        return in_rewards(belief.centre, belief.unit, mean), in_rewards(0.0, belief.unit, deviation)

    def _index(self, time: float, arms: Integers | None) -> Floats:
        """Return the mean plus 1/6 to 2 deviations: the fewer rounds there are per time scale and arm, the fewer."""
        mean, deviation, belief = self._scaled_estimate(time, arms)
        if belief is None:
            return np.full(len(mean), np.inf)
        return in_rewards(belief.centre, belief.unit, mean + belief.exploration * deviation)

    def _scaled_estimate(self, time: float, arms: Integers | None) -> tuple[Floats, Floats, Belief | None]:
        """Return mean and deviation at all arms or at some, in units of the belief that is returned with them."""
        if self.n_observations == 0:
            count = len(self.arms) if arms is None else len(arms)
            return np.full(count, np.nan), np.full(count, np.inf), None
        belief = self._model(time, 0)
        model = self._with_pending(belief.model, time) if len(self._pending) else belief.model
        mean, deviation = model.estimate(self._space.towards(arms, model.sample.arms))
        return mean, deviation * np.sqrt(belief.model.signal), belief

    def _model(self, time: float, challengers: int) -> Belief:
        """Return what is believed at a time, from all that is in the pool but outliers."""
        from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample

        pool, (low, high) = self._pool, self._pool.limits
        rows = np.flatnonzero((pool.rewards >= low) & (pool.rewards <= high))[::-1]
        rewards, arms = pool.rewards[rows], pool.arms[rows]
        centre = pool.centre(rewards)
        # Halves, because the difference of two rewards can exceed the largest number.
        halves = rewards / 2 - centre / 2
        largest = float(np.abs(halves).max())
        unit = 2 * largest if 0 < largest < 8e307 else (1.0 if largest == 0 else 1.7e308)
        clock = self._steps
        if not clock.known:  # asked before the first choice, which sets the clock
            clock = Clock()
            clock.adjust(pool.pulls)
        means, spreads = halves / (unit / 2), pool.spreads[rows] / unit / unit
        merged = self._space.at(arms), pool.counts[rows], means, spreads
        times = clock.steps(pool.times[rows], time)
        sample = SpaceTimeSample(*merged, times, arms, self._space.matrix, rows)
        model = self._tuner.improve(sample, challengers)
        model.prepare()
        return Belief(model, centre, unit, self._exploration(float(means.max() / np.sqrt(model.signal))))

    def _exploration(self, room: float) -> float:
        """Return how many deviations the index lies above the mean.

        ``room`` is how far the largest reward is above the average, in deviations of the signal. If it is less than 1,
        rewards are not symmetric: hardly any arm is much better than the best so far, and exploration is reduced. Only
        for jagged rewards and for arms with a level of their own: smooth rewards can be higher between observations.
        """
        candidate = self._tuner.candidate
        usual = self._grid.exploration(candidate)
        if candidate.family != "jagged" and candidate.share == 0:
            return usual
        return usual * min(max(room, LEAST_ROOM), 1.0)

    def _in_units(self, candidate: Candidate, signal: float, exploration: float) -> Scales:
        """Return scales in the user's units, for a signal of this standard deviation."""
        diameter, step = self._space.diameter, self._steps.step
        return Scales(
            family=candidate.family,
            length_scale=candidate.length * diameter,
            time_scale=self._clock.original_span(candidate.age * step),
            noise=signal * candidate.noise**0.5,
            velocity=tuple((candidate.velocity * diameter / step).tolist()),
            own_level=candidate.share,
            gamma=exploration * signal,
        )
