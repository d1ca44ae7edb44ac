"""``quickdraw bench``: how fast choices are with very many arms and observations."""

import argparse
import sys
from pathlib import Path

from quickdraw_cli.progress import progress_bars
from quickdraw_cli.terminal import print_table

HELP = "measure how fast choices are with very many arms and observations"
DESCRIPTION = (
    "Measure how fast choices are with very many arms and observations. scale: prints the promised and the measured "
    "speed, and writes both (FILE.json) with the time of a choice against the number of arms and observations "
    "(FILE.csv, FILE.png, FILE.svg); each measurement is written at once, and repeating the command continues where it "
    "stopped. soak: plays very many rounds in a row, and writes speed, memory and accuracy (FILE.csv)."
)
SOAK_OPTIONS = ("rounds", "arms", "dimension", "engine")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("what", choices=("scale", "soak"), metavar="WHAT", help="scale or soak")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="file to write to (default results/scale.json or results/soak.csv)"
    )
    parser.add_argument(
        "--quick", action="store_true", help="scale: a hundredth of the arms and observations, to try it out"
    )
    parser.add_argument(
        "--shards",
        action="store_true",
        help="scale: measure arms in shards on a local Ray instead: 10^8 arms, kills, overhead (FILE.json only; takes "
        "8 GB of memory and of disk)",
    )
    parser.add_argument("--rounds", type=int, metavar="N", help="soak: number of rounds (default 1000000)")
    parser.add_argument("--arms", type=int, metavar="N", help="soak: number of arms (default 2000)")
    parser.add_argument("--dimension", type=int, metavar="D", help="soak: dimension of the arms, 1 to 3 (default 2)")
    parser.add_argument(
        "--engine", metavar="NAME", help="soak: engine of Quick-Draw: auto, exact, tree or cached (default auto)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure, print and write."""
    if arguments.what == "soak":
        if arguments.quick:
            raise ValueError("--quick applies to scale only; give --rounds for a shorter soak")
        if arguments.shards:
            raise ValueError("--shards applies to scale only; leave it out")
        return _soak(arguments)
    for option in SOAK_OPTIONS:
        if getattr(arguments, option) is not None:
            raise ValueError(f"--{option} applies to soak only; leave it out")
    return _shards(arguments) if arguments.shards else _scale(arguments)


def _scale(arguments: argparse.Namespace) -> int:
    from quickdraw_bandits.plots.style import have_matplotlib
    from quickdraw_lab.files import check_folder, write_csv
    from quickdraw_lab.pictures import save_both
    from quickdraw_lab.scale.plot import draw_scale
    from quickdraw_lab.scale.run import run

    path = arguments.out or Path("results/scale.json")
    if path.suffix != ".json":
        raise ValueError(f"--out must end in .json, got {path}")
    check_folder(path.parent)
    found = run(path, arguments.quick, lambda line: print(line, file=sys.stderr, flush=True))
    names = ("arms", "observations", "wanted", "measured", "kept", "choice", "update", "other")
    print_table([{name: getattr(row, name) for name in names} for row in found.rows.values()])
    print("choice, update and other (what they are compared with): milliseconds of processor time")
    if arguments.quick:
        print("--quick uses a hundredth of the arms and observations; the promises are for all of them")
    write_csv(path.with_suffix(".csv"), found.points)
    written = [path.name, path.with_suffix(".csv").name]
    if have_matplotlib():
        written += save_both(draw_scale(found.points), path.parent, path.stem)
    print(f"\nwritten to {path.parent}: {', '.join(written)}")
    return 0


def _shards(arguments: argparse.Namespace) -> int:
    from quickdraw_bandits.evaluation.text_table import text_table
    from quickdraw_lab.files import check_folder
    from quickdraw_lab.runner.ray_cluster import require_ray
    from quickdraw_lab.scale.shard_run import run_shards

    path = arguments.out or Path("results/shards.json")
    if path.suffix != ".json":
        raise ValueError(f"--out must end in .json, got {path}")
    require_ray()
    check_folder(path.parent)
    rows = run_shards(path, arguments.quick, lambda line: print(line, file=sys.stderr, flush=True))
    names = ("what", "wanted", "measured", "kept", "choice", "other", "gigabytes")
    print(text_table([{name: getattr(row, name) for name in names} for row in rows.values()]))
    print("choice and other (what it is compared with): milliseconds; gigabytes: of all shards, at most")
    print(f"\nwritten to {path}")
    return 0


def _soak(arguments: argparse.Namespace) -> int:
    from quickdraw_bandits.checks import integer
    from quickdraw_lab.files import check_folder, write_csv
    from quickdraw_lab.scale.soak import soak

    path = arguments.out or Path("results/soak.csv")
    rounds = integer("--rounds", 10**6 if arguments.rounds is None else arguments.rounds, at_least=1)
    n_arms = integer("--arms", 2000 if arguments.arms is None else arguments.arms, at_least=2)
    dimension = integer("--dimension", 2 if arguments.dimension is None else arguments.dimension, at_least=1, at_most=3)
    check_folder(path.parent)
    rows = []
    with progress_bars("rounds") as open_bar:
        for row in soak(rounds, n_arms, dimension, arguments.engine or "auto", open_bar("soak")):
            rows.append(row)
            write_csv(path, rows)
    print_table(rows if len(rows) <= 10 else rows[:: len(rows) // 10])
    print(f"\nwritten to {path}")
    return 0
