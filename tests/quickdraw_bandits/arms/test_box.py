import numpy as np
import pytest

import quickdraw_bandits as qd


def test_a_box_knows_its_corners_and_diagonal():
    box = qd.Box([0, -1, 2], [1, 1, 4])
    assert box.dimension == 3
    assert box.unit == pytest.approx(3.0)
    assert qd.Box(-1, 3).unit == 4.0
    assert qd.Box(-1, 3, scale=False).unit == 1.0
    assert repr(qd.Box(-1, 3)) == "Box([-1.0], [3.0])"


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [
        (1.0, 1.0, "low must be below high"),
        ([0.0, 2.0], [1.0, 1.0], "low must be below high"),
        ([0.0], [1.0, 1.0], "same length"),
        (np.nan, 1.0, "low must be a finite number"),
        (0.0, np.inf, "high must be a finite number"),
        ([0.0] * 9, [1.0] * 9, "low must be a finite number or up to 8"),
        ([[0.0]], [[1.0]], "low must be a finite number or up to 8"),
        ("a", 1.0, "low must be a finite number"),
        (0.0, 1e60, "diagonal"),
    ],
)
def test_bad_corners_raise(low, high, message):
    with pytest.raises(ValueError, match=message):
        qd.Box(low, high)


def test_coordinates_are_checked():
    box = qd.Box([0.0, 0.0], [1.0, 2.0])
    np.testing.assert_array_equal(box.checked("arm", [1.0 + 1e-12, 0.5], 1), [[1.0, 0.5]])
    assert box.checked("arm", np.zeros((5, 2)), 2).shape == (5, 2)
    for bad in ([0.5], [[0.5, 0.5]], [0.5, 2.5], [np.nan, 0.5], "here", 0.5):
        with pytest.raises(ValueError, match="arm must"):
            box.checked("arm", bad, 1)
    np.testing.assert_array_equal(qd.Box(0, 1).checked("arm", 0.25, 1), [[0.25]])
    np.testing.assert_array_equal(qd.Box(0, 1).checked("arm", [0.25, 0.5], 2), [[0.25], [0.5]])


def test_distances_are_in_units_of_the_diagonal_or_raw():
    others = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, 4.0]])
    np.testing.assert_allclose(qd.Box([0, 0], [3, 4]).distances(np.zeros(2), others), [1.0, 0.0, 0.8])
    np.testing.assert_allclose(qd.Box([0, 0], [3, 4], scale=False).distances(np.zeros(2), others), [5.0, 0.0, 4.0])
