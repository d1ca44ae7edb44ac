"""New experiments: checked, and written unless there is one of the name."""

from collections.abc import Callable, Mapping

import msgspec
import numpy as np

from quickdraw_service.definition import check_name, to_stored
from quickdraw_service.errors import BadRequestError, ConflictError
from quickdraw_service.experiment import Experiment
from quickdraw_service.learner import Learner
from quickdraw_service.requests import Create, Created, Definition
from quickdraw_service.stores.store import Store, StoredExperiment


class Prepared(msgspec.Struct, frozen=True):
    """What an experiment is made of once it is in the store: all that takes long with many arms."""

    text: str
    points: bytes | None
    learner: Learner


def prepare(request: Create) -> Create:
    """Return a request with all that can be made before it is carried out; raises what is wrong with it.

    Any thread may do this, so that the one that writes decisions need not wait for it.
    """
    check_name(request.experiment)
    learner = Learner(request.experiment, request.definition)
    return msgspec.structs.replace(request, prepared=Prepared(*to_stored(request.definition), learner))


def check_room(known: Mapping[str, Experiment], new: int, most_arms: int) -> None:
    """Raise BadRequestError if so many new arms are too many for all experiments together."""
    there = sum(len(each.learner.arms) for each in known.values())
    if there + new > most_arms:
        raise BadRequestError(
            f"all experiments of this server may have {most_arms:,} arms together, and have {there:,} already",
            "Raise the limit all_arms of the server, if it has the memory.",
        )


def create(
    store: Store,
    request: Create,
    known: Mapping[str, Experiment],
    add: Callable[[StoredExperiment, Experiment | None], object],
    now: float,
    most_arms: int,
) -> Created:
    """Begin an experiment, in a transaction of its own; ``add`` is given one that was not known."""
    prepared = (request if request.prepared is not None else prepare(request)).prepared
    assert prepared is not None
    if request.experiment not in known:
        check_room(known, len(prepared.learner.arms), most_arms)
        stored, new = store.create(request.experiment, prepared.text, prepared.points, now)
        add(stored, Experiment(stored, request.definition, prepared.learner) if new else None)
        if new or (stored.definition, stored.points) == (prepared.text, prepared.points):
            return Created(new)
    elif _same(known[request.experiment].definition, request.definition, prepared.text):
        return Created(new=False)
    raise ConflictError(
        f"the experiment {request.experiment!r} has another definition", "Choose another name, or leave it as it is."
    )


def _same(known: Definition, given: Definition, text: str) -> bool:
    """Tell whether two definitions are the same; ``text`` is the given one as JSON, without its points."""
    there, new = known.points, given.points
    if there is None or new is None:
        same = there is None and new is None
    else:
        same = there.shape == new.shape and bool(np.array_equal(there, new))
    return same and to_stored(msgspec.structs.replace(known, points=None))[0] == text
