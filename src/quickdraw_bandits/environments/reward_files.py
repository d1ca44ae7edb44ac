"""Reading rewards from files."""

import zipfile
import zlib
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import real_array
from quickdraw_bandits.environments.reward_tables import Rewards, long_rewards, may_be_header, wide_rewards
from quickdraw_bandits.tables import FileTable
from quickdraw_bandits.tables.convert import as_date, as_number, is_missing
from quickdraw_bandits.tables.file_table import PARQUET
from quickdraw_bandits.tables.layout import Layout, layout_of

Arrays = dict[str, NDArray[np.generic]]

TEXT = (".csv", ".tsv", ".txt")
_ARCHIVE = (KeyError, MemoryError, RuntimeError, zipfile.BadZipFile, zlib.error)
_UNREADABLE = (OSError, ValueError, EOFError, *_ARCHIVE)


def read_rewards(
    path: str | Path,
    *,
    time: str | None = None,
    arm: str | None = None,
    reward: str | None = None,
    header: bool | None = None,
    separator: str | None = None,
    decimal: Literal[".", ","] = ".",
) -> Rewards:
    """Return the rewards in a file; parameters as for ``Recorded.load``.

    Raises
    ------
    ValueError
        If the file is missing, of an unknown kind or cannot be read; it names the file.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    kind = Path(path.stem).suffix.lower() if suffix == ".gz" else suffix
    if suffix in (".npy", ".npz"):
        if any(value is not None for value in (time, arm, reward, header, separator)):
            raise ValueError(f"{path}: time, arm, reward, header and separator are for tables, not for {suffix}")
        return _arrays(path, suffix)
    if kind not in TEXT and suffix not in PARQUET:
        raise ValueError(f"{path}: the file must be one of .npy, .npz, .csv, .tsv, .txt (also .gz), .parquet")
    if (arm is None) != (reward is None) or (arm is not None and time is None):
        raise ValueError("time, arm and reward must be given together, for a table with one row per reward")
    if not path.is_file():
        raise ValueError(f"{path} must be a file, and there is none")
    if arm is not None and reward is not None and time is not None:
        return long_rewards(FileTable(path, separator=separator, decimal=decimal), time, arm, reward)
    if suffix in PARQUET:
        return wide_rewards(FileTable(path), time)
    layout = layout_of(path, separator)
    named = _has_header(layout, time, decimal) if header is None else header
    if named == "unclear":
        raise _either(path, layout)
    rewards = wide_rewards(FileTable(path, separator=layout.separator, decimal=decimal, header=named is True), time)
    if named == "numbers" and may_be_header(rewards.rewards):
        raise _either(path, layout)
    return rewards if named is True else Rewards(rewards.rewards, rewards.times, gap=rewards.gap)


def _has_header(layout: Layout, time: str | None, decimal: str) -> bool | Literal["numbers", "unclear"]:
    """Return whether the first row is a header; ``"numbers"`` if all of it are, and ``"unclear"`` for a mixture."""
    first = layout.first
    if time is not None and time in [name.strip() for name in first]:
        return True
    if len(first) > 1 and first[0] == "" and all(cell != "" for cell in first[1:]):
        return True  # as pandas writes its index: without a name
    texts = [cell for cell in first if as_number(cell, decimal) is None and not is_missing(cell)]
    numbers = [cell for cell in first if as_number(cell, decimal) is not None]
    if not texts:
        return "numbers" if numbers else False
    if not numbers:
        return True
    return False if all(as_date(cell) is not None for cell in texts) else "unclear"


def _either(path: Path, layout: Layout) -> ValueError:
    shown = ", ".join(layout.first[:3]) + (", ..." if len(layout.first) > 3 else "")
    return ValueError(
        f"{path}: the first row ({shown}) may be a header or a round of rewards; say which by header=True or "
        "header=False"
    )


def _arrays(path: Path, suffix: str) -> Rewards:
    try:
        found = _read_npy(path) if suffix == ".npy" else _read_npz(path)
    except FileNotFoundError:
        raise ValueError(f"{path} must be a file, and there is none") from None
    except _UNREADABLE as error:
        raise ValueError(f"{path}: cannot be read as {suffix}: {error}") from None
    try:
        numbers = {name: real_array(name, values).astype(np.float64) for name, values in found.items()}
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return Rewards(numbers["rewards"], numbers.get("times"), numbers.get("points"))


def _read_npy(path: Path) -> Arrays:
    with path.open("rb") as file:
        return {"rewards": np.lib.format.read_array(file, allow_pickle=False)}


def _read_npz(path: Path) -> Arrays:
    with zipfile.ZipFile(path):
        pass  # raises for a file that is not an archive, for which numpy's error would be misleading
    with np.load(path, allow_pickle=False) as archive:
        names = archive.files
        if "rewards" in names:
            return {name: archive[name] for name in ("rewards", "times", "points") if name in names}
        if len(names) == 1:
            return {"rewards": archive[names[0]]}
        raise ValueError(f"it must hold one array, or one named 'rewards', got {', '.join(names) or 'none'}")
