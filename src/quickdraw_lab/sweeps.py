"""F4-F9, and the comparisons behind F3, F11 and F13, as data: which policies play under which settings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quickdraw_lab.any_run import Record
from quickdraw_lab.bed import Setting
from quickdraw_lab.known_policies import PAPER
from quickdraw_lab.runs import Contestant, Run

LENGTHS = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 1.0)
"""The values of rho_x and rho_t."""

SCALES = (1e-2, 3e-2, 1e-1, 3e-1, 1.0, 3.0, 1e1, 3e1, 1e2)
"""The values of l_x and l_t."""


@dataclass(frozen=True)
class Case:
    """One value of a sweep for one policy."""

    value: float
    setting: Setting
    contestant: Contestant


@dataclass(frozen=True)
class Sweep:
    """One parameter varied alone.

    Attributes
    ----------
    parameter
        Its name: one of ``Setting``, or in ``of_policy`` for a parameter of Quick-Draw.
    values
        In increasing order.
    symbol
        The parameter in a figure.
    of_policy
        The names of Quick-Draw's own parameters that take the value; none for a parameter of the field.
    logarithmic
        Whether the values span decades.
    policies
        The built-in ones that play.
    """

    parameter: str
    values: tuple[float, ...]
    symbol: str
    of_policy: tuple[str, ...] = ()
    logarithmic: bool = True
    policies: tuple[str, ...] = PAPER

    def cases(self, own: Sequence[Contestant] = ()) -> Iterator[Case]:
        """Yield what is to be played; ``own`` are policies from elsewhere, which join where all policies play."""
        for value in self.values:
            if self.of_policy:
                # A value that is the default is no parameter: the run is that of the base setting.
                given = {} if value == 1.0 else dict.fromkeys(self.of_policy, value)
                yield Case(value, Setting(), Contestant("QuickDraw", tuple(sorted(given.items()))))
            else:
                setting = replace(Setting(), **{self.parameter: value})
                # Once each: one of the package that is asked for may be in this sweep already.
                for contestant in dict.fromkeys((*(Contestant(name) for name in self.policies), *own)):
                    yield Case(value, setting, contestant)


SWEEPS: Mapping[str, Sweep] = {
    "F4": Sweep("sigma_noise", (0.0, 0.05, 0.1, 0.2, 0.3, 0.5), r"noise $\sigma_{\mathrm{noise}}$", logarithmic=False),
    "F5": Sweep("alpha", (0.5, 1.0, 2.0, 3.0, 5.0), r"sharpness of the field $\alpha$", logarithmic=False),
    "F6": Sweep("rho_x", LENGTHS, r"correlation length over arms $\rho_x$"),
    "F7": Sweep("rho_t", LENGTHS, r"correlation length over time $\rho_t$"),
    "F8": Sweep("l_x", SCALES, r"length scale $l_x$ of Quick-Draw", ("length_scale",)),
    "F9": Sweep("l_t", SCALES, r"time scale $l_t$ of Quick-Draw", ("time_scale",)),
}
"""The figures of regret per round."""

COMPARISONS: Mapping[str, Sweep] = {
    "F3": Sweep("sigma_noise", (0.0,), "", policies=(*PAPER, "DiscountedUCB", "SlidingUCB")),
    "F13": Sweep("l_x_and_l_t", (0.1, 1.0), "", ("length_scale", "time_scale")),
}
"""Behaviour over all fields, for figures that show it on one."""


def runs_of(sweeps: Iterable[Sweep], fields: int, own: Sequence[Contestant] = ()) -> list[Run]:
    """Return all runs that the sweeps need, once each."""
    cases = [case for sweep in sweeps for case in sweep.cases(own)]
    return list(dict.fromkeys(Run(case.setting, case.contestant, field) for field in range(fields) for case in cases))


def table_of(
    sweep: Sweep,
    records: Mapping[Run, Record],
    fields: int,
    own: Sequence[Contestant] = (),
    columns: Sequence[str] = ("regret_per_round", "seconds"),
) -> list[dict[str, Any]]:
    """Return one flat row for each value, policy and field; runs that failed have none."""
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
        if "error" not in (record := records.get(Run(case.setting, case.contestant, field), {"error": "not played"}))
    ]
