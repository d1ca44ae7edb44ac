"""Play one policy again in the published contests, and make their tables, pictures and pages again.

``python -m quickdraw_lab.contest.replay README.md docs/results AdaptiveQuickDraw --recorded highway=FILE`` plays a
policy that is not tuned on every environment of the contests in docs/results/readme and docs/results/contest, by the
command in their ``about.json``. Its rows are replaced in the tables, differences and ranks are computed again, and
docs/which-policy.md and the table in the README are written. All other policies keep their runs, and ``about.json``
says who was played again and when. A time of a choice compares with the others only if the same machine was as busy;
``--keep-times`` leaves the published ones.
"""

import argparse
import json
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np

from quickdraw_bandits import __version__
from quickdraw_bandits.plots.style import style_of
from quickdraw_lab.contest import publish, readme
from quickdraw_lab.contest.environments import EnvironmentSpec, find_environment
from quickdraw_lab.contest.plan import Plan
from quickdraw_lab.contest.recorded_rewards import checksum
from quickdraw_lab.contest.runs import ContestRun, play_contest_runs
from quickdraw_lab.contest.tables import interval, mean_ranks, result_rows, verdict
from quickdraw_lab.files import compress, write_csv
from quickdraw_lab.result_tables import Row, Tables
from quickdraw_lab.runner.run import Record
from quickdraw_lab.testbed import TestBed

ATTAINABLE = "attainable"


@dataclass(frozen=True)
class Contest:
    """What the command of a published contest says about its environments."""

    test_bed: TestBed
    fields: int
    environments: Mapping[str, EnvironmentSpec]

    @classmethod
    def of(cls, command: str, recorded: Mapping[str, Path]) -> "Contest":
        """Read a command ``quickdraw compare ...``; recorded rewards come from the files given here.

        Examples
        --------
        >>> contest = Contest.of("quickdraw compare Random --on base few-arms --rounds 50 --warmup 5 --fields 3", {})
        >>> contest.test_bed.n_rounds, contest.fields, list(contest.environments)
        (50, 3, ['base', 'few-arms'])
        """
        parser = argparse.ArgumentParser(prog="quickdraw compare")
        parser.add_argument("--on", nargs="+", required=True)
        parser.add_argument("--recorded", action="append", default=[])
        parser.add_argument("--arms-in-rows", action="store_true")
        for option, default in (("fields", 20), ("seed", 0), ("arms", 1000), ("rounds", 1000), ("warmup", 100)):
            parser.add_argument(f"--{option}", type=int, default=default)
        given, _ = parser.parse_known_args(shlex.split(command)[2:])
        specs = {}
        for name in (text.partition("=")[0] for text in given.recorded):
            if name not in recorded:
                raise ValueError(f"the contest plays on recorded rewards; give --recorded {name}=FILE")
            path = str(recorded[name].resolve())
            settings = (("arms_in_rows", 1.0),) if given.arms_in_rows else ()
            specs[name] = EnvironmentSpec("recorded", settings, path, checksum(path))
        test_bed = TestBed(given.seed, given.arms, given.rounds, given.warmup)
        return cls(test_bed, given.fields, {text: find_environment(text, specs) for text in given.on})


def played(contest: Contest, policy: str, known: dict[tuple[TestBed, ContestRun], Record]) -> list[Row]:
    """Return the rows of a policy on all environments of a contest; what is in ``known`` is not played again."""
    plan = Plan.of([policy], contest.environments, contest.test_bed, contest.fields, budget=1)
    if len(Plan.of([policy], contest.environments, contest.test_bed, contest.fields).entries[0].settings) > 1:
        raise ValueError(f"{policy} is tuned, so all its runs are needed; play the contest with quickdraw compare")
    records: dict[ContestRun, Record] = {}
    for run in plan.result_runs({}):
        if (contest.test_bed, run) not in known:
            (known[contest.test_bed, run],) = play_contest_runs(contest.test_bed, [run])
        record = known[contest.test_bed, run]
        if "error" in record:
            raise RuntimeError(f"{policy} failed on {run.spec.kind}, number {run.number}: {record['error']}")
        records[run] = record
    return result_rows(plan, records)


def replaced(old: Sequence[Row], new: Sequence[Row], policy: str, keep_times: bool = False) -> list[Row]:
    """Return the rows of all runs in the old order, with the new rows of one policy, or with all of them but times."""
    kept = ("seconds_per_choice", "cpu_seconds") if keep_times else ()
    found = {
        (row["environment"], int(row["number"])): {name: row[name] for name in row if name not in kept} for row in new
    }
    rows: list[Row] = []
    for row in old:
        key = (row["environment"], int(row["number"]))
        if row["policy"] == policy and key not in found:
            raise ValueError(f"the tables have {policy} on {key[0]}, number {key[1]}, and the command has not")
        rows.append({**row, **found[key]} if row["policy"] == policy else row)
    return rows


def summarised(old: Sequence[Row], runs: Sequence[Row]) -> Iterator[Row]:
    """Yield the summary of all runs; settings, parameters and versions are taken from the old one."""
    by_entry: dict[tuple[str, str], dict[int, Row]] = {}
    for row in runs:
        numbers = {name: float(row[name]) for name in ("regret_per_round", "seconds_per_choice")}
        by_entry.setdefault((row["environment"], row["policy"]), {})[int(row["number"])] = {**row, **numbers}
    for environment in dict.fromkeys(row["environment"] for row in old):
        entries = [row for row in old if row["environment"] == environment]
        results = [
            {**row, "number": number}
            for (name, _), numbered in by_entry.items()
            if name == environment
            for number, row in numbered.items()
        ]
        ranks = mean_ranks(results, {row["policy"] for row in entries if row["role"] == ATTAINABLE})
        found = []
        for row in entries:
            mine, theirs = (by_entry[environment, row[column]] for column in ("policy", "reference"))
            regret, low, high = interval([each["regret_per_round"] for each in mine.values()])
            shared = sorted(set(mine) & set(theirs))
            differences = [mine[n]["regret_per_round"] - theirs[n]["regret_per_round"] for n in shared]
            difference, below, above = interval(differences)
            values: Row = {
                "fields": len(mine),
                "regret_per_round": regret,
                "regret_low": low,
                "regret_high": high,
                "difference": difference,
                "difference_low": below,
                "difference_high": above,
                "verdict": verdict(row["policy"] == row["reference"], below, above, len(shared)),
                "mean_rank": ranks.get(row["policy"], ""),
                "seconds_per_choice": float(np.median([each["seconds_per_choice"] for each in mine.values()])),
            }
            found.append({**row, **values})
        yield from sorted(found, key=lambda row: (row["role"] == ATTAINABLE, row["regret_per_round"]))


def write_tables(folder: Path, runs: Sequence[Row]) -> None:
    """Replace the table of runs in a folder, and its summary."""
    summary = list(summarised(Tables(folder).rows("contest"), runs))
    write_csv(folder / "contest.csv", summary)
    with TemporaryDirectory() as name:
        plain = Path(name) / "contest_runs.csv"
        write_csv(plain, runs)
        compress(plain, folder)


def _again(policy: str, keep_times: bool) -> str:
    times = "; its times are of the first runs" if keep_times else ""
    return f"{style_of(policy).label}, on {date.today()} with version {__version__}{times}"


def main(arguments: Sequence[str]) -> None:
    """Play, replace, draw and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("readme", type=Path)
    parser.add_argument("results", type=Path, help="folder with readme/ and contest/")
    parser.add_argument("policy", help="class name of a policy that is not tuned")
    parser.add_argument("--recorded", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--keep-times", action="store_true", help="keep the published times of choices")
    given = parser.parse_args(arguments)
    recorded = {name: Path(path) for name, _, path in (text.partition("=") for text in given.recorded)}
    known: dict[tuple[TestBed, ContestRun], Record] = {}
    start = process_time()
    for folder in (given.results / "readme", *sorted((given.results / "contest").iterdir())):
        about = folder / "about.json"
        if about.exists():
            facts = json.loads(about.read_text(encoding="utf-8"))
            contest = Contest.of(facts["command"], recorded)
            old = Tables(folder).rows("contest_runs")
            write_tables(folder, replaced(old, played(contest, given.policy, known), given.policy, given.keep_times))
            facts["played again"] = _again(given.policy, given.keep_times)
            about.write_text(json.dumps(facts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
            print(f"{folder}: {len(known)} runs so far, {process_time() - start:.0f} s of processor time", flush=True)
    publish.main([str(given.results / "contest")])
    readme.main([str(given.readme), str(given.results)])


if __name__ == "__main__":
    main(sys.argv[1:])
