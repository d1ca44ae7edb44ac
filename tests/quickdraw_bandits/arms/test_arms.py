"""Sets of arms and the distances within them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import quickdraw_bandits as qd
from quickdraw_bandits.arms.metrics import EXACT_DIAMETER_UP_TO


def great_circle(places):
    """Angles between places by the scalar product of unit vectors: independent of the haversine formula."""
    latitude, longitude = places.T
    vectors = np.column_stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
    )
    return np.arccos(np.clip(vectors @ vectors.T, -1, 1))


def table(arms):
    return np.array([arms.distances(k) for k in range(len(arms))])


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 40), st.integers(1, 5), st.sampled_from(["euclidean", "cosine"]), st.integers(0, 2**32 - 1))
def test_distances_are_scipys_scaled_to_at_most_one(n, dimension, metric, seed):
    points = np.random.default_rng(seed).normal(size=(n, dimension))
    raw = cdist(points, points, metric)
    np.testing.assert_allclose(table(qd.Arms(points, metric=metric, scale=False)), raw, atol=1e-12)
    arms = qd.Arms(points, metric=metric)
    largest = raw.max()
    if largest > 1e-6:
        assert arms.unit == pytest.approx(largest)
        np.testing.assert_allclose(table(arms), raw / largest, atol=1e-9)


def test_haversine_is_the_angle_between_places():
    random = np.random.default_rng(0)
    places = np.column_stack([random.uniform(-1.4, 1.4, 30), random.uniform(-3, 3, 30)])
    np.testing.assert_allclose(table(qd.Arms(places, metric="haversine", scale=False)), great_circle(places), atol=1e-7)
    paris, new_york = np.radians([48.8566, 2.3522]), np.radians([40.7128, -74.0060])
    arms = qd.Arms([paris, new_york], metric="haversine", scale=False)
    # 5,837 km on a sphere of 6,371 km, a known figure.
    assert arms.distances(0)[1] * 6371 == pytest.approx(5837, abs=2)


def test_precomputed_distances_are_kept():
    matrix = np.array([[0.0, 2.0, 4.0], [2.0, 0.0, 3.0], [4.0, 3.0, 0.0]])
    arms = qd.Arms(matrix, metric="precomputed")
    assert arms.unit == 4.0
    assert arms.dimension == 0
    np.testing.assert_array_equal(table(arms), matrix / 4)


def test_grid_is_even_and_has_both_ends():
    arms = qd.Arms.grid(-1, 1, 1000)
    assert len(arms) == 1000
    assert arms.unit == 2.0
    assert arms.points[0, 0] == -1
    assert arms.points[-1, 0] == 1
    np.testing.assert_allclose(np.diff(arms.points[:, 0]), 2 / 999)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "haversine"])
def test_large_sets_use_a_bound_that_no_distance_exceeds(metric):
    points = np.random.default_rng(0).uniform(-0.7, 0.7, (EXACT_DIAMETER_UP_TO + 1, 2))
    largest = table(qd.Arms(points, metric=metric)).max()
    assert 0.4 < largest <= 1


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_the_diameter_in_many_dimensions_is_exact_and_quick(metric):
    points = np.random.default_rng(0).normal(size=(300, 40)) + 5
    assert qd.Arms(points, metric=metric).unit == pytest.approx(cdist(points, points, metric).max(), rel=1e-12)


def test_points_are_copied_and_cannot_be_changed():
    points = np.zeros((3, 2))
    arms = qd.Arms(points)
    points[0] = 5
    assert arms.points[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        arms.points[0] = 1


def test_kinds_of_number():
    assert qd.Arms(np.zeros((2, 2), dtype=np.float32)).points.dtype == np.float32
    assert qd.Arms([[1, 2], [3, 4]]).points.dtype == np.float64
    assert qd.Arms([1.0, 2.0]).points.shape == (2, 1)


def test_arms_on_one_spot_have_no_distance():
    for metric in ("euclidean", "cosine"):
        arms = qd.Arms([[0.1, 0.2]] * 3, metric=metric)
        assert arms.unit == 1
        assert table(arms).max() == 0
    parallel = qd.Arms([[0.1, 0.2], [0.3, 0.6], [1.0, 2.0]], metric="cosine")
    assert table(parallel).max() < 1e-12


def test_a_million_arms_are_one_array():
    arms = qd.Arms(np.random.default_rng(0).random((10**6, 2), dtype=np.float32))
    assert arms.points.nbytes == 8 * 10**6
    assert set(arms.__slots__) == {"points", "metric", "unit", "_extent", "_labels", "_room"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), "points must have the shape"),
        ((np.empty((0, 2)),), "points must have the shape"),
        ((np.empty((3, 0)),), "points must have the shape"),
        ((np.zeros((2, 2, 2)),), "points must have the shape"),
        (([[0.0, np.nan]],), r"points must be finite, got nan at row 0, column 1 \(from 0\)$"),
        (([[0.0], [np.inf]],), r"points must be finite, got inf at row 1, column 0 \(from 0\)$"),
        (([["a"]],), "points must hold numbers"),
        ((["1", "2"],), "points must hold numbers"),
        (([1j, 2.0],), "points must hold numbers"),
        ((np.ma.array([1.0, 2.0], mask=[0, 1]),), "points must hold numbers, got masked"),
        (([[1.0], [2.0, 3.0]],), "points must hold numbers"),
        (([[1.0]], np.array(["cosine"])), "metric must be one of"),
        (([[1e200], [-1e200]],), "diameter"),
        (([[1.0]], "manhattan"), "metric must be one of euclidean, cosine, haversine, precomputed, got 'manhattan'"),
        (([[0.0, 0.0], [1.0, 0.0]], "cosine"), r"points must be nonzero vectors .* row 0 \(from 0\)$"),
        (([[0.0, 0.0, 0.0]], "haversine"), "latitude, longitude"),
        (([[48.8, 2.3]], "haversine"), "radians"),
        (([[0.0, 1.0]], "precomputed"), "square matrix"),
        (([[0.0, 1.0], [2.0, 0.0]], "precomputed"), "symmetric"),
        (([[0.0, -1.0], [-1.0, 0.0]], "precomputed"), "at least 0"),
        (([[1.0, 1.0], [1.0, 1.0]], "precomputed"), "zeros on the diagonal"),
    ],
)
def test_bad_points_raise(arguments, message):
    with pytest.raises(ValueError, match=message):
        qd.Arms(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1, 1, 5), "low must be below high"),
        ((0, 1, 0), "n must be"),
        ((0, np.nan, 3), "high"),
        ((0, 1, 2.5), "n must be"),
    ],
)
def test_bad_grids_raise(arguments, message):
    with pytest.raises(ValueError, match=message):
        qd.Arms.grid(*arguments)


@pytest.mark.parametrize("arm", [-1, 3, 1.0])
def test_distances_from_no_arm_raise(arm):
    with pytest.raises(ValueError, match="arm must be an integer from 0 to 2"):
        qd.Arms.grid(0, 1, 3).distances(arm)


def test_one_arm_is_not_called_arms():
    assert repr(qd.Arms([0.5])) == "Arms(1 arm in 1-D, metric='euclidean', unit=1)"
    assert repr(qd.Arms([0.0, 0.5])).startswith("Arms(2 arms in 1-D")


def test_positions_of_many_labels():
    arms = qd.Arms([1.0, 2.0, 3.0], labels=["b", "a", "c"])
    assert arms.positions(np.array(["c", "b", "c"])).tolist() == [2, 0, 2]
    assert arms.positions([]).tolist() == []
    with pytest.raises(ValueError, match="label must be one of the 3 labels of the arms, got 'd' at position 1"):
        arms.positions(["a", "d"])
    plain = qd.Arms.grid(0, 1, 3)
    assert plain.positions(["2", 0.0]).tolist() == [2, 0]
    with pytest.raises(ValueError, match="label must be from 0 to 2, got 3 at position 0"):
        plain.positions([3])
    with pytest.raises(ValueError, match="label must hold integer positions"):
        plain.positions(["x"])


def test_a_part_measures_distances_as_the_whole_set():
    points = np.random.default_rng(0).normal(size=(40, 3))
    whole = qd.Arms(points, metric="cosine")
    part = qd.Arms(points[:10], metric="cosine", scale=False).as_part(whole.unit, *whole.extent)
    np.testing.assert_array_equal(part.distances(4), whole.distances(4)[:10])
    np.testing.assert_array_equal(part.extent, whole.extent)
    more = part.extended(points[10:20])
    np.testing.assert_array_equal(more.places(np.array([3, 15])), whole.points[[3, 15]])


def test_some_of_the_arms_keep_the_box_of_all():
    """What is observed may lie anywhere in it."""
    arms = qd.Arms.grid(-1, 3, 9)
    some = arms.part(np.array([4, 5]))
    np.testing.assert_array_equal(some.extent, [[-1.0], [3.0]])
    np.testing.assert_array_equal(some.distances(0), arms.distances(4)[[4, 5]])


def test_the_extent_of_a_set_grows_with_it():
    part = qd.Arms([[0.0], [0.5]]).as_part(2.0, np.array([-1.0]), np.array([1.0]))
    assert [corner.tolist() for corner in part.extended([[3.0]]).extent] == [[-1.0], [3.0]]
    for asked_before in (False, True):
        arms = qd.Arms([[0.0, 5.0], [1.0, 4.0]])
        if asked_before:
            assert [corner.tolist() for corner in arms.extent] == [[0.0, 4.0], [1.0, 5.0]]
        more = arms.extended([[-1.0, 4.5], [0.5, 7.0]])
        assert [corner.tolist() for corner in more.extent] == [[-1.0, 4.0], [1.0, 7.0]]
        assert [corner.tolist() for corner in arms.extent] == [[0.0, 4.0], [1.0, 5.0]]


@pytest.mark.parametrize("among", [["x", 1], ("x", None), ["1", 2.5]])
def test_labels_and_positions_are_not_mixed(among):
    """With labels that are numbers, it could not be told which is meant."""
    policy = qd.QuickDraw(qd.Arms([0.0, 1.0, 2.0], labels=["x", "y", "1"]), seed=0)
    with pytest.raises(ValueError, match="among must hold labels or positions, not both, got"):
        policy.select(0.0, among=among)


def test_labels_cannot_be_changed():
    arms = qd.Arms([0.0, 1.0], labels=["a", "b"]).extended([2.0], labels=["c"])
    with pytest.raises(ValueError, match="read-only"):
        arms.labels[0] = "z"
