"""What policies share whose Gaussian process has fixed parameters and forgets."""

from typing import Literal, final

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed, number
from quickdraw_bandits.gaussian_process import ArmCorrelations, WindowedProcess
from quickdraw_bandits.observations import Window
from quickdraw_bandits.policies.gaussian_process_ucb import GaussianProcessUCB, average

PriorMean = float | Literal["average"]


class WindowedGPUCB(GaussianProcessUCB):
    """GP-UCB on the latest observations; nothing is fitted, and each observation updates the process at once.

    The index is ``mean + exploration * std`` of the posterior at the time of the choice. A subclass sets ``process``,
    which computes the posterior.

    Parameters
    ----------
    arms
        The choices; any metric. Cosine and haversine are compared by chords (``gaussian_process.coordinates``). With
        precomputed distances the covariance may not be positive definite, see ``jitter``.
    length_scale
        l, in units of the arms' scaled distance; default 0.1. A larger value generalises further from each
        observation. Increase it if rewards vary slowly from arm to arm.
    signal_variance
        s², variance of the mean reward about the prior mean, in squared units of the reward; default 0.025. A larger
        value explores more. Set it to the variance of rewards over arms and time.
    noise_variance
        σ², variance of the noise of one observation, in squared units of the reward. A larger value trusts single
        observations less. Set it to the noise you expect.
    prior_mean
        What the process expects where it knows nothing, in units of the reward: a number, or ``"average"`` for the
        mean of the window, which is the default. A larger number explores more. Give one if you know it.
    exploration, seed
        As for ``GaussianProcessUCB``.
    window
        How many of the latest observations count. A larger window uses more of the past and takes longer: a choice
        among K arms takes time proportional to window² · K.

    Attributes
    ----------
    jitter
        Noise variance that was added so that the covariance could be factored; 0 unless it was needed.
    """

    process: WindowedProcess

    def __init__(self, arms: Arms, window: int, prior_mean: PriorMean, exploration: float, seed: Seed) -> None:
        super().__init__(arms, exploration, seed, window)
        self.prior_mean = checked_prior(prior_mean)
        self.window = self._seen.size

    @property
    def jitter(self) -> float:
        """Noise variance that was added so that the covariance could be factored; 0 unless it was needed."""
        return self.process.jitter

    @final
    def _everywhere(self, time: float) -> tuple[Floats, Floats]:
        mean, std = self.process.posterior(time, prior_of(self.prior_mean, self.process.values))
        return mean, self.process.std_with(time, *self._pending.arrays()) if len(self._pending) else std

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        follow(self.process, self._seen, times, arms, rewards)

    @final
    def _grow(self, arms: Arms) -> None:
        self.process = self.process.extended(ArmCorrelations(arms, self.process.arms.length_scale))


def checked_prior(prior_mean: PriorMean) -> PriorMean:
    """Return a prior mean, or raise ValueError."""
    if isinstance(prior_mean, str) and prior_mean != "average":
        raise ValueError(f"prior_mean must be a number or 'average', got {prior_mean!r}")
    return "average" if prior_mean == "average" else number("prior_mean", prior_mean)


def prior_of(prior_mean: PriorMean, rewards: Floats) -> float:
    """Return the prior mean as a number; the average of no rewards is 0."""
    if prior_mean != "average":
        return prior_mean
    return average(rewards) if len(rewards) else 0.0


def follow(process: WindowedProcess, seen: Window, times: Floats, arms: Integers, rewards: Floats) -> None:
    """Bring a process up to the observations seen, of which the given ones are new."""
    if len(times) == 1 and seen.times[-1] == times[0] and seen.arms[-1] == arms[0]:
        process.append(times[0], arms[0], rewards[0])
    else:
        process.reload(seen.times, seen.arms, seen.rewards)
