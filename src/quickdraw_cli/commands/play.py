"""``quickdraw play``: policies on one drifting field."""

import argparse
import sys
from pathlib import Path

from quickdraw_cli.options import add_environment_options, add_policies, random_field, recorded_environment
from quickdraw_cli.progress import progress_bars
from quickdraw_cli.terminal import print_table, print_text

HELP = "play policies on one drifting field or on recorded rewards"
DESCRIPTION = (
    "Play policies on one drifting field or on recorded rewards. Prints a table, and writes a figure (play.png), the "
    "table (summary.csv), every round (rounds.csv) and what was played (play.json)."
)
OUT = Path("results/play")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_policies(parser, "policies to play", "AdaptiveQuickDraw and the five of the paper")
    add_environment_options(parser)
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help=f"folder to write to, which must not hold another game (default: {OUT}, then {OUT}-2, and so on)",
    )
    parser.add_argument("--replace", action="store_true", help="replace the game in the folder")


def run(arguments: argparse.Namespace) -> int:
    """Play, print and draw."""
    from quickdraw_bandits.plots.style import have_matplotlib
    from quickdraw_lab.files import write_csv
    from quickdraw_lab.pictures import save
    from quickdraw_lab.play.folder import claimed_folder
    from quickdraw_lab.play.plot import draw_play
    from quickdraw_lab.play.traces import play, round_rows, summary_rows
    from quickdraw_lab.players import built_in

    policies = built_in.find_policies(arguments.policies or built_in.DEFAULT)
    env = recorded_environment(arguments) or random_field(arguments, arguments.seed)
    if arguments.warmup >= env.n_rounds:
        raise ValueError(f"--warmup must be below the number of rounds, {env.n_rounds}, got {arguments.warmup}")
    played = {name: str(value) for name, value in vars(arguments).items() if value is not None and name != "run"}
    played |= {"policies": " ".join(policy.__name__ for policy in policies)}
    with claimed_folder(arguments.out, OUT, arguments.replace, played) as out:
        if env.mean.min() < 0 or env.mean.max() > 1:
            print("note: policies expect rewards in [0, 1], some are outside; --scale scales them", file=sys.stderr)
        with progress_bars("rounds") as open_bar:
            traces = play(policies, env, arguments.warmup, arguments.seed, open_bar)
        summary = summary_rows(traces)
        write_csv(out / "summary.csv", summary)
        write_csv(out / "rounds.csv", round_rows(traces))
        written = ["summary.csv", "rounds.csv", "play.json"]
        if have_matplotlib():
            save(draw_play(env, traces), out / "play.png")
            written.insert(0, "play.png")
    print_table(
        [
            {
                "policy": row["policy"],
                "regret per round": row["regret_per_round"],
                "reward per round": row["reward_per_round"],
                "ms per choice": 1e3 * row["seconds_per_choice"],
            }
            for row in summary
        ]
    )
    if "play.png" not in written:
        from quickdraw_bandits.extras import missing_extra

        print()
        print_text(f"no figure: {missing_extra('figures', 'matplotlib', 'plots')}")
    print()
    print_text(f"written to {out}: {', '.join(written)}")
    return 0
