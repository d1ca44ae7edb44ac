"""The page "Which policy?", whose every number is read from the tables of contests."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from quickdraw_lab.plots.style import look_of
from quickdraw_lab.tables import Row, Tables

MAIN = "main"

HOW_TO_READ = """\
How to read this page:

- **Who plays.** Every policy on every environment that it can play.
- **Tuning.** Each policy with parameters has the same budget: as many settings of its grid, on the same environments,
  which then do not count.
- **Regret per round** is what the best arm would have paid more, on average.
- **Better and worse.** Differences are to Quick-Draw, paired over environments, with 95 % intervals by Student's t. A
  policy is better or worse if the interval excludes zero. No allowance is made for the number of comparisons.
- **One record.** Where all environments come from one record, they differ in their random warm-up and noise alone:
  intervals then say how sure the figures are for this record, not for others.
- **Attainable.** A policy that is told the true covariance of a random field has no rank. No estimate from the same
  observations is better than its own, but it explores as it always does: where this is too much, as in short runs and
  fast drift, others come out below it.

Every number is read from the tables linked at the end of each section."""


def contests_in(folder: Path) -> list[Path]:
    """Return the contests that are kept in a folder, the main one first."""
    return sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: (path.name != MAIN, path))


def page(folder: Path, link: str) -> str:
    """Return the page as Markdown for a folder of packed contests, to which ``link`` leads from the page."""
    contests = contests_in(folder)
    lines = ["# Which policy?", ""]
    if contests:
        lines += _answer(Tables(contests[0]).rows("contest"))
    lines += [HOW_TO_READ, ""]
    for contest in contests:
        lines += _contest(contest, f"{link}/{contest.name}")
    return "\n".join(lines).rstrip() + "\n"


def _answer(rows: Sequence[Row]) -> Iterator[str]:
    """Yield who did best, in one sentence, and what the reference is worth beside it."""
    ranking = _ranking(rows)
    if len(ranking) < 2:
        return
    best, rank, cost = ranking[0]
    environments = list(dict.fromkeys(row["environment"] for row in rows))
    regrets = [_regrets(rows, environment) for environment in environments]
    least = sum(best in each and each[best] == min(each.values()) for each in regrets)
    yield (
        f"**{_name(best)}** did best: of {len(ranking)} policies it has the lowest mean rank, {rank:.1f}, and the "
        f"least regret on {least} of {len(environments)} environments. A choice takes {_two_digits(cost)} ms."
    )
    reference = rows[0]["reference"]
    if best != reference:
        better = sum(row["policy"] == best and row["verdict"] == "better" for row in rows)
        _, rank, cost = next(each for each in ranking if each[0] == reference)
        name = _name(reference)
        yield (
            f"By the rule below it is better than {name} on {better} of them; {name} has the mean rank {rank:.1f} and "
            f"takes {_two_digits(cost)} ms."
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
        yield "### Who could not play"
        yield ""
        for row in tables.rows("contest_left_out"):
            yield f"- {_name(row['policy'])} on {row['environment']}: {row['reason']}"
        yield ""
    yield "Numbers: " + ", ".join(f"[{name}]({link}/{_file(folder, name)})" for name in sorted(tables.names)) + "."
    yield ""


def _about(folder: Path) -> dict[str, str]:
    """Return what is said about a contest by hand."""
    path = folder / "about.json"
    about: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if not {"title", "command"} <= set(about):
        raise ValueError(f'{path} must be {{"title": ..., "command": ...}}, with more of such lines if you like')
    return about


def _in_short(rows: Sequence[Row], environments: Sequence[str]) -> Iterator[str]:
    """Yield where the reference wins, where it does not, and who does."""
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
        f"On {_listed(wins)} every other policy is worse." if wins else "On none of these is every other policy worse."
    )
    if shares:
        yield f"On {_listed(shares)} none is better, and some cannot be told from it."
    yield ""
    yield "**Where it does not.** " + (
        f"On {_listed(loses)} at least one policy is better."
        if loses
        else "There is no environment on which one is better."
    )
    yield ""
    yield f"| environment | least regret | {reference_name} | better (its time) | not to be told from it |"
    yield "|---|---|---|---|---|"
    yield from lines
    yield ""
    yield from _outside(rows)


def _best_ranks(rows: Sequence[Row]) -> Iterator[str]:
    """Yield who has the lowest mean ranks, over what each has played, and what that costs."""
    ranking = _ranking(rows)
    if len(ranking) > 1:
        first = [f"{_name(policy)} {rank:.1f} ({_two_digits(cost)} ms a choice)" for policy, rank, cost in ranking[:3]]
        yield (
            f"**In short.** The lowest mean ranks over all environments played: {', '.join(first)}; "
            f"of {len(ranking)} policies."
        )
        yield ""


def _ranking(rows: Sequence[Row]) -> list[tuple[str, float, float]]:
    """Return policies with their mean rank and the milliseconds of a choice, over what each has played, best first."""
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


def _regrets(rows: Sequence[Row], environment: str) -> dict[str, float]:
    """Return the regret on one environment of every policy that has a rank there."""
    return {
        row["policy"]: float(row["regret_per_round"])
        for row in rows
        if row["environment"] == environment and row["mean_rank"] != ""
    }


def _outside(rows: Sequence[Row]) -> Iterator[str]:
    """Yield how each policy from outside did against the reference."""
    outside = dict.fromkeys(row["policy"] for row in rows if row["version"])
    if not outside:
        return
    yield f"**Rivals from outside**, against {_name(rows[0]['reference'])}:"
    yield ""
    for policy in outside:
        mine = [row for row in rows if row["policy"] == policy]
        found = [
            f"{words} on {_listed(where)}"
            for verdict, words in (("better", "**better**"), ("open", "not to be told from it"), ("worse", "worse"))
            if (where := [row["environment"] for row in mine if row["verdict"] == verdict])
        ]
        yield f"- {_name(policy)}, {mine[0]['version']}: {'; '.join(found)}."
    yield ""


def _cost(rows: Sequence[Row]) -> Iterator[str]:
    """Yield what a choice of each policy takes, over all environments."""
    yield "### What a choice costs"
    yield ""
    yield "To select and to learn, in one thread; the median over environments, and the most on one of them."
    yield ""
    yield "| policy | ms a choice | at most | library |"
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


def _environment(environment: str, rows: Sequence[Row]) -> Iterator[str]:
    yield f"### {environment}"
    yield ""
    yield "| policy | regret per round | difference | verdict | mean rank | ms a choice | parameters |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        low, high = float(row["difference_low"]), float(row["difference_high"])
        interval = "" if np.isnan(low) else f" [{low:+.3f}, {high:+.3f}]"  # of a single environment there is none
        difference = "–" if row["verdict"] == "reference" else f"{float(row['difference']):+.3f}{interval}"
        half = (float(row["regret_high"]) - float(row["regret_low"])) / 2
        spread = "" if np.isnan(half) else f" ± {half:.3f}"
        apart = row["role"] == "attainable"
        rank = "–" if row["mean_rank"] == "" else f"{float(row['mean_rank']):.1f}"
        name = f"*{_name(row['policy'])} (attainable)*" if apart else _name(row["policy"])
        bold = "**better**" if row["verdict"] == "better" and not apart else row["verdict"]
        yield (
            f"| {name} | {_number(row['regret_per_round'])}{spread} | {difference} | {bold} | {rank} "
            f"| {_two_digits(1e3 * float(row['seconds_per_choice']))} | {row['parameters']} |"
        )
    yield ""


def _name(policy: str) -> str:
    return look_of(policy).label


def _names(rows: Sequence[Row]) -> str:
    return ", ".join(_name(row["policy"]) for row in rows) or "–"


def _names_and_costs(rows: Sequence[Row], reference: Row) -> str:
    """Return names, each with its time for a choice as a multiple of the reference's."""
    own = float(reference["seconds_per_choice"])
    return (
        ", ".join(f"{_name(row['policy'])} (×{_two_digits(float(row['seconds_per_choice']) / own)})" for row in rows)
        or "–"
    )


def _number(text: str) -> str:
    return f"{float(text):.3f}"


def _two_digits(value: float) -> str:
    """Return a number with two digits that count, and no exponent unless it is huge.

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
