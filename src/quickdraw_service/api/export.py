"""The log of an experiment as CSV or Parquet, written in parts as it is read."""

import csv
import io
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from typing import Any, Literal

import numpy as np

from quickdraw_service.answers import LogRows
from quickdraw_service.api.operation import Call
from quickdraw_service.errors import OverloadedError

CSV, PARQUET = "text/csv; charset=utf-8", "application/vnd.apache.parquet"
Parts = Generator[bytes, None, None]
COLUMNS = ("id", "time", "arm", "label", "reward", "propensity")


async def export(call: Call, format: Literal["csv", "parquet"], unrewarded: bool) -> AsyncGenerator[bytes, None]:
    """Return the parts of the file. The first is read before, so that errors come as errors."""
    tools = call.tools
    if tools.exports >= tools.limits.exports:
        raise OverloadedError("too many logs are being read", "Try again later.", retry_after=5)
    tools.exports += 1
    write = csv_parts if format == "csv" else parquet_parts
    parts = write(lambda: tools.service.log(call.experiment, unrewarded))
    try:
        first = await tools.readers.run(next, parts, None)
    except BaseException:
        tools.exports -= 1
        raise

    async def streamed() -> AsyncGenerator[bytes, None]:
        part = first
        try:
            while part is not None:
                if part:
                    yield part
                part = await tools.readers.run(next, parts, None)
        finally:
            tools.exports -= 1
            parts.close()

    return streamed()


def csv_parts(rows: Callable[[], Iterator[LogRows]]) -> Parts:
    """Yield a CSV table with a header, part by part.

    Examples
    --------
    >>> chunk = LogRows(["a"], np.array([1.5]), np.array([3]), ["x,y"], np.array([0.5]), np.array([0.25]))
    >>> print(b"".join(csv_parts(lambda: iter([chunk]))).decode())
    id,time,arm,label,reward,propensity
    a,1.5,3,"x,y",0.5,0.25
    """
    source = rows()
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for chunk in source:
        labels = chunk.labels or [""] * len(chunk.ids)
        rewards = ["" if reward != reward else reward for reward in chunk.rewards.tolist()]
        writer.writerows(
            zip(chunk.ids, chunk.times.tolist(), chunk.arms.tolist(), labels, rewards, chunk.propensities.tolist(),
                strict=True)
        )  # fmt: skip
        yield text.getvalue().encode()
        text.seek(0)
        text.truncate()
    yield text.getvalue().encode()


class _Sink(io.RawIOBase):
    """A file that keeps what was written until it is taken."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._position = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        part = bytes(data)
        self._parts.append(part)
        self._position += len(part)
        return len(part)

    def tell(self) -> int:
        return self._position

    def take(self) -> bytes:
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken


def parquet_parts(rows: Callable[[], Iterator[LogRows]]) -> Parts:
    """Yield a Parquet file, one row group per part of the log."""
    import pyarrow as pa
    import pyarrow.parquet

    schema = pa.schema(
        [
            ("id", pa.string()),
            ("time", pa.float64()),
            ("arm", pa.int64()),
            ("label", pa.string()),
            ("reward", pa.float64()),
            ("propensity", pa.float64()),
        ]
    )
    source, sink = rows(), _Sink()
    with pyarrow.parquet.ParquetWriter(sink, schema) as writer:
        for chunk in source:
            rewards = pa.array(chunk.rewards, mask=np.isnan(chunk.rewards))
            labels = pa.nulls(len(chunk.ids), pa.string()) if chunk.labels is None else pa.array(chunk.labels)
            columns = [pa.array(chunk.ids, pa.string()), chunk.times, chunk.arms, labels, rewards, chunk.propensities]
            writer.write_table(pa.table(columns, schema=schema))
            yield sink.take()
    yield sink.take()
