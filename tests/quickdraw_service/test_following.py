"""Policies as folds of their logs: restarts, snapshots and several servers change nothing."""

import hashlib

import msgspec
import numpy as np
import pytest

from benchmarks.reliability.examples import Clock, definition
from quickdraw_bandits.policies.adaptive import shortlist
from quickdraw_service import pulls
from quickdraw_service.bodies import pack_arms, pack_observations, pack_positions
from quickdraw_service.definition import POLICIES as OFFERED
from quickdraw_service.ids import DecisionIds
from quickdraw_service.learner import Learner
from quickdraw_service.plan import Plan
from quickdraw_service.replay import LEAST
from quickdraw_service.requests import AddArms, Create, Decide, Observe, RetireArms, Reward
from quickdraw_service.service import Service
from quickdraw_service.snapshots import Encoding, restore
from quickdraw_service.stores import open_store
from quickdraw_service.stores.store import ARMS, OBSERVATIONS, RETIRED, Event, Snapshot

VARIANTS = {
    "QuickDraw": {"length_scale": 0.2, "time_scale": 50.0},
    "QuickDraw-exact": {"length_scale": 0.2, "time_scale": 50.0, "engine": "exact"},
    "QuickDraw-cached": {"length_scale": 0.2, "time_scale": 50.0, "engine": "cached"},
    "QuickDraw-tree": {"length_scale": 0.2, "time_scale": 50.0, "engine": "tree"},
    "QuickDraw-stationary": {"length_scale": 0.2, "time_scale": None},
    "AdaptiveQuickDraw": {},
    "AdaptiveQuickDraw-many": {},
    "ThompsonSampling": {"rewards": "bernoulli"},
    "ThompsonSampling-normal": {},
    "GPUCB-fixed": {"fit": 0},
    "EventTriggeredGPUCB": {"window": 12},
    "PredictiveSampling": {"window": 12, "time_unit": 1.0},
    "PriorEliminationGPUCB": {"window": 12, "time_unit": 1.0},
    "SlidingGPUCB": {"window": 12},
    "SpaceTimeGPUCB": {"window": 60},
    "TimeVaryingGPUCB": {"window": 60},
    "WeightedGPUCB": {"window": 60},
    "Softmax": {"temperature": 0.3},
}
POLICIES = {**{name: {} for name in OFFERED}, **VARIANTS}
"""All that the service offers, some with other parameters as well."""
FEW = {
    "ThompsonSampling": 5,
    "GPUCB": 12,
    "EventTriggeredGPUCB": 20,
    "PredictiveSampling": 12,
    "PriorEliminationGPUCB": 12,
    "SlidingGPUCB": 12,
    "SpaceTimeGPUCB": 20,
    "TimeVaryingGPUCB": 20,
}
"""Arms where choices take long."""

ROUNDS = {"PredictiveSampling": 60, "PriorEliminationGPUCB": 60, "ThompsonSampling": 60, "AdaptiveQuickDraw-many": 80}
"""Rounds of four decisions, instead of 250, where a decision takes more than a millisecond."""


def describe(name, **changes):
    kind, _, variant = name.partition("-")
    grid = (0.0, 1.0, 5000 if variant == "many" else FEW.get(kind, 100))
    return definition(policy=kind, parameters=POLICIES[name], grid=grid, **changes)


@pytest.fixture(autouse=True)
def little_work(monkeypatch, few_draws):
    """Too little to bound very many arms, so that a shortlist depends on the searches before."""
    monkeypatch.setattr(shortlist, "WORK", 20_000)


def play(learner, rounds, start, seed, batch=4):
    """Play rounds on a learner alone, with delayed rewards; return the events."""
    random, events, open_ids = np.random.default_rng(seed), [], []
    for k in range(rounds):
        now = 100.0 + start + k
        plan = Plan(learner, {}, now, DecisionIds())
        for j in range(batch):
            name = f"{start + k}-{j}"
            plan.answer(Decide("prices", id=name, time=float(start + k)))
            open_ids.append(name)
        random.shuffle(open_ids)
        done, open_ids = open_ids[: len(open_ids) // 2], open_ids[len(open_ids) // 2 :]
        known = {**{each: pull.arm for each, pull in learner.pending.items()}}
        known.update({event.id: event.arm for event in plan.events if event.kind == "decision"})
        late = [each for each in done if each in known]
        plan.answer(Reward("prices", late, [float(np.sin(known[each] / 10) / 3 + 0.5) for each in late]))
        plan.undo()
        learner.apply(plan.events)
        events += plan.events
    return events


def choices(events):
    return [(event.id, event.arm, event.value) for event in events if event.kind == "decision"]


@pytest.mark.slow
@pytest.mark.parametrize("name", POLICIES)
def test_snapshot_and_tail_equal_a_learner_that_never_stopped(name):
    described = describe(name, reward_within=20.0)
    steady = Learner("prices", described)
    play(steady, 40, 0, seed=0)
    snapshot = Encoding(steady).finish()
    tail = play(steady, 20, 1000, seed=1)
    restored = restore("prices", described, snapshot)
    restored.apply(tail)
    assert restored.scales_over_time == steady.scales_over_time
    assert bool(steady.scales_over_time) is name.startswith("AdaptiveQuickDraw")
    rounds = ROUNDS.get(name, 250)
    made = choices(play(restored, rounds, 2000, seed=2))
    assert len(made) == 4 * rounds
    assert made == choices(play(steady, rounds, 2000, seed=2))
    assert restored.policy.pending[0].tolist() == steady.policy.pending[0].tolist()


@pytest.mark.parametrize("name", POLICIES)
def test_a_replay_in_pieces_of_any_size_gives_the_same_learner(name):
    described = describe(name)
    steady = Learner("prices", described)
    events = play(steady, 100 if name.startswith("QuickDraw") else 20, 0, seed=0)
    for size in (1, 7, len(events)):
        replayed = Learner("prices", described)
        for begin in range(0, len(events), size):
            replayed.apply(events[begin : begin + size])
        assert replayed.position == steady.position
        arms = [replayed.choose(f"x{k}", 500.0, None) for k in range(20)]
        assert arms == [steady.choose(f"x{k}", 500.0, None) for k in range(20)]


@pytest.mark.parametrize("name", [name for name in POLICIES if name.startswith("QuickDraw")])
@pytest.mark.parametrize("within", [None, 6.0])
def test_many_events_at_once_are_as_many_one_by_one(name, within, monkeypatch):
    """Twins of one time and arm, more pending than are kept, overdue and late ones, arms that come and go."""
    monkeypatch.setattr(pulls, "MOST_PENDING", 40)
    monkeypatch.setattr(pulls, "MOST_EARLIER", 60)
    described = describe(name, reward_within=within)
    steady = Learner("prices", described)
    events = play(steady, 80, 0, seed=0, batch=12)
    kinds = {RETIRED: pack_positions(np.array([3, 4])), ARMS: pack_arms(np.array([[1.5], [1.7]]), None)}
    observed = pack_observations(np.array([70.0, 71.0]), np.array([2, 9]), np.array([0.5, 0.1]))
    for kind, body in {**kinds, OBSERVATIONS: observed}.items():
        more = [Event(steady.position + 1, kind, None, steady.last_at, 71.0, 2, 0.0, body)]
        steady.apply(more)
        events += more + play(steady, 40, 100 * (1 + len(events)), seed=1, batch=12)
    assert len(events) > 3_000
    at_once = Learner("prices", described)
    with monkeypatch.context() as patch:
        patch.setattr(Learner, "_apply", _only(Learner._apply, most=LEAST))
        at_once.apply(events)
    one_by_one = Learner("prices", described)
    for event in events:
        one_by_one.apply([event])
    for attribute in ("position", "tidied", "last_at", "latest_time", "counts", "pending", "_earlier", "_due"):
        assert getattr(at_once, attribute) == getattr(one_by_one, attribute) == getattr(steady, attribute), attribute
    for one, other, third in zip(*(each.policy.pending for each in (at_once, one_by_one, steady)), strict=True):
        assert one.tolist() == other.tolist() == third.tolist()
    for one, other in zip(at_once.policy.observations, one_by_one.policy.observations, strict=True):
        np.testing.assert_array_equal(one, other)
    time = at_once.latest_time + 1
    drawn = [one_by_one.choose(f"x{k}", time + k, None) for k in range(60)]
    assert [at_once.choose(f"x{k}", time + k, None) for k in range(60)] == drawn
    assert [steady.choose(f"x{k}", time + k, None) for k in range(60)] == drawn


def _only(function, most):
    """Return a function that may be called so many times."""
    left = iter(range(most))

    def called(*arguments):
        next(left)
        return function(*arguments)

    return called


@pytest.mark.parametrize("name", POLICIES)
def test_choosing_changes_nothing(name):
    described = describe(name)
    one, other = Learner("prices", described), Learner("prices", described)
    one.apply(play(other, 15, 0, seed=0))
    for k in range(30):
        one.choose(f"y{k}", 20.0 + k, None)
    more = play(other, 10, 100, seed=1)
    one.apply(more)
    assert [one.choose(f"x{k}", 200.0, None) for k in range(30)] == [
        other.choose(f"x{k}", 200.0, None) for k in range(30)
    ]


@pytest.mark.parametrize("name", ["QuickDraw", "Restless", "Softmax", "ThompsonSampling", "HOO", "Zooming"])
def test_arms_are_drawn_as_often_as_their_probability_says(name):
    parameters = POLICIES[name]
    learner = Learner("prices", definition(policy=name, parameters=parameters, uniform=0.3, grid=(0.0, 1.0, 6)))
    learner.policy.update([0.0, 1.0, 2.0], [1, 3, 4], [0.0, 1.0, 1.0])
    n = 400 if name == "ThompsonSampling" else 4000
    drawn = [learner.choose(f"{k}", 3.0, None) for k in range(n)]
    probabilities = learner.policy.probabilities(3.0)
    assert all(chance == pytest.approx(probabilities[arm]) for arm, chance in drawn)
    counts = np.bincount([arm for arm, _ in drawn], minlength=6)
    assert np.all(np.abs(counts - n * probabilities) <= 5 * np.sqrt(n * probabilities * (1 - probabilities)) + 1e-9)


def test_a_restarted_service_goes_on_as_before(url, monkeypatch):
    monkeypatch.setattr("quickdraw_service.experiment.Experiment.wants_snapshot", lambda self, least=0: True)
    clock = Clock()
    with Service(url, warm_up=False, clock=clock) as service:
        service.ask(Create("prices", definition(reward_within=50.0)))
        service.ask(Observe("prices", [1.0, 2.0], [3, 4], [0.5, 0.25]))
        for k in range(30):
            clock.now += 1.0
            service.ask(Decide("prices", id=f"a{k}"))
            service.ask(Reward("prices", [f"a{k // 2}"], [k // 2 / 30]))
        service.ask(AddArms("prices", np.array([[1.5]])))
        service.ask(RetireArms("prices", [0]))
        before = service.experiment("prices")
        arms = [service._worker.experiments["prices"].learner.choose(f"x{k}", 1e3, None) for k in range(20)]
    with open_store(url) as store:
        assert store.snapshot(1) is not None
    with Service(url, warm_up=False, clock=clock) as service:
        learner = service._worker.experiments["prices"].learner
        after = service.experiment("prices")
        for name in (
            "decisions",
            "rewards",
            "observations",
            "pending",
            "position",
            "latest_time",
            "n_arms",
            "n_retired",
        ):
            assert getattr(after, name) == getattr(before, name), name
        assert [learner.choose(f"x{k}", 1e3, None) for k in range(20)] == arms


def test_a_snapshot_that_cannot_be_read_is_left_aside(url):
    with Service(url, warm_up=False) as service:
        service.ask(Create("prices", definition()))
        service.ask(Decide("prices", id="a", time=1.0))
    for content in (b"", b"x" * 100):
        with open_store(url) as store:
            store.keep_snapshot(1, Snapshot(1, content))
        with Service(url, warm_up=False) as service:
            assert service.experiment("prices").decisions == 1


def test_two_services_on_one_store_act_as_one(url):
    clock = Clock()
    with Service(url, warm_up=False, clock=clock) as one, Service(url, warm_up=False, clock=clock) as other:
        one.ask(Create("prices", definition()))
        assert other.ask(Create("prices", definition())).new is False
        for k in range(60):
            clock.now += 1.0
            first, second = (one, other) if k % 2 else (other, one)
            made = first.ask(Decide("prices", id=f"a{k}"))
            again = second.ask(Decide("prices", id=f"a{k}"))
            assert (again.new, again.decisions) == (False, made.decisions)
            assert second.ask(Reward("prices", [f"a{k}"], [0.5])).outcomes == ["recorded"]
            assert first.ask(Reward("prices", [f"a{k}"], [0.5])).outcomes == ["duplicate"]
        one.ask(Decide("prices", id="last"))
        other.ask(Decide("prices", id="last"))
        learners = [each._worker.experiments["prices"].learner for each in (one, other)]
        assert learners[0].position == learners[1].position == 121
        assert [learners[0].choose(f"x{k}", 2e3, None) for k in range(50)] == [
            learners[1].choose(f"x{k}", 2e3, None) for k in range(50)
        ]
    with open_store(url) as store:
        assert [event.position for event in store.tail(1, 0, 1000)] == list(range(1, 122))


def test_the_latest_decisions_are_pending_and_all_can_be_rewarded(monkeypatch, tmp_path):
    monkeypatch.setattr(pulls, "MOST_PENDING", 5)
    with Service(f"sqlite:///{tmp_path}/log.db", warm_up=False) as service:
        service.ask(Create("prices", definition()))
        for k in range(8):
            service.ask(Decide("prices", id=str(k), time=float(k)))
        learner = service._worker.experiments["prices"].learner
        assert list(learner.pending) == ["3", "4", "5", "6", "7"]
        assert learner.policy.pending[0].tolist() == [3.0, 4.0, 5.0, 6.0, 7.0]
        assert service.ask(Reward("prices", ["0", "4"], [0.1, 0.2])).outcomes == ["recorded", "recorded"]
        assert learner.policy.pending[0].tolist() == [3.0, 5.0, 6.0, 7.0]
        assert learner.counts.rewards == 2


@pytest.mark.parametrize("rewards_at_once", [1, 20])
def test_tables_are_tidied_however_events_alternate(rewards_at_once, monkeypatch):
    tidied = []
    learner = Learner("prices", describe("QuickDraw"))
    monkeypatch.setattr(learner.policy, "_tidy", tidied.append)
    waiting = []
    for k in range(60):
        plan = Plan(learner, {}, 100.0 + k, DecisionIds())
        plan.answer(Decide("prices", id=str(k), time=float(k)))
        plan.undo()
        learner.apply(plan.events)
        waiting.append(str(k))
        if len(waiting) == rewards_at_once:
            plan = Plan(learner, {}, 100.0 + k, DecisionIds())
            plan.answer(Reward("prices", waiting, [0.5] * len(waiting)))
            plan.undo()
            learner.apply(plan.events)
            waiting = []
    # At a decision that comes eight events or more after the last time.
    assert tidied[:3] == ([4.0, 8.0, 12.0] if rewards_at_once == 1 else [7.0, 15.0, 20.0])


def test_a_snapshot_of_an_earlier_version_without_scales_is_read():
    described = describe("AdaptiveQuickDraw")
    learner = Learner("prices", described)
    play(learner, 10, 0, seed=0)
    snapshot = Encoding(learner).finish()
    packed = msgspec.msgpack.encode(msgspec.msgpack.decode(snapshot.content[32:])[:-1])
    restored = restore("prices", described, Snapshot(snapshot.position, hashlib.sha256(packed).digest() + packed))
    assert (restored.position, len(restored.scales_over_time)) == (learner.position, 0)
