"""A continuum of arms as a gymnasium environment."""

from collections.abc import Callable
from typing import final

import gymnasium
import numpy as np
from numpy.typing import ArrayLike

from quickdraw_bandits.arms import Box
from quickdraw_bandits.checks import Floats, not_negative, number
from quickdraw_bandits.environments.environment import round_times
from quickdraw_bandits.gym.arrivals import Delay
from quickdraw_bandits.gym.rounds import Info, Rounds


@final
class BoxEnv(Rounds[Floats]):
    """A function of coordinates and time as the mean reward of every point of a box; an action is a point.

    See ``Rounds`` for observations, rewards and late rewards. ``reset(seed=7)`` decides the noise and random delays.

    Parameters
    ----------
    function
        ``f(x, t)``: the mean reward at the coordinates x, an array, and the time t, a float.
    low, high
        The corners, as for ``Box``; default -1 and 1, an interval.
    n_rounds
        Number of rounds, evenly spaced from time 0 up to 1; default 1,000.
    noise
        Standard deviation of the white noise, in units of the reward; default 0. A larger value makes learning harder.
    best
        ``b(t)``: the largest mean reward at time t. The default None says that it is not known, and then
        ``info["regret"]`` is left out.
    delay
        As for ``BanditEnv``.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> import quickdraw_bandits.gym
    >>> env = qd.gym.BoxEnv(lambda x, t: 1 - (x[0] - t) ** 2, n_rounds=4, best=lambda t: 1.0)
    >>> observation, info = env.reset(seed=0)
    >>> observation, reward, terminated, truncated, info = env.step([0.5])
    >>> reward, info["regret"]
    (0.75, 0.25)
    """

    def __init__(
        self,
        function: Callable[[Floats, float], float],
        low: ArrayLike = -1.0,
        high: ArrayLike = 1.0,
        n_rounds: int = 1000,
        noise: float = 0.0,
        best: Callable[[float], float] | None = None,
        delay: Delay = 0,
    ) -> None:
        for name, value in (("function", function), ("best", best)):
            if not callable(value) and (value is not None or name == "function"):
                raise ValueError(f"{name} must be a function, got {value!r}")
        self._function, self._best = function, best
        self._noise = not_negative("noise", noise)
        self.arms = self._box = Box(low, high)
        self.action_space = gymnasium.spaces.Box(self._box.low.copy(), self._box.high.copy(), dtype=np.float64)
        super().__init__(round_times(n_rounds), delay)

    def _begin(self, seed: int | None) -> None:
        # One draw per round: in a continuum no two pulls share an arm, so that noise need not depend on it.
        self._draws = self.np_random.standard_normal(len(self._times) - 1)

    def _pull(self, round: int, action: Floats) -> tuple[Floats, float, Info]:
        point = self._box.checked("action", action, 1)[0]
        time = float(self._times[round])
        mean = number(f"function at {point.tolist()} and time {time:g}", self._function(point.copy(), time))
        info: Info = {"mean": mean}
        if self._best is not None:
            info["regret"] = number(f"best at time {time:g}", self._best(time)) - mean
        return point, mean + self._noise * float(self._draws[round]), info
