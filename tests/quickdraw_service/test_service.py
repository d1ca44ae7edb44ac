"""One service on each kind of store: what it answers, and what is in the log afterwards."""

import math
import threading

import msgspec
import numpy as np
import pytest

from benchmarks.reliability.examples import Clock, definition
from quickdraw_service import creating, experiment, learner
from quickdraw_service.errors import (
    BadRequestError,
    ConflictError,
    UnavailableError,
    UnknownDecisionError,
    UnknownExperimentError,
)
from quickdraw_service.ids import DecisionRandom
from quickdraw_service.requests import (
    AddArms,
    ArmsChanged,
    Create,
    Created,
    Decide,
    Observe,
    Observed,
    RetireArms,
    Reward,
)
from quickdraw_service.service import Service


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def service(url, clock):
    with Service(url, warm_up=False, clock=clock) as found:
        found.ask(Create("prices", definition()))
        yield found


def decide(service, **given):
    return service.ask(Decide("prices", **given)).decisions


def reward(service, *pairs):
    ids, rewards = zip(*pairs, strict=True)
    return service.ask(Reward("prices", list(ids), list(rewards))).outcomes


def test_a_definition_can_be_given_again_and_not_changed(service):
    assert service.ask(Create("prices", definition())) == Created(new=False)
    assert service.ask(Create("other", definition())) == Created(new=True)
    with pytest.raises(ConflictError, match="another definition"):
        service.ask(Create("prices", definition(seed=1)))


def test_the_thread_that_writes_builds_nothing_that_was_prepared(service, monkeypatch):
    points = np.random.default_rng(0).random((50, 2))
    described = definition(grid=None, points=points, labels=[f"arm {k}" for k in range(50)])
    threads = []
    for module, name in ((learner, "build"), (creating, "to_stored"), (experiment, "from_stored")):
        real = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *given, real=real: (threads.append(threading.current_thread().name), real(*given))[1]
        )
    request = service.prepare(Create("prepared", described))
    assert len(threads) == 2  # the policy, and what is stored
    assert service.ask(request) == Created(new=True)
    assert not [name for name in threads if name == "quickdraw-worker"]
    service.ask(Create("plain", described))
    assert "quickdraw-worker" in threads  # who does not prepare has it done there
    service._worker.experiments["plain"].learner.random = DecisionRandom("prepared", described.seed)
    for k in range(20):
        made = [service.ask(Decide(name, f"{k}", time=float(k))).decisions[0] for name in ("prepared", "plain")]
        assert made[0] == made[1]
        for name in ("prepared", "plain"):
            service.ask(Reward(name, [f"{k}"], [made[0].point[0]]))
    assert service.ask(service.prepare(Create("prepared", described))) == Created(new=False)
    moved = msgspec.structs.replace(described, points=points[::-1])
    with pytest.raises(ConflictError, match="another definition"):
        service.ask(service.prepare(Create("prepared", moved)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"policy": "os.system"}, "policy must be one of"),
        ({"policy": "BanditConvex"}, "policy must be one of"),
        ({"parameters": {"seed": 1}}, "parameters of QuickDraw must be one of"),
        ({"parameters": {"length_scale": "long"}}, "length_scale"),
        ({"uniform": 1.5}, "uniform"),
        ({"reward_within": 0.0}, "reward_within"),
        ({"grid": None}, "grid or by points"),
        ({"grid": (0.0, 1.0, 0)}, "n must be"),
        ({"seed": -1}, "seed"),
        ({"labels": ["a"]}, "labels"),
        ({"metric": "cosine"}, "metric"),
    ],
)
def test_a_wrong_definition_is_refused(service, changes, message):
    with pytest.raises(BadRequestError, match=message):
        service.ask(Create("wrong", definition(**changes)))
    assert [each.name for each in service.experiments()] == ["prices"]


def test_the_same_id_gives_the_same_decision(service):
    first = decide(service, id="a", time=1.0)
    for k in range(20):
        decide(service, time=2.0 + k)
    assert decide(service, id="a", time=99.0) == first
    assert service.decision("prices", "a") == first[0]
    assert service.experiment("prices").decisions == 21


def test_several_decisions_are_of_different_arms_and_belong_together(service):
    made = decide(service, id="a", time=1.0, count=5)
    assert [each.id for each in made] == [f"a-{k}" for k in range(1, 6)]
    assert len({each.arm for each in made}) == 5
    assert decide(service, id="a", count=5) == made
    for count in (None, 4, 6):
        with pytest.raises(ConflictError, match="used for 5 decisions"):
            decide(service, id="a", count=count)
    with pytest.raises(ConflictError, match="belongs to another"):
        decide(service, id="a-1", count=None) and decide(service, id="b-2") and decide(service, id="b", count=3)
    assert service.experiment("prices").decisions == 6


def test_rewards_are_recorded_once(service):
    decide(service, id="a", time=1.0)
    assert reward(service, ("a", 0.5), ("a", 0.5), ("a", 0.6), ("b", 1.0)) == [
        "recorded",
        "duplicate",
        "conflict",
        "unknown",
    ]
    assert reward(service, ("a", 0.5), ("a", 0.6)) == ["duplicate", "conflict"]
    assert service.decision("prices", "a").reward == 0.5
    assert service.experiment("prices").rewards == 1


def test_a_reward_that_is_not_finite_is_refused_with_all_of_its_request(service):
    decide(service, id="a")
    for bad in (math.nan, math.inf):
        with pytest.raises(BadRequestError, match="finite"):
            reward(service, ("a", 0.5), ("a", bad))
    assert service.experiment("prices").rewards == 0


def test_late_rewards_count_at_the_time_of_the_pull(service):
    arm = decide(service, id="a", time=1.0)[0].arm
    decide(service, id="b", time=30.0)
    reward(service, ("a", 0.5))
    times, arms, rewards = service._worker.experiments["prices"].learner.policy.observations
    assert (times.tolist(), arms.tolist(), rewards.tolist()) == ([1.0], [arm], [0.5])


def test_probabilities_are_exact(service):
    first = decide(service, time=1.0)[0]
    assert first.probability == pytest.approx(1 / 20)
    among = decide(service, time=1.0, among=[3, 4])[0]
    assert among.arm in (3, 4)
    assert among.probability == pytest.approx(
        0.5 if first.arm not in (3, 4) else 0.025 if first.arm == among.arm else 0.975
    )


def test_the_clock_counts_and_never_goes_back(service, clock):
    assert decide(service)[0].time == 1000.0
    clock.now = 900.0
    assert decide(service)[0].time == 1000.0
    clock.now = 1100.0
    reward(service, (decide(service, id="x")[0].id, 0.5))
    clock.now = 900.0
    assert decide(service)[0].time == 1100.0


def test_a_time_that_is_wrong_leaves_the_clock_and_the_next_questions_alone(service, clock):
    assert decide(service, time=1.0e6)[0].time == 1.0e6  # milliseconds where seconds were meant
    assert decide(service)[0].time == 1000.0
    clock.now += 1.0
    assert decide(service)[0].time == 1001.0
    assert service.experiment("prices").latest_time == 1001.0
    assert service.belief("prices").time == 1001.0


def test_decisions_stop_being_pending_and_stay_rewardable(url, clock):
    with Service(url, warm_up=False, clock=clock) as service:
        service.ask(Create("prices", definition(reward_within=60.0)))
        decide(service, id="a", time=1.0)
        clock.now += 59.0
        decide(service, id="b", time=2.0)
        assert service.experiment("prices").pending == 2
        clock.now += 1.0
        decide(service, id="c", time=3.0)
        policy = service._worker.experiments["prices"].learner.policy
        assert service.experiment("prices").pending == 2
        assert policy.pending[0].tolist() == [2.0, 3.0]
        assert reward(service, ("a", 0.5), ("b", 0.25)) == ["recorded", "recorded"]
        assert policy.pending[0].tolist() == [3.0]
        assert sorted(policy.observations[2].tolist()) == [0.25, 0.5]
        clock.now += 59.0
        assert service.experiment("prices").pending == 1
        clock.now += 1.0
        assert [each.pending for each in service.experiments()] == [0]  # without another event
        assert reward(service, ("c", 0.5)) == ["recorded"]


def test_a_late_reward_leaves_another_pull_of_the_same_time_and_arm_pending(url, clock):
    with Service(url, warm_up=False, clock=clock) as service:
        service.ask(Create("prices", definition(reward_within=60.0)))
        decide(service, id="a", time=1.0, among=[3])
        clock.now += 60.0
        decide(service, id="b", time=1.0, among=[3])
        reward(service, ("a", 0.5))
        policy = service._worker.experiments["prices"].learner.policy
        assert len(policy.pending[0]) == 1
        reward(service, ("b", 0.5))
        assert len(policy.pending[0]) == 0


def test_observations_are_learned_once(service):
    request = Observe("prices", [1.0, 2.0], [3, 4], [0.1, 0.9], id="history")
    assert service.ask(request) == Observed(2, new=True)
    assert service.ask(request) == Observed(2, new=False)
    for other in (([1.0, 2.5], [3, 4], [0.1, 0.9]), ([1.0, 2.0], [3, 5], [0.1, 0.9]), ([1.0], [3], [0.1])):
        with pytest.raises(ConflictError, match="other observations"):
            service.ask(Observe("prices", *other, id="history"))
    assert service.experiment("prices").observations == 2
    assert service.belief("prices", 2.0, points=20).mean[4] > service.belief("prices", 2.0, points=20).mean[3]
    with pytest.raises(BadRequestError, match="from 0 to 19"):
        service.ask(Observe("prices", [1.0], [20], [0.1]))


@pytest.mark.parametrize("points", [1, 2, 3, 7, 19, 20, 30])
def test_a_thinned_belief_has_as_many_arms_as_asked_for_and_the_best(service, points):
    assert len(service.belief("prices", 2.0, points).arms) == min(points, 20)
    service.ask(Observe("prices", [1.0] * 20, list(range(20)), [0.9 if arm == 11 else 0.1 for arm in range(20)]))
    found = service.belief("prices", 2.0, points)
    assert len(found.arms) == min(points, 20)
    assert (np.diff(found.arms) > 0).all()
    probabilities = service._worker.experiments["prices"].learner.policy.probabilities(2.0)
    assert int(np.argmax(probabilities)) in found.arms
    if points > 2:
        assert (found.arms[0], found.arms[-1]) == (0, 19)


def test_arms_come_and_go(service):
    more = AddArms("prices", np.array([[1.5], [2.0]]), id="more")
    assert service.ask(more).positions == [20, 21]
    assert service.ask(more) == type(service.ask(more))([20, 21], new=False)
    with pytest.raises(ConflictError, match="other arms"):
        service.ask(AddArms("prices", np.array([[1.5], [2.1]]), id="more"))
    assert service.ask(RetireArms("prices", list(range(1, 22)))).positions == list(range(1, 22))
    assert service.ask(RetireArms("prices", [1])) == ArmsChanged([1], new=False)
    assert {decide(service)[0].arm for _ in range(10)} == {0}
    with pytest.raises(BadRequestError, match="at least one"):
        service.ask(RetireArms("prices", [0]))
    with pytest.raises(BadRequestError, match="retired"):
        decide(service, among=[1, 2])


def test_labels_stand_for_arms(url):
    with Service(url, warm_up=False) as service:
        service.ask(Create("prices", definition(grid=None, points=np.eye(3), labels=["x", "y", "z"])))
        made = decide(service, among=["y"])[0]
        assert (made.arm, made.label, made.point) == (1, "y", [0.0, 1.0, 0.0])
        assert service.explain("prices", "y").label == "y"
        with pytest.raises(BadRequestError, match="label"):
            decide(service, among=["w"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"time": math.inf}, "time"),
        ({"among": []}, "at least one"),
        ({"among": [20]}, "from 0 to 19"),
        ({"among": ["x"]}, "no labels"),
        ({"count": 0}, "count"),
        ({"count": 21}, "count"),
        ({"id": ""}, "id"),
        ({"id": "a" * 129}, "id"),
        ({"id": "\0"}, "id"),
    ],
)
def test_wrong_decisions_are_refused(service, given, message):
    with pytest.raises(BadRequestError, match=message):
        decide(service, **given)
    assert service.experiment("prices").position == 0


def test_what_is_not_there_is_said(service):
    with pytest.raises(UnknownExperimentError):
        service.ask(Decide("nothing"))
    with pytest.raises(UnknownExperimentError):
        service.experiment("nothing")
    with pytest.raises(UnknownDecisionError):
        service.decision("prices", "nothing")


def test_decisions_come_in_pages_the_newest_first(service):
    made = [decide(service, id=f"d{k}")[0] for k in range(7)]
    page = service.decisions("prices", limit=3)
    assert page == made[:3:-1]
    assert service.decisions("prices", after=page[-1].id, limit=3) == made[3:0:-1]


def test_the_log_has_decisions_with_their_rewards(service):
    made = [decide(service, id=f"d{k}")[0] for k in range(4)]
    reward(service, ("d0", 0.5), ("d2", 0.25))
    (rows,) = service.log("prices")
    assert (rows.ids, rows.rewards.tolist()) == (["d0", "d2"], [0.5, 0.25])
    assert rows.propensities.tolist() == [made[0].probability, made[2].probability]
    (rows,) = service.log("prices", unrewarded=True)
    assert rows.ids == ["d0", "d1", "d2", "d3"]


def test_nothing_is_taken_before_the_start_and_after_the_end(url):
    service = Service(url, warm_up=False)
    with pytest.raises(UnavailableError):
        service.ask(Create("prices", definition()))
    with service:
        service.ask(Create("prices", definition()))
    with pytest.raises(UnavailableError):
        service.ask(Decide("prices"))


def test_all_experiments_together_have_a_limit_of_arms(tmp_path):
    with Service(f"sqlite:///{tmp_path}/log.db", warm_up=False, most_arms=50) as service:
        for name in ("one", "two"):
            assert service.ask(Create(name, definition(grid=(0.0, 1.0, 20)))).new
        with pytest.raises(BadRequestError, match="50 arms together, and have 40"):
            service.ask(Create("three", definition(grid=(0.0, 1.0, 11))))
        assert not service.ask(Create("two", definition(grid=(0.0, 1.0, 20)))).new
        assert service.ask(Create("three", definition(grid=(0.0, 1.0, 10)))).new
        assert [each.name for each in service.experiments()] == ["one", "three", "two"]
