"""What all our gymnasium environments share: rounds, times and late rewards."""

from abc import abstractmethod
from typing import Generic

import gymnasium
import numpy as np

from quickdraw_bandits.arms.arm_set import ArmSet
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.gym.arrivals import Arrival, Arrivals, Delay, checked_delay
from quickdraw_bandits.policies.decision import ArmT

Info = dict[str, object]


class Rounds(gymnasium.Env[Floats, ArmT], Generic[ArmT]):
    """A bandit as a gymnasium environment: one step is one round, one episode is all rounds.

    The observation is the time of the coming round, an array of one number. ``step`` returns

    - as ``reward``: the sum of the rewards that arrive in this round;
    - in ``info["arrivals"]``: the same rewards one by one, each with the time and the arm of its pull;
    - in ``info["mean"]``: the true mean of the arm just pulled;
    - in ``info["regret"]``: how far this mean falls short of the best arm's, where that is known. Mean and regret are
      for measuring; an agent must not use them.

    Without a delay, ``info["arrivals"]`` has one entry, the pull just made. With a delay of 3, the first three steps
    return the reward 0 and no arrivals, and the fourth returns what the first pull paid. In the last round everything
    still pending arrives, so that the return of an episode is the sum of all its rewards, whatever the delay. The
    episode then has ``terminated``.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 - as in gymnasium.Env
    arms: ArmSet[ArmT]
    """What a policy for this environment is built on."""

    def __init__(self, times: Floats, delay: Delay) -> None:
        self._delay = checked_delay(delay)
        # One more time follows, which the observation after the last round shows.
        gap = (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else 1.0
        self._times: Floats = np.append(times, times[-1] + gap)
        self.observation_space = gymnasium.spaces.Box(self._times[0], self._times[-1], (1,), np.float64)
        self._round = len(times)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Floats, Info]:
        """Begin an episode; what ``seed`` decides is said by the class. There are no options."""
        super().reset(seed=seed)
        self._begin(seed)
        self._arrivals = Arrivals[ArmT](self._delay)
        self._round = 0
        return self._observation(), {}

    def step(self, action: ArmT) -> tuple[Floats, float, bool, bool, Info]:
        """Pull an arm."""
        round, last = self._round, len(self._times) - 2
        if round > last:
            raise RuntimeError("the episode is over; call reset")
        arm, reward, info = self._pull(round, action)
        self._arrivals.add(round, Arrival(float(self._times[round]), arm, reward), self.np_random)
        arrived = self._arrivals.arrive(round)
        if round == last:
            arrived += self._arrivals.arrive_all()
        self._round += 1
        total = float(sum(arrival.reward for arrival in arrived))
        return self._observation(), total, round == last, False, {"arrivals": arrived, **info}

    @abstractmethod
    def _begin(self, seed: int | None) -> None:
        """Prepare the rewards of an episode; ``self.np_random`` is ready."""

    @abstractmethod
    def _pull(self, round: int, action: ArmT) -> tuple[ArmT, float, Info]:
        """Return the arm pulled, its reward, and what else to report; ValueError for an action that is no arm."""

    def _observation(self) -> Floats:
        return self._times[self._round : self._round + 1].copy()
