"""Quick-Draw, the paper's policy (E1-E9, A1)."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.checks import Floats, Seed, arm_positions, not_negative, number, positive
from quickdraw_bandits.interpolation import Kernel, upper_bound
from quickdraw_bandits.observations import Observations
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.scale_warning import warn_if_nothing_counts

if TYPE_CHECKING:
    from quickdraw_bandits.interpolation.engines import EngineName

FIRST_LOOK = 64
"""The choice at which a policy first checks whether it can learn at all; then at twice as many, and so on."""
LONGEST_LOOKED_AT = 4096
"""Observations up to which it checks, so that no choice waits for it: a problem of units shows long before."""


class QuickDraw(Policy):
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

    def __init__(
        self,
        arms: Arms | Box,
        length_scale: float = 1.0,
        time_scale: float | None = 1.0,
        noise_variance: float = 1e-7,
        exploration: float | Callable[[int], float] = 2.0,
        cap: float | None = 1.0,
        sharpness: int = 1,
        seed: Seed = None,
        engine: "EngineName" = "auto",
        tolerance: float = 1e-3,
    ) -> None:
        super().__init__(arms, seed)
        self.kernel = Kernel.checked(length_scale, time_scale, noise_variance, sharpness)
        self.exploration = exploration if callable(exploration) else not_negative("exploration", exploration)
        self.cap = None if cap is None else number("cap", cap)
        self.tolerance = positive("tolerance", tolerance)
        # Engines import numba, which takes longer than all the rest of the package.
        from quickdraw_bandits.interpolation.engines import build

        self._seen = Observations(arms)
        self._engine = build(engine, arms, self.kernel, self.tolerance, self._seen, self._random)
        self._choices = 0
        self._next_look = FIRST_LOOK

    @property
    def n_observations(self) -> int:
        """How many observations the policy has learned from."""
        return self._seen.n

    def estimate(self, time: float, arms: object = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation (E2) at all arms, or at those whose positions or coordinates are given.

        Before the first observation nothing is known: the mean is NaN and the deviation infinite.
        """
        time = number("time", time)
        chosen: Any = None
        if isinstance(self.arms, Box):
            if arms is None:
                raise ValueError("arms must be given as coordinates of shape (n, d), since a Box has no end of them")
            chosen = self.arms.checked("arms", arms, 2)
        elif arms is not None:
            chosen = arm_positions("arms", arms, len(self.arms))
        if self.n_observations == 0:
            n = len(self.arms) if chosen is None else len(chosen)
            return np.full(n, np.nan), np.full(n, np.inf)
        return self._engine.estimate(time, chosen)

    def index(self, time: float, arms: object = None) -> Floats:
        """Return what the policy maximises (E4), at all arms or at the given ones."""
        mean, std = self.estimate(time, arms)
        if self.n_observations == 0:
            return np.full(len(mean), self._cap)
        return upper_bound(mean, std, self._gamma(), self._cap)

    def _select(self, time: float) -> Any:
        if self._choices + 1 == self._next_look:
            self._look(time)
        self._choices += 1
        if self._seen.n:
            return self._engine.choose(time, self._gamma(), self._cap, self._random)
        if isinstance(self.arms, Box):
            return self._random.uniform(self.arms.low, self.arms.high)
        return int(self._random.integers(len(self.arms)))

    def _probabilities(self, time: float) -> Floats:
        """Return equal probabilities for all arms that the engine may choose."""
        if self._seen.n == 0:
            return np.full(len(self.arms), 1 / len(self.arms))
        best = self._engine.best(time, self._gamma(), self._cap)
        probabilities = np.zeros(len(self.arms))
        probabilities[best] = 1 / len(best)
        return probabilities

    def _update(self, times: Floats, arms: Any, rewards: Floats) -> None:
        self._seen.append(times, arms, rewards)
        self._engine.extend()

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
