"""Linear UCB: what policies share that model the mean reward as a linear function of features."""

import numpy as np
from numpy.typing import ArrayLike

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.metrics import on_sphere
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, fraction, not_negative, positive, real_array, scale
from quickdraw_bandits.numerics.ties import argmaxes
from quickdraw_bandits.policies.index_policy import IndexPolicy


class LinearUCB(IndexPolicy):
    """Plays the arm of the largest upper confidence bound of a linear function of its features.

    With an estimate theta of the parameters from n observations, and a matrix M that measures its error,

        index = a' theta + beta sqrt(a' M a)
        beta  = sqrt(lambda) S + sigma sqrt(2 ln(1 / delta) + d ln(1 + n L² / (lambda d))).

    beta is the radius of the ellipsoid that contains the unknown parameters with probability 1 - delta: theorem 2 of
    Abbasi-Yadkori, Pál and Szepesvári (2011), with the determinant bounded by their lemma 10. a are the features of an
    arm, L is the length of the longest row of features. A subclass keeps theta and M, and says how it forgets.

    Parameters
    ----------
    arms
        The choices; euclidean, cosine or haversine, or any metric if ``features`` are given.
    regularisation
        lambda, the ridge penalty; default 1. A larger value trusts few observations less.
    noise_std
        sigma, standard deviation of the reward noise, in units of the reward; default 0.1. A larger value explores
        more. Set it to the noise you expect.
    parameter_bound
        S, upper limit of the length of the parameter vector, in units of the reward; default 1. A larger value
        explores more. Set it to the largest reward if features are at most 1.
    failure_probability
        delta, probability that the bounds do not hold; default 0.01. A larger value explores less.
    features
        Array with one row per arm. The default None takes the coordinates, scaled to [-1, 1] along each axis, and
        a constant. Give features of your own where rewards are not linear in the coordinates.
    seed
        An integer or a ``numpy.random.Generator``; breaks ties.
    """

    def __init__(
        self,
        arms: Arms,
        regularisation: float,
        noise_std: float,
        parameter_bound: float,
        failure_probability: float,
        features: ArrayLike | None,
        seed: Seed,
    ) -> None:
        super().__init__(arms, seed)
        self._features_given = features is not None
        self._features = features_of(arms, features, type(self).__name__)
        self.regularisation = scale("regularisation", regularisation)
        self.noise_std = not_negative("noise_std", noise_std)
        self.parameter_bound = not_negative("parameter_bound", parameter_bound)
        self.failure_probability = positive("failure_probability", fraction("failure_probability", failure_probability))
        self._longest = float(np.sqrt((self._features**2).sum(axis=1).max()))

    def _largest_bounds(self, theta: Floats, matrix: Floats, n: float, among: Subset | None) -> Integers:
        """Return the arms of the largest index; ``n`` is a fraction if observations are discounted."""
        features = self._features if among is None else self._features[among.positions]
        variance = np.einsum("ij,ij->i", features @ matrix, features)
        best = argmaxes(features @ theta + self._radius(n) * np.sqrt(np.maximum(variance, 0.0)))
        return best if among is None else among.positions[best]

    def _pending_matrix(self) -> Floats:
        """Return sum a a' over the pending pulls, whose rewards would be a' theta and so would not change theta."""
        rows = self._features[self._pending.arrays()[1]]
        return np.asarray(rows.T @ rows)

    def _check_growth(self, arms: Arms) -> None:
        if self._features_given:
            raise NotImplementedError(
                "features were given for the arms there were; build a new policy with the features of all arms and "
                "update it with policy.observations"
            )

    def _grow(self, arms: Arms) -> None:
        self._features = features_of(arms, None, type(self).__name__, scaled_by=self.arms)
        self._longest = float(np.sqrt((self._features**2).sum(axis=1).max()))

    def _radius(self, n: float) -> float:
        d = self._features.shape[1]
        growth = d * np.log1p(n * self._longest**2 / (self.regularisation * d))
        chance = 2 * np.log(1 / self.failure_probability)
        return float(np.sqrt(self.regularisation) * self.parameter_bound + self.noise_std * np.sqrt(chance + growth))


def features_of(arms: Arms, features: ArrayLike | None, policy: str, scaled_by: Arms | None = None) -> Floats:
    """Return one row of features per arm: the given ones, or the arm's coordinates and a constant.

    Coordinates are shifted and scaled to [-1, 1] along each axis, which does not change the set of linear functions.
    Haversine arms become points on the unit sphere. ``policy`` is named in errors. ``scaled_by`` are the arms whose
    coordinates become -1 and 1, by default ``arms``.

    Examples
    --------
    >>> features_of(Arms([[10.0, 0.0], [20.0, 0.0], [30.0, 0.0]]), None, "a linear policy")
    array([[-1.,  0.,  1.], [ 0.,  0.,  1.], [ 1.,  0.,  1.]])
    """
    if features is None:
        return _from_coordinates(arms, policy, scaled_by or arms)
    given: Floats = real_array("features", features).astype(np.float64, copy=False)
    if given.ndim != 2 or len(given) != len(arms) or given.shape[1] == 0:
        raise ValueError(f"features must have one row per arm, {len(arms)} in all, got the shape {given.shape}")
    if not np.isfinite(given).all():
        row, column = np.argwhere(~np.isfinite(given))[0]
        raise ValueError(f"features must be finite, got {given[row, column]} at row {row}, column {column}")
    return given


def _from_coordinates(arms: Arms, policy: str, scaled_by: Arms) -> Floats:
    if arms.metric == "precomputed":
        raise ValueError(
            f"arms must have coordinates for {policy} (euclidean, cosine or haversine), got {arms!r}; "
            "give features=, one row per arm, or use a policy that plays any arms, such as Zooming or QuickDraw"
        )
    points, unscaled = _points(arms), _points(scaled_by)
    low, high = unscaled.min(axis=0), unscaled.max(axis=0)
    half = np.where(high > low, (high - low) / 2, 1.0)
    return np.column_stack([(points - (low + high) / 2) / half, np.ones(len(points))])


def _points(arms: Arms) -> Floats:
    points = arms.points.astype(np.float64)
    return on_sphere(points) if arms.metric == "haversine" else points
