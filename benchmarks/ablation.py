"""What each part of the adaptive policy brings: the regret without it, on random fields and on records.

``python -m benchmarks.ablation docs/results/ablation.csv --folder FOLDER`` plays 14 kinds of fields, and
every record of a folder (see ``benchmarks.records``), with and without 0.05 of noise. Games that are in the file
already are not played again, so that a run that was ended goes on. ``--write docs/results/adaptive.md`` puts the table
of a finished file on the page; without it, the table is printed.
"""

import argparse
import csv
import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

# One thread, so that games take the same time side by side. BLAS reads these variables when it is imported.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

import quickdraw_bandits as qd  # noqa: E402
from benchmarks import records  # noqa: E402
from benchmarks.adaptive import SETTINGS  # noqa: E402
from benchmarks.product_form import product_form  # noqa: E402
from quickdraw_bandits.policies import adaptive_quick_draw  # noqa: E402
from quickdraw_bandits.policies.adaptive import (  # noqa: E402
    evidence,
    exploration,
    hindsight,
    model,
    peaks,
    pool,
    sample,
    scales,
    stay,
    surprises,
)
from quickdraw_lab.statistics import mean_interval  # noqa: E402

FULL = "full policy"
BEGIN, END = "<!-- ablation -->", "<!-- end of ablation -->"
SEEDS = 2
"""Fields of each kind, and games on each record."""
FIRST_SEED = 5200

Change = tuple[Any, str, Any]


@contextmanager
def changed(values: list[tuple[Any, str, Any]]) -> Iterator[None]:
    """Set names of modules to other values for a while."""
    kept = [(module, name, getattr(module, name)) for module, name, _ in values]
    for module, name, value in values:
        setattr(module, name, value)
    try:
        yield
    finally:
        for module, name, value in kept:
            setattr(module, name, value)


def one_round(candidate: scales.Candidate, observations: int) -> int:
    """Return for how many rounds an arm is played, where none is stayed at."""
    return 1


PARTS: dict[str, list[Change]] = {
    FULL: [],
    "no jagged family": [(scales, "TRIED", ("rough", "medium", "smooth"))],
    "no medium family": [(scales, "TRIED", ("jagged", "rough", "smooth"))],
    "rough family only": [(scales, "TRIED", ("rough",))],
    "smooth family only": [(scales, "TRIED", ("smooth",))],
    "product of distance and age": product_form(),
    "no evidence of earlier observations": [(evidence, "REPLACED", 2.0)],
    "no own levels of arms": [(scales, "SHARES", (0.0,))],
    "no single peak": [(peaks, "LEADS", np.inf)],
    "no log prior": [(scales, name, 0.0) for name in ("LONG", "SHORT", "HOPELESS", "MOST_CROWDED")],
    "constant exploration": [(exploration, "reservation", lambda rounds: exploration.MOST)],
    "families as likely among many arms": [(scales, "MOST_CROWDED", 0.0)],
    "level taken for the average": [(model, "LEVEL", 0.0)],
    "noise of at least 1e-5": [(scales, "NOISES", scales.NOISES[1:])],
    "no less exploration near the largest reward": [(exploration, "LEAST_ROOM", exploration.USUAL_ROOM)],
    "short scale grids": [(scales, "NOISES", scales.NOISES[:7]), (scales, "AGES", scales.AGES[:13])],
    "a third of the pool": [(adaptive_quick_draw, "POOL", adaptive_quick_draw.POOL // 3)],
    "the oldest entries are dropped": [(adaptive_quick_draw, "STRONG", -1.0)],
    "no stays": [(stay, "rounds", one_round)],
    "no surprises": [(surprises, "SURE", np.inf), (surprises, "FAR", np.inf)],
    "no hindsight": [(hindsight, "MANY", 10**9)],
    "outliers are kept": [(pool, "OUTLYING", 1e6)],
    "no merging or dropping": [(sample, "MERGED", 0.0), (sample, "LEFT_OUT", 0.0)],
}
"""What is changed for each row of the table."""


def fields() -> dict[str, Callable[[int], records.Game]]:
    """Return the kinds of fields, by name; weak signals are played for 5,000 rounds."""

    def test_bed(setting: tuple[float, float, float, float], seed: int) -> records.Game:
        length_x, length_t, power, noise = setting
        env = qd.environments.RandomField(length_x, length_t, power, seed=seed)
        return records.Game(env.arms, env.mean, partial(records.normal, noise))

    def clicks(seed: int) -> records.Game:
        means = 0.1 + 0.5 * records.field(0.2, 0.3, seed)
        return records.Game(qd.Arms.grid(-1, 1, 1000), means, records.click, lasting=5)

    def strong_noise(seed: int) -> records.Game:
        draw = partial(records.normal, 1.0)
        return records.Game(qd.Arms.grid(-1, 1, 1000), records.field(0.1, 0.1, seed), draw, lasting=5)

    found: dict[str, Callable[[int], records.Game]] = {
        "field " + ", ".join(f"{value:g}" for value in setting): partial(test_bed, setting) for setting in SETTINGS
    }
    found |= {name: records.WEAK[name] for name in ("redrawn", "offsets", "Student t2", "2-D")}
    return found | {"clicks .1-.6": clicks, "noise 1": strong_noise}


def games(folder: Path | None) -> Iterator[tuple[str, str, int, Callable[[], float]]]:
    """Yield the kind of each game, ``field`` or ``record``, its name, seed, and how the adaptive policy plays it."""

    def on_a_field(make: Callable[[int], records.Game], seed: int) -> float:
        game = make(seed)
        return float(game.regret(qd.AdaptiveQuickDraw(game.arms, seed=seed), seed).mean())

    def on_a_record(rewards: Any, arms: qd.Arms, noise: float, seed: int) -> float:
        return records.regret(qd.AdaptiveQuickDraw, records.parts(rewards, arms, noise, seed)[1], seed)

    recorded = {} if folder is None else records.records(folder)
    for seed in range(FIRST_SEED, FIRST_SEED + SEEDS):
        for name, make in fields().items():
            yield "field", name, seed, partial(on_a_field, make, seed)
        for name, (rewards, arms) in recorded.items():
            for noise in records.NOISES:
                game = partial(on_a_record, rewards, arms, noise, seed)
                yield "record", f"{name}, noise {noise:g}", seed, game


COLUMNS = ("part", "kind", "game", "seed", "regret_per_round")


def read(path: Path) -> dict[tuple[str, str, str, int], float]:
    """Return the games that were played."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {
            (row["part"], row["kind"], row["game"], int(row["seed"])): float(row["regret_per_round"])
            for row in csv.DictReader(file)
        }


def play(path: Path, folder: Path | None, parts: list[str]) -> None:
    """Play what is missing, game by game, and add it to the file."""
    known = read(path)
    if not path.exists():
        path.write_text(",".join(COLUMNS) + "\n")
    for kind, name, seed, game in games(folder):
        for part in parts:
            if (part, kind, name, seed) not in known:
                with changed(PARTS[part]):
                    regret = game()
                with path.open("a", newline="") as file:
                    csv.writer(file, lineterminator="\n").writerow([part, kind, name, seed, f"{regret:.6f}"])


def table(known: dict[tuple[str, str, str, int], float]) -> str:
    """Return the ratios of regret without each part and with all: geometric mean over games, 95 % interval, largest.

    The ratio of a game is that of the means over its seeds. The interval is Student's, over games.
    """
    lines = ["| | fields | records | largest ratio | on |", "|---|---|---|---|---|"]
    for part in dict.fromkeys(key[0] for key in known):
        if part == FULL:
            continue
        cells, every = [], {}
        for kind in ("field", "record"):
            ratios = _ratios(known, part, kind)
            every |= ratios
            mean, low, high = mean_interval(np.log(list(ratios.values()))) if len(ratios) > 1 else (np.nan,) * 3
            cells.append(f"{np.exp(mean):.2f} ({np.exp(low):.2f} to {np.exp(high):.2f})" if len(ratios) > 1 else "")
        worst = max(every, key=lambda name, every=every: every[name])
        lines.append(f"| {part} | {' | '.join(cells)} | {every[worst]:.2f} | {worst} |")
    return "\n".join(lines)


def _ratios(known: dict[tuple[str, str, str, int], float], part: str, kind: str) -> dict[str, float]:
    """Return by game the regret without a part over that of the full policy, on the same seeds."""
    found = {}
    for name in dict.fromkeys(key[2] for key in known if key[1] == kind):
        seeds = [seed for p, k, n, seed in known if (p, k, n) == (part, kind, name) and (FULL, k, n, seed) in known]
        if seeds:
            without = sum(known[part, kind, name, seed] for seed in seeds)
            found[name] = without / sum(known[FULL, kind, name, seed] for seed in seeds)
    return found


def section(path: Path) -> str:
    """Return the section of the page."""
    known = read(path)
    counts = {kind: len({key[2] for key in known if key[1] == kind}) for kind in ("field", "record")}
    text = (
        "Regret without single parts of the policy, divided by that of the full policy on the same "
        f"games: the geometric mean over {counts['field']} kinds of fields and over {counts['record']} games on "
        "records, with a 95 % interval by Student's t. A value above 1 says that the part helps; where an interval "
        f"contains 1, no effect could be shown. Fields of each kind, and games on each record: {SEEDS}, with seeds "
        f"from {FIRST_SEED} on. Each record is played with and without noise of 0.05. The product of distance and age "
        "replaces the joint correlation, with the same families. Every game is in "
        f"[{path.name}]({path.name}), from "
        f"`python -m benchmarks.ablation docs/results/{path.name} --folder FOLDER`."
    )
    filled = "\n".join(textwrap.wrap(text, 125, break_long_words=False, break_on_hyphens=False))
    return f"{filled}\n\n{table(known)}\n"


def write(page: Path, path: Path) -> None:
    """Put the section between its marks on a page."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} must have the marks {BEGIN} and {END}")
    page.write_text(f"{before}{BEGIN}\n\n{section(path)}\n{END}{after}", encoding="utf-8")


def main() -> int:
    """Play, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="where regrets are kept")
    parser.add_argument("--folder", type=Path, help="of records to play")
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=list(PARTS), help="rows to play")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="play nothing, and put the table on a page")
    arguments = parser.parse_args()
    if arguments.write is not None:
        write(arguments.write, arguments.file)
        return 0
    play(arguments.file, arguments.folder, arguments.parts)
    print(table(read(arguments.file)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
