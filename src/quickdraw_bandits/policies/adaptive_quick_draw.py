"""Quick-Draw that learns its scales from the rewards: no parameter to set."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed, arm_positions, integer, number
from quickdraw_bandits.gaussian_process.embedding import coordinates
from quickdraw_bandits.observations import Window
from quickdraw_bandits.policies.adaptive.clock import Clock
from quickdraw_bandits.policies.adaptive.scales import DOUBLINGS, FAMILIES, Candidate, Ladders, Scales
from quickdraw_bandits.policies.adaptive.shortlist import MOST_SURVEYED, Shortlist
from quickdraw_bandits.policies.adaptive.spacing import spacing
from quickdraw_bandits.policies.policy import Policy

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive.model import Model

POOL = 600
"""How many of the latest observations are kept."""
CLOCK_EVERY = 16
"""Observations after which the step of the clock is looked at again."""
TIE = 1e-9
"""Indices closer than this, in units of the rewards' range, count as equal."""
SLACK = 0.02
"""How far below the largest index that of the arm chosen from a shortlist may be, in units of gamma."""
LARGEST = float(np.finfo(float).max)


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why an arm has the index that it has.

    Attributes
    ----------
    mean, deviation, index
        The estimate, and what the policy maximises: the mean plus 0.5 to 1 deviations.
    times, ages, arms, distances, rewards, counts
        Of the observations, those that weigh most first. Those almost alike are taken together where there is noise:
        the latest of them is shown, with their mean reward and how many they are.
    weights
        The mean is the average of all rewards so far plus the sum of weight times (reward - that average); the
        average is of the latest 600 if that of all is not between the least and the most of them.
    """

    mean: float
    deviation: float
    index: float
    times: Floats
    ages: Floats
    arms: Integers
    distances: Floats
    rewards: Floats
    counts: Floats
    weights: Floats


class AdaptiveQuickDraw(Policy):
    """Plays the arm of the largest upper bound, as Quick-Draw does, with scales that it learns while it plays.

    Nothing needs to be known of how fast rewards drift, over which distances arms are alike, how noisy rewards are or
    in which units anything is measured. The page on the adaptive policy has the formulas.

    The estimate is that of a Gaussian process on the latest observations. Its covariance is a product of a function
    of distance and one of age, both rational: with one family as Quick-Draw's precision, with the other close to the
    squared exponential. Length scale, time scale, noise, and the velocity of patterns that travel over the arms are
    those that make the observations likely; at every choice a few others are tried, and replace those in use if they
    are likelier. The index is the mean plus 0.5 to 1 deviations.

    Sets of more than 4096 arms are searched from coarse to fine; of smaller ones the arm of the largest index is found
    exactly. Where only distances are known, scales that make no valid covariance of them are passed over.

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
        self._window = Window(POOL)
        self._average = 0.0
        self.n_observations = 0
        self._clock = Clock()
        self._places: Floats = np.empty((len(arms), 0))
        self._matrix: Floats = np.empty((0, 0))
        if arms.metric == "precomputed":
            largest = float(arms.points.max())
            self._diameter = largest / arms.unit if largest > 0 else 1.0
            self._matrix = np.square(arms.points / (largest if largest > 0 else 1.0), dtype=np.float64)
        else:
            places = coordinates(arms.points, arms.metric, arms.unit)
            places -= places.min(axis=0)
            # Squared in units of a power of two near the largest, so that no square is beyond the numbers.
            _, exponent = np.frexp(places.max())
            extent = float(np.ldexp(np.sqrt(np.sum(np.ldexp(places.max(axis=0), -exponent) ** 2)), exponent))
            self._diameter = extent if extent > 0 else 1.0
            self._places = places / self._diameter
        targets = np.ascontiguousarray(self._places.T)
        surveyed = len(arms) <= MOST_SURVEYED or arms.metric == "precomputed"
        self._shortlist = None if surveyed else Shortlist(self._places)
        self._targets = targets if surveyed else None
        self._ladders = Ladders(len(arms), self._places.shape[1], spacing(targets, self._matrix))
        # The tuner imports numba, which takes longer than all the rest of the package.
        from quickdraw_bandits.policies.adaptive.tuner import Tuner

        self._tuner = Tuner(self._ladders)
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

        That is the mean plus 0.5 to 1 deviations: the fewer, the less can be known of what all arms pay.
        """
        mean, deviation, centre, unit = self._estimate(time, arms)
        if self.n_observations == 0:
            return np.full(len(mean), np.inf)
        return _rewards(centre, unit, mean + self._exploration() * deviation)

    def explain(self, time: float, arm: int, most: int = 10) -> Explanation:
        """Return the observations that weigh most in the mean of an arm, and its estimate.

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
            empty, none = np.empty(0), np.empty(0, dtype=np.int64)
            return Explanation(np.nan, np.inf, np.inf, empty, empty, none, empty, empty, empty, empty)
        model, centre, unit = self._model(time, 0)
        mean, deviation = (float(value[0]) for value in self.estimate(time, [arm]))
        weights = model.influence(*self._towards(model, np.array([arm])))
        order = np.argsort(-np.abs(weights), kind="stable")[:most]
        sample = model.sample
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
            _rewards(centre, unit, sample.rewards[order]),
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
        count = len(self.arms)
        if self.n_observations == 0:
            return int(self._random.integers(count))
        model, _, unit = self._model(time, self._challengers())
        self._learned = model.candidate, min(unit * float(np.sqrt(model.signal)), LARGEST)
        gamma = self._exploration() * float(np.sqrt(model.signal))
        if self._shortlist is None:
            return self._draw(model, *self._towards(model, None), gamma)
        arms, targets = self._shortlist.search(model, gamma, self._random)
        return int(arms[self._draw(model, targets, np.empty((0, 0)), gamma)])

    def _draw(self, model: "Model", targets: Floats, rows: Floats, gamma: float) -> int:
        """Return one of the positions of the largest index; bounds that reach it are looked at if they are drawn."""
        slack = 0.0 if self._shortlist is None else SLACK * gamma
        mean, index, exact, best = model.largest(targets, rows, gamma, slack)
        ties = np.flatnonzero((index >= best - TIE) & (exact | (index <= best + TIE)))
        while True:
            drawn = int(self._random.integers(len(ties))) if len(ties) > 1 else 0
            arm = int(ties[drawn])
            if not exact[arm]:
                index[arm] = mean[arm] + gamma * model.deviations(targets, rows, np.array([arm]))[0]
                exact[arm] = True
            if index[arm] >= best - TIE:
                return arm
            ties = np.delete(ties, drawn)

    def _challengers(self) -> int:
        """Say how many scales to try now, after setting the step of the clock."""
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
        """Return mean and deviation at all arms or at some, and what they are counted from and in."""
        time = number("time", time)
        chosen = None if arms is None else arm_positions("arms", arms, len(self.arms))
        count = len(self.arms) if chosen is None else len(chosen)
        if self.n_observations == 0:
            return np.full(count, np.nan), np.full(count, np.inf), 0.0, 1.0
        model, centre, unit = self._model(time, 0)
        targets, rows = self._towards(model, chosen)
        mean, _ = model.bounds(targets, rows)
        deviation = model.deviations(targets, rows, np.arange(count)) * np.sqrt(model.signal)
        return mean, deviation, centre, unit

    def _model(self, time: float, challengers: int) -> "tuple[Model, float, float]":
        """Return the model at a time, and what rewards are counted from and in."""
        from quickdraw_bandits.policies.adaptive.model import Sample

        window = self._window
        centre = self._centre()
        halves = window.rewards[::-1] / 2 - centre / 2
        largest = float(np.abs(halves).max())
        unit = 2 * largest if 0 < largest < 8e307 else (1.0 if largest == 0 else 1.7e308)
        arms = window.arms[::-1]
        rewards = halves / (unit / 2)
        clock = self._clock
        if not clock.known:  # asked before the first choice, which is what sets the clock
            clock = Clock()
            clock.adjust(window.times)
        times = clock.steps(window.times[::-1], time)
        sample = Sample(self._places[arms], arms, self._matrix, times, rewards, np.ones(len(arms)))
        model = self._tuner.improve(sample, challengers)
        model.prepare()
        return model, centre, unit

    def _centre(self) -> float:
        """Return the average of all rewards so far, or of the latest where that is none that they could have.

        It is not after a reward beyond all measure, or a lasting change of level: these are then forgotten.
        """
        rewards = self._window.rewards
        least, most = float(rewards.min()), float(rewards.max())
        if least <= self._average <= most:
            return self._average
        return min(max(float(np.sum(rewards / len(rewards))), least), most)

    def _exploration(self) -> float:
        return self._ladders.exploration(self._tuner.candidate)

    def _in_units(self, candidate: Candidate, signal: float) -> Scales:
        """Return scales in the user's units, for a signal of this deviation."""
        velocity = candidate.velocity * self._diameter / self._clock.step
        return Scales(
            family=FAMILIES[DOUBLINGS.index(candidate.doublings)],
            length_scale=candidate.length * self._diameter,
            time_scale=candidate.age * self._clock.step,
            noise=signal * candidate.noise**0.5,
            velocity=tuple(velocity.tolist()),
            gamma=self._ladders.exploration(candidate) * signal,
        )

    def _towards(self, model: "Model", arms: Integers | None) -> tuple[Floats, Floats]:
        """Return coordinates of arms, or squared distances to them where there are no coordinates."""
        if len(self._matrix):
            rows = self._matrix[model.sample.arms]
            return np.empty((0, 0)), rows if arms is None else np.ascontiguousarray(rows[:, arms])
        if arms is None and self._targets is not None:
            return self._targets, np.empty((0, 0))
        places = self._places if arms is None else self._places[arms]
        return np.ascontiguousarray(places.T), np.empty((0, 0))


def _rewards(centre: float, unit: float, values: Floats) -> Floats:
    """Return values in the user's units; what is beyond the largest number is the largest."""
    with np.errstate(over="ignore"):
        return np.clip(centre + unit * values, -LARGEST, LARGEST)
