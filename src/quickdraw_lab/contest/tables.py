"""The tables of a contest: regret with paired confidence intervals, ranks, and the settings chosen."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_lab.contest.plan import Entry, Plan, Records
from quickdraw_lab.contest.runs import ContestRun
from quickdraw_lab.players.contestant import Contestant
from quickdraw_lab.result_tables import Row
from quickdraw_lab.statistics import mean_interval

REFERENCE = "QuickDraw"


def result_rows(plan: Plan, records: Records) -> list[Row]:
    """Return one flat row per run of the result, without runs that failed."""
    return [
        {
            "environment": entry.environment,
            "policy": entry.policy,
            "number": number,
            "regret_per_round": record["regret_per_round"],
            "seconds_per_choice": record["seconds_per_choice"],
            "cpu_seconds": record["cpu_seconds"],
        }
        for entry in plan.entries
        if (contestant := entry.chosen(plan.tuning_fields, records)) is not None
        for number in range(plan.fields)
        if "error"
        not in (record := records.get(ContestRun(entry.spec, contestant, "result", number), {"error": "not played"}))
    ]


def tuning_rows(plan: Plan, records: Records) -> list[Row]:
    """Return one flat row per setting that was tried, with its mean regret and whether it was chosen."""
    return [
        {
            "environment": entry.environment,
            "policy": entry.policy,
            "parameters": parameters_text(contestant),
            "tuning_regret": "" if regret is None else regret,
            "chosen": "yes" if contestant == entry.chosen(plan.tuning_fields, records) else "no",
        }
        for entry in plan.entries
        if len(entry.settings) > 1
        for contestant in entry.settings
        for regret in [entry.tuning_regret(contestant, plan.tuning_fields, records)]
    ]


def summary_rows(plan: Plan, results: Sequence[Row], records: Records) -> list[Row]:
    """Return one flat row per policy and environment, sorted by regret, oracles last.

    ``difference`` is the mean difference in regret from the reference, paired over the environments that both played.
    The reference is Quick-Draw if it plays, otherwise the first policy. ``difference_low`` and ``difference_high`` are
    the ends of its 95 % interval; NaN for a single environment.
    """
    by_entry: dict[tuple[str, str], dict[int, Row]] = {}
    for row in results:
        by_entry.setdefault((row["environment"], row["policy"]), {})[row["number"]] = row
    rows = []
    for environment in dict.fromkeys(entry.environment for entry in plan.entries):
        entries = [entry for entry in plan.entries if entry.environment == environment]
        played = [entry for entry in entries if (environment, entry.policy) in by_entry]
        if not played:
            continue
        reference = next((entry.policy for entry in played if entry.policy == REFERENCE), played[0].policy)
        ranks = mean_ranks(
            [row for row in results if row["environment"] == environment], {e.policy for e in played if e.oracle}
        )
        found = [
            _summary(
                entry,
                by_entry[environment, entry.policy],
                by_entry[environment, reference],
                reference,
                plan,
                records,
                ranks,
            )
            for entry in played
        ]
        rows += sorted(found, key=lambda row: (row["role"] == "attainable", row["regret_per_round"]))
    return rows


def _summary(
    entry: Entry,
    mine: Mapping[int, Row],
    theirs: Mapping[int, Row],
    reference: str,
    plan: Plan,
    records: Records,
    ranks: Mapping[str, float],
) -> Row:
    regret, low, high = interval([row["regret_per_round"] for row in mine.values()])
    shared = sorted(set(mine) & set(theirs))
    differences = [mine[n]["regret_per_round"] - theirs[n]["regret_per_round"] for n in shared]
    difference, below, above = interval(differences)
    contestant = entry.chosen(plan.tuning_fields, records)
    assert contestant is not None  # it has results
    return {
        "environment": entry.environment,
        "policy": entry.policy,
        "role": "attainable" if entry.oracle else "policy",
        "fields": len(mine),
        "regret_per_round": regret,
        "regret_low": low,
        "regret_high": high,
        "reference": reference,
        "difference": difference,
        "difference_low": below,
        "difference_high": above,
        "verdict": verdict(entry.policy == reference, below, above, len(shared)),
        "mean_rank": ranks.get(entry.policy, ""),
        "seconds_per_choice": float(np.median([row["seconds_per_choice"] for row in mine.values()])),
        "settings_tried": len(entry.settings),
        "parameters": "those of the field" if entry.oracle else parameters_text(contestant),
        "version": contestant.source.partition(" ")[2],
    }


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean and the ends of its 95 % interval; NaN where there are too few values."""
    if len(values) < 2:
        return (values[0] if values else np.nan), np.nan, np.nan
    return mean_interval(values)


def verdict(is_reference: bool, low: float, high: float, n: int) -> str:
    """Return whether a policy is better or worse than the reference, or whether that is open.

    Examples
    --------
    >>> verdict(False, -0.2, -0.1, n=20), verdict(False, -0.1, 0.1, n=20)
    ('better', 'open')
    """
    if is_reference:
        return "reference"
    if n < 2:
        return "open"
    return "better" if high < 0 else "worse" if low > 0 else "open"


def mean_ranks(results: Sequence[Row], unranked: set[str]) -> dict[str, float]:
    """Return the rank of each policy by regret (1 is best), averaged over the environments that all of them played.

    Equal regrets share their ranks. Policies in ``unranked`` are left out.
    """
    regrets: dict[str, dict[int, float]] = {}
    for row in results:
        if row["policy"] not in unranked:
            regrets.setdefault(row["policy"], {})[row["number"]] = row["regret_per_round"]
    common = sorted(set.intersection(*(set(each) for each in regrets.values()))) if regrets else []
    if not common:
        return {}
    values = np.array([[regrets[policy][number] for policy in regrets] for number in common])
    return dict(zip(regrets, _ranks(values).mean(axis=0).tolist(), strict=True))


def _ranks(values: Floats) -> Floats:
    """Return ranks along the second axis; ties share their average rank."""
    smaller = (values[:, None, :] < values[:, :, None]).sum(axis=2)
    equal = (values[:, None, :] == values[:, :, None]).sum(axis=2)
    ranks: Floats = smaller + (equal + 1) / 2
    return ranks


def parameters_text(contestant: Contestant) -> str:
    """Return parameters as text.

    Examples
    --------
    >>> parameters_text(Contestant("Restless", (("first_arms", 30), ("volatility", 0.1))))
    'first_arms=30 volatility=0.1'
    """
    return " ".join(f"{name}={value}" for name, value in contestant.parameters) or "defaults"


def readable_row(row: Row) -> Row:
    """Return a row of the summary as it is printed."""
    return {
        "policy": row["policy"] + (" (attainable)" if row["role"] == "attainable" else ""),
        "regret per round": row["regret_per_round"],
        "difference": row["difference"],
        "95 % interval": "-"
        if math.isnan(row["difference_low"])
        else f"[{row['difference_low']:+.4f}, {row['difference_high']:+.4f}]",
        "verdict": row["verdict"],
        "ms per choice": 1e3 * row["seconds_per_choice"],
        "parameters": row["parameters"],
        "version": row["version"],
    }
