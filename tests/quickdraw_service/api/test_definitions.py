"""Arms that come as a file."""

import io
import pickle
import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from quickdraw_service.api import arm_files
from quickdraw_service.errors import ServiceError
from quickdraw_service.limits import Limits

NPY, PARQUET = "application/x-npy", "application/vnd.apache.parquet"


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def parquet(columns, names=None, **options):
    file = io.BytesIO()
    pyarrow.parquet.write_table(pa.table(columns, names), file, **options)
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
        (npy(np.arange(4.0)) + b"more", NPY),
        (npy(np.zeros((3, 2))).replace(b"(3, 2), }", b"(3, 2),  "), NPY),
        (
            parquet({"x": [1.0], "label": ["aa"]}, compression=None, use_dictionary=False).replace(b"aa", b"\xc1a"),
            PARQUET,
        ),
        (parquet({"x": [1.0], "label": [None]}), PARQUET),
    ],
)
def test_files_that_are_no_arms(client, content, kind):
    answer = put(client, content, kind)
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]["message"]
    assert answer.json()["error"]["advice"]
    assert "new" not in client.service.known


def test_an_npy_file_that_announces_more_than_it_has(client):
    content = npy(np.zeros(3)).replace(b"(3,)", b"(9000000000000,)", 1)
    assert put(client, content, NPY).status_code in (400, 422)


@pytest.mark.parametrize(
    "definition", ["{", '{"uniform": 2}', '{"arms": {}}', '{"metric": "no"}', '{"metric": 1}', '{"seed": -1}', "[]"]
)
def test_a_header_that_is_no_definition(client, definition):
    answer = put(client, npy(np.arange(3.0)), NPY, definition)
    assert answer.status_code in (400, 422)
    assert "body" not in answer.json()["error"]["message"]


def test_a_column_that_is_there_twice_is_named(client):
    answer = put(client, parquet([pa.array([1.0]), pa.array([2.0])], ["x", "x"]), PARQUET)
    assert answer.status_code == 422
    assert answer.json()["error"]["message"] == "the column 'x' is there more than once"


def test_damaged_parquet_files_are_refused_or_read():
    rng, found = random.Random(0), set()
    columns = {"x": [1.0, 2.0], "label": ["aa", "bb"], "i": [1, 2]}
    whole = [parquet(columns, compression=each, use_dictionary=each is None) for each in (None, "zstd")]
    for _ in range(400):
        content = bytearray(rng.choice(whole))
        for _ in range(rng.randint(1, 4)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        try:
            points, labels = arm_files.read_parquet(bytes(content), Limits())
        except ServiceError as error:
            found.add(error.status)
        else:
            assert len(points) == len(labels)
            found.add(200)
    assert {200, 400} <= found <= {200, 400, 422}


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        ({"x": np.zeros(101)}, "at most 100, got 101"),
        ({f"x{k}": np.zeros(90) for k in range(4)}, "at most 250 values, got 360"),
        ({"x": np.zeros(10), "label": [f"{k}" * 900 for k in range(10)]}, "at most 2,000 bytes"),
    ],
)
def test_tables_are_refused_before_they_are_unpacked(monkeypatch, columns, named):
    monkeypatch.setattr(arm_files, "_unpacked", lambda file: pytest.fail("the table was unpacked"))
    content = parquet(columns, compression="zstd")
    with pytest.raises(ServiceError, match=named):
        arm_files.read_parquet(content, Limits(arms=100, arms_body=2_000))


def test_one_long_label_of_many_rows_is_refused_before_it_is_repeated():
    labels = pa.DictionaryArray.from_arrays(np.zeros(100_000, dtype=np.int32), pa.array(["x" * 100_000]))
    content = parquet({"x": np.zeros(100_000), "label": labels}, compression="zstd")
    assert len(content) < 100_000  # ten gigabytes of text, were it unpacked
    with pytest.raises(ServiceError, match="a label of 100,000 bytes"):
        arm_files.read_parquet(content, Limits())


def test_small_numbers_are_counted_as_what_they_become():
    with pytest.raises(ServiceError, match="at most 250 values, got 300"):
        arm_files.read_npy(npy(np.zeros((100, 3), dtype=np.int8)), Limits(arms=100, arms_body=2_000))


def test_labels_of_many_pieces_keep_their_order(monkeypatch):
    monkeypatch.setattr(arm_files, "PIECE", 16)
    names = [f"arm-{k % 50}-{k}" for k in range(100)]
    points, labels = arm_files.read_parquet(parquet({"x": np.arange(100), "label": names}, row_group_size=33), Limits())
    np.testing.assert_array_equal(points[:, 0], np.arange(100))
    assert labels == names
