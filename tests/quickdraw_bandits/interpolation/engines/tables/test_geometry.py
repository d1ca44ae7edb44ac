"""What comparing coordinates in float32 costs, against float64."""

import numpy as np
import pytest

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.interpolation.engines.tables.geometry import Geometry


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("sharpness", [1, 2, 3])
def test_precisions_are_off_by_no_more_than_the_bound(metric, sharpness):
    random = np.random.default_rng(0)
    points = 100 + random.normal(size=(400, 6))
    points[200:] = points[:200] + 1e-4 * random.normal(size=(200, 6))
    arms = Arms(points, metric=metric)
    geometry = Geometry(arms)
    assert np.linalg.norm(arms.points - geometry.centre, axis=1).max() <= geometry.radius * (1 + 1e-12)
    narrow = (arms.points - geometry.centre).astype(np.float32).astype(np.float64)
    difference = [((p[:, None] - p[None]) ** 2).sum(axis=2) for p in (narrow, arms.points)]
    squared = [q**2 / 4 if metric == "cosine" else q for q in difference]
    # The bound is for small errors: those that the engine allows are far below 0.1.
    bounds = [(w, t, geometry.narrowing(w, t, sharpness)) for w in (1e2, 1e6, 1e8, 1e12) for t in (1.0, 1e3, 1e7)]
    small = [(weight, term, bound) for weight, term, bound in bounds if bound < 0.1]
    assert len(small) > 5
    for weight, term, bound in small:
        nu = [(term + weight * q) ** -float(sharpness) for q in squared]
        assert np.abs(nu[0] / nu[1] - 1).max() <= bound


def test_scales_beyond_float32_and_other_metrics_are_not_narrowed():
    arms = Arms([[0.0], [1.0]])
    assert Geometry(arms).narrowing(1e31, 1.0, 1) == np.inf
    assert Geometry(Arms(np.eye(2), metric="haversine")).narrowing(1.0, 1e6, 1) == np.inf
