"""Compiling ahead, once per kind of experiment and process, so that no decision waits for compiled code."""

import logging
import threading
from collections.abc import Iterable
from contextlib import suppress

import msgspec

from quickdraw_bandits import warm_up
from quickdraw_service.definition import build, parameters_of
from quickdraw_service.errors import ServiceError
from quickdraw_service.ids import DecisionIds
from quickdraw_service.learner import Learner
from quickdraw_service.plan import Frequent, Plan
from quickdraw_service.questions import belief, explain
from quickdraw_service.requests import Decide, Definition, Reward
from quickdraw_service.snapshots import Encoding, restore

FEW = 100
"""Arms of the small experiment that stands for one of the same kind."""
ROUNDS = 60
"""Transactions that it plays: tables begin after 32 observations."""
START, STEP = 1.7e9, 0.01
"""Times as a server's clock has them."""
USUAL = tuple(
    Definition((0.0, 1.0, FEW), None, "euclidean", None, policy, {}, 0.05, 0, None)
    for policy in ("QuickDraw", "AdaptiveQuickDraw")
)
"""What most experiments will be."""
_warmed: set[bytes] = set()
_one_at_a_time = threading.Lock()
logger = logging.getLogger("quickdraw_service")


def warm(definitions: Iterable[Definition]) -> None:
    """Compile or load what experiments of these kinds need, unless this process has done so; may take seconds."""
    for definition in definitions:
        small = _small(definition)
        kind = msgspec.json.encode((small.policy, small.metric, _dimension(small), sorted(small.parameters.items())))
        with _one_at_a_time:
            if kind in _warmed:
                continue
            try:
                warm_up(build(small))
                _play(small)
            except Exception:
                # The experiment itself may work all the same.
                logger.exception("compiling ahead for %s failed", definition.policy)
            _warmed.add(kind)


def _small(definition: Definition) -> Definition:
    """Return an experiment of the same kind with few arms."""
    if "window" in parameters_of(definition.policy):  # one that is soon full
        definition = msgspec.structs.replace(definition, parameters={**definition.parameters, "window": 16})
    if definition.grid is not None:
        low, high, n = definition.grid
        return msgspec.structs.replace(definition, grid=(low, high, min(n, FEW)), labels=None)
    points = definition.points
    assert points is not None
    some = points[:FEW, :FEW] if definition.metric == "precomputed" else points[:FEW]
    return msgspec.structs.replace(definition, points=some, labels=None)


def _dimension(definition: Definition) -> int:
    return 1 if definition.points is None or definition.metric == "precomputed" else definition.points.shape[1]


def _play(definition: Definition) -> None:
    """Do with a learner all that a server does: choose, apply, answer questions, take and read a snapshot."""
    learner, ids, waiting = Learner("warm-up", definition), DecisionIds(), list[str]()
    for k in range(ROUNDS):
        time, n_arms = START + STEP * k, len(learner.arms)
        requests: list[Frequent] = [Decide("warm-up", time=time)]
        if k % 8 == 0:
            requests += [
                Decide("warm-up", time=time, count=min(3, n_arms)),
                Decide("warm-up", time=time, among=list(range(min(4, n_arms)))),
            ]
        if k % 2:
            requests.insert(0, Reward("warm-up", waiting, [float(j % 2) for j in range(len(waiting))]))
            waiting = []
        plan = Plan(learner, {}, time, ids)
        try:
            for request in requests:
                plan.answer(request)
        finally:
            plan.undo()
        learner.apply(plan.events)
        waiting += [event.id for event in plan.events if event.kind == "decision" and event.id is not None]
    restore("warm-up", definition, Encoding(learner).finish())
    for question in (lambda: belief(learner, START + 1, FEW), lambda: explain(learner, 0, START + 1, 3)):
        with suppress(ServiceError):  # some policies have no answer
            question()
