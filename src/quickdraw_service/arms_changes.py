"""Arms that come and go."""

from collections.abc import Callable

import numpy as np

from quickdraw_service.bodies import pack_arms, pack_positions
from quickdraw_service.errors import BadRequestError, ConflictError
from quickdraw_service.experiment import Experiment, not_loaded
from quickdraw_service.ids import is_id
from quickdraw_service.requests import AddArms, ArmsChanged, RetireArms
from quickdraw_service.stores.store import ARMS, RETIRED, Event, Store


def change_arms(
    store: Store,
    experiment: Experiment,
    request: AddArms | RetireArms,
    now: float,
    check_room: Callable[[int], None] = lambda new: None,
) -> ArmsChanged:
    """Add or retire arms, in a transaction of its own; ``check_room`` raises if there are too many new ones."""
    with store.writing([experiment.number]):
        experiment.follow(store)
        if experiment.failed:
            raise not_loaded(experiment.name)
        try:
            if isinstance(request, AddArms):
                answer, event = _add(store, experiment, request, now, check_room)
            else:
                answer, event = _retire(experiment, request, now)
        except (ValueError, NotImplementedError) as error:
            raise BadRequestError(str(error)) from error
        if event is not None:
            store.append(experiment.number, [event])
    experiment.follow(store)
    return answer


def _add(
    store: Store, experiment: Experiment, request: AddArms, now: float, check_room: Callable[[int], None]
) -> tuple[ArmsChanged, Event | None]:
    learner = experiment.learner
    body = pack_arms(np.atleast_2d(np.asarray(request.points, dtype=np.float64)), request.labels)
    if request.id is not None:
        if not is_id(request.id):
            raise ValueError(f"id must be 1 to 128 characters without a null character, got {request.id[:140]!r}")
        earlier = store.find(experiment.number, [request.id]).get((ARMS, request.id))
        if earlier is not None:
            if earlier.body != body:
                raise ConflictError(f"the id {request.id!r} was used for other arms", "use another id")
            return ArmsChanged(list(range(earlier.arm, earlier.arm + int(earlier.value))), new=False), None
    before = len(learner.arms)
    grown = learner.arms.extended(request.points, request.labels)
    learner.policy._check_growth(grown)  # the log must hold nothing that no learner can take
    after = len(grown)
    if request.most is not None and after > request.most:
        raise BadRequestError(
            f"arms: this server takes at most {request.most:,}, got {after - before:,} beside {before:,}",
            "Retired arms count as well; begin a new experiment.",
        )
    check_room(after - before)
    event = _event(experiment, ARMS, request.id, now, before, after - before, body)
    return ArmsChanged(list(range(before, after)), new=True), event


def _retire(experiment: Experiment, request: RetireArms, now: float) -> tuple[ArmsChanged, Event | None]:
    policy = experiment.learner.policy
    asked = np.unique(experiment.learner.positions(request.arms))
    retired = policy._retired
    fresh = asked if retired is None else asked[~retired[asked]]
    left = len(policy.arms) - (0 if retired is None else int(retired.sum())) - len(fresh)
    if left == 0:
        raise ValueError("arms must leave at least one that is not retired, got all")
    if len(fresh) == 0:
        return ArmsChanged(asked.tolist(), new=False), None
    event = _event(experiment, RETIRED, None, now, len(fresh), 0, pack_positions(fresh))
    return ArmsChanged(asked.tolist(), new=True), event


def _event(experiment: Experiment, kind: str, id: str | None, now: float, arm: int, value: float, body: bytes) -> Event:
    learner = experiment.learner
    at = max(now, learner.last_at)
    return Event(learner.position + 1, kind, id, at, at, arm, float(value), body)
