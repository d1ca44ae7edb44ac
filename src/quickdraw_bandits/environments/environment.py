"""What every environment is: arms, times, and a reward for each arm at each time."""

from abc import ABC, abstractmethod
from functools import cached_property
from typing import final

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.checks import Floats, integer, not_negative
from quickdraw_bandits.environments.streams import stream


class Environment(ABC):
    """Has a reward for every arm in every round, and the true mean, so that regret can be measured.

    The reward of arm k in round s is ``y = mu + noise · e``, with its mean mu and a standard normal draw e that depends
    only on seed, round and arm. So all policies see the same noise, and two noise levels differ only in scale.

    Parameters
    ----------
    arms
        The choices.
    times
        The time of each round, increasing.
    noise
        Standard deviation of the white noise, in units of the reward. The default of all environments is 0: an arm
        pays its mean. A larger value makes learning harder.
    seed
        An integer of at least 0; all randomness comes from it. The default of all environments is 0.
    """

    dates: bool = False
    """Whether times are dates, as seconds since 1970. Pictures and frames then show dates."""

    def __init__(self, arms: Arms, times: Floats, noise: float, seed: int) -> None:
        if not isinstance(arms, Arms):
            raise _not_arms(arms)
        self.arms = arms
        self.times = times
        self.noise = not_negative("noise", noise)
        self.seed = integer("seed", seed, at_least=0)

    @property
    @abstractmethod
    def mean(self) -> Floats:
        """The true mean of every arm in every round, of shape (n_rounds, n_arms), read-only."""

    @property
    @final
    def n_rounds(self) -> int:
        """The number of rounds."""
        return len(self.times)

    @cached_property
    @final
    def best_mean(self) -> Floats:
        """The mean of the best arm in every round."""
        return read_only(self.mean.max(axis=1))

    @cached_property
    @final
    def rewards(self) -> Floats:
        """The reward of every arm in every round, noise included, of shape (n_rounds, n_arms), read-only."""
        if self.noise == 0:
            return self.mean
        rewards = np.random.default_rng(stream(self.seed, "noise")).standard_normal((self.n_rounds, len(self.arms)))
        rewards *= self.noise
        rewards += self.mean
        return read_only(rewards)

    @final
    def pull(self, round: int, arm: int) -> float:
        """Return the reward of ``arm`` in ``round``, the same every time it is asked."""
        # The check that explains what is wrong is slower: only what fails the quick test gets there.
        if type(round) is not int or not 0 <= round < len(self.times):
            round = integer("round", round, at_least=0, at_most=self.n_rounds - 1)
        if type(arm) is not int or not 0 <= arm < len(self.arms):
            arm = integer("arm", arm, at_least=0, at_most=len(self.arms) - 1)
        return float(self.rewards[round, arm])

    def __getstate__(self) -> dict[str, object]:
        """Leave out what can be computed again, so that copies and pickles are small."""
        return {name: value for name, value in self.__dict__.items() if name not in ("best_mean", "rewards")}

    @final
    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.n_rounds:,} round{'s' * (self.n_rounds != 1)}, "
            f"{len(self.arms):,} arm{'s' * (len(self.arms) != 1)}, "
            f"noise={self.noise:g}, seed={self.seed})"
        )


def _not_arms(arms: object) -> ValueError:
    advice = "choose points of the box: Arms(points)" if isinstance(arms, Box) else "build one with Arms(points)"
    return ValueError(f"arms must be an Arms set, got {type(arms).__name__}; {advice}")


def round_times(n_rounds: int) -> Floats:
    """Return the times of ``n_rounds`` rounds, evenly spaced from 0 up to but not including 1."""
    n_rounds = integer("n_rounds", n_rounds, at_least=1)
    return read_only(np.arange(n_rounds) / n_rounds)


def read_only(array: Floats) -> Floats:
    """Make an array read-only and return it."""
    array.setflags(write=False)
    return array
