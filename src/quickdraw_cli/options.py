"""Options that several commands share, and what they describe."""

import argparse
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from quickdraw_cli.table_options import add_reward_table_options, given_table_options, naming_options

if TYPE_CHECKING:
    from quickdraw_bandits.environments import Environment
    from quickdraw_lab.runner.run import Play, R, Runner

# Option, name in RandomField, type, default, help. None unless given, so that an option without effect is noticed.
_FIELD = (
    ("--length-x", "length_x", float, "0.1", "correlation length of the random field over arms, which span [-1, 1]"),
    ("--length-t", "length_t", float, "0.1", "correlation length over time, which spans [0, 1]"),
    ("--power", "power", float, "1", "power to which the field is raised; larger values sharpen its peaks"),
    ("--arms", "n_arms", int, "1000", "number of arms"),
    ("--rounds", "n_rounds", int, "1000", "number of rounds"),
)


def add_number(parser: argparse.ArgumentParser, option: str, default: int, meaning: str) -> None:
    """Add an integer option whose help names its default."""
    parser.add_argument(option, type=int, default=default, metavar="N", help=f"{meaning} (default {default})")


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Add the seed."""
    add_number(parser, "--seed", 0, "seed of all randomness")


def add_out_folder(parser: argparse.ArgumentParser, default: str) -> None:
    """Add the folder for results."""
    parser.add_argument(
        "--out", type=Path, default=Path(default), metavar="DIR", help=f"folder to write to (default {default})"
    )


def add_hidden_alias(parser: argparse.ArgumentParser, old: str, action: argparse.Action) -> None:
    """Accept the former name of an option."""
    parser.add_argument(
        old, dest=action.dest, type=action.type or str, choices=action.choices, default=argparse.SUPPRESS,
        help=argparse.SUPPRESS,
    )  # fmt: skip


def add_policies(parser: argparse.ArgumentParser, meaning: str, default: str) -> None:
    """Add a list of built-in policies, None unless given."""
    parser.add_argument("--policies", nargs="+", metavar="NAME", help=f"{meaning}, by class name (default: {default})")


def add_environment_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a random field or of recorded rewards."""
    for option, name, kind, default, meaning in _FIELD:
        metavar = "N" if kind is int else "X"
        parser.add_argument(option, dest=name, type=kind, metavar=metavar, help=f"{meaning} (default {default})")
    parser.add_argument(
        "--noise", type=float, default=0.0, metavar="X", help="standard deviation of the noise (default 0)"
    )
    add_number(parser, "--warmup", 100, "number of random rounds at the start")
    add_seed(parser)
    parser.add_argument(
        "--data",
        metavar="FILE",
        help="recorded rewards to play on instead of a random field: .npz, .npy, text (.csv, .tsv, .txt, also .gz) or "
        ".parquet, one row per round, one column per arm",
    )
    parser.add_argument("--scale", action="store_true", help="scale the recorded rewards to [0, 1]")
    add_reward_table_options(parser)


def recorded_environment(arguments: argparse.Namespace) -> "Environment | None":
    """Return the environment of ``--data``, or None if it was not given."""
    if arguments.data is None:
        if arguments.scale:
            raise ValueError("--scale needs recorded rewards; give --data too")
        for option in given_table_options(arguments):
            raise ValueError(f"{option} is about recorded rewards; give --data too")
        return None
    for option, name, *_ in _FIELD:
        if getattr(arguments, name) is not None:
            raise ValueError(f"{option} describes a random field and has no effect with --data; leave one of them out")
    from quickdraw_bandits.environments import Recorded

    with naming_options():
        env = Recorded.load(
            arguments.data,
            noise=arguments.noise,
            seed=arguments.seed,
            time=arguments.time_column,
            arm=arguments.arm_column,
            reward=arguments.reward_column,
            fill=arguments.fill,
            header=arguments.header,
            separator=arguments.separator,
            decimal=arguments.decimal,
        )
    mean, times = env.mean, env.times
    if arguments.scale:
        low, high = float(mean.min()), float(mean.max())
        if low == high:
            raise ValueError(f"{arguments.data}: all rewards are {low:g} and cannot be scaled to [0, 1]")
        mean = (mean - low) / (high - low)
    if arguments.time_column is not None and len(times) > 1:
        times = (times - times[0]) / (times[-1] - times[0])  # the range for which policies have their defaults
    return Recorded(mean, env.arms, times, noise=arguments.noise, seed=arguments.seed)


def random_field(arguments: argparse.Namespace, seed: int) -> "Environment":
    """Return the random field that the options describe."""
    from quickdraw_bandits.environments import RandomField

    given = {name: getattr(arguments, name) for _, name, *_ in _FIELD if getattr(arguments, name) is not None}
    return RandomField(**given, noise=arguments.noise, seed=seed)


def add_own_policies(parser: argparse.ArgumentParser, meaning: str) -> None:
    """Add policies from elsewhere."""
    parser.add_argument(
        "--policy",
        action="append",
        default=[],
        metavar="MODULE:CLASS",
        help=f"a policy of your own, a class with select and update that is built as Class(arms, seed=...); {meaning}; "
        "may be given several times",
    )


def import_from_working_folder() -> None:
    """Let policies of one's own be imported from the working folder; last, so that it hides no library."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Add the number of processes."""
    parser.add_argument("--jobs", type=int, metavar="N", help="number of processes (default: one per core)")


def jobs_of(arguments: argparse.Namespace) -> int:
    """Return the number of processes."""
    from quickdraw_bandits.checks import integer
    from quickdraw_bandits.evaluation.workers import cores

    return cores() if arguments.jobs is None else integer("jobs", arguments.jobs, at_least=1)


def add_runner_options(parser: argparse.ArgumentParser) -> None:
    """Add where runs are played."""
    runner = parser.add_argument(
        "--runner",
        choices=("pool", "ray"),
        default="pool",
        metavar="NAME",
        help="where runs are played: pool (processes on this machine) or ray (a Ray cluster) (default pool)",
    )
    add_hidden_alias(parser, "--engine", runner)
    parser.add_argument(
        "--ray-address",
        metavar="ADDRESS",
        help="address of an existing Ray cluster on which this package is installed (default: start a local cluster, "
        "which listens on the loopback interface only and requires a token)",
    )


def runner_of(arguments: argparse.Namespace, play: "Play[R]") -> "Runner[R]":
    """Return the runner that the options name."""
    jobs, name = jobs_of(arguments), arguments.runner
    if name == "ray":
        from quickdraw_lab.runner.ray_cluster import require_cluster, require_ray, run_on_ray

        require_ray()
        if arguments.ray_address is not None:
            require_cluster(arguments.ray_address)
        return partial(run_on_ray, play, jobs=jobs, address=arguments.ray_address)
    if arguments.ray_address is not None:
        raise ValueError("--ray-address needs --runner ray")
    from quickdraw_lab.runner.pool import run_on_pool

    return partial(run_on_pool, play, jobs=jobs)
