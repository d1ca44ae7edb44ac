import json

import jsonschema

from quickdraw_service.api.openapi import describe_cached
from quickdraw_service.api.operations import OPERATIONS
from quickdraw_service.api.refusals import CODES

DESCRIPTION = json.loads(describe_cached())


def references(node):
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def test_every_operation_is_described_once():
    assert DESCRIPTION["openapi"].startswith("3.1.")
    described = {(method.upper(), path) for path, item in DESCRIPTION["paths"].items() for method in item}
    assert described == {(operation.method, operation.path) for operation in OPERATIONS}
    ids = [operation["operationId"] for item in DESCRIPTION["paths"].values() for operation in item.values()]
    assert len(set(ids)) == len(ids) == len(OPERATIONS)


def test_every_reference_leads_to_a_schema_and_every_schema_is_used():
    schemas = DESCRIPTION["components"]["schemas"]
    found = {reference.removeprefix("#/components/schemas/") for reference in references(DESCRIPTION)}
    assert found == set(schemas)
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["description"]


def test_what_every_answer_needs_is_described():
    for item in DESCRIPTION["paths"].values():
        for operation in item.values():
            assert operation["summary"]
            for status, answer in operation["responses"].items():
                if int(status) < 300:
                    continue
                assert answer["description"] == CODES[int(status)]
                assert answer["content"]["application/json"]["schema"]["$ref"].endswith("/ErrorAnswer")
                if status in ("429", "503"):
                    assert answer["headers"]["Retry-After"]["required"]


def test_statuses_that_any_request_may_get_are_described():
    for item in DESCRIPTION["paths"].values():
        for operation in item.values():
            assert {"400", "405", "500"} <= set(operation["responses"])
            assert ("408" in operation["responses"]) == ("requestBody" in operation)
    assert DESCRIPTION["paths"]["/v1/experiments/{name}/decisions"]["post"]["requestBody"]["required"] is False
    assert DESCRIPTION["paths"]["/v1/experiments/{name}"]["put"]["requestBody"]["required"] is True


def test_bodies_refuse_unknown_fields_in_the_description_too():
    for operation in OPERATIONS:
        if operation.body is not None:
            assert DESCRIPTION["components"]["schemas"][operation.body.__name__]["additionalProperties"] is False


def test_it_is_served(client):
    assert client.get("/openapi.json").json() == DESCRIPTION
