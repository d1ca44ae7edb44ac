from dataclasses import replace

import numpy as np
import pytest
from matplotlib import pyplot

import quickdraw_bandits as qd
from quickdraw_bandits.plots.style import style_of

POLICIES = [qd.policies.Random, qd.policies.SlidingEpsilonGreedy]


def play(policies, env, warmup):
    return [qd.simulate(policy(env.arms, seed=0), env, warmup) for policy in policies]


@pytest.fixture(autouse=True)
def no_open_figures():
    yield
    pyplot.close("all")


@pytest.fixture
def env():
    return qd.environments.RandomField(n_arms=15, n_rounds=40, seed=1)


def test_each_panel_shows_the_field_and_the_choices(env):
    traces = play(POLICIES, env, warmup=10)
    *of_policies, _ = qd.plots.compare(traces, env)
    for panel, trace in zip(of_policies, traces, strict=True):
        np.testing.assert_array_equal(panel.images[0].get_array(), env.mean.T)
        warmup, choices = (dots.get_offsets() for dots in panel.collections)
        np.testing.assert_allclose(choices[:, 0], env.times[10:])
        np.testing.assert_allclose(choices[:, 1], env.arms.points[trace.arms[10:], 0])
        np.testing.assert_allclose(warmup[:, 1], env.arms.points[trace.arms[:10], 0])
        assert panel.get_title(loc="left") == style_of(trace.policy).label
        assert panel.get_title(loc="right") == f"regret {trace.regret_per_round:.3f}"
        # A dot lies in the middle of its pixel: half a step is left beyond the outermost.
        assert panel.images[0].get_extent() == pytest.approx([-0.5 / 40, 39.5 / 40, -1 - 1 / 14, 1 + 1 / 14])


def test_regret_adds_up_in_the_policys_colour(env):
    traces = play(POLICIES, env, warmup=10)
    lines = {line.get_label(): line for line in qd.plots.compare(traces, env)[-1].lines}
    for trace in traces:
        line = lines[style_of(trace.policy).label]
        np.testing.assert_allclose(line.get_ydata(), np.cumsum(trace.regret[10:]))
        assert line.get_color() == style_of(trace.policy).colour


def test_axes_are_named(env):
    left, right, regret = qd.plots.compare(play(POLICIES, env, warmup=10), env)
    assert (left.get_xlabel(), left.get_ylabel()) == ("time", "arm")
    assert (right.get_xlabel(), right.get_ylabel()) == ("time", "")
    assert regret.get_xlabel() == "time"


def test_arms_without_a_line_are_shown_by_position():
    random = np.random.default_rng(0)
    env = qd.environments.Recorded(
        random.random((20, 6)), qd.Arms(random.random((6, 2))), times=np.cumsum(random.random(20))
    )
    (trace,) = play(POLICIES[:1], env, warmup=0)
    panel = qd.plots.compare([trace], env)[0]
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("time", "position of the arm")
    np.testing.assert_array_equal(panel.collections[1].get_offsets()[:, 1], trace.arms)
    assert panel.images[0].get_extent()[2:] == [-0.5, 5.5]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_any_number_of_policies_fits(env, n):
    trace = play(POLICIES[:1], env, warmup=10)[0]
    assert len(qd.plots.compare([trace] * n, env)) == n + 1


def test_one_arm_one_round_and_large_fields_are_drawn(tmp_path):
    for shape in [(1, 1), (3, 1), (1, 3), (2, 5000)]:
        rewards = np.random.default_rng(0).random(shape)
        env = qd.environments.Recorded(rewards, qd.Arms(np.arange(float(shape[1]))))
        qd.plots.compare(play(POLICIES[:1], env, warmup=0), env)[0].figure.savefig(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_what_was_learned_stands_beside_the_regret(env):
    traces = play([qd.policies.Random, qd.AdaptiveQuickDraw], env, warmup=10)
    *_, of_scales = qd.plots.compare(traces, env)
    scales = traces[1].scales
    lines = {strip.get_label(): strip.lines[0].get_ydata() for strip in of_scales.child_axes}
    np.testing.assert_array_equal(lines["length scale"], [each.length_scale for each in scales])
    np.testing.assert_array_equal(lines["time scale"], [each.time_scale for each in scales])
    np.testing.assert_array_equal(lines["noise"], [each.noise for each in scales])
    names = of_scales.child_axes[0].get_yticklabels()
    assert [names[int(each)].get_text() for each in lines["family"]] == [each.family for each in scales]


def test_levels_velocity_and_the_peak_are_drawn_where_there_are_any(env):
    (trace,) = play([qd.AdaptiveQuickDraw], env, warmup=10)
    known = trace.scales[-1]
    with_all = tuple(
        replace(known, own_level=0.1 * (k % 4), velocity=(0.5 * k - 3,), peak_width=0.06 if k > 20 else None)
        for k in range(len(trace.scales))
    )
    panel = qd.plots.scales(replace(trace, scales=(None, *with_all[1:])))
    lines = {strip.get_label(): strip.lines[0].get_ydata() for strip in panel.child_axes}
    assert np.isnan(lines["velocity"][0])
    np.testing.assert_array_equal(lines["velocity"][1:], [each.velocity[0] for each in with_all[1:]])
    np.testing.assert_array_equal(lines["share of own levels"][1:], [each.own_level for each in with_all[1:]])
    assert [text.get_text() for text in panel.texts] == ["blue: follows a single peak"]
    in_two = qd.plots.scales(replace(trace, scales=tuple(replace(known, velocity=(3.0, -4.0)) for _ in trace.scales)))
    assert set(in_two.child_axes[-1].lines[0].get_ydata()) == {5.0}
    assert not in_two.texts


def test_draws_on_axes_that_are_given_and_counts_them(env):
    traces = play(POLICIES, env, warmup=10)
    figure = pyplot.figure()
    given = figure.subplots(1, 3)
    assert list(qd.plots.compare(traces, env, axes=given)) == list(given)
    assert len(figure.axes) == 3  # no colour bar, for which the caller has made no room
    with pytest.raises(ValueError, match="axes must be 3 matplotlib axes, got 2"):
        qd.plots.compare(traces, env, axes=given[:2])
    with pytest.raises(ValueError, match="traces must be at least one Trace, got none"):
        qd.plots.compare([])


def test_one_trace_needs_no_list_and_dates_are_shown_as_dates():
    days = np.datetime64("2026-03-28") + np.arange(40) + np.where(np.arange(40) > 5, 3, 0)  # with a gap
    frame = {"day": days, "a": np.linspace(0, 1, 40), "b": np.linspace(1, 0, 40)}
    env = qd.environments.Recorded.from_frame(frame, time="day")
    (trace,) = play(POLICIES[:1], env, warmup=10)
    panels = qd.plots.compare(trace, env)
    panels[0].figure.canvas.draw()
    for panel in panels:
        assert any("Apr" in text.get_text() for text in panel.get_xticklabels())
    assert trace.to_frame()["time"].to_numpy().astype("datetime64[D]").tolist() == days.tolist()
