"""``quickdraw play``: policies on one drifting field."""

import argparse
import sys
from pathlib import Path
from typing import Any

from quickdraw_cli.options import add_environment_options, random_field, recorded_environment
from quickdraw_cli.progress import progress_bars


def add_command(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "play",
        help="play policies on one drifting field, or on recorded rewards",
        description="Play policies on one drifting field, or on recorded rewards: prints a table, and writes a picture "
        "(play.png), the table (summary.csv) and every round (rounds.csv).",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--policies",
        nargs="+",
        metavar="NAME",
        help="which policies, by the names of their classes (default: the five of the paper)",
    )
    add_environment_options(parser)
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("results/play"),
        metavar="DIR",
        help="folder to write to (default results/play)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Play, print and draw."""
    from quickdraw_bandits.evaluation.tables import text_table
    from quickdraw_lab import play
    from quickdraw_lab.files import check_folder, write_csv
    from quickdraw_lab.known_policies import PAPER, find_policies
    from quickdraw_lab.plots.play import draw_play
    from quickdraw_lab.plots.style import have_matplotlib, save

    policies = find_policies(arguments.policies or PAPER)
    env = recorded_environment(arguments) or random_field(arguments, arguments.seed)
    check_folder(arguments.out)
    if arguments.warmup >= env.n_rounds:
        raise ValueError(f"--warmup must be below the number of rounds, {env.n_rounds}, got {arguments.warmup}")
    if env.mean.min() < 0 or env.mean.max() > 1:
        print(
            "note: the rewards leave [0, 1], the range that policies expect; --scale maps them there", file=sys.stderr
        )

    with progress_bars("rounds") as open_bar:
        traces = play.play(policies, env, arguments.warmup, arguments.seed, open_bar)

    summary = play.summary_rows(traces)
    write_csv(arguments.out / "summary.csv", summary)
    write_csv(arguments.out / "rounds.csv", play.round_rows(traces))
    written = ["summary.csv", "rounds.csv"]
    if have_matplotlib():
        save(draw_play(env, traces), arguments.out / "play.png")
        written.insert(0, "play.png")
    print(text_table([_readable(row) for row in summary]))
    if len(written) == 2:
        print('\nno picture: it needs matplotlib, pip install "quickdraw-bandits[plots]"')
    print(f"\nwritten to {arguments.out}: {', '.join(written)}")


def _readable(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "policy": row["policy"],
        "regret per round": row["regret_per_round"],
        "reward per round": row["reward_per_round"],
        "ms per choice": 1e3 * row["seconds_per_choice"],
    }
