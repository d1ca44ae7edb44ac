"""Quick-Draw that learns its scales from the rewards: no parameter to set."""

from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed, arm_positions, integer, number
from quickdraw_bandits.observations import Window
from quickdraw_bandits.policies.adaptive.clock import Clock
from quickdraw_bandits.policies.adaptive.explanation import Explanation
from quickdraw_bandits.policies.adaptive.scales import Candidate, ScaleGrid, Scales
from quickdraw_bandits.policies.adaptive.shortlist import MOST_BOUNDED, Shortlist
from quickdraw_bandits.policies.adaptive.space import Space
from quickdraw_bandits.policies.adaptive.spacing import spacing
from quickdraw_bandits.policies.policy import Policy

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive.model import Model

WINDOW = 600
"""How many of the latest observations are kept."""
CLOCK_EVERY = 16
"""Observations after which the step of the clock is checked again."""
TIE = 1e-9
"""Indices closer than this, in units of the rewards' range, count as equal."""
SLACK = 0.02
"""How far below the largest index that of the arm chosen from a shortlist may be, in units of gamma."""
LARGEST = float(np.finfo(float).max)


class AdaptiveQuickDraw(Policy):
    """Plays the arm of the largest upper confidence bound, with scales that it learns while it plays.

    Nothing needs to be known of how fast rewards drift, over which distances arms are alike, how noisy rewards are, or
    in which units anything is measured. The page on the adaptive policy has the formulas.

    The estimate is that of a Gaussian process on the latest observations. Its covariance is a product of a function
    of distance and one of age, both rational: one family falls as Quick-Draw's precision, the other is close to the
    squared exponential. Length scale, time scale, noise, and the velocity of patterns that travel over the arms are
    chosen by the likelihood of the observations: at every choice a few others are tried, and replace those in use if
    they are likelier. The index is the mean plus 0.5 to 1 standard deviations.

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
    >>> policy.scales.family in ("rough", "smooth")
    True
    """

    def __init__(self, arms: Arms, seed: Seed = None) -> None:
        super().__init__(arms, seed)
        self._window = Window(WINDOW)
        self._average = 0.0
        self.n_observations = 0
        self._clock = Clock()
        self._space = Space(arms)
        few = len(arms) <= MOST_BOUNDED or arms.metric == "precomputed"
        self._shortlist = None if few else Shortlist(self._space.points)
        nearest = spacing(self._space.columns, self._space.matrix)
        self._grid = ScaleGrid(len(arms), self._space.points.shape[1], nearest)
        # The tuner imports numba, which takes longer than all the rest of the package.
        from quickdraw_bandits.policies.adaptive.tuner import Tuner

        self._tuner = Tuner(self._grid)
        self._tuned_at = 0
        self._timed_at = 0
        self._learned: tuple[Candidate, float] | None = None

    @property
    def scales(self) -> Scales | None:
        """What the policy has learned, in the user's units; None before a choice was made on observations."""
        return None if self._learned is None else self._in_units(*self._learned)

    def estimate(self, time: float, arms: object = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation at all arms, or at those whose positions are given.

        Asking changes nothing: scales are tried when an arm is selected. Before the first observation nothing is
        known: the mean is NaN and the deviation infinite.
        """
        mean, deviation, centre, unit = self._estimate(time, arms)
        if self.n_observations == 0:
            return mean, deviation
        return _rewards(centre, unit, mean), _rewards(0.0, unit, deviation)

    def index(self, time: float, arms: object = None) -> Floats:
        """Return what the policy maximises, at all arms or at the given ones.

        That is the mean plus 0.5 to 1 deviations: the fewer rounds there are per time scale and arm, the fewer.
        """
        mean, deviation, centre, unit = self._estimate(time, arms)
        if self.n_observations == 0:
            return np.full(len(mean), np.inf)
        return _rewards(centre, unit, mean + self._exploration() * deviation)

    def explain(self, time: float, arm: int, most: int = 10) -> Explanation:
        """Return the estimate of an arm, and the ``most`` observations of the largest weights in its mean.

        Examples
        --------
        >>> import quickdraw_bandits as qd
        >>> policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 5), seed=0)
        >>> policy.update([0.0, 1.0, 2.0], [0, 4, 3], [0.2, 0.4, 0.9])
        >>> policy.explain(time=3.0, arm=3).arms[0]
        np.int64(3)
        """
        time = number("time", time)
        arm = integer("arm", arm, at_least=0, at_most=len(self.arms) - 1)
        most = integer("most", most, at_least=1)
        if self.n_observations == 0:
            return Explanation.of_nothing()
        model, centre, unit = self._model(time, 0)
        sample = model.sample
        mean, deviation = (float(value[0]) for value in self.estimate(time, [arm]))
        weights = model.influence(*self._space.towards(np.array([arm]), sample.arms))
        order = np.argsort(-np.abs(weights), kind="stable")[:most]
        pulled = self._window.times[::-1][sample.rows][order]
        seen = sample.arms[order]
        return Explanation(
            mean,
            deviation,
            float(self.index(time, [arm])[0]),
            pulled,
            np.clip(time / 2 - pulled / 2, -LARGEST / 2, LARGEST / 2) * 2,
            seen,
            self.arms.distances(arm)[seen],
            _rewards(centre, unit, sample.means[order]),
            sample.counts[order],
            weights[order],
        )

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        self._window.append(times, arms, rewards)
        for reward in rewards.tolist():
            self.n_observations += 1
            # Divided first, so that no sum exceeds the largest number.
            self._average += reward / self.n_observations - self._average / self.n_observations

    def _select(self, time: float) -> int:
        if self.n_observations == 0:
            return int(self._random.integers(len(self.arms)))
        model, _, unit = self._model(time, self._challengers())
        deviation = float(np.sqrt(model.signal))
        self._learned = model.candidate, min(unit * deviation, LARGEST)
        gamma = self._exploration() * deviation
        if self._shortlist is None:
            return self._draw(model, *self._space.towards(None, model.sample.arms), gamma, slack=0.0)
        arms, targets = self._shortlist.search(model, gamma, self._random)
        return int(arms[self._draw(model, targets, np.empty((0, 0)), gamma, slack=SLACK * gamma)])

    def _draw(self, model: "Model", targets: Floats, rows: Floats, gamma: float, slack: float) -> int:
        """Return a random one of the positions of the largest index; a bound that is drawn is made exact first."""
        index, exact, best = model.largest(targets, rows, gamma, slack)
        ties = np.flatnonzero((index >= best - TIE) & (exact | (index <= best + TIE)))
        while True:
            drawn = int(self._random.integers(len(ties))) if len(ties) > 1 else 0
            arm = int(ties[drawn])
            if not exact[arm]:
                alone = np.ascontiguousarray(targets[:, [arm]] if len(targets) else targets)
                index[arm] = model.largest(alone, np.ascontiguousarray(rows[:, [arm]] if len(rows) else rows), gamma)[2]
                exact[arm] = True
            if index[arm] >= best - TIE:
                return arm
            ties = np.delete(ties, drawn)

    def _challengers(self) -> int:
        """Set the step of the clock, and return how many scales to try now."""
        from quickdraw_bandits.policies.adaptive.tuner import FIRST_CHALLENGERS

        first = self._timed_at == 0
        fresh = self.n_observations - self._tuned_at
        self._tuned_at = self.n_observations
        if first or not self._clock.known or self.n_observations - self._timed_at >= CLOCK_EVERY:
            self._timed_at = self.n_observations
            if self._clock.adjust(self._window.times) or first:
                return FIRST_CHALLENGERS
        return self._tuner.challengers(fresh)

    def _estimate(self, time: float, arms: object) -> tuple[Floats, Floats, float, float]:
        """Return mean and deviation at all arms or at some, and the centre and the unit that they are counted in."""
        time = number("time", time)
        chosen = None if arms is None else arm_positions("arms", arms, len(self.arms))
        if self.n_observations == 0:
            count = len(self.arms) if chosen is None else len(chosen)
            return np.full(count, np.nan), np.full(count, np.inf), 0.0, 1.0
        model, centre, unit = self._model(time, 0)
        mean, deviation = model.estimate(*self._space.towards(chosen, model.sample.arms))
        return mean, deviation * np.sqrt(model.signal), centre, unit

    def _model(self, time: float, challengers: int) -> "tuple[Model, float, float]":
        """Return the model at a time, and the centre and the unit of its rewards."""
        from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample

        window = self._window
        centre = self._centre()
        # Halves, because the difference of two rewards can exceed the largest number.
        halves = window.rewards[::-1] / 2 - centre / 2
        largest = float(np.abs(halves).max())
        unit = 2 * largest if 0 < largest < 8e307 else (1.0 if largest == 0 else 1.7e308)
        clock = self._clock
        if not clock.known:  # asked before the first choice, which sets the clock
            clock = Clock()
            clock.adjust(window.times)
        times = clock.steps(window.times[::-1], time)
        arms = np.ascontiguousarray(window.arms[::-1])
        merged = self._space.points[arms], np.ones(len(arms)), halves / (unit / 2), 0.0
        sample = SpaceTimeSample(*merged, times, arms, self._space.matrix, np.arange(len(arms)))
        model = self._tuner.improve(sample, challengers)
        model.prepare()
        return model, centre, unit

    def _centre(self) -> float:
        """Return the average of all rewards so far, or of the latest where the former is outside their range.

        It is outside after an extreme reward or a lasting change of level: these are then forgotten.
        """
        rewards = self._window.rewards
        least, most = float(rewards.min()), float(rewards.max())
        if least <= self._average <= most:
            return self._average
        return min(max(float(np.sum(rewards / len(rewards))), least), most)

    def _exploration(self) -> float:
        return self._grid.exploration(self._tuner.candidate)

    def _in_units(self, candidate: Candidate, signal: float) -> Scales:
        """Return scales in the user's units, for a signal of this standard deviation."""
        diameter, step = self._space.diameter, self._clock.step
        return Scales(
            family=candidate.family,
            length_scale=candidate.length * diameter,
            time_scale=candidate.age * step,
            noise=signal * candidate.noise**0.5,
            velocity=tuple((candidate.velocity * diameter / step).tolist()),
            gamma=self._grid.exploration(candidate) * signal,
        )


def _rewards(centre: float, unit: float, values: Floats) -> Floats:
    """Return values in the user's units, at most the largest number."""
    with np.errstate(over="ignore"):
        return np.clip(centre + unit * values, -LARGEST, LARGEST)
