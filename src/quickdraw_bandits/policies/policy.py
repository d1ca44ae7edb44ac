"""What every policy is: something that selects an arm now, and learns from what arms paid."""

import copy
from abc import ABC, abstractmethod
from typing import Any, final

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.checks import Floats, Seed, box_observations, generator, number, observations

PLAY_BOXES = "QuickDraw, HOO or BanditConvex"
"""The policies that take a ``Box``."""


class Policy(ABC):
    """A rule for choosing among arms.

    The public methods check their input once, here; a policy fills in the two methods behind them and can rely
    on what they get. A call that raises has changed nothing. A policy that draws its choice also fills in
    ``_probabilities``, which says how the draw is weighted.

    Parameters
    ----------
    arms
        The choices.
    seed
        An integer or a ``numpy.random.Generator``. The same seed and the same calls give the same choices.
    """

    plays_boxes = False
    """Whether arms may be a ``Box``."""

    def __init__(self, arms: Any, seed: Seed = None) -> None:
        if not isinstance(arms, (Arms, Box) if self.plays_boxes else Arms):
            expected = "an Arms set or a Box" if self.plays_boxes else "an Arms set"
            advice = f"a Box is for {PLAY_BOXES}" if isinstance(arms, Box) else "build one with Arms(points)"
            name = type(self).__name__
            raise ValueError(f"arms must be {expected} for {name}, got {type(arms).__name__}; {advice}")
        self.arms: Any = arms
        self._random = generator(seed)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.arms!r})"

    @final
    def select(self, time: float) -> Any:
        """Return the arm to play at ``time``: its position, an int, or in a ``Box`` its coordinates, an array."""
        return self._select(number("time", time))

    @final
    def update(self, time: Any, arm: Any, reward: Any) -> None:
        """Learn that ``arm``, pulled at ``time``, paid ``reward``.

        Scalars, or arrays of equal length to load a history at once. ``time`` is the time of the pull: rewards
        may arrive late and in any order. ``arm`` is a position, or in a ``Box`` a row of coordinates.
        """
        arms: Any
        if isinstance(self.arms, Box):
            times, arms, rewards = box_observations(time, arm, reward, self.arms.checked)
        else:
            times, arms, rewards = observations(time, arm, reward, len(self.arms))
        if len(times):
            self._update(times, arms, rewards)

    @final
    def probabilities(self, time: float) -> Floats:
        """Return the probability of each arm to be what ``select(time)`` returns, given all that was learnt so far.

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
        time = number("time", time)
        if isinstance(self.arms, Box):
            raise NotImplementedError(
                "probabilities are those of single arms, and a Box has no end of them; play an Arms set of points of "
                "the box instead"
            )
        return self._probabilities(time)

    def _probabilities(self, time: float) -> Floats:
        """Say how ``_select`` weights the arms, given a finite time; must change nothing.

        The default suits policies whose choice follows from what they know: probability 1 for what a copy of the
        policy selects, ties as the copy happens to break them. Evaluation on logs spares itself the copy: it asks
        such a policy to select, once an event.
        """
        twin = copy.deepcopy(self, {id(self.arms): self.arms})
        certain = np.zeros(len(self.arms))
        certain[twin._select(time)] = 1.0
        return certain

    @abstractmethod
    def _select(self, time: float) -> Any:
        """Choose, given a finite time."""

    @abstractmethod
    def _update(self, times: Floats, arms: Any, rewards: Floats) -> None:
        """Learn from at least one observation; the arrays are checked, of equal length, and not to be changed."""
