"""What every policy promises in a live system: subsets, pending pulls, decisions, new arms, copies, threads, files."""

import copy
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

import quickdraw_bandits as qd

pytestmark = pytest.mark.usefixtures("few_draws")

NAMES = [name for name in qd.policies.__all__ if name != "Policy"]
ARMS = qd.Arms.grid(0, 1, 24)
ENGINES = ["exact", "cached", "tree"]


def build(name, arms=ARMS, seed=0, **more):
    """Return a policy by name; ``QuickDraw tree`` has that engine, ``Mixed`` mixes the adaptive one."""
    kind, _, engine = name.partition(" ")
    if kind == "Mixed":
        return qd.Mixed(qd.AdaptiveQuickDraw(arms, seed=seed), uniform=0.2, seed=seed)
    settings = {"engine": engine, "time_scale": 0.3, "length_scale": 0.5} if engine else {}
    return getattr(qd.policies, kind)(arms, seed=seed, **settings, **more)


EVERY = [*NAMES, *(f"QuickDraw {engine}" for engine in ENGINES), "Mixed"]
every_policy = pytest.mark.parametrize("name", EVERY)


def history(n=40, n_arms=24, seed=1):
    random = np.random.default_rng(seed)
    return np.arange(n) * 0.01, random.integers(n_arms, size=n), random.random(n)


def learned(name, **settings):
    policy = build(name, **settings)
    policy.update(*history())
    return policy


def play(policy, rounds, start=0.5):
    chosen = []
    for k in range(rounds):
        time = start + 0.01 * k
        arm = policy.select(time)
        policy.update(time, arm, 0.5 + 0.3 * np.sin(arm / 3 + time))
        chosen.append(arm)
    return chosen


@every_policy
def test_a_choice_among_some_arms_is_one_of_them(name):
    policy = learned(name)
    mask = np.zeros(24, dtype=bool)
    mask[[3, 7, 20]] = True
    for k in range(12):
        assert policy.select(0.5 + 0.01 * k, among=[20, 3, 7]) in (3, 7, 20)
        assert policy.select(0.5 + 0.01 * k, among=mask) in (3, 7, 20)
    assert policy.select(0.7, among=[5]) == 5


@pytest.mark.parametrize(
    "name", ["QuickDraw exact", "QuickDraw cached", "QuickDraw tree", "AdaptiveQuickDraw", "GPUCB"]
)
def test_a_choice_among_some_arms_is_the_best_of_them(name):
    policy = learned(name)
    random = np.random.default_rng(0)
    for k in range(10):
        some = np.sort(random.choice(24, size=6, replace=False))
        arm = policy.select(0.5 + 0.01 * k, among=some)
        index = policy.index(0.5 + 0.01 * k, arms=some)
        assert index[np.flatnonzero(some == arm)[0]] >= index.max() - 1e-6


@every_policy
@pytest.mark.parametrize("among", [[], [24], [-1], np.zeros(24, dtype=bool), np.ones(23, dtype=bool), [0.5], "all"])
def test_a_bad_subset_raises_and_changes_nothing(name, among):
    policy, untouched = learned(name), learned(name)
    with pytest.raises(ValueError, match="among"):
        policy.select(0.5, among=among)
    assert play(policy, 6) == play(untouched, 6)


@every_policy
def test_several_at_once_are_different_and_leave_nothing_pending(name):
    policy = learned(name)
    chosen = policy.select(0.5, count=5)
    assert len(set(chosen.tolist())) == 5
    assert set(policy.select(0.6, among=[1, 2, 3], count=3).tolist()) == {1, 2, 3}
    assert len(policy.pending[0]) == 0
    with pytest.raises(ValueError, match="count must be an integer from 1 to 2, got 3"):
        policy.select(0.7, among=[1, 2], count=3)


@every_policy
def test_pending_pulls_end_with_their_reward_or_when_given_up(name):
    policy = learned(name)
    policy.expect([0.5, 0.5, 0.6], [3, 3, 4])
    assert [values.tolist() for values in policy.pending] == [[0.5, 0.5, 0.6], [3, 3, 4]]
    policy.update(0.5, 3, 0.4)
    policy.forget(0.6, 4)
    assert [values.tolist() for values in policy.pending] == [[0.5], [3]]
    with pytest.raises(ValueError, match="pending pull"):
        policy.forget(0.6, 4)
    assert len(policy.pending[0]) == 1


@pytest.mark.parametrize(
    "name",
    [
        "QuickDraw",
        "QuickDraw cached",
        "AdaptiveQuickDraw",
        "GPUCB",
        "SlidingGPUCB",
        "TimeVaryingGPUCB",
        "WeightedGPUCB",
        "EventTriggeredGPUCB",
        "PredictiveSampling",
    ],
)
def test_a_pending_pull_lowers_the_deviation_around_it_and_moves_no_mean(name):
    policy = learned(name)
    arm = int(np.argmax(policy.estimate(0.5)[1]))
    mean, std = policy.estimate(0.5)
    policy.expect(0.45, arm)
    mean_then, std_then = policy.estimate(0.5)
    np.testing.assert_allclose(mean_then, mean, rtol=0, atol=1e-6)
    assert std_then[arm] < std[arm]
    assert (std_then <= std * (1 + 1e-9) + 1e-12).all()
    policy.forget(0.45, arm)
    np.testing.assert_allclose(policy.estimate(0.5)[1], std, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    "name", ["QuickDraw", "AdaptiveQuickDraw", "UCB1", "SlidingUCB", "TimeVaryingGPUCB", "PriorEliminationGPUCB"]
)
def test_pending_pulls_are_not_repeated(name):
    policy = learned(name)
    chosen = []
    for _ in range(4):
        chosen.append(policy.select(0.5))
        policy.expect(0.5, chosen[-1])
    assert len(set(chosen)) > 1


def chi_square(counts, probabilities):
    """Return the statistic and its degrees of freedom, cells of few expected counts taken together."""
    expected = probabilities * counts.sum()
    large = expected >= 5
    observed = np.append(counts[large], counts[~large].sum())
    wanted = np.append(expected[large], expected[~large].sum())
    used = wanted > 0
    assert (observed[~used] == 0).all()
    return float((np.square(observed - wanted)[used] / wanted[used]).sum()), int(used.sum()) - 1


@every_policy
@pytest.mark.parametrize("among", [None, [2, 5, 6, 11, 17]])
def test_frequencies_are_the_probabilities_stated(name, among):
    policy = learned(name)
    said = policy.probabilities(0.5, among=among)
    assert said.sum() == pytest.approx(1)
    counts = np.zeros(24)
    for _ in range(150 if said.max() < 1 else 10):
        decision = copy.deepcopy(policy)
        decision._random = np.random.default_rng(int(policy._random.integers(2**62)))
        if name == "Mixed":
            decision.policy._random = decision._random
        found = decision.decide(0.5, among=among)
        assert found.probability == pytest.approx(said[found.arm])
        counts[found.arm] += 1
    statistic, freedom = chi_square(counts, said)
    # A fair policy exceeds this in about one of 100,000 cases, for 1 to 23 degrees of freedom.
    assert statistic <= freedom + 5 * np.sqrt(2 * max(freedom, 1)) + 12


@every_policy
def test_asking_for_probabilities_changes_no_later_choice(name):
    asked, left_alone = learned(name), learned(name)
    for k in range(8):
        asked.probabilities(0.5 + 0.01 * k)
        asked.probabilities(0.9 - 0.05 * k, among=[1, 2, 9])
        assert asked.select(0.5 + 0.01 * k) == left_alone.select(0.5 + 0.01 * k)


@every_policy
def test_retired_arms_are_never_selected_again(name):
    policy = learned(name)
    policy.retire(np.arange(20))
    assert all(arm >= 20 for arm in play(policy, 15))
    assert policy.probabilities(0.8)[:20].sum() == 0
    with pytest.raises(ValueError, match="at least one"):
        policy.retire([20, 21, 22, 23])
    with pytest.raises(ValueError, match="only retired"):
        policy.select(0.9, among=[3])


GROWING = [name for name in EVERY if name not in ("HOO", "BanditConvex")]


@pytest.mark.parametrize("name", GROWING)
def test_after_adding_arms_choices_are_those_of_a_policy_built_with_all(name):
    few = qd.Arms.grid(0, 1, 24)
    more = few.extended(np.linspace(1.05, 1.4, 6)[:, None])
    grown, whole = build(name, arms=few), build(name, arms=more)
    for policy in (grown, whole):
        policy.update(*history())
    assert grown.add_arms(np.linspace(1.05, 1.4, 6)[:, None]).tolist() == list(range(24, 30))
    chosen = play(grown, 25)
    assert all(0 <= arm < 30 for arm in chosen)
    if name not in ("Random", "ThompsonSampling"):
        assert chosen == play(whole, 25)


def test_hoo_takes_arms_that_make_a_grid_again():
    few, more = qd.Arms.grid(0, 1, 24), np.arange(24, 30)[:, None] / 23
    grown, whole = build("HOO", arms=few), build("HOO", arms=few.extended(more))
    for policy in (grown, whole):
        policy.update(*history())
    assert grown.add_arms(more).tolist() == list(range(24, 30))
    assert play(grown, 25) == play(whole, 25)
    empty = build("HOO", arms=few)
    empty.add_arms(more)
    assert play(empty, 25) == play(build("HOO", arms=few.extended(more)), 25)


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [("HOO", ValueError, "a grid for HOO"), ("BanditConvex", NotImplementedError, "update it with policy")],
)
def test_policies_on_grids_say_how_to_get_new_arms(name, error, message):
    policy, untouched = learned(name), learned(name)
    with pytest.raises(error, match=message):
        policy.add_arms([[1.2]])
    assert policy._seen._arm_set is policy.arms
    assert play(policy, 8) == play(untouched, 8)


@every_policy
@pytest.mark.parametrize("copied", ["deepcopy", "pickle", "file"])
def test_copies_choose_alike(name, copied, tmp_path):
    policy = learned(name)
    play(policy, 5)
    policy.expect(0.6, 3)
    if copied == "file":
        qd.save(policy, tmp_path / "policy.qd")
        twin = qd.load(tmp_path / "policy.qd", arms=ARMS if name == "UCB1" else None)
    else:
        twin = copy.deepcopy(policy) if copied == "deepcopy" else pickle.loads(pickle.dumps(policy))
    assert [values.tolist() for values in twin.pending] == [[0.6], [3]]
    for one, other in zip(twin.observations, policy.observations, strict=True):
        np.testing.assert_array_equal(one, other)
    assert play(twin, 25, start=0.7) == play(policy, 25, start=0.7)


@every_policy
def test_threads_lose_nothing(name):
    policy = build(name)
    rounds = 6

    def work(thread):
        for k in range(rounds):
            time = 0.001 * (k * 8 + thread)
            arm = policy.select(time)
            policy.expect(time, arm)
            policy.probabilities(time, among=[arm])
            policy.update(time, arm, (thread + k) / 20)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert len(policy.pending[0]) == 0
    assert policy.n_observations == 8 * rounds
    times, _, rewards = policy.observations
    assert sorted(times.tolist()) == pytest.approx([0.001 * k for k in range(8 * rounds)])
    np.testing.assert_allclose(np.sort(rewards), np.sort([(t + k) / 20 for t in range(8) for k in range(rounds)]))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_child_is_not_locked_out():
    policy = learned("QuickDraw")
    with ThreadPoolExecutor(2) as pool:
        busy = pool.submit(lambda: [policy.select(0.5 + 0.001 * k) for k in range(200)])
        child = os.fork()
        if child == 0:
            os._exit(0 if policy.select(0.9) in range(24) else 1)
        busy.result()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@every_policy
def test_datetimes_choose_as_seconds_do(name):
    start = datetime(2026, 3, 1, 12, tzinfo=UTC)
    dated, counted = build(name.partition(" ")[0]), build(name.partition(" ")[0])
    if name.startswith("QuickDraw"):
        dated = qd.QuickDraw(ARMS, time_scale=timedelta(hours=5), seed=0)
        counted = qd.QuickDraw(ARMS, time_scale=5 * 3600.0, seed=0)
    units = ("TimeVaryingGPUCB", "WeightedGPUCB", "PriorEliminationGPUCB", "PredictiveSampling")
    span = {"SpaceTimeGPUCB": "time_scale", **dict.fromkeys(units, "time_unit")}.get(name)
    if span:
        dated, counted = (build(name, **{span: length}) for length in (timedelta(hours=1), 3600.0))
    for k in range(12):
        when = start + timedelta(minutes=7 * k)
        arm = dated.select(when)
        assert arm == counted.select(when.timestamp())
        dated.update(np.datetime64(when.replace(tzinfo=None)), arm, arm / 24)
        counted.update(when.timestamp(), arm, arm / 24)
    assert dated.observations[0].dtype.kind == "M"
    with pytest.raises(ValueError, match="time must be a datetime"):
        dated.select(5.0)
    with pytest.raises(ValueError, match="time must be a number"):
        counted.select(start)


def test_a_choice_far_from_the_history_warns_once():
    policy = learned("QuickDraw")
    with pytest.warns(qd.ClockWarning, match="same clock"):
        policy.select(1e9)
    policy.select(1e9)


EXPLAIN = ("QuickDraw", "AdaptiveQuickDraw", "Mixed")
INDEX = (*EXPLAIN, *(name for name in NAMES if name.endswith("GPUCB")))
ESTIMATE = (*INDEX, "PredictiveSampling")


@every_policy
@pytest.mark.parametrize(("question", "known"), [("estimate", ESTIMATE), ("index", INDEX), ("explain", EXPLAIN)])
def test_a_policy_answers_or_says_who_does(name, question, known):
    policy = learned(name)
    arguments = (0.5, 3) if question == "explain" else (0.5, [3])
    if name.partition(" ")[0] in known:
        answer = getattr(policy, question)(*arguments)
        assert np.isfinite(answer.mean if question == "explain" else answer).all()
    else:
        with pytest.raises(NotImplementedError, match="QuickDraw"):
            getattr(policy, question)(*arguments)
