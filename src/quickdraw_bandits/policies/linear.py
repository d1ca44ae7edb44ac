"""What policies share that take the reward for a linear function of features."""

from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.metrics import on_sphere
from quickdraw_bandits.checks import Floats, Seed, fraction, not_negative, positive, real_array, scale
from quickdraw_bandits.policies.policy import Policy, random_argmax


class LinearUCB(Policy):
    """Plays the arm of the largest upper bound of a linear function of its features.

    With an estimate theta of the parameters, from n observations, and with the matrix M by which its error is measured,

    index = a' theta + beta sqrt(a' M a)
    beta  = sqrt(lambda) S + sigma sqrt(2 ln(1 / delta) + d ln(1 + n L² / (lambda d))).

    beta is the radius of the ellipsoid that holds the unknown parameters with probability 1 - delta: theorem 2 of
    Abbasi-Yadkori, Pál and Szepesvári (2011), with the determinant in it bounded by their lemma 10. L is the length of
    the longest row of features. A policy keeps what theta and M are made of, and says how it forgets.

    Parameters
    ----------
    arms, seed
        As for ``Policy``.
    regularisation, noise_std, parameter_bound, failure_probability
        lambda, sigma, S and delta.
    features
        An array with one row to an arm; None for those of ``features_of``.
    """

    def __init__(
        self,
        arms: Arms,
        regularisation: float,
        noise_std: float,
        parameter_bound: float,
        failure_probability: float,
        features: Any,
        seed: Seed,
    ) -> None:
        super().__init__(arms, seed)
        self._features = features_of(arms, features, type(self).__name__)
        self.regularisation = scale("regularisation", regularisation)
        self.noise_std = not_negative("noise_std", noise_std)
        self.parameter_bound = not_negative("parameter_bound", parameter_bound)
        self.failure_probability = positive("failure_probability", fraction("failure_probability", failure_probability))
        self._longest = float(np.sqrt((self._features**2).sum(axis=1).max()))

    def _largest_bound(self, theta: Floats, matrix: Floats, n: float) -> int:
        """Return the arm of the largest index; ``n`` may be a fraction where observations count for less."""
        variance = np.einsum("ij,ij->i", self._features @ matrix, self._features)
        index = self._features @ theta + self._radius(n) * np.sqrt(np.maximum(variance, 0.0))
        return random_argmax(index, self._random)

    def _radius(self, n: float) -> float:
        d = self._features.shape[1]
        growth = d * np.log1p(n * self._longest**2 / (self.regularisation * d))
        chance = 2 * np.log(1 / self.failure_probability)
        return float(np.sqrt(self.regularisation) * self.parameter_bound + self.noise_std * np.sqrt(chance + growth))


def features_of(arms: Arms, features: Any, policy: str) -> Floats:
    """Return one row of features to an arm: those given, or the arm's coordinates and a constant.

    Coordinates are moved and scaled to [-1, 1] along each axis, which changes no set of linear functions. Places on a
    sphere (haversine) are taken as points in space. ``policy`` is the name of who asks.

    Examples
    --------
    >>> features_of(Arms([[10.0, 0.0], [20.0, 0.0], [30.0, 0.0]]), None, "a linear policy")
    array([[-1.,  0.,  1.], [ 0.,  0.,  1.], [ 1.,  0.,  1.]])
    """
    if features is None:
        return _from_coordinates(arms, policy)
    given: Floats = real_array("features", features).astype(np.float64, copy=False)
    if given.ndim != 2 or len(given) != len(arms) or given.shape[1] == 0:
        raise ValueError(f"features must have one row to each of the {len(arms)} arms, got the shape {given.shape}")
    if not np.isfinite(given).all():
        row, column = np.argwhere(~np.isfinite(given))[0]
        raise ValueError(f"features must be finite, got {given[row, column]} at row {row}, column {column}")
    return given


def _from_coordinates(arms: Arms, policy: str) -> Floats:
    if arms.metric == "precomputed":
        raise ValueError(
            f"arms must have coordinates for {policy} (euclidean, cosine or haversine), got {arms!r}; "
            "give features=, one row to an arm, or take a policy that plays any arms, such as Zooming or QuickDraw"
        )
    points = arms.points.astype(np.float64)
    if arms.metric == "haversine":
        points = on_sphere(points)
    low, high = points.min(axis=0), points.max(axis=0)
    half = np.where(high > low, (high - low) / 2, 1.0)
    return np.column_stack([(points - (low + high) / 2) / half, np.ones(len(points))])
