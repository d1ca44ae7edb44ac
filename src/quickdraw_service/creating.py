"""New experiments: checked, and written unless there is one of the name."""

from collections.abc import Callable, Mapping

from quickdraw_service.definition import build, check_name, to_stored
from quickdraw_service.errors import BadRequestError, ConflictError
from quickdraw_service.experiment import Experiment
from quickdraw_service.requests import Create, Created
from quickdraw_service.stores.store import Store, StoredExperiment


def create(
    store: Store,
    request: Create,
    known: Mapping[str, Experiment],
    add: Callable[[StoredExperiment], object],
    now: float,
    most_arms: int,
) -> Created:
    """Begin an experiment, in a transaction of its own; ``add`` is given one that was not known."""
    check_name(request.experiment)
    n_arms = len(build(request.definition).arms)
    text, points = to_stored(request.definition)
    if request.experiment not in known:
        there = sum(len(each.learner.arms) for each in known.values())
        if there + n_arms > most_arms:
            raise BadRequestError(
                f"all experiments of this server may have {most_arms:,} arms together, and have {there:,} already",
                "Raise the limit all_arms of the server, if it has the memory.",
            )
        stored, new = store.create(request.experiment, text, points, now)
        add(stored)
        if (stored.definition, stored.points) == (text, points):
            return Created(new)
    elif to_stored(known[request.experiment].definition) == (text, points):
        return Created(new=False)
    raise ConflictError(
        f"the experiment {request.experiment!r} has another definition", "choose another name, or leave it as it is"
    )
