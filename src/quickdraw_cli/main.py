"""Where the ``quickdraw`` command starts."""

import os
import sys
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor

from quickdraw_cli.parser import build_parser

REFUSED, STOPPED = 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0, 1 if parts failed, 2 for bad input, 130 if it was stopped.

    Bad input is answered by one line on the error output. The library says what is wrong as a ``ValueError``, the
    system as an ``OSError``, a missing extra as an ``ImportError``, a process that died as a ``BrokenExecutor``.
    """
    name = "quickdraw"
    try:
        arguments = build_parser().parse_args(argv)
        name = f"quickdraw {arguments.command}"
        return int(arguments.run(arguments) or 0)
    except SystemExit as leaving:  # argparse: help, version, or a bad option, already answered
        return int(leaving.code or 0)
    except BrokenPipeError:  # whoever was reading has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - nothing more can be said
        return 0
    except (ValueError, OSError, ImportError, MemoryError, BrokenExecutor) as error:
        print(f"{name}: error: {_one_line(error)}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print(f"\n{name}: stopped", file=sys.stderr)
        return STOPPED


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__
