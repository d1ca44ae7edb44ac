"""The contest from Python: the rules of ``quickdraw compare``, with policies and environments as objects."""

import io
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from quickdraw_bandits.checks import integer
from quickdraw_bandits.evaluation.simulate import Progress
from quickdraw_bandits.evaluation.text_table import text_table
from quickdraw_bandits.frames import Column, Tabular, columns_of_rows
from quickdraw_bandits.plots.panels import Panels, panels_of
from quickdraw_bandits.plots.style import drawing
from quickdraw_lab.contest.entrant import Entrant
from quickdraw_lab.contest.given import Source, specs_of
from quickdraw_lab.contest.plan import Plan, Records
from quickdraw_lab.contest.plots import draw_regrets_on
from quickdraw_lab.contest.runs import ContestRun, play_contest_runs
from quickdraw_lab.contest.tables import readable_row, result_rows, summary_rows, tuning_rows
from quickdraw_lab.contest.write import grouped, write_contest
from quickdraw_lab.files import check_folder
from quickdraw_lab.result_tables import Row
from quickdraw_lab.runner.missing import failures, play_missing
from quickdraw_lab.runner.run import Play, Record, Runner
from quickdraw_lab.runner.store import Store
from quickdraw_lab.testbed import TestBed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Policies = Iterable[object] | Mapping[str, object]


def compare(
    policies: Policies,
    environments: Source | Iterable[Source] | Mapping[str, Source] = "base",
    budget: int = 9,
    fields: int = 20,
    tuning_fields: int = 5,
    test_bed: TestBed | None = None,
    jobs: int = 1,
    progress: Callable[[str], Progress] | None = None,
) -> "Contest":
    """Tune each policy on separate environments, then compare the policies on new ones.

    Parameters
    ----------
    policies
        Names of built-in classes or ``module:Class``, classes, functions that build a policy as ``f(arms, seed=...)``,
        or built policies, which play as copies. A dictionary gives them names. Settings to try of a class of your own
        are its attribute ``contest_grid``, a list of dictionaries.
    environments
        One or several: names, as ``quickdraw compare --list`` shows them; environments; or functions that make one
        from a seed. A dictionary gives them names. Random fields are drawn again for every run; of recorded rewards,
        the first 40 % of the rounds are for tuning and the others for the result; other environments keep their means
        and differ in warm-up and noise. Default ``"base"``, the paper's field.
    budget
        Number of settings tried per policy; default 9, and 1 for the defaults alone.
    fields, tuning_fields
        Number of environments of each kind for the result, default 20, and of others for tuning, default 5. More of
        them narrow the intervals.
    test_bed
        Arms, rounds and warm-up of environments given by name, and the seed. By default 1,000 arms, 1,000 rounds of
        which 100 are a random warm-up, and seed 0. The warm-up is the same share of the rounds everywhere.
    jobs
        Number of processes; default 1, this one. With more, policies and environments of your own must be defined in a
        module, not in a notebook.
    progress
        Called with what is being played, returns a function that is called with the number of runs done and of all.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> small = TestBed(n_arms=30, n_rounds=80, warmup=20)
    >>> contest = compare(["AdaptiveQuickDraw", qd.policies.Random], "hill", budget=1, fields=3, test_bed=small)
    >>> [row["policy"] for row in contest.rows]
    ['AdaptiveQuickDraw', 'Random']
    >>> contest.to_frame().shape
    (2, 17)
    """
    test_bed = test_bed or TestBed()
    jobs = integer("jobs", jobs, at_least=1)
    if isinstance(policies, str | type):
        policies = [policies]
    named = policies.items() if isinstance(policies, Mapping) else ((None, policy) for policy in policies)
    entrants = [Entrant.of(policy, name) for name, policy in named]
    if not entrants:
        raise ValueError("policies must be at least one, got none")
    repeated = {each.name for each in entrants if sum(other.name == each.name for other in entrants) > 1}
    if repeated:
        raise ValueError(f"policies must have different names, got {min(repeated)!r} twice; give a dictionary of names")
    plan = Plan.of(entrants, specs_of(environments), test_bed, fields, tuning_fields, budget)
    store: Store[ContestRun] = Store(io.BytesIO(), ContestRun, {})
    runner = _runner(test_bed, jobs, plan)
    tuning = plan.tuning_runs()
    play_missing(store, tuning, runner, progress("tuning") if progress and tuning else None)
    result = plan.result_runs(store.records)
    play_missing(store, result, runner, progress("result") if progress else None)
    return Contest(plan, store.records, failures(store, [*tuning, *result]))


class Contest(Tabular):
    """The result of ``compare``.

    Attributes
    ----------
    rows
        One row per policy and environment: regret, difference from the reference and its interval, rank, time of a
        choice, chosen parameters. This is what ``to_frame`` returns.
    runs, tuning
        One row per run of the result, and per setting tried.
    left_out, failures
        Policies that could not be built, with the reason; runs that failed, with their traceback.
    """

    def __init__(self, plan: Plan, records: Records, failed: Sequence[Row]) -> None:
        self._plan, self._records = plan, records
        self.runs: Sequence[Row] = result_rows(plan, records)
        self.rows: Sequence[Row] = summary_rows(plan, self.runs, records)
        self.tuning: Sequence[Row] = tuning_rows(plan, records)
        self.left_out: Sequence[Row] = plan.left_out
        self.failures: Sequence[Row] = failed

    def columns(self) -> dict[str, Column]:
        """Return one row per policy and environment; a policy without a rank has None there."""
        rows = ({name: None if value == "" else value for name, value in row.items()} for row in self.rows)
        return dict(columns_of_rows(rows))

    def plot(self, axes: "Axes | Sequence[Axes] | Panels | None" = None) -> Panels:
        """Draw the regret of each policy with its 95 % interval, one panel per environment, and return the axes.

        Parameters
        ----------
        axes
            Matplotlib axes to draw on, one per environment. The default None makes a new figure.
        """
        names = list(dict.fromkeys(row["environment"] for row in self.rows))
        most = max(sum(row["environment"] == name for row in self.rows) for name in names)
        with drawing():
            panels = panels_of(axes, 1, len(names), (0.6 + 3.9 * len(names), 1.2 + 0.24 * most))
            for panel, name in zip(panels, names, strict=True):
                draw_regrets_on(panel, [row for row in self.rows if row["environment"] == name])
                panel.set_title(name)
                panel.set_xlabel("regret per round, 95 % interval")
            return panels

    def save(self, folder: str | Path) -> list[str]:
        """Write tables, pictures and one page (contest.html) into a folder; return the names of the files."""
        check_folder(Path(folder))
        _, written = write_contest(self._plan, self._records, Path(folder), self.failures)
        return written

    def __str__(self) -> str:
        parts = []
        for name in dict.fromkeys(row["environment"] for row in self.rows):
            rows = [row for row in self.rows if row["environment"] == name]
            parts.append(
                f"{name}, differences from {rows[0]['reference']}\n{text_table(list(map(readable_row, rows)))}"
            )
        parts += [f"{row['policy']} on {row['environment']} was left out: {row['reason']}" for row in self.left_out]
        parts += [
            f"{row['policy']} failed in {_count(row['runs'], 'run')}: {row['message']}\n{row['traceback']}"
            for row in grouped(self.failures)[:1]
        ]
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        policies = len({entry.policy for entry in self._plan.entries})
        environments = len({entry.environment for entry in self._plan.entries})
        failed = f", {_count(len(self.failures), 'run')} failed" if self.failures else ""
        return (
            f"Contest({_count(policies, 'policy', 'policies')}, {_count(environments, 'environment')}, "
            f"{_count(self._plan.fields, 'field')} each{failed})"
        )


def _count(number: int, one: str, several: str = "") -> str:
    return f"{number} {one if number == 1 else several or one + 's'}"


def _runner(test_bed: TestBed, jobs: int, plan: Plan) -> Runner[ContestRun]:
    play = partial(play_contest_runs, test_bed)
    if jobs == 1:
        return partial(_here, play)
    for entry in plan.entries:
        for what, given in ((entry.policy, entry.settings[0].given), (entry.environment, entry.spec.given)):
            try:
                pickle.dumps(given)
            except Exception as error:
                raise ValueError(
                    f"jobs must be 1, or {what} must be defined in a module that other processes can import: {error}"
                ) from None
    from quickdraw_lab.runner.pool import run_on_pool

    return partial(run_on_pool, play, jobs=jobs)


def _here(play: Play[ContestRun], tasks: Sequence[list[ContestRun]]) -> Iterator[Record]:
    for task in tasks:
        yield from play(task)
