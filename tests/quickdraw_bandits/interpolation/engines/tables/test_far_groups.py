"""The far past in groups against the sums over its observations."""

import pickle

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import quickdraw_bandits as qd
from quickdraw_bandits.arms import Arms
from quickdraw_bandits.interpolation import Kernel
from quickdraw_bandits.interpolation.engines.tables.far_groups import REMEMBERED, FarGroups
from quickdraw_bandits.interpolation.engines.tables.far_past import FarPast
from quickdraw_bandits.interpolation.engines.tables.geometry import Geometry
from quickdraw_bandits.interpolation.engines.tables.levels import Levels
from quickdraw_bandits.interpolation.engines.tables.node_sums import Units
from quickdraw_bandits.interpolation.engines.tables.nodes import TimeNodes
from quickdraw_bandits.numerics.chebyshev import lagrange_bases, lagrange_basis, nodes_and_weights
from quickdraw_bandits.observations import Observations

UNITS = Units(0.01, 0.3, 2.0)
ERROR = 1e-6


def build(metric, sharpness, n_arms=20):
    """Return arms, what is far of them, and the groups."""
    arms = Arms(np.random.default_rng(0).normal(size=(n_arms, 3)), metric=metric)
    geometry = Geometry(arms)
    far = FarPast(arms, geometry.centre, geometry.radius, 50.0 / arms.unit**2, sharpness, 1e-4)
    return arms, far, FarGroups(far, TimeNodes(sharpness, ERROR), UNITS.time)


def store(arms, times, seed=1):
    """Return observations at these times."""
    random = np.random.default_rng(seed)
    seen = Observations(arms)
    seen.append(times, random.integers(len(arms), size=len(times)), random.normal(size=len(times)))
    return seen


def far_count(groups, seen, time):
    """Return how many of the first observations are far, together with all before them."""
    return int(np.searchsorted(np.maximum.accumulate(seen.times[: seen.n]), groups.reach(time)))


def assert_sums(far, groups, grouped, seen, time):
    """Compare the sums over groups with those over the observations themselves, of precisions and of features."""
    end, places = grouped.end, np.linspace(0, 1, 3)
    features = far.features(seen.coordinates[:, :end])
    paid = (seen.rewards[:end] - UNITS.centre) / UNITS.half
    exact = np.stack([features, features * paid[:, None]], axis=1)
    moments, ages = groups.ages(grouped, time)
    for distance in places * 2 * far._half:
        nu = (1 + ((time - seen.times[:end]) / UNITS.time) ** 2 + distance) ** -float(far._sharpness)
        found = (1 + (ages / UNITS.time) ** 2 + distance) ** -float(far._sharpness)
        expected = np.tensordot(nu, exact, axes=1)
        allowed = (groups.error + 1e-12) * np.tensordot(nu, np.abs(exact), axes=1)
        assert (np.abs(np.tensordot(found, moments, axes=1) - expected) <= allowed).all()
    # The lines through these values.
    tables, plain = (np.empty((1, 2, 20), dtype=np.float64) for _ in range(2))
    terms = 1 + ((time - seen.times[None, :end]) / UNITS.time) ** 2
    points = np.random.default_rng(0).normal(size=(20, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    far.fill(far.sums(moments, 1 + (ages[None] / UNITS.time) ** 2), points, tables)
    far.fill(far.sums(exact, terms), points, plain)
    if far._metric == "cosine":
        assert (np.abs(tables - plain)[0, 0] <= groups.error * far.error_of_lines * plain[0, 0] * 1.001).all()


gaps = st.lists(
    st.tuples(st.sampled_from([0.0, 1e-3, 0.02, 0.3, 5.0, 400.0]), st.integers(1, 30)), min_size=2, max_size=12
)


@settings(max_examples=60, deadline=None)
@given(
    gaps,
    st.sampled_from(["euclidean", "cosine"]),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([0.0, -77.0, 1e6]),
    st.lists(st.floats(0, 1), min_size=1, max_size=6),
    st.floats(0, 2.0),
)
def test_groups_stand_for_their_observations(gaps, metric, sharpness, start, asked, late):
    """Whatever the clock does, with observations that come late, and however often groups are made in between."""
    arms, far, groups = build(metric, sharpness)
    steps = np.concatenate([np.full(count, gap) for gap, count in gaps])
    times = start + np.cumsum(steps)
    times = times - late * np.random.default_rng(3).random(len(times)) * (np.arange(len(times)) % 3 == 0)
    seen = store(arms, times)
    first, last = float(times.min()), float(times.max()) + 2 * groups._least_age
    states = ()
    for share in [*asked, 1.0]:
        time = first + share * (last - first)
        end = far_count(groups, seen, time)
        if not end:
            continue
        states = groups.extended(states, seen, UNITS, end, groups.reach(time))
        assert len(states) <= REMEMBERED
        assert states[-1].end == end
        assert_sums(far, groups, states[-1], seen, time)
        assert_sums(far, groups, states[-1], seen, time + groups._least_age)  # later ones only get better
    assert states[-1].end == len(times)


def test_groups_are_few_and_each_observation_is_summed_once(monkeypatch):
    arms, _, groups = build("cosine", 1)
    seen = store(arms, np.arange(40_000) * 1e-3)
    summed = []
    features = FarPast.features
    monkeypatch.setattr(FarPast, "features", lambda self, x: (summed.append(x.shape[1]), features(self, x))[1])
    states = ()
    for time in np.arange(3.0, 40.0, 0.03):
        end = far_count(groups, seen, time)
        if end:
            states = groups.extended(states, seen, UNITS, end, groups.reach(time))
    assert sum(summed) == states[-1].end > 35_000
    assert len(states[-1].groups) <= 2 * np.log2(40 / groups._least_age) + 2
    assert max(map(len, (state.groups for state in states))) <= 20


def test_a_clock_that_goes_back_finds_earlier_groups(monkeypatch):
    arms, far, groups = build("cosine", 2)
    seen = store(arms, np.arange(5000) * 1e-2)
    states = ()
    for time in (30.0, 30.2, 30.4):
        states = groups.extended(states, seen, UNITS, far_count(groups, seen, time), groups.reach(time))
    monkeypatch.setattr(groups, "_moments", None)  # nothing is summed again
    for time in (30.2, 30.4, 30.0):
        states = groups.extended(states, seen, UNITS, far_count(groups, seen, time), groups.reach(time))
        assert_sums(far, groups, states[-1], seen, time)
    monkeypatch.undo()
    other = groups.extended(states, seen, UNITS._replace(half=1.0), far_count(groups, seen, 30.4), groups.reach(30.4))
    assert {state.units.half for state in other} == {1.0}


@pytest.mark.parametrize("time", [1e16, -1e16, 1e140])
def test_clocks_that_cannot_tell_so_short_a_time(time):
    arms, _, groups = build("euclidean", 1)
    times = np.sort(np.nextafter(time, -np.inf) - np.abs(time) * np.array([0.5, 1e-3, 1e-15, 0.0]))
    seen = store(arms, times)
    end = far_count(groups, seen, time)
    assert end == np.searchsorted(times, groups.reach(time)) > 0
    (state,) = groups.extended((), seen, UNITS, end, groups.reach(time))[-1:]
    moments, ages = groups.ages(state, time)
    weights = (1 + (ages / UNITS.time) ** 2) ** -1 @ moments[:, 0, 0]
    expected = ((1 + ((time - times[:end]) / UNITS.time) ** 2) ** -1).sum()
    assert weights == pytest.approx(expected, rel=groups.error + 1e-12)


def test_all_polynomials_at_many_places_are_those_at_each():
    nodes, weights = nodes_and_weights(6)
    places = np.array([-1.0, -0.3, 0.0, nodes[2], 0.77, 1.0])
    found = lagrange_bases(places, nodes, weights)
    row = np.empty(6)
    for k, place in enumerate(places):
        lagrange_basis.py_func(place, nodes, weights, row)
        np.testing.assert_allclose(found[:, k], row, rtol=1e-13, atol=1e-15)


@settings(max_examples=25, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(
    st.sampled_from(["euclidean", "cosine"]),
    st.sampled_from([1, 2, 3]),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.1, 0.3]),
)
def test_tables_with_a_far_past_are_within_their_error(metric, sharpness, seed, step):
    """The sums that choices are made from, over a long history, against all observations in float64."""
    random = np.random.default_rng(seed)
    arms = Arms(random.normal(size=(30, 3)), metric=metric)
    apart = arms.unit * np.stack([arms.distances(arm) for arm in range(30)])
    seen = Observations(arms)
    kernel = Kernel(2.0, 1.0, 1e-2, sharpness)
    levels = Levels(arms, kernel, seen)
    times = np.cumsum(random.exponential(size=1500)) * step
    arrived = np.argsort(times + (random.random(1500) < 0.1) * random.exponential(size=1500))
    for some in np.array_split(arrived, 40):
        seen.append(times[some], random.integers(30, size=len(some)), random.random(len(some)))
        levels.extend()
        now = float(seen.times[: seen.n].max()) + step * random.random()
        (block,) = levels.advance(now)
        if not len(block.tables):
            continue
        basis = np.ones(1)
        if len(block.tables) > 1:
            basis = lagrange_bases(np.array([block.u]), levels.nodes.places, levels.nodes.weights)[:, 0]
        found = np.tensordot(basis, block.tables.astype(np.float64), axes=1)
        told = slice(block.included)
        squared = apart[seen.arms[told]] ** 2 * levels.arms.weight
        nu = (1 + ((now - seen.times[told]) / levels.units.time)[:, None] ** 2 + squared) ** -float(sharpness)
        paid = (seen.rewards[told] - levels.units.centre) / levels.units.half
        assert (np.abs(found[0] / nu.sum(axis=0) - 1) <= levels.error).all()
        assert (np.abs(found[1] - paid @ nu) <= levels.error * (np.abs(paid) @ nu)).all()
    assert levels._grouped


@pytest.mark.parametrize("engine", ["exact", "cached"])
def test_a_saved_policy_groups_the_far_past_again(engine, tmp_path):
    """And makes the same choices, as does a copy by pickle."""
    arms = Arms(np.random.default_rng(1).normal(size=(80, 3)), metric="cosine")
    policy = qd.QuickDraw(arms, length_scale=2.0, noise_variance=1e-2, engine=engine, seed=0)
    random = np.random.default_rng(2)

    def play(policies, rounds):
        for k in rounds:
            first, *others = (each.select(0.1 * k) for each in policies)
            assert set(others) <= {first}
            paid = float(random.random())
            for each in policies:
                each.update(0.1 * k, first, paid)

    play([policy], range(600))
    assert policy._engine._levels._grouped
    qd.save(policy, tmp_path / "policy.qd")
    copies = [qd.load(tmp_path / "policy.qd"), pickle.loads(pickle.dumps(policy))]
    assert not any(each._engine._levels._grouped for each in copies)
    play([policy, *copies], range(600, 1300))
    assert all(each._engine._levels._grouped for each in copies)


def test_tables_that_are_planned_find_the_same_groups():
    """Those of a history that is taken in before any choice, as the service does it."""
    arms = Arms(np.random.default_rng(1).normal(size=(30, 3)), metric="cosine")
    random = np.random.default_rng(3)
    seen = Observations(arms)
    made, planned = (Levels(arms, Kernel(2.0, 1.0, 1e-2, 1), seen) for _ in range(2))
    for k in range(900):
        seen.append(np.array([0.1 * k]), random.integers(30, size=1), random.random(1))
        for levels in (made, planned):
            levels.extend()
        made.advance(0.1 * k + 0.05)
        planned.plan(0.1 * k + 0.05)
    (ours,), (theirs,) = made.advance(90.1), planned.advance(90.1)
    assert made._grouped
    assert planned._grouped
    assert (ours.included, ours.u) == (theirs.included, theirs.u)
    np.testing.assert_allclose(ours.tables, theirs.tables, rtol=1e-6)
