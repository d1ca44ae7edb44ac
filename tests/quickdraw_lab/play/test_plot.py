import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_lab.play.plot import draw_play
from quickdraw_lab.play.traces import play
from quickdraw_lab.plots.style import save, style_of

POLICIES = [qd.policies.Random, qd.policies.SlidingEpsilonGreedy]


@pytest.fixture
def env():
    return qd.environments.RandomField(n_arms=15, n_rounds=40, seed=1)


def panels(figure):
    return [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]


def test_each_panel_shows_the_field_and_the_choices(env):
    traces = play(POLICIES, env, warmup=10)
    *of_policies, _ = panels(draw_play(env, traces))
    for panel, trace in zip(of_policies, traces, strict=True):
        np.testing.assert_array_equal(panel.images[0].get_array(), env.mean.T)
        warmup, choices = (dots.get_offsets() for dots in panel.collections)
        np.testing.assert_allclose(choices[:, 0], env.times[10:])
        np.testing.assert_allclose(choices[:, 1], env.arms.points[trace.arms[10:], 0])
        np.testing.assert_allclose(warmup[:, 1], env.arms.points[trace.arms[:10], 0])
        assert panel.get_title(loc="left") == style_of(trace.policy).label
        assert panel.get_title(loc="right") == f"regret per round {trace.regret_per_round:.3g}"
        # A dot lies in the middle of its pixel: half a step is left beyond the outermost.
        assert panel.images[0].get_extent() == pytest.approx([-0.5 / 40, 39.5 / 40, -1 - 1 / 14, 1 + 1 / 14])


def test_regret_adds_up_in_the_policys_colour(env):
    traces = play(POLICIES, env, warmup=10)
    lines = {line.get_label(): line for line in panels(draw_play(env, traces))[-1].lines}
    for trace in traces:
        line = lines[style_of(trace.policy).label]
        np.testing.assert_allclose(line.get_ydata(), np.cumsum(trace.regret[10:]))
        assert line.get_color() == style_of(trace.policy).colour


def test_axes_are_named(env):
    left, right, regret = panels(draw_play(env, play(POLICIES, env, warmup=10)))
    assert (left.get_xlabel(), left.get_ylabel()) == ("time", "arm")
    assert (right.get_xlabel(), right.get_ylabel()) == ("time", "")
    assert regret.get_xlabel() == "time"


def test_arms_without_a_line_are_shown_by_position():
    random = np.random.default_rng(0)
    env = qd.environments.Recorded(
        random.random((20, 6)), qd.Arms(random.random((6, 2))), times=np.cumsum(random.random(20))
    )
    (trace,) = play(POLICIES[:1], env, warmup=0)
    panel = panels(draw_play(env, [trace]))[0]
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("round", "position of the arm")
    np.testing.assert_array_equal(panel.collections[1].get_offsets()[:, 1], trace.arms)
    assert panel.images[0].get_extent() == [-0.5, 19.5, -0.5, 5.5]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_any_number_of_policies_fits(env, n):
    trace = play(POLICIES[:1], env, warmup=10)[0]
    assert len(panels(draw_play(env, [trace] * n))) == n + 1


def test_one_arm_one_round_and_large_fields_are_drawn(tmp_path):
    for shape in [(1, 1), (3, 1), (1, 3), (2, 5000)]:
        rewards = np.random.default_rng(0).random(shape)
        env = qd.environments.Recorded(rewards, qd.Arms(np.arange(float(shape[1]))))
        save(draw_play(env, play(POLICIES[:1], env, warmup=0)), tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_what_was_learned_stands_beside_the_regret(env):
    traces = play([qd.policies.Random, qd.AdaptiveQuickDraw], env, warmup=10)
    *_, of_scales = panels(draw_play(env, traces))
    scales = traces[1].scales
    lines = {line.get_label(): line.get_ydata() for line in of_scales.lines}
    np.testing.assert_array_equal(lines["$l_x$, distance"], [each.length_scale for each in scales])
    np.testing.assert_array_equal(lines["$l_t$, time"], [each.time_scale for each in scales])
    np.testing.assert_array_equal(lines["noise, reward"], [each.noise for each in scales])
    np.testing.assert_array_equal(lines[r"$\gamma$, reward"], [each.gamma for each in scales])
