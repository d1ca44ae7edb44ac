import numpy as np
import pytest

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.gaussian_process import ArmCorrelations

POINTS = np.random.default_rng(0).uniform(-1, 1, size=(12, 2))


def chords(metric: str, arms: Arms) -> np.ndarray:
    """Straight-line distances squared, in the unit of the arms, by the formulas of the module ``embedding``."""
    points = arms.points.astype(np.float64)
    if metric == "haversine":
        latitude, longitude = points.T
        points = np.stack(
            [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)], axis=1
        )
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    return squared / (2 * arms.unit) if metric == "cosine" else squared / arms.unit**2


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "haversine"])
def test_correlation_is_its_formula(metric: str) -> None:
    arms = Arms(POINTS, metric=metric)  # type: ignore[arg-type]
    expected = np.exp(-chords(metric, arms) / (2 * 0.3**2))
    correlations = ArmCorrelations(arms, 0.3)
    assert len(correlations) == 12
    np.testing.assert_allclose(correlations.rows(np.array([3, 3, 7]), slice(2, 9)), expected[[3, 3, 7], 2:9], rtol=1e-9)
    some = np.array([1, 5])
    np.testing.assert_allclose(correlations.rows(some, some), expected[np.ix_(some, some)], rtol=1e-9)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_distances_are_taken_as_given(kind: type) -> None:
    matrix = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0))).astype(kind)
    correlations = ArmCorrelations(Arms(matrix, metric="precomputed"), 0.5)
    line = ArmCorrelations(Arms(np.arange(5.0)), 0.5)
    every = np.arange(5)
    np.testing.assert_allclose(correlations.rows(every, slice(None)), line.rows(every, slice(None)), rtol=1e-12)
    np.testing.assert_allclose(correlations.rows(every[:2], every[3:]), line.rows(every[:2], every[3:]), rtol=1e-12)


@pytest.mark.parametrize("length_scale", [0.0, -1.0, np.nan, 1e-60, "long"])
def test_a_bad_length_scale_is_refused(length_scale: object) -> None:
    with pytest.raises(ValueError, match="length_scale must be"):
        ArmCorrelations(Arms.grid(0, 1, 3), length_scale)  # type: ignore[arg-type]
