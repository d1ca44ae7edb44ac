"""Blocks of a CSV file, parsed by Polars."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from quickdraw_bandits.tables.expressions import Query
from quickdraw_bandits.tables.layout import Layout
from quickdraw_bandits.tables.table import Kind

if TYPE_CHECKING:
    import polars


class BlockReader:
    """Parses blocks of rows: numbers and labels at once, or from their text where a block has something else.

    Parameters
    ----------
    layout, n_columns
        The layout of the file and the number of its columns.
    kinds, decimal
        As for ``Query``.
    """

    def __init__(self, layout: Layout, kinds: Mapping[int, Kind], decimal: str, n_columns: int) -> None:
        import polars

        self._separator = layout.separator
        # One column more than there are, to notice rows that are too long.
        texts = dict.fromkeys(map(str, range(n_columns + 1)), polars.String())
        at_once: dict[str, polars.DataType] = {**texts}
        for k, kind in kinds.items():
            if kind == "labels":
                at_once[str(k)] = polars.Categorical()
            elif kind == "numbers" and decimal == ".":
                at_once[str(k)] = polars.Float64()
        self._schemas = [polars.Schema(at_once), polars.Schema(texts)]
        self._queries = [Query(schema, kinds, decimal, n_columns) for schema in self._schemas]

    def read(self, block: bytes) -> "polars.DataFrame":
        """Return the columns of a block, as ``Query`` names them."""
        import polars

        try:
            return self._parse(block, 0)
        except polars.exceptions.ComputeError:  # something is no number
            return self._parse(block, 1)

    def _parse(self, block: bytes, which: int) -> "polars.DataFrame":
        import polars

        scan = polars.scan_csv(
            block,
            has_header=False,
            separator=self._separator,
            schema=self._schemas[which],
            missing_columns="insert",
            extra_columns="ignore",
        )
        return self._queries[which].of(scan).collect()
