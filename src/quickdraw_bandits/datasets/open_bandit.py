"""The Open Bandit Dataset: items shown by a fashion shop, and clicks (section 6 of the paper).

Saito, Aihara, Matsutani and Narita, "Open Bandit Dataset and Pipeline", arXiv 2008.07146.
"""

from importlib.resources import as_file, files
from os import PathLike
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.datasets.log import Log, arms_on_a_line
from quickdraw_bandits.tables import Coded, FileTable
from quickdraw_bandits.tables.table import Kind

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
    ids, coordinates = items_of(context)
    table = FileTable(events)
    features = [name for name in table.columns if name.startswith(USER)]
    affinities = [f"{AFFINITY}{item:.0f}" for item in ids] if affinity else []
    kinds: dict[str, Kind] = {"timestamp": "times"}
    kinds |= dict.fromkeys(("item_id", "click", "propensity_score", *affinities), "numbers")
    kinds |= dict.fromkeys(features, "labels")
    found = table.read(kinds)
    columns = {name: table.numbers(found, name) for name, kind in kinds.items() if kind != "labels"}
    position = np.minimum(np.searchsorted(ids, columns["item_id"]), len(ids) - 1)
    unknown = ids[position] != columns["item_id"]
    if unknown.any():
        bad = int(np.flatnonzero(unknown)[0])
        raise table.error("item_id", bad, f"an item that {context} describes", columns["item_id"][bad].item())
    table.check_probabilities("propensity_score", columns["propensity_score"])
    group, group_names = _combinations([found[name] for name in features], len(position))
    order = np.argsort(columns["timestamp"], kind="stable") if sort else slice(None)
    table.check_order("timestamp", columns["timestamp"][order])
    present = table.columns
    left_out = {f"columns {AFFINITY}*": sum(name.startswith(AFFINITY) for name in present) - len(affinities)}
    left_out |= {f"column {name!r}": 1 for name in present if name not in kinds and not name.startswith(AFFINITY)}
    return Log(
        time=columns["timestamp"][order],
        arm=position[order],
        reward=columns["click"][order],
        propensity=columns["propensity_score"][order],
        group=group[order],
        arms=arms_on_a_line(coordinates),
        arm_names=tuple(f"{item:.0f}" for item in ids),
        group_names=group_names,
        source=str(events),
        left_out={what: count for what, count in left_out.items() if count},
        affinity=np.stack([columns[name][order].astype(np.float32) for name in affinities], axis=1)
        if affinities
        else None,
    )


def items_of(context: Path) -> tuple[Floats, Floats]:
    """Return numbers and coordinates of the items, in the order of the numbers."""
    table = FileTable(context)
    found = table.read({"item_id": "numbers", "item_feature_0": "numbers"})
    ids, coordinates = table.numbers(found, "item_id"), table.numbers(found, "item_feature_0")
    by_id = np.argsort(ids, kind="stable")
    repeated = np.flatnonzero(np.diff(ids[by_id]) == 0)
    if len(repeated):
        row = int(by_id[repeated[0] + 1])
        raise table.error("item_id", row, "an item that no other row has", ids[row].item())
    return ids[by_id], coordinates[by_id]


def _plain_or_gzip(folder: Path, name: str) -> Path:
    for candidate in (folder / name, folder / f"{name}.gz"):
        if candidate.is_file():
            return candidate
    raise ValueError(f"{folder} must hold {name} or {name}.gz, and has neither")


def _combinations(columns: list[Floats | Coded], n_rows: int) -> tuple[Integers, tuple[str, ...]]:
    """Return numbers for the combinations of labels that occur, in the order of their names."""
    codes, names = np.zeros(n_rows, dtype=np.int64), [""]
    for column in columns:
        assert isinstance(column, Coded)
        # Renumbered after each column, so that numbers stay small: a mark for each is faster than sorting them.
        number = codes * len(column.labels) + column.codes
        occurs = np.zeros(len(names) * len(column.labels), dtype=np.bool_)
        occurs[number] = True
        pairs, codes = np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[number]
        before, label = np.divmod(pairs, len(column.labels))
        names = [f"{names[i]}/{column.labels[k]}" for i, k in zip(before.tolist(), label.tolist(), strict=True)]
    if not columns:
        return codes, ("all",)
    order = np.argsort(names)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[codes], tuple(names[i].removeprefix("/") for i in order)


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
