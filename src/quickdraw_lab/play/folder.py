"""The folder of a game: one game has it to itself."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from quickdraw_lab.files import check_folder

MARK = "play.json"
"""Says what was played. Made before the game starts, and only if it is not there: so it also claims the folder."""


@contextmanager
def claimed_folder(given: Path | None, default: Path, replace: bool, played: Mapping[str, str]) -> Iterator[Path]:
    """Yield a folder that no other game has, or ValueError; if the game fails, the folder is free again.

    Parameters
    ----------
    given
        The folder to use; None for ``default``, or the first of ``default-2``, ``default-3``, … that is free.
    default
        The folder if none is given.
    replace
        Whether a game in the folder is replaced.
    played
        What is played, written to ``play.json``.
    """
    out = given or default
    for number in count(2):
        check_folder(out)
        if replace:
            (out / MARK).unlink(missing_ok=True)
        try:
            with (out / MARK).open("x", encoding="utf-8") as file:
                json.dump(dict(played), file, indent=2)
            break
        except FileExistsError:
            if given is not None:
                raise ValueError(
                    f"{out} holds the results of another game; choose another --out, or give --replace"
                ) from None
            out = default.with_name(f"{default.name}-{number}")
    try:
        yield out
    except BaseException:
        (out / MARK).unlink(missing_ok=True)
        raise
