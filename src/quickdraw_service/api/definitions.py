"""From what a client sends about arms to the definition that the service keeps."""

import io
from typing import Any

import msgspec
import numpy as np

from quickdraw_service.api.decoding import content_type, decode_json, header, require_json
from quickdraw_service.api.operation import Call
from quickdraw_service.api.refusals import MalformedError
from quickdraw_service.api.wire import LARGEST, Body, ExperimentBody, Label, PolicyBody
from quickdraw_service.errors import BadRequestError
from quickdraw_service.requests import Definition, Floats

DEFINITION_HEADER = "Quickdraw-Definition"
NPY, PARQUET = "application/x-npy", "application/vnd.apache.parquet"
LABEL_COLUMN = "label"


class TableDefinition(Body, frozen=True):
    """The rest of a definition whose arms come as a Parquet or ``.npy`` body: as its JSON, with the metric alone."""

    metric: str | None = None
    policy: PolicyBody = PolicyBody()
    uniform: float = 0.05
    seed: int = 0
    reward_within: float | None = None


async def read_definition(call: Call) -> Definition:
    """Return the definition that a request brings, as JSON or as a table of arms."""
    kind = content_type(call.headers)
    if kind not in (NPY, PARQUET):
        require_json(call.headers)
        body = decode_json(await call.raw_body(call.tools.limits.body), ExperimentBody)
        return definition_of(body)
    text = header(call.headers, DEFINITION_HEADER.lower().encode())
    rest = TableDefinition() if text is None else decode_json(text, TableDefinition)
    checked = decode_json(
        msgspec.json.encode(
            {
                "arms": {"metric": rest.metric},
                **{name: getattr(rest, name) for name in ("policy", "uniform", "seed", "reward_within")},
            }
        ),
        ExperimentBody,
    )
    content = await call.raw_body(call.tools.limits.arms_body)
    points, labels = await call.tools.readers.run(read_npy if kind == NPY else read_parquet, content)
    return _definition(checked, points, labels)


def definition_of(body: ExperimentBody) -> Definition:
    """Return the definition in a JSON body."""
    arms = body.arms
    if (arms.grid is None) == (arms.points is None):
        raise BadRequestError("arms must have either 'grid' or 'points'")
    if arms.points is not None:
        return _definition(body, points_of(arms.points), arms.labels)
    if arms.metric not in (None, "euclidean") or arms.labels is not None:
        raise BadRequestError(
            "arms on a grid are euclidean and have no labels", "Give 'points' for other metrics or labels."
        )
    return _definition(body, None, None)


def _definition(body: ExperimentBody, points: Floats | None, labels: list[str] | None) -> Definition:
    grid = body.arms.grid
    return Definition(
        grid=None if grid is None else (grid.low, grid.high, grid.n),
        points=points,
        metric=body.arms.metric or "euclidean",
        labels=labels,
        policy=body.policy.name,
        parameters=dict(body.policy.parameters),
        uniform=body.uniform,
        seed=body.seed,
        reward_within=body.reward_within,
    )


def points_of(rows: list[list[float]]) -> Floats:
    """Return rows of coordinates as an array, or raise BadRequestError if their lengths differ."""
    width = len(rows[0])
    for i, row in enumerate(rows):
        if len(row) != width:
            raise BadRequestError(f"points[{i}]: expected {width} coordinates as in points[0], got {len(row)}")
    return np.array(rows, dtype=np.float64)


def read_npy(content: bytes) -> tuple[Floats, None]:
    """Return the points in the bytes of an ``.npy`` file. Objects are refused, so nothing is unpickled."""
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except (ValueError, EOFError, OSError, SyntaxError, MemoryError, OverflowError, TypeError, RecursionError):
        array = None
    if not isinstance(array, np.ndarray):
        raise MalformedError("the body is not an .npy file of numbers", "Write it with numpy.save(file, points).")
    return _checked_points(array), None


def read_parquet(content: bytes) -> tuple[Floats, list[str] | None]:
    """Return points and labels in a Parquet file: numeric columns are coordinates, ``label`` holds the labels."""
    import pyarrow as pa
    import pyarrow.parquet

    try:
        table: Any = pyarrow.parquet.read_table(pa.BufferReader(content))
    except (pa.ArrowException, OSError, ValueError, MemoryError):
        raise MalformedError("the body is not a Parquet file") from None
    labels = None
    if LABEL_COLUMN in table.column_names:
        try:
            labels = msgspec.convert(table.column(LABEL_COLUMN).to_pylist(), list[Label])
        except msgspec.ValidationError as error:
            raise BadRequestError(
                f"the column 'label' must hold a string of 1 to 256 characters per arm: {error}"
            ) from None
        table = table.drop_columns([LABEL_COLUMN])
    for field in table.schema:
        if not (pa.types.is_floating(field.type) or pa.types.is_integer(field.type)):
            raise BadRequestError(f"the column {field.name[:100]!r} must be numeric, got {field.type}")
    if not table.num_columns:
        raise BadRequestError("the Parquet file must have at least one numeric column")
    columns = [np.asarray(column.to_numpy(), dtype=np.float64) for column in table.columns]
    return _checked_points(np.column_stack(columns)), labels


def _checked_points(array: "np.ndarray[Any, Any]") -> Floats:
    if array.dtype.kind not in "fiu" or array.ndim not in (1, 2) or not array.size:
        raise BadRequestError(
            f"arms must be numbers, one row per arm, got an array of {array.dtype} and shape {array.shape}"
        )
    points = np.ascontiguousarray(array.reshape(len(array), -1), dtype=np.float64)
    if not (np.abs(points) <= LARGEST).all():
        raise BadRequestError(f"coordinates must be finite and at most {LARGEST:g}")
    return points


def kinds_of_arms(name: str, arms: list[int | str]) -> list[int] | list[str]:
    """Return positions or labels; raise BadRequestError if they are mixed."""
    if isinstance(arms[0], int):
        positions = [arm for arm in arms if isinstance(arm, int)]
        if len(positions) == len(arms):
            return positions
    labels = [arm for arm in arms if isinstance(arm, str)]
    if len(labels) == len(arms):
        return labels
    raise BadRequestError(f"{name} must be all positions (numbers) or all labels (strings), got both")
