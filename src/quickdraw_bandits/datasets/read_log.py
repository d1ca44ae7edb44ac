"""Logs with named columns, from CSV or Parquet."""

from collections.abc import Hashable
from os import PathLike
from pathlib import Path

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.datasets import convert
from quickdraw_bandits.datasets.log import Log, arms_on_a_line
from quickdraw_bandits.datasets.tables import columns_of


def read_log(
    path: str | PathLike[str],
    *,
    time: str = "time",
    arm: str = "arm",
    reward: str = "reward",
    propensity: str = "propensity",
    group: str | None = None,
    coordinate: str | None = None,
    sort: bool = False,
) -> Log:
    r"""Read a log from a table: ``.csv``, ``.csv.gz``, ``.parquet`` or ``.pq``.

    Every row is read; a bad value raises ValueError with file, column and row. Other columns are not read and are
    listed in ``left_out``.

    Parameters
    ----------
    path
        The table.
    time, arm, reward, propensity
        Names of the columns; by default as the parameters. Times are numbers or ISO dates (in UTC unless they name a
        zone). Propensities are the probabilities with which the logged arms were chosen.
    group
        Column of the groups, which are evaluated separately; None (default) for a single group.
    coordinate
        Column with the coordinate of the arm on a line, which is scaled to [-1, 1]. With None (default), arms with
        numeric labels lie at these numbers, and other arms are all at the same distance from each other.
    sort
        Sort the rows by time, keeping the order of equal times. By default, rows out of order raise ValueError.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "log.csv"
    >>> _ = path.write_text("time,arm,reward,propensity\n0,red,1,0.5\n1,blue,0,0.25\n")
    >>> log = read_log(path)
    >>> log, log.arm_names
    (Log(2 events, 2 arms, 1 group, mean reward 0.5), ('blue', 'red'))
    """
    path = Path(path)
    arm_labels, group_labels = convert.Labels(), convert.Labels()
    converters: dict[str, convert.Converter] = {
        time: convert.times,
        arm: arm_labels,
        reward: convert.numbers,
        propensity: convert.probabilities,
    }
    wanted = [time, arm, reward, propensity]
    if group is not None:
        wanted.append(group)
        converters[group] = group_labels
    if coordinate is not None:
        wanted.append(coordinate)
        converters[coordinate] = convert.numbers
    if len(set(wanted)) != len(wanted):
        raise ValueError(f"time, arm, reward, propensity, group and coordinate must be different columns, got {wanted}")
    columns = convert.read_columns(path, converters)

    arm_codes, arm_values = _in_order(columns[arm], list(arm_labels.codes))
    if coordinate is not None:
        arms = arms_on_a_line(_one_coordinate_each(columns[coordinate], arm_codes, arm_values, path, coordinate))
    else:
        arms = _arms_from_labels(arm_values)
    if group is not None:
        group_codes, group_values = _in_order(columns[group], list(group_labels.codes))
    else:
        group_codes, group_values = np.zeros(len(arm_codes), dtype=np.int64), ["all"]
    order = np.argsort(columns[time], kind="stable") if sort else np.arange(len(arm_codes))
    convert.check_order(columns[time][order], path, time)
    return Log(
        time=columns[time][order],
        arm=arm_codes[order],
        reward=columns[reward][order],
        propensity=columns[propensity][order],
        group=group_codes[order],
        arms=arms,
        arm_names=tuple(map(str, arm_values)),
        group_names=tuple(map(str, group_values)),
        source=str(path),
        left_out={f"column {name!r}": 1 for name in columns_of(path) if name not in converters},
    )


def _numeric(labels: list[Hashable]) -> Floats | None:
    """Return labels as finite numbers, or None if one is not."""
    try:
        values: Floats = np.array(labels, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return values if np.isfinite(values).all() else None


def _in_order(codes: convert.Column, labels: list[Hashable]) -> tuple[Integers, list[Hashable]]:
    """Renumber labels in sorted order: as numbers if all are, as text otherwise."""
    values = _numeric(labels)
    order = np.argsort(values if values is not None else np.array([str(label) for label in labels]), kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[codes], [labels[i] for i in order]


def _arms_from_labels(labels: list[Hashable]) -> Arms:
    values = _numeric(labels)
    if values is not None:
        return arms_on_a_line(values)
    return Arms(1.0 - np.eye(len(labels)), metric="precomputed")


def _one_coordinate_each(values: Floats, codes: Integers, labels: list[Hashable], path: Path, column: str) -> Floats:
    coordinates = np.empty(len(labels))
    coordinates[codes] = values
    if (coordinates[codes] != values).any():
        # The last row of an arm has set its coordinate; show the first row that differs.
        bad = int(np.flatnonzero(coordinates[codes] != values)[0])
        expectation = f"the same in all rows of arm {labels[codes[bad]]!r}, as {float(coordinates[codes[bad]])!r} is"
        raise convert.Place(path, column, 1).error(bad, expectation, float(values[bad]))
    return coordinates
