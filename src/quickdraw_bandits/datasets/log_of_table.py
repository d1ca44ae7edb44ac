"""A log from the columns of a table, be it a file or a data frame."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, number
from quickdraw_bandits.datasets.log import Log, arms_on_a_line
from quickdraw_bandits.tables import Coded, Table
from quickdraw_bandits.tables.table import Kind


@dataclass(frozen=True)
class Columns:
    """The names of the columns of a log; ``group`` and ``coordinate`` are None where there are none."""

    time: str
    arm: str
    reward: str
    propensity: str
    group: str | None = None
    coordinate: str | None = None

    def kinds(self) -> dict[str, Kind]:
        """Return how each column is read."""
        named: list[tuple[str | None, Kind]] = [
            (self.time, "times"),
            (self.arm, "labels"),
            (self.reward, "numbers"),
            (self.propensity, "numbers"),
            (self.group, "labels"),
            (self.coordinate, "numbers"),
        ]
        wanted = [(name, kind) for name, kind in named if name is not None]
        if len(dict(wanted)) != len(wanted):
            raise ValueError(
                "time, arm, reward, propensity, group and coordinate must be different columns, got "
                f"{[name for name, _ in wanted]}"
            )
        return dict(wanted)


def log_of_table(
    table: Table, columns: Columns, arms: Arms | None = None, fill: float | None = None, sort: bool = False
) -> Log:
    """Return the log in a table; parameters as for ``read_log``."""
    kinds = columns.kinds()
    if arms is not None and columns.coordinate is not None:
        raise ValueError("coordinate must be left out if arms are given, which have coordinates already")
    for role in ("time", "arm", "reward", "propensity"):
        table.position(getattr(columns, role), role)
    found = table.read(kinds)
    time = table.numbers(found, columns.time)
    reward = found[columns.reward]
    if fill is not None and isinstance(reward, np.ndarray):
        found[columns.reward] = np.where(np.isnan(reward), number("fill", fill), reward)
    reward = table.numbers(found, columns.reward, " or read with fill=0, if a gap means 0")
    propensity = table.numbers(found, columns.propensity)
    table.check_probabilities(columns.propensity, propensity)
    chosen = _coded(found, columns.arm)
    if arms is not None:
        chosen = _positions(table, columns.arm, chosen, arms)
    elif columns.coordinate is not None:
        arms = arms_on_a_line(_one_coordinate_each(table, columns, found, chosen))
    else:
        values, n = chosen.numbers, len(chosen.labels)
        arms = Arms(1.0 - np.eye(n), metric="precomputed") if values is None else arms_on_a_line(values)
    group = None if columns.group is None else _coded(found, columns.group)
    order = np.argsort(time, kind="stable") if sort else np.arange(len(time))
    table.check_order(columns.time, time[order])
    return Log(
        time=time[order],
        arm=chosen.codes[order],
        reward=reward[order],
        propensity=propensity[order],
        group=np.zeros(len(time), dtype=np.int64) if group is None else group.codes[order],
        arms=arms,
        arm_names=tuple(map(str, chosen.labels)),
        group_names=("all",) if group is None else tuple(map(str, group.labels)),
        source=table.name,
        left_out={f"column {name!r}": 1 for name in table.columns if name not in kinds},
    )


def _coded(found: Mapping[str, Floats | Coded], column: str) -> Coded:
    labels = found[column]
    assert isinstance(labels, Coded)
    return labels


def _positions(table: Table, column: str, chosen: Coded, arms: Arms) -> Coded:
    """Return the positions of labels in a set of arms that was given."""
    try:
        at = arms.positions(chosen.labels)
    except ValueError as error:
        positions = [_known(arms, label) for label in chosen.labels]
        bad = int(np.flatnonzero(np.isin(chosen.codes, [k for k, known in enumerate(positions) if not known]))[0])
        label = chosen.labels[chosen.codes[bad]]
        raise table.error(column, bad, f"one of the {len(arms)} arms", label) from error
    return Coded(at[chosen.codes], tuple(map(str, arms.labels)))


def _known(arms: Arms, label: str | float) -> bool:
    try:
        arms.positions([label])
    except ValueError:
        return False
    return True


def _one_coordinate_each(table: Table, columns: Columns, found: Mapping[str, Floats | Coded], chosen: Coded) -> Floats:
    assert columns.coordinate is not None
    values, codes = table.numbers(found, columns.coordinate), chosen.codes
    coordinates = np.empty(len(chosen.labels))
    coordinates[codes] = values
    if (coordinates[codes] != values).any():
        # The last row of an arm has set its coordinate; show the first row that differs.
        bad = int(np.flatnonzero(coordinates[codes] != values)[0])
        label, usual = chosen.labels[codes[bad]], float(coordinates[codes[bad]])
        expectation = f"the same in all rows of arm {label!r}, as {usual!r} is"
        raise table.error(columns.coordinate, bad, expectation, float(values[bad]))
    return coordinates
