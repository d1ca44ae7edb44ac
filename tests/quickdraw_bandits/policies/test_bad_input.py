"""Input that NumPy would take, or would refuse in words of its own: one clear error, and a policy as it was."""

import re

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.saving.files import to_parts

RAGGED = [[1], [1, 2]]


@pytest.fixture(params=["QuickDraw", "AdaptiveQuickDraw", "Mixed"])
def policy(request):
    arms = qd.Arms.grid(0, 1, 5)
    built = qd.QuickDraw(arms, seed=0) if request.param == "QuickDraw" else qd.AdaptiveQuickDraw(arms, seed=0)
    policy = qd.Mixed(built, seed=0) if request.param == "Mixed" else built
    policy.update([0.0, 1.0], [1, 3], [0.2, 0.4])
    policy.expect(1.5, 2)
    return policy


@pytest.mark.parametrize(
    ("method", "arguments", "message"),
    [
        ("expect", (RAGGED, [1, 2]), "time must hold numbers, got rows of different lengths"),
        ("forget", (RAGGED, [1, 2]), "time must hold numbers, got rows of different lengths"),
        ("expect", ([1.0, 2.0], RAGGED), "arm must hold integer positions of arms, got rows of different lengths"),
        ("select", (2.0, RAGGED), "among must hold integer positions of arms, got rows of different lengths"),
        ("decide", (2.0, RAGGED), "among must hold integer positions of arms, got rows of different lengths"),
        ("retire", (RAGGED,), "arms must hold integer positions of arms, got rows of different lengths"),
        ("retire", (np.ma.array([1, 2], mask=[0, 1]),), "arms must hold integer positions of arms, got masked values"),
        (
            "select",
            (2.0, np.ma.array([True] * 5, mask=[1] * 5)),
            "among must hold integer positions of arms, got",
        ),
        ("update", ([2.0, 3.0], [1, 1], [0.5, np.timedelta64(1, "s")]), "reward must hold numbers, got np.timedelta64"),
        ("update", ([2.0, 3.0], [1, 1], [0.5, np.datetime64("2026")]), "reward must hold numbers, got np.datetime64"),
        ("update", ([2.0, 3.0], [1, 1], np.array([0.5, "1"], object)), "reward must hold numbers, got '1'"),
        ("update", (np.array([True, False]), [1, 1], [0.5, 0.5]), "time must hold numbers, got bool"),
        ("expect", ([2.0, 3.0, 4.0], [1, 1]), "time and arm must have the same length, got 3 and 2"),
        (
            "expect",
            ([2.0, 3.0], 1),
            "time and arm must be all scalars or all arrays, got time of the shape (2,)",
        ),
        ("forget", ([1.5, 1.5], [2, 2]), "time and arm must be those of a pending pull, got 1.5 and 2"),
        ("forget", ([1.5, 9.0], [2, 3]), "time and arm must be those of a pending pull, got 9.0 and 3"),
    ],
)
def test_input_that_numpy_would_take_or_refuse_in_its_own_words(policy, method, arguments, message):
    before = to_parts(policy)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        getattr(policy, method)(*arguments)
    assert to_parts(policy) == before


@pytest.mark.parametrize("arm", [["0.1", "0.2"], [0.1, np.timedelta64(1, "s")], np.ma.array([0.1, 0.2], mask=[0, 1])])
def test_coordinates_in_a_box_are_numbers(arm):
    policy = qd.QuickDraw(qd.Box([0, 0], [1, 1]), seed=0)
    with pytest.raises(ValueError, match="arm must hold coordinates, got"):
        policy.update(0.0, arm, 0.5)
    with pytest.raises(ValueError, match="arm must hold coordinates, got"):
        policy.expect(0.0, arm)
    assert policy.n_observations == len(policy.pending[0]) == 0
    with pytest.raises(ValueError, match="time and arm must have the same length, got 1 and 2"):
        policy.expect([0.0], [[0.1, 0.2], [0.3, 0.4]])
    with pytest.raises(ValueError, match="low must be a finite number"):
        qd.Box("0", "1")


def test_an_explanation_at_the_end_of_time():
    policy = qd.QuickDraw(qd.Arms.grid(0, 1, 5), seed=0)
    policy.update([0.0, 1.0], [1, 3], [0.2, 0.4])
    explanation = policy.explain(1e300, 2)
    assert explanation.weights.tolist() == [0.5, 0.5]
    assert explanation.mean == pytest.approx(0.3)


def test_nothing_pending_in_a_box_has_the_shape_of_coordinates():
    policy = qd.AdaptiveQuickDraw(qd.Box([0, 0], [1, 1]), seed=0)
    assert policy.pending[1].shape == (0, 2)
    policy.expect(0.0, [0.1, 0.2])
    assert np.vstack([policy.pending[1], [[0.3, 0.4]]]).tolist() == [[0.1, 0.2], [0.3, 0.4]]
    policy.forget(*policy.pending)
    assert policy.pending[1].shape == (0, 2)


def test_a_refused_choice_does_not_use_up_the_warning_of_another_clock(policy):
    policy.update(np.arange(2.0, 8.0), [1] * 6, [0.5] * 6)
    with pytest.raises(ValueError, match="count must be an integer from 1 to 5, got 9"):
        policy.select(1e9, count=9)
    with pytest.warns(qd.ClockWarning):
        policy.select(1e9, count=2)
