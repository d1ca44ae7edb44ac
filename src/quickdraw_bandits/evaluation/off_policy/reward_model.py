"""The simplest reward model for the direct and the doubly robust estimators: the mean of each arm."""

import numpy as np

from quickdraw_bandits.checks import Floats, Integers


def arm_means(arm: Integers, reward: Floats, n_arms: int, n_folds: int = 2) -> Floats:
    """Return the mean reward of each arm outside each fold, an array of shape (n_folds, n_arms).

    Event i belongs to fold ``i % n_folds`` and uses that row, which was fitted without it. With the overall mean m
    outside the fold as one pseudo-observation ::

        q(arm) = (sum of rewards + m) / (number of plays + 1)

    Examples
    --------
    >>> arm_means(np.array([0, 0, 1, 1]), np.array([1.0, 0.0, 1.0, 0.0]), n_arms=2)
    array([[0., 0.],
           [1., 1.]])
    """
    fold = np.arange(len(arm)) % n_folds
    means = np.empty((n_folds, n_arms))
    for f in range(n_folds):
        others = fold != f
        plays = np.bincount(arm[others], minlength=n_arms)
        sums = np.bincount(arm[others], weights=reward[others], minlength=n_arms)
        overall = reward[others].mean() if others.any() else 0.0
        means[f] = (sums + overall) / (plays + 1)
    return means


def arm_mean_influence(arm: Integers, reward: Floats, model: Floats, target_share: Floats) -> Floats:
    """Return the influence of each event on the direct estimate through the fit of the model.

    The estimate is the sum over arms of P(arm) · mean reward of the arm, with P the mean probabilities of the target
    policy. An event of arm a with reward r moves it by ``(P(a) / f(a)) · (r - q(a)) / n``, where f is the frequency of
    the arm in the log. The result omits the 1/n.

    Parameters
    ----------
    arm, reward
        The logged events.
    model
        q of the logged arm, at each event.
    target_share
        P, over all arms.
    """
    frequency = np.bincount(arm, minlength=len(target_share)) / len(arm)
    influence: Floats = target_share[arm] / frequency[arm] * (reward - model)
    return influence
