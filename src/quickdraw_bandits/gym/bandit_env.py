"""A set of arms as a gymnasium environment."""

from collections.abc import Callable
from typing import final

import gymnasium
import numpy as np

from quickdraw_bandits.checks import integer
from quickdraw_bandits.environments import Environment
from quickdraw_bandits.gym.arrivals import Delay
from quickdraw_bandits.gym.rounds import Info, Rounds

N_SEEDS = 2**32
"""Seeds of environments lie below; it is the limit of GSTools."""


@final
class BanditEnv(Rounds[int]):
    """An ``Environment`` of this library as a ``gymnasium.Env``; an action is the position of an arm.

    See ``Rounds`` for observations, rewards and late rewards.

    Parameters
    ----------
    environment
        An ``Environment``, which is then the same in every episode; or a function that builds one from a seed, called
        at every ``reset``. ``reset(seed=7)`` builds the environment of seed 7, and ``reset()`` one of a random seed.
        All must have the same number of arms and the same times.
    delay
        Rounds until a reward arrives; default 0, at once. A pair ``(low, high)`` draws the delay of every pull
        uniformly from that range, both ends included, so that rewards also arrive out of order.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> import quickdraw_bandits.gym
    >>> rewards = qd.environments.Recorded([[0.1, 0.9], [0.8, 0.2], [0.7, 0.3]], qd.Arms([0.0, 1.0]))
    >>> env = qd.gym.BanditEnv(rewards, delay=1)
    >>> observation, info = env.reset(seed=0)
    >>> observation, reward, terminated, truncated, info = env.step(1)
    >>> reward, info["arrivals"]
    (0.0, [])
    >>> observation, reward, terminated, truncated, info = env.step(0)
    >>> reward, info["arrivals"]
    (0.9, [Arrival(time=0.0, arm=1, reward=0.9)])
    """

    def __init__(self, environment: Environment | Callable[[int], Environment], delay: Delay = 0) -> None:
        self._build = environment
        if not isinstance(environment, Environment) and not callable(environment):
            raise ValueError(
                f"environment must be an Environment, or a function that builds one from a seed, got {environment!r}"
            )
        self.environment = environment if isinstance(environment, Environment) else environment(0)
        self.arms = self.environment.arms
        self.action_space = gymnasium.spaces.Discrete(len(self.environment.arms))  # type: ignore[assignment]
        super().__init__(self.environment.times, delay)

    def _begin(self, seed: int | None) -> None:
        if isinstance(self._build, Environment):
            return
        drawn = int(self.np_random.integers(N_SEEDS)) if seed is None else seed % N_SEEDS
        environment = self._build(drawn)
        same_arms = len(environment.arms) == len(self.environment.arms)
        if not (same_arms and np.array_equal(environment.times, self._times[:-1])):
            raise ValueError(
                f"environment must build the same arms and times from every seed, got {self.environment!r} before, "
                f"and {environment!r} for seed {drawn}"
            )
        self.environment, self.arms = environment, environment.arms

    def _pull(self, round: int, action: int) -> tuple[int, float, Info]:
        arm = integer("action", action, at_least=0, at_most=len(self.environment.arms) - 1)
        mean = float(self.environment.mean[round, arm])
        regret = float(self.environment.best_mean[round]) - mean
        return arm, self.environment.pull(round, arm), {"mean": mean, "regret": regret}
