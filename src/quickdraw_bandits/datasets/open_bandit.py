"""The Open Bandit Dataset: items shown by a fashion shop, and clicks (section 6 of the paper).

Saito, Aihara, Matsutani and Narita, "Open Bandit Dataset and Pipeline", arXiv 2008.07146.
"""

from importlib.resources import as_file, files
from os import PathLike
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Integers
from quickdraw_bandits.datasets import convert
from quickdraw_bandits.datasets.log import Log, arms_on_a_line
from quickdraw_bandits.datasets.tables import Fields, columns_of, require_columns

Behavior = Literal["random", "bts"]

SAMPLE = "open_bandit_sample"
AFFINITY = "user-item_affinity_"
USER = "user_feature_"


def open_bandit(
    path: str | PathLike[str] | None = None,
    campaign: str = "women",
    behavior: Behavior = "random",
    *,
    affinity: bool = False,
    sort: bool = False,
) -> Log:
    """Read a campaign of the Open Bandit Dataset.

    Groups are the distinct combinations of the categorical user features. The coordinate of an arm is its
    ``item_feature_0``, scaled to [-1, 1]. Times are seconds since 1970. No row is dropped; columns that are not kept
    are listed in ``left_out``.

    Parameters
    ----------
    path
        Folder with ``{behavior}/{campaign}/{campaign}.csv`` (or ``.csv.gz``) and ``item_context.csv`` in the same
        place, as published. None (default) reads the public sample of 10,000 events of the campaign ``"women"``, which
        comes with the package.
    campaign
        ``"women"`` (default), ``"men"`` or ``"all"``.
    behavior
        The logging policy: ``"random"`` (default), or ``"bts"`` for Bernoulli Thompson sampling.
    affinity
        Keep the user-item affinities, one number per event and arm; default False.
    sort
        Sort the rows by time, keeping the order of equal times. By default, rows out of order raise ValueError.

    Examples
    --------
    >>> open_bandit()
    Log(10,000 events, 46 arms, 205 groups, mean reward 0.0046)
    """
    if behavior not in get_args(Behavior):
        raise ValueError(f"behavior must be one of {', '.join(get_args(Behavior))}, got {behavior!r}")
    if path is None:
        if campaign != "women":
            raise ValueError(
                f"campaign must be 'women' for the sample within the package, got {campaign!r}; give a path"
            )
        return _sample(behavior, affinity)
    folder = Path(path) / behavior / campaign
    events = _plain_or_gzip(folder, f"{campaign}.csv")
    context = _plain_or_gzip(folder, "item_context.csv")
    return read_open_bandit(events, context, affinity=affinity, sort=sort)


def read_open_bandit(events: Path, context: Path, *, affinity: bool = False, sort: bool = False) -> Log:
    """Read a table of events and the table of its items."""
    items = convert.read_columns(context, {"item_id": convert.numbers, "item_feature_0": convert.numbers})
    by_id = np.argsort(items["item_id"])
    ids, coordinates = items["item_id"][by_id], items["item_feature_0"][by_id]
    repeated = np.flatnonzero(np.diff(ids) == 0)
    if len(repeated):
        row = int(by_id[repeated[0] + 1])
        raise convert.Place(context, "item_id", 1).error(row, "an item that no other row has", ids[repeated[0]].item())

    present = columns_of(events)
    features = [name for name in present if name.startswith(USER)]
    affinities = [f"{AFFINITY}{item:.0f}" for item in ids] if affinity else []
    labels = {name: convert.Labels() for name in features}

    def position(fields: Fields, place: convert.Place) -> Integers:
        values = convert.numbers(fields, place)
        found = np.minimum(np.searchsorted(ids, values), len(ids) - 1)
        if (ids[found] != values).any():
            bad = int(np.flatnonzero(ids[found] != values)[0])
            raise place.error(bad, f"an item that {context} describes", fields[bad])
        return found.astype(np.int64)

    converters: dict[str, convert.Converter] = {
        "timestamp": convert.times,
        "item_id": position,
        "click": convert.numbers,
        "propensity_score": convert.probabilities,
        **labels,
        **dict.fromkeys(affinities, _single),
    }
    require_columns(events, list(converters))
    columns = convert.read_columns(events, converters)
    if sort:
        order = np.argsort(columns["timestamp"], kind="stable")
        columns = {name: column[order] for name, column in columns.items()}
    convert.check_order(columns["timestamp"], events, "timestamp")
    group, group_names = _combinations(
        [columns[name] for name in features], [list(map(str, labels[n].codes)) for n in features]
    )
    left_out = {f"columns {AFFINITY}*": sum(name.startswith(AFFINITY) for name in present) - len(affinities)}
    left_out |= {f"column {name!r}": 1 for name in present if name not in converters and not name.startswith(AFFINITY)}
    return Log(
        time=columns["timestamp"],
        arm=columns["item_id"],
        reward=columns["click"],
        propensity=columns["propensity_score"],
        group=group if features else np.zeros(len(columns["click"]), dtype=np.int64),
        arms=arms_on_a_line(coordinates),
        arm_names=tuple(f"{item:.0f}" for item in ids),
        group_names=group_names,
        source=str(events),
        left_out={what: count for what, count in left_out.items() if count},
        affinity=np.stack([columns[name] for name in affinities], axis=1) if affinities else None,
    )


def _single(fields: Fields, place: convert.Place) -> NDArray[np.float32]:
    return convert.numbers(fields, place).astype(np.float32)


def _plain_or_gzip(folder: Path, name: str) -> Path:
    for candidate in (folder / name, folder / f"{name}.gz"):
        if candidate.is_file():
            return candidate
    raise ValueError(f"{folder} must hold {name} or {name}.gz, and has neither")


def _combinations(codes: list[convert.Column], names: list[list[str]]) -> tuple[Integers, tuple[str, ...]]:
    """Return numbers for the combinations of labels that occur, in the order of their names."""
    if not codes:
        return np.empty(0, dtype=np.int64), ("all",)
    rows, inverse = np.unique(np.stack(codes, axis=1), axis=0, return_inverse=True)
    full = ["/".join(names[i][code] for i, code in enumerate(row)) for row in rows]
    order = np.argsort(full)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[inverse.reshape(-1)], tuple(full[i] for i in order)


def _sample(behavior: Behavior, affinity: bool) -> Log:
    """Return the sample that comes with the package; see its NOTICE."""
    with as_file(files(__package__) / SAMPLE / f"{behavior}_women.npz") as file, np.load(file) as stored:
        parts = dict(stored)
    kept: NDArray[np.float32] | None = None
    if affinity:
        kept = np.zeros((len(parts["arm"]), len(parts["coordinate"])), dtype=np.float32)
        kept[parts["affinity_row"], parts["affinity_arm"]] = parts["affinity_value"]
    return Log(
        time=np.cumsum(parts["time_step"]) / 1e6,
        arm=parts["arm"].astype(np.int64),
        reward=parts["reward"].astype(np.float64),
        propensity=parts["propensity"],
        group=parts["group"].astype(np.int64),
        arms=arms_on_a_line(parts["coordinate"]),
        arm_names=tuple(str(arm) for arm in range(len(parts["coordinate"]))),
        group_names=tuple(str(parts["group_names"]).split("\n")),
        source=f"Open Bandit sample, {behavior}/women",
        left_out=({} if affinity else {f"columns {AFFINITY}*": len(parts["coordinate"])})
        | {"column ''": 1, "column 'position'": 1},
        affinity=kept,
    )
