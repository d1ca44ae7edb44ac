"""Which policies play under which settings when one parameter is varied, and the table of the result."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from quickdraw_lab.figures.field_run import FieldRun
from quickdraw_lab.players.built_in import PAPER
from quickdraw_lab.players.contestant import Contestant
from quickdraw_lab.result_tables import Row
from quickdraw_lab.runner.run import Record
from quickdraw_lab.testbed import FieldSetting


@dataclass(frozen=True)
class Case:
    """One value of a sweep for one policy."""

    value: float
    setting: FieldSetting
    contestant: Contestant


@dataclass(frozen=True)
class Sweep:
    """One parameter varied alone.

    Attributes
    ----------
    parameter
        Its name, as in the paper. A parameter of the field is one of ``FieldSetting``.
    values
        In increasing order.
    symbol
        Axis label of the parameter.
    of_policy
        The parameters of ``QuickDraw`` that take the value; empty for a parameter of the field.
    logarithmic
        Whether the axis is logarithmic.
    policies
        The built-in policies that play, for a parameter of the field.
    """

    parameter: str
    values: tuple[float, ...]
    symbol: str = ""
    of_policy: tuple[str, ...] = ()
    logarithmic: bool = True
    policies: tuple[str, ...] = PAPER

    def cases(self, own: Sequence[Contestant] = ()) -> Iterator[Case]:
        """Yield what is to be played. Policies in ``own`` join the sweeps of a parameter of the field."""
        for value in self.values:
            if self.of_policy:
                # The default value is left out: the run is then the same as that of the base setting.
                given = {} if value == 1.0 else dict.fromkeys(self.of_policy, value)
                yield Case(value, FieldSetting(), Contestant("QuickDraw", tuple(sorted(given.items()))))
            else:
                setting = replace(FieldSetting(), **{self.parameter: value})
                # A built-in policy in ``own`` may be part of the sweep already.
                for contestant in dict.fromkeys((*(Contestant(name) for name in self.policies), *own)):
                    yield Case(value, setting, contestant)


def runs_of(sweeps: Iterable[Sweep], fields: int, own: Sequence[Contestant] = ()) -> list[FieldRun]:
    """Return all runs that the sweeps need, without repetition."""
    cases = [case for sweep in sweeps for case in sweep.cases(own)]
    return list(
        dict.fromkeys(FieldRun(case.setting, case.contestant, field) for field in range(fields) for case in cases)
    )


def table_of(
    sweep: Sweep,
    records: Mapping[FieldRun, Record],
    fields: int,
    own: Sequence[Contestant] = (),
    columns: Sequence[str] = ("regret_per_round", "seconds"),
) -> list[Row]:
    """Return one flat row per value, policy and field, without runs that failed."""
    return [
        {
            "parameter": sweep.parameter,
            "value": case.value,
            "policy": case.contestant.policy,
            "field": field,
            **{name: record[name] for name in columns},
        }
        for case in sweep.cases(own)
        for field in range(fields)
        if "error" not in (record := records.get(FieldRun(case.setting, case.contestant, field), {"error": "missing"}))
    ]
