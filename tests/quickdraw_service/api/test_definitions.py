"""Arms that come as a file."""

import io
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

NPY, PARQUET = "application/x-npy", "application/vnd.apache.parquet"


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def parquet(columns):
    file = io.BytesIO()
    pyarrow.parquet.write_table(pa.table(columns), file)
    return file.getvalue()


def put(client, content, kind, definition=None):
    headers = {"content-type": kind} | ({} if definition is None else {"quickdraw-definition": definition})
    return client.put("/v1/experiments/new", content=content, headers=headers)


@pytest.mark.parametrize("array", [np.arange(4.0), np.arange(8).reshape(4, 2), np.zeros((4, 3), dtype=np.float32)])
def test_arms_as_npy(client, array):
    assert put(client, npy(array), NPY).status_code == 201
    definition = client.service.known["new"].definition
    assert definition.points.dtype == np.float64
    np.testing.assert_array_equal(definition.points, array.reshape(4, -1))
    assert (definition.labels, definition.policy, definition.uniform) == (None, "AdaptiveQuickDraw", 0.05)
    assert put(client, npy(array), NPY).status_code == 200


def test_arms_as_parquet_with_labels_and_the_rest_in_a_header(client):
    content = parquet({"x": [1, 2], "label": ["one", "two"], "y": [0.5, 0.25]})
    rest = '{"metric": "cosine", "policy": {"name": "QuickDraw", "parameters": {"cap": null}}, "uniform": 0.1}'
    assert put(client, content, PARQUET, rest).status_code == 201
    definition = client.service.known["new"].definition
    np.testing.assert_array_equal(definition.points, [[1, 0.5], [2, 0.25]])
    assert (definition.labels, definition.metric, definition.policy) == (["one", "two"], "cosine", "QuickDraw")
    assert (definition.parameters, definition.uniform) == ({"cap": None}, 0.1)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", NPY),
        (b"nonsense", NPY),
        (npy(np.arange(4.0))[:-1], NPY),
        (npy(np.array([{"a": 1}]), allow_pickle=True), NPY),
        (pickle.dumps([1.0]), NPY),
        (npy(np.array(["a"])), NPY),
        (npy(np.array([1j])), NPY),
        (npy(np.array([True])), NPY),
        (npy(np.zeros((2, 2, 2))), NPY),
        (npy(np.zeros((0, 2))), NPY),
        (npy(np.float64(3)), NPY),
        (npy(np.array([1.0, np.nan])), NPY),
        (npy(np.array([1.0, np.inf])), NPY),
        (b"", PARQUET),
        (b"PAR1nonsensePAR1", PARQUET),
        (parquet({"x": [1.0]})[:-9], PARQUET),
        (parquet({"x": ["a"]}), PARQUET),
        (parquet({"x": [1.0, None]}), PARQUET),
        (parquet({"x": [[1.0]]}), PARQUET),
        (parquet({"label": ["a"]}), PARQUET),
        (parquet({"x": [1.0], "label": [1]}), PARQUET),
        (parquet({"x": [1.0], "label": [""]}), PARQUET),
        (parquet({"x": pa.array([], pa.float64())}), PARQUET),
    ],
)
def test_files_that_are_no_arms(client, content, kind):
    answer = put(client, content, kind)
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]["message"]
    assert "new" not in client.service.known


def test_an_npy_file_that_announces_more_than_it_has(client):
    content = npy(np.zeros(3)).replace(b"(3,)", b"(9000000000000,)", 1)
    assert put(client, content, NPY).status_code in (400, 422)


@pytest.mark.parametrize(
    "definition", ["{", '{"uniform": 2}', '{"arms": {}}', '{"metric": "no"}', '{"metric": 1}', '{"seed": -1}', "[]"]
)
def test_a_header_that_is_no_definition(client, definition):
    assert put(client, npy(np.arange(3.0)), NPY, definition).status_code in (400, 422)
