"""Which engine serves, and that policies play the same whichever it is."""

import copy
import pickle

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.interpolation import auto
from quickdraw_bandits.interpolation.engines.tables import engine as tables_engine
from quickdraw_bandits.interpolation.engines.tables.engine import TablesEngine
from quickdraw_bandits.interpolation.engines.tree import TreeEngine
from quickdraw_bandits.interpolation.engines.tree import engine as tree_engine
from quickdraw_bandits.interpolation.running_sums import RunningSums


@pytest.mark.parametrize(
    ("arms", "arguments", "message"),
    [
        (qd.Arms.grid(0, 1, 5), {"engine": "fast"}, "engine must be one of auto, exact, tree, cached, got 'fast'"),
        (
            qd.Arms(np.eye(4)),
            {"engine": "tree"},
            "engine must be one of auto, exact, cached for euclidean arms of 4 dim",
        ),
        (qd.Arms(np.eye(2), metric="cosine"), {"engine": "tree"}, "one of auto, exact, cached for cosine arms"),
        (qd.Box(0, 1), {"engine": "cached"}, "engine must be one of auto, tree for a Box, got 'cached'"),
        (
            qd.Box([0] * 4, [1] * 4),
            {},
            "arms must be a Box of up to 3 dimensions for QuickDraw, got 4; AdaptiveQuickDraw",
        ),
        (qd.Box(0, 1), {"engine": "exact"}, "engine must be one of auto, tree for a Box"),
        (qd.Arms.grid(0, 1, 5), {"tolerance": 0.0}, "tolerance must be above 0, got 0.0"),
        (qd.Arms.grid(0, 1, 5), {"tolerance": np.nan}, "tolerance must be a finite number, got nan"),
    ],
)
def test_engines_that_cannot_serve_raise(arms, arguments, message):
    with pytest.raises(ValueError, match=message):
        qd.QuickDraw(arms, **arguments)


def kind(engine):
    """Return the name of the engine that an automatic choice has come to."""
    if isinstance(engine, TreeEngine):
        return "tree"
    assert isinstance(engine, TablesEngine)
    return "cached" if engine._tolerance else "exact"


def test_auto_changes_to_faster_choices_as_the_history_grows(monkeypatch):
    monkeypatch.setattr(auto, "MOST_EXACT", {1: 100 * 20.0})
    policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 100), cap=None, seed=0)
    exact = qd.QuickDraw(qd.Arms.grid(-1, 1, 100), cap=None, engine="exact", seed=0)
    engines, tables = set(), policy._engine._levels
    for i in range(500):
        arm = policy.select(i * 1e-2)
        if i > 0:  # before any observation every index is infinite
            index = exact.index(i * 1e-2)
            assert index[arm] >= index.max() - 1e-3
        for one in (policy, exact):
            one.update(i * 1e-2, arm, 0.5 + 0.4 * np.sin(arm / 10 + i / 50))
        engines.add(kind(policy._engine))
    assert engines == {"exact", "cached"}
    assert policy._engine._levels is tables  # nothing was built for the change
    assert policy.n_observations == 500
    np.testing.assert_array_equal(policy.estimate(6.0), exact.estimate(6.0))


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_auto_never_changes_to_the_tree_while_it_plays(dimension):
    """So no call has to wait for the tree's code, or for a tree over all that was observed."""
    fewest = auto.FEWEST_IN_TREES[dimension]

    class Many:
        metric = "euclidean"

        def __init__(self, n):
            self.n, self.dimension = n, dimension

        def __len__(self):
            return self.n

    assert auto.tree_is_faster(Many(fewest))
    assert not auto.tree_is_faster(Many(fewest - 1))
    assert auto.longest_exact(Many(fewest), in_trees=True) == 0
    assert auto.longest_exact(Many(100), in_trees=True) >= 160_000


def test_the_moment_of_the_change_follows_from_the_calls_alone():
    """A history that is loaded at once leads to the same engine as one that is played."""
    arms = qd.Arms.grid(-1, 1, 5000)
    times, chosen = np.arange(401) * 1e-3, np.random.default_rng(0).integers(5000, size=401)
    policy, loaded = qd.QuickDraw(arms, seed=0), qd.QuickDraw(arms, seed=0)
    for i in range(401):
        assert kind(policy._engine) == "exact"
        policy.update(times[i], chosen[i], 0.5)
    loaded.update(times, chosen, np.full(401, 0.5))
    assert kind(policy._engine) == kind(loaded._engine) == "cached"


def test_auto_changes_to_the_cache_for_other_metrics(monkeypatch):
    monkeypatch.setitem(auto.MOST_EVALUATIONS, "cosine", 1_000_000)
    random = np.random.default_rng(0)
    policy = qd.QuickDraw(qd.Arms(random.normal(size=(1000, 8)), metric="cosine"), seed=0)
    policy.update(np.arange(990) * 1e-3, random.integers(1000, size=990), random.random(990))
    assert kind(policy._engine) == "exact"
    for i in range(990, 1010):
        arm = policy.select(i * 1e-3)
        index = policy.index(i * 1e-3)
        assert index[arm] >= index.max() - 1e-3
        policy.update(i * 1e-3, arm, 0.5)
    assert kind(policy._engine) == "cached"
    assert policy.n_observations == 1010
    pickle.loads(pickle.dumps(policy)).select(1.01)


def test_without_drift_sums_are_kept_unless_the_tree_is_asked_for():
    for engine, kind in [("auto", RunningSums), ("exact", RunningSums), ("cached", RunningSums), ("tree", TreeEngine)]:
        assert isinstance(qd.QuickDraw(qd.Arms.grid(0, 1, 9), time_scale=None, engine=engine)._engine, kind)


def test_large_sets_start_with_the_tree():
    assert kind(qd.QuickDraw(qd.Arms.grid(-1, 1, 10**6))._engine) == "tree"
    assert kind(qd.QuickDraw(qd.Arms.grid(-1, 1, 6251))._engine) == "tree"
    assert kind(qd.QuickDraw(qd.Arms.grid(-1, 1, 6250))._engine) == "exact"
    assert kind(qd.QuickDraw(qd.Arms.grid(-1, 1, 1000))._engine) == "exact"


def test_a_box_is_played_by_coordinates():
    policy = qd.QuickDraw(qd.Box([0.0, 0.0], [1.0, 1.0]), seed=0)
    target = np.array([0.3, 0.8])
    for i in range(150):
        place = policy.select(i * 1e-2)
        assert place.shape == (2,)
        policy.update(i * 1e-2, place, 1 - np.linalg.norm(place - target))
    late = np.array([policy.select(1.5 + i * 1e-3) for i in range(5)])
    assert np.abs(late - target).max() < 0.3
    mean, std = policy.estimate(1.6, [[0.3, 0.8], [0.9, 0.1]])
    assert mean[0] > mean[1]
    np.testing.assert_allclose(policy.index(1.6, [[0.3, 0.8]]), np.minimum(mean[:1] + 2 * std[:1], 1.0))
    policy.update([1.6, 1.7], [[0.1, 0.1], [0.2, 0.2]], [0.5, 0.5])
    assert policy.n_observations == 152
    policy.update([], [], [])
    for arguments in [
        (1.8, [0.5], 0.1),
        (1.8, [0.5, 1.5], 0.1),
        ([1.8], [[0.5, 0.5]] * 2, [0.1]),
        (1.8, [0.5, 0.5], np.nan),
    ]:
        with pytest.raises(ValueError, match="must"):
            policy.update(*arguments)
    with pytest.raises(ValueError, match="arms must be given as coordinates"):
        policy.estimate(1.8)
    assert policy.n_observations == 152


def test_before_any_observation_a_box_is_played_uniformly():
    policy = qd.QuickDraw(qd.Box(2.0, 4.0), seed=0)
    places = np.array([policy.select(0.0)[0] for _ in range(2000)])
    # A uniform mean of 3 with a standard deviation of 0.577 / sqrt(2000) = 0.013; five of them allowed.
    assert abs(places.mean() - 3) < 0.065
    assert places.min() < 2.1
    assert places.max() > 3.9


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda policy: pickle.loads(pickle.dumps(policy))])
def test_copies_play_on_alike_and_apart(copied):
    policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 300), engine="tree", seed=0)
    policy.update(np.arange(50) * 1e-2, np.arange(50) * 6, np.sin(np.arange(50)))
    policy.select(0.5)
    other = copied(policy)
    for i in range(10):
        arms = [one.select(0.51 + i * 1e-2) for one in (policy, other)]
        assert arms[0] == arms[1]
        for one in (policy, other):
            one.update(0.51 + i * 1e-2, arms[0], 0.3)
    other.update(1.0, 3, 0.9)
    assert policy.n_observations == 60


@pytest.mark.parametrize("sharpness", [1, 2])
@pytest.mark.parametrize(("engine", "tolerance"), [("tree", 1e-5), ("cached", 1e-3)])
def test_on_the_test_bed_choices_are_those_of_the_exact_engine(engine, tolerance, sharpness):
    """After every round of the exact engine's own game the other's choice has the largest index, or all but.

    The tree uses a hundredth of its tolerance for as few arms as this. Games and their regret then differ by no more
    than ties do, whereas two games that part ways by chance differ by about 0.02 in regret.
    """
    env = qd.environments.RandomField(n_arms=1000, n_rounds=300, seed=3)
    exact = qd.QuickDraw(env.arms, sharpness=sharpness, engine="exact", seed=0)
    other = qd.QuickDraw(env.arms, sharpness=sharpness, engine=engine, seed=0)
    warmup = np.random.default_rng(0).integers(1000, size=100)
    for i, now in enumerate(env.times):
        if i < len(warmup):
            arm = int(warmup[i])
        else:
            arm = exact.select(now)
            index = exact.index(now)
            assert index[other.select(now)] >= index.max() - tolerance
        for policy in (exact, other):
            policy.update(now, arm, env.pull(i, arm))


def test_the_tree_makes_room_for_lists_before_a_search_runs_out_of_it(monkeypatch):
    """A search that runs out has to forget all boxes, and takes many times as long."""
    monkeypatch.setattr(tree_engine, "FIRST_LIST", 2**14)
    found, search = [], tree_engine.search
    monkeypatch.setattr(tree_engine, "search", lambda *state: found.append(search(*state)) or found[-1])
    random = np.random.default_rng(0)
    arms = qd.Arms(random.random((4000, 2)))
    policy, exact = (qd.QuickDraw(arms, length_scale=0.3, engine=name, seed=0) for name in ("tree", "exact"))
    for i in range(400):
        arm = policy.select(1e-3 * i)
        if i > 0:
            index = exact.index(1e-3 * i)
            assert index[arm] >= index.max() - 1e-3
        reward = 0.5 + 0.4 * np.sin(6 * arms.points[arm, 0] + 5e-3 * i) * np.cos(5 * arms.points[arm, 1])
        for one in (policy, exact):
            one.update(1e-3 * i, arm, reward)
    assert len(policy._engine._work.lists) > 2**14
    assert tree_engine.FULL not in found


@pytest.mark.parametrize("cap", [None, 0.55])
def test_with_a_tolerance_few_arms_are_summed_over_a_long_history(monkeypatch, cap):
    """However many arms the tables leave open, few are summed directly, and the choice is within the tolerance."""
    opened, fewer = [], TablesEngine._fewer
    monkeypatch.setattr(tables_engine, "MOST_SUMMED", 0)
    monkeypatch.setattr(tables_engine, "HIGHEST", 4)

    def counted(self, candidates, *asked):
        left = fewer(self, candidates, *asked)
        opened.append((len(candidates), len(left)))
        return left

    monkeypatch.setattr(TablesEngine, "_fewer", counted)
    random, tolerance = np.random.default_rng(0), 1e-4
    arms = qd.Arms(random.normal(size=(5000, 16)), metric="cosine")
    policy = qd.QuickDraw(arms, exploration=0.02, cap=cap, engine="cached", tolerance=tolerance, seed=0)
    exact = qd.QuickDraw(arms, exploration=0.02, cap=cap, engine="exact", seed=0)
    for i in range(250):
        arm = policy.select(1e-3 * i)
        if i > 0:
            index = exact.index(1e-3 * i)
            assert index[arm] >= index.max() - tolerance
        reward = 0.5 + 0.1 * arms.points[arm, 0] + 5e-2 * random.random()
        for one in (policy, exact):
            one.update(1e-3 * i, arm, reward)
    if cap is None:
        assert any(left < given for given, left in opened)
