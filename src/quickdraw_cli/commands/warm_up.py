"""``quickdraw warm-up``: compile ahead."""

import argparse

HELP = "compile the library's code ahead, so that no program waits for it"
DESCRIPTION = (
    "Compile what QuickDraw and AdaptiveQuickDraw need, for arms of the given dimensions, and keep it in the cache on "
    "disk. Programs on this machine then start without waiting for the compiler."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--dimensions", type=int, nargs="+", default=[1, 2], metavar="D", help="dimensions of the arms (default: 1 2)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from time import perf_counter

    import numpy as np

    import quickdraw_bandits as qd
    from quickdraw_bandits.checks import integer

    random = np.random.default_rng(0)
    for dimension in arguments.dimensions:
        integer("--dimensions", dimension, at_least=1)
    for dimension in arguments.dimensions:
        few, many = (qd.Arms(random.random((n, dimension))) for n in (200, 4200))
        policies = {"QuickDraw": qd.QuickDraw(few), "AdaptiveQuickDraw": qd.AdaptiveQuickDraw(few)}
        policies["AdaptiveQuickDraw, many arms"] = qd.AdaptiveQuickDraw(many)
        for name, policy in policies.items():
            start = perf_counter()
            qd.warm_up(policy)
            print(f"{name} in {dimension}-D: ready after {perf_counter() - start:.1f} s", flush=True)
    return 0
