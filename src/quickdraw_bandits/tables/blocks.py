"""Blocks of a CSV file, parsed by Polars."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from os import cpu_count
from typing import TYPE_CHECKING

from quickdraw_bandits.tables.expressions import Query, has_read
from quickdraw_bandits.tables.layout import Layout
from quickdraw_bandits.tables.table import Kind

if TYPE_CHECKING:
    import polars

MOST_THREADS = 4
"""Polars parses a block on one thread, so that several blocks are parsed at once. Each of them takes memory."""


class BlockReader:
    """Parses blocks of rows: all columns at once, or from their text where a block has something else.

    There are three ways to parse a block: with times as dates in the usual layout, with times as numbers, and from
    text, which takes everything. The first two fail for a block with other values. All are tried on the first block,
    and later the one that served there, then the third. With decimal commas there is only the third.

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
        self._ways: list[tuple[polars.Schema, Query]] = []
        for of_times in (polars.String(), polars.Float64()) if decimal == "." else ():
            types: dict[Kind, polars.DataType] = {
                "times": of_times,
                "numbers": polars.Float64(),
                "labels": polars.Categorical(),
            }
            schema = polars.Schema(texts | {str(k): types[kind] for k, kind in kinds.items()})
            self._ways.append((schema, Query(schema, kinds, decimal, n_columns, all_read=True)))
        schema = polars.Schema(texts)
        self._ways.append((schema, Query(schema, kinds, decimal, n_columns)))
        self._usual: int | None = None  # the way that served for the first block

    def read_all(self, blocks: Iterable[bytes]) -> "Iterator[polars.DataFrame]":
        """Yield the columns of blocks in their order; some are parsed ahead, on threads."""
        threads = min(MOST_THREADS, cpu_count() or 1)
        with ThreadPoolExecutor(threads) as pool:
            waiting: deque[Future[polars.DataFrame]] = deque()
            try:
                for block in blocks:
                    waiting.append(pool.submit(self.read, block))
                    if len(waiting) > threads:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for each in waiting:
                    each.cancel()

    def read(self, block: bytes) -> "polars.DataFrame":
        """Return the columns of a block, as ``Query`` names them."""
        import polars

        last = len(self._ways) - 1
        for way in range(last) if self._usual is None else (self._usual,):
            try:
                frame = self._parse(block, way)
            except polars.exceptions.ComputeError:  # something is no number
                continue
            if way == last or has_read(frame):
                self._usual = way
                return frame
        self._usual = last if self._usual is None else self._usual
        return self._parse(block, last)

    def _parse(self, block: bytes, which: int) -> "polars.DataFrame":
        import polars

        schema, query = self._ways[which]
        scan = polars.scan_csv(
            block,
            has_header=False,
            separator=self._separator,
            schema=schema,
            missing_columns="insert",
            extra_columns="ignore",
        )
        return query.of(scan).collect()
