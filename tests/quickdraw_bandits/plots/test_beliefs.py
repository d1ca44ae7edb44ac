from datetime import datetime, timedelta

import numpy as np
import pytest
from matplotlib import pyplot

import quickdraw_bandits as qd


@pytest.fixture(autouse=True)
def no_open_figures():
    yield
    pyplot.close("all")


def played(arms, times):
    policy = qd.QuickDraw(arms, time_scale=timedelta(hours=9) if isinstance(times[0], datetime) else 10.0, seed=0)
    for k, time in enumerate(times):
        policy.update(time, 3 * k % len(arms), 0.1 * (k % 5))
    return policy


def test_heat_maps_show_the_estimate_and_what_was_observed():
    policy = played(qd.Arms.grid(0, 1, 12), [0.0, 1.0, 2.0, 3.0])
    times = [1.0, 2.0, 3.0, 4.0]
    mean, deviation = qd.plots.belief(policy, times)
    expected = np.array([policy.estimate(time) for time in times])
    np.testing.assert_allclose(mean.images[0].get_array(), expected[:, 0].T)
    np.testing.assert_allclose(deviation.images[0].get_array(), expected[:, 1].T)
    np.testing.assert_allclose(mean.collections[0].get_offsets(), [[1, 3 / 11], [2, 6 / 11], [3, 9 / 11]])
    assert (mean.get_ylabel(), deviation.get_xlabel()) == ("arm", "time")


def test_of_very_many_arms_an_even_selection_is_drawn():
    policy = played(qd.Arms.grid(0, 1, 5000), [0.0, 1.0])
    mean, _ = qd.plots.belief(policy, [1.0, 2.0])
    assert mean.images[0].get_array().shape == (1000, 2)
    assert mean.images[0].get_extent()[2:] == pytest.approx([0, 1], abs=3e-3)


def test_times_may_be_dates():
    times = [datetime(2026, 3, 1) + timedelta(hours=h) for h in range(6)]
    mean, _ = qd.plots.belief(played(qd.Arms.grid(0, 1, 12), times), times)
    mean.figure.canvas.draw()
    assert any("03" in text.get_text() for text in mean.get_xticklabels())


def test_arms_in_the_plane_make_a_map_per_time():
    arms = qd.Arms(np.random.default_rng(0).random((30, 2)))
    policy = played(arms, [0.0, 1.0, 2.0, 3.0])
    panels = qd.plots.belief(policy, [1.0, 3.0])
    assert [panel.get_title("left") for panel in panels] == ["time 1", "time 3", "", ""]
    np.testing.assert_allclose(panels[1].collections[0].get_array(), policy.estimate(3.0)[0])
    np.testing.assert_allclose(panels[2].collections[0].get_array(), policy.estimate(1.0)[1])
    np.testing.assert_allclose(panels[1].collections[1].get_offsets(), arms.points[[6, 9]])  # those since time 1


def test_asking_changes_nothing():
    policy, twin = (played(qd.Arms.grid(0, 1, 12), [0.0, 1.0, 2.0]) for _ in range(2))
    qd.plots.belief(policy, [0.0, 5.0])
    assert [policy.select(t) for t in (3.0, 4.0)] == [twin.select(t) for t in (3.0, 4.0)]


@pytest.mark.parametrize(
    ("policy", "times", "message"),
    [
        (qd.QuickDraw(qd.Box(0, 1)), [0.0], "policy must choose among an Arms set, got QuickDraw"),
        (qd.QuickDraw(qd.Arms.grid(0, 1, 5)), [0.0], "policy must have observations"),
        (played(qd.Arms.grid(0, 1, 5), [0.0]), [], "times must have at least one time, got none"),
        (played(qd.Arms.grid(0, 1, 5), [0.0]), [1.0, 1.0], "times must increase"),
        (played(qd.Arms(np.eye(2)), [0.0]), range(9), "times must be at most 8 for arms in the plane"),
    ],
)
def test_bad_input_is_refused(policy, times, message):
    with pytest.raises(ValueError, match=message):
        qd.plots.belief(policy, list(times))


def test_uneven_times_and_arms_keep_their_own_places():
    policy = played(qd.Arms([1.0, 2.0, 10.0]), [0.0, 1.0, 5.0])
    mean, _ = qd.plots.belief(policy, [0.0, 1.0, 5.0])
    assert (mean.get_xlabel(), mean.get_ylabel()) == ("", "arm")
    np.testing.assert_allclose(mean.images[0].get_extent(), [-0.5, 7.0, 0.5, 14.0])
    shown = np.asarray(mean.images[0].get_array())
    low, high = mean.images[0].get_extent()[:2]
    column = int(shown.shape[1] * (1.9 - low) / (high - low))  # nearer to time 1 than to 5
    np.testing.assert_allclose(shown[[0, -1], column], policy.estimate(1.0, arms=[0, 2])[0])


def test_one_time_must_be_in_a_list():
    with pytest.raises(ValueError, match=r"times must be a sequence of times, got 1.0; for one time, write \[time\]"):
        qd.plots.belief(played(qd.Arms.grid(0, 1, 5), [0.0]), 1.0)
