"""Arms that come as a file: an ``.npy`` array or a Parquet table, of which nothing is believed before it is checked."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import numpy as np

from quickdraw_service.api.refusals import MalformedError
from quickdraw_service.api.wire import LARGEST, LONGEST_LABEL, Label
from quickdraw_service.errors import BadRequestError, ServiceError
from quickdraw_service.limits import Limits
from quickdraw_service.requests import Floats

NPY, PARQUET = "application/x-npy", "application/vnd.apache.parquet"
LABEL_COLUMN = "label"
_WRITE_NPY = "Write it with numpy.save(file, points)."
_WRITE_PARQUET = "Write it with pandas.DataFrame.to_parquet or pyarrow.parquet.write_table, and send all of it."
_LABELS = f"Give every arm its own label of 1 to {LONGEST_LABEL} characters."
PIECE = 2**20
"""Values of a Parquet file that are read at once."""


def read_npy(content: bytes, limits: Limits) -> tuple[Floats, None]:
    """Return the points in the bytes of an ``.npy`` file. Objects are refused, so nothing is unpickled."""
    file = io.BytesIO(content)
    with _damaged("the body is not an .npy file of numbers", _WRITE_NPY):
        array = np.load(file, allow_pickle=False)
    if not isinstance(array, np.ndarray):
        raise MalformedError("the body is not an .npy file of numbers", _WRITE_NPY)
    if file.tell() != len(content):
        raise MalformedError(f"the .npy file has {len(content) - file.tell():,} bytes behind its array", _WRITE_NPY)
    _check_size(len(array) if array.ndim else 1, array.size, limits)
    return _checked_points(array), None


def read_parquet(content: bytes, limits: Limits) -> tuple[Floats, list[str] | None]:
    """Return points and labels in a Parquet file: numeric columns are coordinates, ``label`` holds the labels."""
    with _damaged("the body is not a Parquet file, or it is damaged", _WRITE_PARQUET):
        import pyarrow as pa
        import pyarrow.parquet

        file: Any = pyarrow.parquet.ParquetFile(pa.BufferReader(content))
        _check_columns(file.schema_arrow)
        _check_parquet_size(file.metadata, limits)
        if LABEL_COLUMN in file.schema_arrow.names:
            # A text that many rows of a small file share stays one text.
            file = pyarrow.parquet.ParquetFile(pa.BufferReader(content), read_dictionary=[LABEL_COLUMN])
        table = _unpacked(file)
        labels = None
        if LABEL_COLUMN in table.column_names:
            labels = _labels(table.column(LABEL_COLUMN))
            table = table.drop_columns([LABEL_COLUMN])
        columns = [np.asarray(column.to_numpy(), dtype=np.float64) for column in table.columns]
        return _checked_points(np.column_stack(columns)), labels


@contextmanager
def _damaged(message: str, advice: str) -> Iterator[None]:
    """Turn whatever a reader raises about a damaged file into one error: they raise errors of a dozen types."""
    try:
        yield
    except ServiceError:
        raise
    except Exception as error:
        raise MalformedError(message, advice) from error


def _check_columns(schema: Any) -> None:
    """Refuse columns that are no coordinates and no labels, before any of them is read."""
    import pyarrow as pa

    coordinates = 0
    for name in schema.names:
        if schema.names.count(name) > 1:
            raise BadRequestError(
                f"the column {name[:100]!r} is there more than once", "Give each column its own name."
            )
        kind = schema.field(name).type
        if name == LABEL_COLUMN:
            kind = kind.value_type if pa.types.is_dictionary(kind) else kind
            if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
                raise BadRequestError(f"the column 'label' must hold a string per arm, got {kind}", _LABELS)
        elif pa.types.is_floating(kind) or pa.types.is_integer(kind):
            coordinates += 1
        else:
            raise BadRequestError(
                f"the column {name[:100]!r} must be numeric, got {kind}", "Coordinates are numbers, labels 'label'."
            )
    if not coordinates:
        raise BadRequestError("the Parquet file must have at least one numeric column", "Columns are coordinates.")


def _check_parquet_size(metadata: Any, limits: Limits) -> None:
    """Refuse a table that would be too large once it is unpacked.

    Nothing is asked of single columns: for a damaged file, that would end the process.
    """
    groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
    rows = max(metadata.num_rows, sum(group.num_rows for group in groups))
    _check_size(rows, rows * metadata.num_columns, limits)
    unpacked = sum(group.total_byte_size for group in groups)
    if unpacked > limits.arms_body:
        raise BadRequestError(
            f"the table must have at most {limits.arms_body:,} bytes when it is unpacked, got {unpacked:,}",
            "Send fewer arms or columns, or raise the limit arms_body of the server.",
        )


def _unpacked(file: Any) -> Any:
    """Return the whole table; it is read in pieces, since a damaged file may hold more rows than it says."""
    import pyarrow as pa

    pieces, rows = [], 0
    for piece in file.iter_batches(batch_size=max(1, PIECE // max(1, file.metadata.num_columns))):
        rows += piece.num_rows
        if rows > file.metadata.num_rows:
            raise MalformedError("the Parquet file has more rows than it says", _WRITE_PARQUET)
        piece.validate(full=True)
        if LABEL_COLUMN in piece.schema.names:
            _check_lengths(piece.column(LABEL_COLUMN).dictionary)
        pieces.append(piece)
    return pa.Table.from_batches(pieces, schema=None if pieces else file.schema_arrow)


def _check_size(rows: int, values: int, limits: Limits) -> None:
    """Refuse a table with too many arms, or with more numbers than a body could hold at eight bytes each."""
    if rows > limits.arms:
        raise BadRequestError(
            f"arms: this server takes at most {limits.arms:,}, got {rows:,}", "Send fewer arms to one experiment."
        )
    most = limits.arms_body // 8
    if values > most:
        raise BadRequestError(
            f"a table of arms must have at most {most:,} values, got {values:,}",
            "Send fewer arms or columns, or raise the limit arms_body of the server: each value takes eight bytes.",
        )


def _check_lengths(texts: Any) -> None:
    """Refuse labels that are much too long, before there is one for each row."""
    import pyarrow.compute as pc

    longest = pc.max(pc.binary_length(texts)).as_py() or 0
    if longest > 4 * LONGEST_LABEL:  # bytes of a character in UTF-8
        raise BadRequestError(f"the column 'label' has a label of {longest:,} bytes", _LABELS)


def _labels(column: Any) -> list[str]:
    try:
        return msgspec.convert(column.to_pylist(), list[Label])
    except msgspec.ValidationError as error:
        raise BadRequestError(f"the column 'label' must hold a string per arm: {error}", _LABELS) from None


def _checked_points(array: "np.ndarray[Any, Any]") -> Floats:
    if array.dtype.kind not in "fiu" or array.ndim not in (1, 2) or not array.size:
        raise BadRequestError(
            f"arms must be numbers, one row per arm, got an array of {array.dtype} and shape {array.shape}",
            "Send an array of floats with one row per arm.",
        )
    points = np.ascontiguousarray(array.reshape(len(array), -1), dtype=np.float64)
    if not (np.abs(points) <= LARGEST).all():
        raise BadRequestError(
            f"coordinates must be finite and at most {LARGEST:g}", "Leave out arms without coordinates."
        )
    return points
