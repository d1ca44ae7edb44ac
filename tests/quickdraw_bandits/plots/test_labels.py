"""Pictures name arms by their labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot

import quickdraw_bandits as qd
from quickdraw_bandits.plots.fields import LONGEST_LABEL, MOST_LABELS, arms_far_apart


@pytest.fixture(autouse=True)
def no_open_figures():
    yield
    pyplot.close("all")


def ticks(panel):
    return dict(zip(panel.get_yticks().tolist(), [text.get_text() for text in panel.get_yticklabels()], strict=True))


def environment(arms):
    return qd.environments.Recorded(np.random.default_rng(0).random((40, len(arms))), arms)


def test_labels_stand_at_their_arms_on_a_line():
    env = environment(qd.Arms([4.99, 5.99, 8.49], labels=["low", "usual", "high"]))
    policy = qd.AdaptiveQuickDraw(env.arms, seed=0)
    trace = qd.simulate(policy, env, warmup=10)
    expected = {4.99: "low", 5.99: "usual", 8.49: "high"}
    assert ticks(qd.plots.choices(trace, env)) == expected
    assert ticks(qd.plots.trace(trace, env)[0]) == expected
    assert ticks(qd.plots.compare([trace, trace], env)[0]) == expected
    assert [ticks(panel) for panel in qd.plots.belief(policy, [0.5, 0.7])] == [expected, expected]


def test_labels_stand_at_positions_of_other_arms():
    points = np.random.default_rng(1).standard_normal((30, 16))
    env = environment(qd.Arms(points, metric="cosine", labels=[f"item-{k}" for k in range(30)]))
    panel = qd.plots.choices(qd.simulate(qd.policies.Random(env.arms, seed=0), env, warmup=5), env)
    shown = ticks(panel)
    assert 6 <= len(shown) <= MOST_LABELS
    assert all(label == f"item-{place:.0f}" for place, label in shown.items())
    assert panel.get_ylabel() == "arm"


def test_long_labels_are_shortened_and_arms_without_labels_have_numbers():
    env = environment(qd.Arms([0.0, 1.0], labels=["a" * 40, "b"]))
    trace = qd.simulate(qd.policies.Random(env.arms, seed=0), env, warmup=5)
    assert ticks(qd.plots.choices(trace, env))[0.0] == "a" * (LONGEST_LABEL - 1) + "…"
    env = environment(qd.Arms([0.0, 1.0]))
    trace = qd.simulate(qd.policies.Random(env.arms, seed=0), env, warmup=5)
    assert len(qd.plots.choices(trace, env).get_yticks()) > 2


def test_few_arms_in_the_plane_are_named_on_the_map():
    policy = qd.QuickDraw(qd.Arms([[0, 0], [1, 0], [0, 1]], labels=["x", "y", "z"]), time_scale=10.0, seed=0)
    policy.update([0.0, 1.0], [0, 1], [0.3, 0.7])
    for panel in qd.plots.belief(policy, [1.0, 2.0]):
        assert [text.get_text() for text in panel.texts] == ["x", "y", "z"]


@given(st.lists(st.floats(-1e3, 1e3).map(lambda x: round(x, 3)), min_size=1, max_size=60, unique=True))
def test_labelled_arms_are_far_apart(values):
    values = np.sort(values)
    some = arms_far_apart(values)
    assert 1 <= len(some) <= MOST_LABELS
    assert some == sorted(set(some))
    assert (np.diff(values[some]) >= 0.75 * (values[-1] - values[0]) / MOST_LABELS).all()
