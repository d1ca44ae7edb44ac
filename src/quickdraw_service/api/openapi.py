"""The OpenAPI description, made from the table of operations and the types of bodies and answers."""

from collections.abc import Sequence
from functools import cache
from http import HTTPStatus
from typing import Any

import msgspec

from quickdraw_bandits import __version__
from quickdraw_service.api.arm_files import NPY, PARQUET
from quickdraw_service.api.definitions import DEFINITION_HEADER
from quickdraw_service.api.operation import Asked, Operation
from quickdraw_service.api.refusals import CODES
from quickdraw_service.api.wire import ErrorAnswer
from quickdraw_service.definition import NAME_PATTERN
from quickdraw_service.ids import LONGEST

Schema = dict[str, Any]

_ABOUT = (
    "Decisions of bandit policies over HTTP. An answer to a write is sent after the write is on disk. Every error has "
    "the same shape: what was wrong, and what to do. Unknown fields and parameters are refused by name."
)
_PATH: dict[str, Schema] = {
    "name": {
        "description": "Name of the experiment",
        "schema": {"type": "string", "pattern": NAME_PATTERN},
    },
    "id": {
        "description": "Id of the decision, percent-encoded",
        "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST},
    },
}


@cache
def describe_cached() -> bytes:
    """Return the description of all operations as JSON."""
    from quickdraw_service.api.operations import OPERATIONS

    return msgspec.json.encode(describe(OPERATIONS))


def describe(operations: Sequence[Operation]) -> Schema:
    """Return the description of these operations."""
    types: dict[type, None] = {ErrorAnswer: None}
    for operation in operations:
        types.update(dict.fromkeys(kind for kind in operation.answers.values() if kind is not None))
        types.update(dict.fromkeys(kind for kind in (operation.body, operation.query) if kind is not None))
    references, components = msgspec.json.schema_components(list(types), ref_template="#/components/schemas/{name}")
    schemas = dict(zip(types, references, strict=True))
    paths: dict[str, Schema] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, schemas, components)
    queries = {operation.query.__name__ for operation in operations}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Quick-Draw decision service", "version": __version__, "description": _ABOUT},
        "paths": paths,
        "components": {
            "schemas": {name: schema for name, schema in components.items() if name not in queries},
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation, schemas: dict[type, Schema], components: dict[str, Schema]) -> Schema:
    described: Schema = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": _parameters(operation, components),
        "responses": {
            **{str(status): _answer(status, operation, schemas) for status in operation.answers},
            **{str(status): _error(status, schemas) for status in operation.statuses},
        },
        "security": [] if operation.role is None else [{"key": []}, {}],
    }
    if operation.role is not None:
        described["description"] = f"{operation.description} Role of the key: {operation.role}.".strip()
    if operation.body is not None:
        content: Schema = {"application/json": {"schema": schemas[operation.body]}}
        if operation.arms:
            content |= {NPY: {}, PARQUET: {}}
        optional = isinstance(operation.handle, Asked) and operation.handle.optional
        described["requestBody"] = {"required": not optional, "content": content}
    return described


def _parameters(operation: Operation, components: dict[str, Schema]) -> list[Schema]:
    found: list[Schema] = [
        {"name": name, "in": "path", "required": True, **about}
        for name, about in _PATH.items()
        if f"{{{name}}}" in operation.path
    ]
    query = components[operation.query.__name__]
    for name, schema in query["properties"].items():
        # Optional parameters are left out and never null.
        plain = next((part for part in schema.get("anyOf", []) if part.get("type") != "null"), schema)
        found.append(
            {
                "name": name,
                "in": "query",
                "required": name in query["required"],
                "description": plain.get("description", ""),
                "schema": {key: value for key, value in plain.items() if key != "description"},
            }
        )
    if operation.arms:
        found.append(
            {
                "name": DEFINITION_HEADER,
                "in": "header",
                "required": False,
                "description": "With a Parquet or .npy body: JSON with metric, policy, uniform, seed and reward_within",
                "schema": {"type": "string"},
            }
        )
    return found


def _answer(status: int, operation: Operation, schemas: dict[type, Schema]) -> Schema:
    kind = operation.answers[status]
    if kind is None:
        content: Schema = {media: {} for media in operation.media}
    else:
        content = {"application/json": {"schema": schemas[kind]}}
    return {"description": HTTPStatus(status).phrase, "content": content}


def _error(status: int, schemas: dict[type, Schema]) -> Schema:
    described: Schema = {
        "description": CODES[status],
        "content": {"application/json": {"schema": schemas[ErrorAnswer]}},
    }
    header = {429: "Retry-After", 503: "Retry-After", 401: "WWW-Authenticate", 405: "Allow"}.get(status)
    if header is not None:
        kind = {"type": "integer", "minimum": 1} if header == "Retry-After" else {"type": "string"}
        described["headers"] = {header: {"required": True, "schema": kind}}
    return described
