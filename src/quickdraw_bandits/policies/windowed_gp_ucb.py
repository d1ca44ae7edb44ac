"""What the policies share whose Gaussian process has given parameters and forgets."""

from typing import Literal, final

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed, number
from quickdraw_bandits.gaussian_process import WindowedProcess
from quickdraw_bandits.observations import Window
from quickdraw_bandits.policies.gaussian_process_ucb import GaussianProcessUCB, average

PriorMean = float | Literal["average"]


class WindowedGPUCB(GaussianProcessUCB):
    """GP-UCB on the latest observations, by a process that is up to date after every one of them.

    A policy gives itself the ``process`` that makes its estimates when it is built.

    Parameters
    ----------
    arms, exploration, seed
        As for ``GaussianProcessUCB``.
    window
        How many of the latest observations count.
    prior_mean
        What the process expects where it knows nothing: a number, or the ``"average"`` of the window.
    """

    process: WindowedProcess

    def __init__(self, arms: Arms, window: int, prior_mean: PriorMean, exploration: float, seed: Seed) -> None:
        super().__init__(arms, exploration, seed)
        if isinstance(prior_mean, str) and prior_mean != "average":
            raise ValueError(f"prior_mean must be a number or 'average', got {prior_mean!r}")
        self.prior_mean: PriorMean = "average" if prior_mean == "average" else number("prior_mean", prior_mean)
        self._recent = Window(window)
        self.window = self._recent.size

    @property
    def jitter(self) -> float:
        """The noise variance that was added so that the covariance could be factored; 0 unless it was needed."""
        return self.process.jitter

    @final
    def estimate(self, time: float) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of every arm at ``time``; before any observation, those of the prior.

        Where the prior mean is the average, there is none before the first observation, and 0 takes its place.
        """
        if self.prior_mean != "average":
            offset = self.prior_mean
        else:
            offset = average(self._recent.rewards) if len(self._recent) else 0.0
        return self.process.posterior(number("time", time), offset)

    @final
    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        latest = self._recent.times[-1] if len(self._recent) else -np.inf
        self._recent.append(times, arms, rewards)
        if len(times) == 1 and times[0] >= latest:
            self.process.append(times[0], arms[0], rewards[0])
        else:
            self.process.reload(self._recent.times, self._recent.arms, self._recent.rewards)
