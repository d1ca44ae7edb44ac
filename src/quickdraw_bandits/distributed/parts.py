"""Parts of the arms: arrays, or files that are read by the shard that needs them."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

Part = ArrayLike | str | PathLike[str]
"""An array of shape (K, d), or the path of a ``.npy`` or Parquet file, as the process of the shard sees it."""


@dataclass(frozen=True)
class File:
    """A file of coordinates: ``.npy``, or Parquet with one column per coordinate."""

    path: str
    columns: tuple[str, ...] | None

    def read(self) -> Any:
        """Return the coordinates; those of a ``.npy`` file are mapped, not copied."""
        if self.path.endswith(".npy"):
            return np.load(self.path, mmap_mode="r")
        import pyarrow.parquet as parquet

        table = parquet.read_table(self.path, columns=None if self.columns is None else list(self.columns))
        columns = [column.to_numpy() for column in table.columns]
        narrow = all(column.dtype == np.float32 for column in columns)
        points = np.empty((table.num_rows, len(columns)), dtype=np.float32 if narrow else np.float64)
        for k, column in enumerate(columns):
            points[:, k] = column
        return points


def sources(parts: Sequence[Part], columns: Sequence[str] | None) -> list[Any]:
    """Return parts as files and arrays, or raise ValueError."""
    if isinstance(parts, str | PathLike | np.ndarray) or not isinstance(parts, Sequence) or len(parts) == 0:
        raise ValueError(f"parts must be a list of at least one array or path, got {type(parts).__name__}")
    return [_source(k, part, columns) for k, part in enumerate(parts)]


def _source(k: int, part: Part, columns: Sequence[str] | None) -> Any:
    if not isinstance(part, str | PathLike):
        return np.asarray(part)
    path = fspath(part)
    if Path(path).suffix not in (".npy", ".parquet"):
        raise ValueError(f"parts[{k}] must be an array or the path of a .npy or .parquet file, got {path!r}")
    return File(path, None if columns is None else tuple(columns))
