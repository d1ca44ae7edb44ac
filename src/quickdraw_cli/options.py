"""Options that several commands share, and the environment that they describe."""

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quickdraw_bandits.environments import Environment
    from quickdraw_lab.any_run import Play, R
    from quickdraw_lab.runner import Engine

# Option, name in RandomField, type, default shown, help. They are None unless given, so that one that cannot have
# an effect is noticed.
_FIELD = (
    ("--length-x", "length_x", float, "0.1", "correlation length of the random field over arms, which span [-1, 1]"),
    ("--length-t", "length_t", float, "0.1", "correlation length over time, which spans [0, 1]"),
    ("--power", "power", float, "1", "the field is raised to this power; a larger one sharpens its peaks"),
    ("--arms", "n_arms", int, "1000", "how many arms"),
    ("--rounds", "n_rounds", int, "1000", "how many rounds"),
)


def add_environment_options(parser: argparse.ArgumentParser) -> None:
    """Add what describes a random field or recorded data."""
    for option, name, kind, default, meaning in _FIELD:
        metavar = "N" if kind is int else "X"
        parser.add_argument(option, dest=name, type=kind, metavar=metavar, help=f"{meaning} (default {default})")
    parser.add_argument(
        "--noise", type=float, default=0.0, metavar="X", help="standard deviation of the noise (default 0)"
    )
    parser.add_argument(
        "--warmup", type=int, default=100, metavar="N", help="rounds at first that are random (default 100)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="all randomness comes from it (default 0)")
    parser.add_argument(
        "--data",
        metavar="FILE",
        help="play on recorded rewards in place of a random field: .npz, .npy or .csv, "
        "one row to a round and one column to an arm",
    )
    parser.add_argument("--scale", action="store_true", help="scale the recorded rewards to [0, 1] first")


def field_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the settings of a random field that were given."""
    return {name: getattr(arguments, name) for _, name, *_ in _FIELD if getattr(arguments, name) is not None}


def recorded_environment(arguments: argparse.Namespace) -> "Environment | None":
    """Return the environment of ``--data``, or None where it was not given."""
    if arguments.data is None:
        if arguments.scale:
            raise ValueError("--scale is for recorded rewards; give --data as well")
        return None
    for option, name, *_ in _FIELD:
        if getattr(arguments, name) is not None:
            raise ValueError(f"{option} describes a random field and has no effect with --data; leave one of them out")
    from quickdraw_bandits.environments import Recorded

    env = Recorded.load(arguments.data, noise=arguments.noise, seed=arguments.seed)
    if arguments.scale:
        low, high = float(env.mean.min()), float(env.mean.max())
        if low == high:
            raise ValueError(f"{arguments.data}: all rewards are {low:g}, which cannot be scaled to [0, 1]")
        scaled = (env.mean - low) / (high - low)
        env = Recorded(scaled, env.arms, env.times, noise=arguments.noise, seed=arguments.seed)
    return env


def random_field(arguments: argparse.Namespace, seed: int) -> "Environment":
    """Return the random field that the options describe."""
    from quickdraw_bandits.environments import RandomField

    return RandomField(**field_settings(arguments), noise=arguments.noise, seed=seed)


def add_engine_options(parser: argparse.ArgumentParser) -> None:
    """Add what says where runs are played."""
    parser.add_argument(
        "--engine",
        choices=("pool", "ray"),
        default="pool",
        metavar="NAME",
        help="where runs are played: pool, processes on this machine, or ray, a Ray cluster (default pool)",
    )
    parser.add_argument(
        "--ray-address",
        metavar="ADDRESS",
        help="a Ray cluster that is there, on whose nodes this package is installed (default: one is started here, "
        "on the loopback and behind a token)",
    )


def engine_of(arguments: argparse.Namespace, play: "Play[R]", jobs: int) -> "Engine[R]":
    """Return what plays runs where the options say."""
    if arguments.engine == "ray":
        from quickdraw_lab.engines.ray_cluster import play_on_ray, require_cluster, require_ray

        require_ray()
        if arguments.ray_address is not None:
            require_cluster(arguments.ray_address)
        return partial(play_on_ray, play, jobs=jobs, address=arguments.ray_address)
    if arguments.ray_address is not None:
        raise ValueError("--ray-address is for --engine ray; leave it out or give both")
    from quickdraw_lab.engines.pool import play_on_pool

    return partial(play_on_pool, play, jobs=jobs)
