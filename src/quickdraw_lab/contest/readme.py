"""The table of results in the README, from the tables of a contest and of the measurements of scale.

``python -m quickdraw_lab.contest.readme README.md docs/results`` replaces what stands between two marks. The tables
come from ``quickdraw compare`` with the command in docs/results/readme/about.json, and from ``quickdraw bench scale``.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from quickdraw_bandits.plots.style import HIGHLIGHT, style_of
from quickdraw_lab.files import replacing
from quickdraw_lab.result_tables import Tables, TextRow

BEGIN, END = "<!-- results -->\n\n", "\n<!-- end of results -->"
SHOWN = (HIGHLIGHT, "QuickDraw", "TimeVaryingGPUCB", "SlidingGPUCB", "Restless", "SlidingEpsilonGreedy")
"""The columns."""
NAMES = {
    "base": "drifting field, 1,000 arms",
    "noise-0.3": "the same with much noise",
    "slow-drift": "slow drift",
    "fast-drift": "fast drift",
    "few-arms": "10 unrelated arms",
    "highway": "recorded highway speeds",
}
FEW, MANY = 1_000, 10_000_000


def results(folder: Path) -> str:
    """Return the table: regret and time of a choice as multiples of the adaptive policy's."""
    rows = Tables(folder / "readme").rows("contest")
    return "\n".join(_lines(rows, Tables(folder).rows("scale"))) + "\n"


def _lines(rows: Sequence[TextRow], scale: Sequence[TextRow]) -> Iterator[str]:
    names = [style_of(policy).label for policy in SHOWN]
    yield f"| regret per round | {' | '.join(names)} |"
    yield "|---" + "|---:" * len(SHOWN) + "|"
    for environment, name in NAMES.items():
        regret = {row["policy"]: float(row["regret_per_round"]) for row in rows if row["environment"] == environment}
        own = regret[HIGHLIGHT]
        others = [f"×{regret[policy] / own:.1f}" for policy in SHOWN[1:]]
        yield f"| {name} | **{own:.3f}** | {' | '.join(others)} |"
    cost = {
        policy: float(np.median([float(row["seconds_per_choice"]) for row in rows if row["policy"] == policy]))
        for policy in SHOWN
    }
    others = [f"×{cost[policy] / cost[HIGHLIGHT]:.2g}" for policy in SHOWN[1:]]
    yield f"| time of a choice | {1e3 * cost[HIGHLIGHT]:.2f} ms | {' | '.join(others)} |"
    yield ""
    ms = {int(row["arms"]): float(row["ms"]) for row in scale if (row["against"], row["series"]) == ("arms", "auto")}
    yield (
        f"With {MANY:,} arms instead of {FEW:,}, a choice of Quick-Draw takes {ms[MANY] / ms[FEW]:.0f} times as long: "
        f"{ms[MANY]:.1f} ms."
    )


def with_results(text: str, table: str) -> str:
    """Return the text with the table between its marks."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page must have the lines {BEGIN.strip()} and {END.strip()}")
    return before + begin + table + end + after


def main(arguments: Sequence[str]) -> None:
    """Replace the table."""
    page, folder = map(Path, arguments)
    text = with_results(page.read_text(encoding="utf-8"), results(folder))
    with replacing(page) as temporary:
        temporary.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
