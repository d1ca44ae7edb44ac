"""``quickdraw play``: policies on one drifting field."""

import argparse
import sys

from quickdraw_cli.options import (
    add_environment_options,
    add_out_folder,
    add_policies,
    random_field,
    recorded_environment,
)
from quickdraw_cli.progress import progress_bars

HELP = "play policies on one drifting field or on recorded rewards"
DESCRIPTION = (
    "Play policies on one drifting field or on recorded rewards. Prints a table, and writes a figure (play.png), the "
    "table (summary.csv) and every round (rounds.csv)."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_policies(parser, "policies to play", "the five of the paper")
    add_environment_options(parser)
    add_out_folder(parser, "results/play")


def run(arguments: argparse.Namespace) -> int:
    """Play, print and draw."""
    from quickdraw_bandits.evaluation.tables import text_table
    from quickdraw_bandits.plots.style import have_matplotlib
    from quickdraw_lab.files import check_folder, write_csv
    from quickdraw_lab.pictures import save
    from quickdraw_lab.play.plot import draw_play
    from quickdraw_lab.play.traces import play, round_rows, summary_rows
    from quickdraw_lab.policies import built_in

    policies = built_in.find_policies(arguments.policies or built_in.PAPER)
    env = recorded_environment(arguments) or random_field(arguments, arguments.seed)
    check_folder(arguments.out)
    if arguments.warmup >= env.n_rounds:
        raise ValueError(f"--warmup must be below the number of rounds, {env.n_rounds}, got {arguments.warmup}")
    if env.mean.min() < 0 or env.mean.max() > 1:
        print("note: policies expect rewards in [0, 1], some are outside; --scale scales them", file=sys.stderr)

    with progress_bars("rounds") as open_bar:
        traces = play(policies, env, arguments.warmup, arguments.seed, open_bar)

    summary = summary_rows(traces)
    write_csv(arguments.out / "summary.csv", summary)
    write_csv(arguments.out / "rounds.csv", round_rows(traces))
    written = ["summary.csv", "rounds.csv"]
    if have_matplotlib():
        save(draw_play(env, traces), arguments.out / "play.png")
        written.insert(0, "play.png")
    print(
        text_table(
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
    )
    if "play.png" not in written:
        from quickdraw_lab.extras import missing_extra

        print(f"\nno figure: {missing_extra('figures', 'matplotlib', 'plots')}")
    print(f"\nwritten to {arguments.out}: {', '.join(written)}")
    return 0
