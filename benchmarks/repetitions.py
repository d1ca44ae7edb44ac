"""What benchmarks that repeat a game over many seeds share: their options, and the file of their figures."""

import argparse
import json
from pathlib import Path


class Options(argparse.ArgumentParser):
    """Options of a benchmark that repeats something: how often, from which seed on, and where figures go.

    Parameters
    ----------
    module
        The benchmark, ``coverage`` for ``python -m benchmarks.coverage``.
    description
        Its docstring.
    what
        What is repeated, in the plural: the name of the option.
    count, first_seed
        The defaults.
    """

    def __init__(self, module: str, description: str, what: str, count: int, first_seed: int) -> None:
        super().__init__(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
        self._module, self._what = module, what
        self.add_argument(f"--{what}", type=int, default=count, help=f"number of {what} (default {count})")
        self.add_argument("--first-seed", type=int, default=first_seed, help=f"of the {what} (default {first_seed})")
        self.add_argument("--out", type=Path, help="file for the figures")

    def given(self) -> tuple[argparse.Namespace, range]:
        """Return all options, and the seeds."""
        self._given = self.parse_args()
        count, first = getattr(self._given, self._what), self._given.first_seed
        self._seeds = range(first, first + count)
        return self._given, self._seeds

    def write(self, **figures: object) -> None:
        """Write figures with the command that made them, if a file was named."""
        if self._given.out is not None:
            seeds = self._seeds
            command = f"python -m benchmarks.{self._module} --{self._what} {len(seeds)} --first-seed {seeds.start}"
            self._given.out.write_text(json.dumps({"command": command, **figures}, indent=1) + "\n")
