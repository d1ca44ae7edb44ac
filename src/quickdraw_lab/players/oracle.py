"""The oracle: a policy that knows the covariance of the random field. Its regret is about the lowest attainable."""

import math

from quickdraw_bandits.checks import Seed
from quickdraw_bandits.environments import RandomField
from quickdraw_bandits.policies import SpaceTimeGPUCB

LENGTH = math.sqrt(2 / math.pi)
"""Length scale of a squared-exponential kernel per correlation length of GSTools: exp(-(pi / 4) (r / rho)²)."""


def oracle(env: RandomField, window: int = 300, seed: Seed = None) -> SpaceTimeGPUCB:
    """Return ``SpaceTimeGPUCB`` with the true covariance, mean and noise of a random field.

    GSTools draws a field with mean 0 and variance 1, which is then scaled from its range [a, b] to [0, 1]. The policy
    gets the prior mean ``-a / (b - a)``, the signal variance ``1 / (b - a)²``, and ``sqrt(2 / pi)`` times the
    correlation lengths of the field as length scales. This is exact for ``power=1``. For other powers the rewards are
    not a Gaussian process; the policy then gets the mean and variance of all true rewards, an approximation.

    Parameters
    ----------
    env
        The field.
    window, seed
        As for ``SpaceTimeGPUCB``.

    Examples
    --------
    >>> env = RandomField(n_arms=50, n_rounds=60, seed=1)
    >>> policy = oracle(env)
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
        window=window,
        seed=seed,
    )
