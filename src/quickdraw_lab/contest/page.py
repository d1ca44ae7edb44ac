"""The page "Which policy?". Every number on it is read from the tables of contests."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from quickdraw_bandits.plots.style import style_of
from quickdraw_lab.result_tables import Tables, TextRow

MAIN = "main"

HOW_TO_READ = """\
How to read this page:

- **Policies.** Every policy plays on every environment it can play on.
- **Tuning.** Each policy is tuned on separate environments, then compared on new ones. All policies with parameters try
  the same number of settings, on the same tuning environments.
- **Regret per round** is the mean shortfall from the best arm.
- **Better and worse.** Differences from Quick-Draw are paired over environments, with 95 % confidence intervals by
  Student's t. A policy is better or worse if the interval excludes zero; otherwise the comparison is open. The
  intervals are not corrected for multiple comparisons.
- **One record.** Where all environments come from one record, they differ only in their random warm-up and noise. The
  intervals then apply to this record, not to others.
- **Attainable.** A policy that is told the true covariance of a random field has no rank. No estimate from the same
  observations is better than its own, but its exploration is fixed: where that is too much, as in short runs and fast
  drift, other policies have less regret.

Every number is read from the tables linked at the end of each section."""


def contests_in(folder: Path) -> list[Path]:
    """Return the contests in a folder, the main one first."""
    return sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: (path.name != MAIN, path))


def page(folder: Path, link: str) -> str:
    """Return the page as Markdown for a folder of packed contests. ``link`` is the path from the page to the folder."""
    contests = contests_in(folder)
    lines = ["# Which policy?", ""]
    if contests:
        lines += _answer(Tables(contests[0]).rows("contest"))
    lines += [HOW_TO_READ, ""]
    for contest in contests:
        lines += _contest(contest, f"{link}/{contest.name}")
    return "\n".join(lines).rstrip() + "\n"


def _answer(rows: Sequence[TextRow]) -> Iterator[str]:
    """Yield which policy did best, and how the reference compares."""
    ranking = _ranking(rows)
    if len(ranking) < 2:
        return
    best, rank, cost = ranking[0]
    environments = list(dict.fromkeys(row["environment"] for row in rows))
    regrets = [_regrets(rows, environment) for environment in environments]
    least = sum(best in each and each[best] == min(each.values()) for each in regrets)
    yield (
        f"**{_name(best)}** did best: it has the lowest mean rank of {len(ranking)} policies, {rank:.1f}, and the "
        f"least regret on {least} of {len(environments)} environments. A choice takes {_two_digits(cost)} ms."
    )
    reference = rows[0]["reference"]
    if best != reference:
        better = sum(row["policy"] == best and row["verdict"] == "better" for row in rows)
        _, rank, cost = next(each for each in ranking if each[0] == reference)
        name = _name(reference)
        yield (
            f"It is better than {name} on {better} of them, by the rule below. {name} has a mean rank of {rank:.1f} "
            f"and takes {_two_digits(cost)} ms."
        )
    yield ""


def _contest(folder: Path, link: str) -> Iterator[str]:
    tables = Tables(folder)
    about = _about(folder)
    rows = tables.rows("contest")
    environments = list(dict.fromkeys(row["environment"] for row in rows))
    yield f"## {about['title']}"
    yield ""
    yield "```"
    yield about["command"]
    yield "```"
    yield ""
    yield from (f"- {name.capitalize()}: {about[name]}" for name in about if name not in ("title", "command"))
    yield ""
    yield from _in_short(rows, environments)
    if (folder / "contest_ranks.png").exists():
        yield f"![Mean ranks of policies on environments]({link}/contest_ranks.png)"
        yield ""
    yield from _cost(rows)
    for environment in environments:
        yield from _environment(environment, [row for row in rows if row["environment"] == environment])
    if (folder / "contest_regrets.png").exists():
        yield f"![Regret of policies on environments]({link}/contest_regrets.png)"
        yield ""
    if "contest_left_out" in tables.names:
        yield "### Policies that could not play"
        yield ""
        for row in tables.rows("contest_left_out"):
            yield f"- {_name(row['policy'])} on {row['environment']}: {row['reason']}"
        yield ""
    yield "Numbers: " + ", ".join(f"[{name}]({link}/{_file(folder, name)})" for name in sorted(tables.names)) + "."
    yield ""


def _about(folder: Path) -> dict[str, str]:
    """Return the facts about a contest that are written by hand."""
    path = folder / "about.json"
    about: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if not {"title", "command"} <= set(about):
        raise ValueError(f'{path} must be {{"title": ..., "command": ..., ...}}')
    return about


def _in_short(rows: Sequence[TextRow], environments: Sequence[str]) -> Iterator[str]:
    """Yield where the reference wins, where it does not, and which policy does."""
    wins: list[str] = []
    shares: list[str] = []
    loses: list[str] = []
    lines = []
    for environment in environments:
        ranked = [row for row in rows if row["environment"] == environment and row["role"] == "policy"]
        others = [row for row in ranked if row["verdict"] != "reference"]
        better = [row for row in others if row["verdict"] == "better"]
        alike = [row for row in others if row["verdict"] == "open"]
        (loses if better else shares if alike else wins).append(environment)
        least = ranked[0]
        reference = next(row for row in ranked if row["verdict"] == "reference")
        lines.append(
            f"| {environment} | {_name(least['policy'])} {_number(least['regret_per_round'])} "
            f"| {_number(reference['regret_per_round'])} | {_names_and_costs(better, reference)} | {_names(alike)} |"
        )
    reference_name = _name(rows[0]["reference"])
    yield from _best_ranks(rows)
    yield f"**Where {reference_name} wins.** " + (
        f"On {_listed(wins)} every other policy is worse."
        if wins
        else "There is no environment where every other policy is worse."
    )
    if shares:
        yield f"On {_listed(shares)} no policy is better, and some comparisons are open."
    yield ""
    yield "**Where it does not.** " + (
        f"On {_listed(loses)} at least one policy is better."
        if loses
        else "There is no environment where another policy is better."
    )
    yield ""
    yield f"| environment | least regret | {reference_name} | better (relative time) | open |"
    yield "|---|---|---|---|---|"
    yield from lines
    yield ""
    yield from _outside(rows)


def _best_ranks(rows: Sequence[TextRow]) -> Iterator[str]:
    """Yield the policies with the lowest mean ranks, and the time of their choices."""
    ranking = _ranking(rows)
    if len(ranking) > 1:
        first = [
            f"{_name(policy)} {rank:.1f} ({_two_digits(cost)} ms per choice)" for policy, rank, cost in ranking[:3]
        ]
        yield (
            f"**In short.** The lowest mean ranks of {len(ranking)} policies, over all environments played: "
            f"{', '.join(first)}."
        )
        yield ""


def _ranking(rows: Sequence[TextRow]) -> list[tuple[str, float, float]]:
    """Return policies with their mean rank and the milliseconds of a choice over what they played, best first."""
    ranks: dict[str, list[float]] = {}
    seconds: dict[str, list[float]] = {}
    for row in rows:
        if row["mean_rank"] != "":
            ranks.setdefault(row["policy"], []).append(float(row["mean_rank"]))
            seconds.setdefault(row["policy"], []).append(float(row["seconds_per_choice"]))
    ranking = [
        (policy, float(np.mean(each)), 1e3 * float(np.median(seconds[policy]))) for policy, each in ranks.items()
    ]
    return sorted(ranking, key=lambda each: each[1])


def _regrets(rows: Sequence[TextRow], environment: str) -> dict[str, float]:
    """Return the regret on one environment of every policy that has a rank there."""
    return {
        row["policy"]: float(row["regret_per_round"])
        for row in rows
        if row["environment"] == environment and row["mean_rank"] != ""
    }


def _outside(rows: Sequence[TextRow]) -> Iterator[str]:
    """Yield how each policy from another library compares with the reference."""
    outside = dict.fromkeys(row["policy"] for row in rows if row["version"])
    if not outside:
        return
    yield f"**Policies of other libraries**, compared with {_name(rows[0]['reference'])}:"
    yield ""
    for policy in outside:
        mine = [row for row in rows if row["policy"] == policy]
        found = [
            f"{words} on {_listed(where)}"
            for verdict, words in (("better", "**better**"), ("open", "open"), ("worse", "worse"))
            if (where := [row["environment"] for row in mine if row["verdict"] == verdict])
        ]
        yield f"- {_name(policy)}, {mine[0]['version']}: {'; '.join(found)}."
    yield ""


def _cost(rows: Sequence[TextRow]) -> Iterator[str]:
    """Yield the time of a choice of each policy, over all environments."""
    yield "### Time of a choice"
    yield ""
    yield "Selection and update, in one thread: median and maximum over environments."
    yield ""
    yield "| policy | ms per choice | maximum | library |"
    yield "|---|---|---|---|"
    seconds: dict[str, list[float]] = {}
    versions: dict[str, str] = {}
    for row in rows:
        seconds.setdefault(row["policy"], []).append(float(row["seconds_per_choice"]))
        versions[row["policy"]] = row["version"]
    for policy in sorted(seconds, key=lambda policy: float(np.median(seconds[policy]))):
        middle, most = 1e3 * float(np.median(seconds[policy])), 1e3 * max(seconds[policy])
        library = versions[policy] or "this one"
        yield f"| {_name(policy)} | {_two_digits(middle)} | {_two_digits(most)} | {library} |"
    yield ""


def _environment(environment: str, rows: Sequence[TextRow]) -> Iterator[str]:
    yield f"### {environment}"
    yield ""
    yield "| policy | regret per round | difference | verdict | mean rank | ms per choice | parameters |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        low, high = float(row["difference_low"]), float(row["difference_high"])
        interval = "" if np.isnan(low) else f" [{low:+.3f}, {high:+.3f}]"  # a single environment has none
        difference = "–" if row["verdict"] == "reference" else f"{float(row['difference']):+.3f}{interval}"
        half = (float(row["regret_high"]) - float(row["regret_low"])) / 2
        spread = "" if np.isnan(half) else f" ± {half:.3f}"
        oracle = row["role"] == "attainable"
        rank = "–" if row["mean_rank"] == "" else f"{float(row['mean_rank']):.1f}"
        name = f"*{_name(row['policy'])} (attainable)*" if oracle else _name(row["policy"])
        bold = "**better**" if row["verdict"] == "better" and not oracle else row["verdict"]
        yield (
            f"| {name} | {_number(row['regret_per_round'])}{spread} | {difference} | {bold} | {rank} "
            f"| {_two_digits(1e3 * float(row['seconds_per_choice']))} | {row['parameters']} |"
        )
    yield ""


def _name(policy: str) -> str:
    return style_of(policy).label


def _names(rows: Sequence[TextRow]) -> str:
    return ", ".join(_name(row["policy"]) for row in rows) or "–"


def _names_and_costs(rows: Sequence[TextRow], reference: TextRow) -> str:
    """Return names, each with the time of a choice relative to the reference."""
    own = float(reference["seconds_per_choice"])
    return (
        ", ".join(f"{_name(row['policy'])} (×{_two_digits(float(row['seconds_per_choice']) / own)})" for row in rows)
        or "–"
    )


def _number(text: str) -> str:
    return f"{float(text):.3f}"


def _two_digits(value: float) -> str:
    """Return a number with two significant digits.

    Examples
    --------
    >>> _two_digits(0.0751), _two_digits(7356.0)
    ('0.075', '7,400')
    """
    return f"{float(f'{value:.2g}'):,g}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _file(folder: Path, name: str) -> str:
    return f"{name}.csv" if (folder / f"{name}.csv").exists() else f"{name}.csv.gz"
