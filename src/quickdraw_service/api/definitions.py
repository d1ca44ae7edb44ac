"""From what a client sends about arms to the definition that the service keeps."""

import msgspec
import numpy as np

from quickdraw_service.api.arm_files import NPY, PARQUET, read_npy, read_parquet
from quickdraw_service.api.decoding import content_type, decode_json, header, require_json
from quickdraw_service.api.operation import Call
from quickdraw_service.api.wire import Body, ExperimentBody, PolicyBody
from quickdraw_service.errors import BadRequestError
from quickdraw_service.requests import Definition, Floats

DEFINITION_HEADER = "Quickdraw-Definition"
_HEADER = f"the header {DEFINITION_HEADER}"


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
    rest = TableDefinition() if text is None else decode_json(text, TableDefinition, _HEADER)
    checked = decode_json(
        msgspec.json.encode(
            {
                "arms": {"metric": rest.metric},
                **{name: getattr(rest, name) for name in ("policy", "uniform", "seed", "reward_within")},
            }
        ),
        ExperimentBody,
        _HEADER,
    )
    content = await call.raw_body(call.tools.limits.arms_body)
    read = read_npy if kind == NPY else read_parquet
    points, labels = await call.tools.readers.run(read, content, call.tools.limits)
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
