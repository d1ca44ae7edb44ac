import importlib.util
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("conformance", Path(__file__).with_name("conformance.py"))
conformance = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(conformance)


@pytest.mark.slow
def test_answers_are_as_the_description_says(serve):
    client = serve()
    conformance.fill(client.running.url)
    statuses = conformance.ask(client.running.url, cases=400)
    assert statuses.total() >= 300
    assert {200, 201, 404, 422} <= set(statuses)
