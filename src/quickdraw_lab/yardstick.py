"""The policy that knows a random field's covariance: its regret is about what is attainable."""

import math

from quickdraw_bandits.checks import Seed
from quickdraw_bandits.environments import RandomField
from quickdraw_bandits.policies import SpaceTimeGPUCB

LENGTH = math.sqrt(2 / math.pi)
"""GSTools' Gaussian correlation over a distance r is exp(-(pi / 4) (r / rho)²): that of a length scale rho · LENGTH."""


def yardstick(env: RandomField, exploration: float = 2.0, window: int = 300, seed: Seed = None) -> SpaceTimeGPUCB:
    """Return ``SpaceTimeGPUCB`` with the covariance, the mean and the noise of a random field.

    The field that GSTools draws has mean 0 and variance 1, and is then scaled from its range [a, b] to [0, 1]. So the
    policy gets the prior mean ``-a / (b - a)``, the signal variance ``1 / (b - a)²``, and length scales of
    ``sqrt(2 / pi)`` times the field's, over arms in units of their diameter. That is exact for ``power=1``. For other
    powers rewards are no Gaussian process: then the policy gets the mean and the variance of all true rewards,
    with the same length scales, which only resembles the truth.

    Parameters
    ----------
    env
        The field.
    exploration, window, seed
        As for ``SpaceTimeGPUCB``.

    Examples
    --------
    >>> env = RandomField(n_arms=50, n_rounds=60, seed=1)
    >>> policy = yardstick(env)
    >>> round(policy.process.arms.length_scale, 5)
    0.03989
    """
    mean, variance = env.prior if env.power == 1 else (float(env.mean.mean()), float(env.mean.var()))
    return SpaceTimeGPUCB(
        env.arms,
        length_scale=env.length_x * LENGTH / env.arms.unit,
        time_scale=env.length_t * LENGTH,
        signal_variance=variance,
        noise_variance=env.noise**2,
        prior_mean=mean,
        exploration=exploration,
        window=window,
        seed=seed,
    )
