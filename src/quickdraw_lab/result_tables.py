"""Reading the tables of a results folder."""

import csv
import gzip
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from quickdraw_lab.files import is_complete

Row = Mapping[str, Any]
"""One row of a table: the value of each column, a number or a text."""

TextRow = Mapping[str, str]
"""One row as it is read from a file."""


class Tables:
    """The tables of a folder by name. Files may be plain (``F4.csv``) or compressed (``F4.csv.gz``)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[str, list[TextRow]] = {}

    @cached_property
    def names(self) -> list[str]:
        """The names of all tables, sorted by file name."""
        files = sorted(path.name for path in self.folder.iterdir() if is_complete(path))
        return list(dict.fromkeys(name.partition(".")[0] for name in files if name.endswith((".csv", ".csv.gz"))))

    def rows(self, name: str) -> list[TextRow]:
        """Return the rows of a table, or raise ``KeyError``."""
        if name not in self.names:
            raise KeyError(name)
        if name not in self._read:
            plain = self.folder / f"{name}.csv"
            path = plain if plain.exists() else self.folder / f"{name}.csv.gz"
            with (
                gzip.open(path, "rt", newline="", encoding="utf-8")
                if path.suffix == ".gz"
                else path.open(newline="", encoding="utf-8") as file
            ):
                self._read[name] = list(csv.DictReader(file))
        return self._read[name]

    def by_field(
        self, name: str, policy: str, value: float | None = None, column: str = "regret_per_round", key: str = "field"
    ) -> dict[str, float]:
        """Return a column of one policy as a mapping from field number to value.

        Parameters
        ----------
        name
            The table.
        policy, value
            Only rows of this policy, and of this value of the varied parameter unless it is None.
        column
            What to return. Rows in which it is empty are left out.
        key
            The column to map from.
        """
        found = {
            row[key]: float(row[column])
            for row in self.rows(name)
            if row["policy"] == policy and (value is None or float(row["value"]) == value) and row[column] != ""
        }
        if not found:
            raise KeyError(f"{name}: {policy} at {value}")
        return found
