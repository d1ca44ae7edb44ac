import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot

import quickdraw_bandits as qd
from quickdraw_bandits.plots.direct_labels import spread


@pytest.fixture(autouse=True)
def no_open_figures():
    yield
    pyplot.close("all")


@pytest.fixture
def env():
    return qd.environments.KnownFunction(lambda x: 1 - x * x, n_arms=20, n_rounds=60)


def test_a_trace_alone_shows_positions_and_regret(env):
    trace = qd.simulate(qd.policies.Random(env.arms, seed=0), env, warmup=10)
    above, below = qd.plots.trace(trace)
    np.testing.assert_array_equal(above.collections[1].get_offsets()[:, 1], trace.arms[10:])
    assert (above.get_ylabel(), len(above.images)) == ("position of the arm", 0)
    np.testing.assert_allclose(below.lines[0].get_ydata(), np.cumsum(trace.regret[10:]))
    assert len(qd.plots.trace(trace, env)[0].images) == 1


def test_lines_are_named_at_their_ends_in_their_colour(env):
    traces = [qd.simulate(each(env.arms, seed=0), env, warmup=10) for each in (qd.policies.Random, qd.QuickDraw)]
    panel = qd.plots.regret(traces)
    assert {text.get_text(): text.get_color() for text in panel.texts if text.get_text()} == {
        line.get_label(): line.get_color() for line in panel.lines
    }


def test_what_is_no_trace_or_of_another_environment_is_refused(env):
    trace = qd.simulate(qd.policies.Random(env.arms, seed=0), env, warmup=10)
    other = qd.environments.KnownFunction(lambda x: x, n_arms=20, n_rounds=50)
    with pytest.raises(ValueError, match="env must be the environment of the trace, of 60 rounds"):
        qd.plots.trace(trace, other)
    with pytest.raises(ValueError, match="trace must be a Trace, as simulate returns it, got Random"):
        qd.plots.trace(qd.policies.Random(env.arms))
    with pytest.raises(ValueError, match="learns scales, got one of Random"):
        qd.plots.scales(trace)


@given(st.lists(st.floats(0, 10), min_size=1, max_size=8))
def test_labels_keep_their_order_and_distance_within_the_limits(heights):
    heights = np.array(heights)
    moved = spread(heights, 1.0, 0.0, 10.0)
    assert (np.diff(np.sort(moved)) >= 1.0 - 1e-9).all()
    assert moved.min() >= -1e-9
    assert moved.max() <= 10 + 1e-9
    order = np.argsort(heights, kind="stable")
    assert (np.diff(moved[order]) > 0).all()
    if (np.diff(heights[order]) >= 1.0).all():
        np.testing.assert_allclose(moved, heights)
