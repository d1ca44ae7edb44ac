import csv
import io

import pyarrow.parquet
import pytest

from quickdraw_bandits.datasets import read_log


def test_experiments_are_listed_without_their_points(client):
    listed = client.get("/v1/experiments").json()["experiments"]
    assert [each["name"] for each in listed] == ["line", "labelled"]
    assert listed[0] == client.get("/v1/experiments/line").json()
    assert listed[0]["grid"] == {"low": 0.0, "high": 1.0, "n": 5}
    assert (listed[1]["n_arms"], listed[1]["policy"]["name"]) == (3, "QuickDraw")
    assert "points" not in listed[1]


def test_decisions_are_paged_newest_first(client):
    for i in range(5):
        client.post("/v1/experiments/line/decisions", json={"id": f"d{i}"})
    first = client.get("/v1/experiments/line/decisions?limit=2").json()["decisions"]
    assert [each["id"] for each in first] == ["d4", "d3"]
    rest = client.get("/v1/experiments/line/decisions", params={"after": "d3"}).json()["decisions"]
    assert [each["id"] for each in rest] == ["d2", "d1", "d0"]
    assert client.get("/v1/experiments/line/decisions/d2").json() == rest[0]
    assert client.get("/v1/experiments/line/decisions/none").status_code == 404


def test_numbers_that_are_not_finite_are_null(client):
    belief = client.get("/v1/experiments/line/belief?points=3&time=2").json()
    assert (belief["time"], belief["arms"], belief["mean"]) == (2.0, [0, 1, 2], [None] * 3)
    assert belief["points"] == [[0.0], [0.25], [0.5]]


@pytest.mark.parametrize(("query", "arm"), [("arm=1", 1), ("arm=b", 1), ("label=c", 2)])
def test_an_arm_is_named_by_position_or_label(client, query, arm):
    answer = client.get(f"/v1/experiments/labelled/explain?{query}").json()
    assert answer["arm"] == arm
    assert answer["observations"][0]["weight"] == 0.9


@pytest.mark.parametrize("query", ["", "?arm=1&label=a", "?arm=9", "?arm=zzz", "?arm=99999999999999999999999999"])
def test_an_arm_that_is_none(client, query):
    assert client.get(f"/v1/experiments/labelled/explain{query}").status_code == 422


@pytest.fixture
def rewarded(client):
    for i in range(7):
        client.post("/v1/experiments/labelled/decisions", json={"id": f'd{i},"', "time": i, "among": [i % 3]})
    rewards = [{"id": f'd{i},"', "reward": i / 8} for i in range(5)]
    client.post("/v1/experiments/labelled/rewards", json={"rewards": rewards})
    return client


def test_the_log_as_csv_is_what_evaluate_reads(rewarded, tmp_path):
    answer = rewarded.get("/v1/experiments/labelled/log")
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert list(rows[0]) == ["id", "time", "arm", "label", "reward", "propensity"]
    assert (rows[4]["id"], rows[4]["label"], rows[4]["reward"]) == ('d4,"', "b", "0.5")
    path = tmp_path / "log.csv"
    path.write_bytes(answer.content)
    log = read_log(path)
    assert log.reward.tolist() == [0.0, 0.125, 0.25, 0.375, 0.5]
    assert log.propensity.tolist() == [1 / 3] * 5


def test_the_log_as_parquet_has_the_same_rows(rewarded, tmp_path):
    path = tmp_path / "log.parquet"
    path.write_bytes(rewarded.get("/v1/experiments/labelled/log?format=parquet").content)
    table = pyarrow.parquet.read_table(path).to_pydict()
    assert table["label"] == ["a", "b", "c", "a", "b"]
    assert read_log(path).reward.tolist() == table["reward"] == [0.0, 0.125, 0.25, 0.375, 0.5]


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_decisions_without_a_reward_are_in_the_log_if_asked_for(rewarded, format):
    answer = rewarded.get(f"/v1/experiments/labelled/log?unrewarded=true&format={format}")
    if format == "csv":
        rewards = [row["reward"] for row in csv.DictReader(io.StringIO(answer.text))]
        assert rewards[4:] == ["0.5", "", ""]
    else:
        rewards = pyarrow.parquet.read_table(io.BytesIO(answer.content))["reward"].to_pylist()
        assert rewards[4:] == [0.5, None, None]


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_an_empty_log_has_its_columns(client, format):
    answer = client.get(f"/v1/experiments/line/log?format={format}")
    if format == "csv":
        assert answer.text == "id,time,arm,label,reward,propensity\n"
    else:
        assert pyarrow.parquet.read_table(io.BytesIO(answer.content)).num_rows == 0


def test_no_more_logs_are_streamed_at_once_than_allowed(client):
    client.running.app.tools.exports = client.running.app.tools.limits.exports
    answer = client.get("/v1/experiments/line/log")
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) >= 1
    client.running.app.tools.exports = 0
    for _ in range(10):
        assert client.get("/v1/experiments/line/log").status_code == 200
    assert client.get("/v1/experiments/none/log").status_code == 404
    assert client.running.app.tools.exports == 0


def value(text, name):
    return next(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name))


def test_metrics_say_what_was_served(rewarded):
    before = rewarded.get("/metrics").text
    rewarded.post("/v1/experiments/line/decisions", json={})
    text = rewarded.get("/metrics").text
    assert 'quickdraw_decisions_total{experiment="labelled"} 7.0' in text
    assert 'quickdraw_pending_decisions{experiment="labelled"} 2.0' in text
    assert value(text, 'quickdraw_http_requests_total{operation="decide",status="201"}') == 1 + value(
        before, 'quickdraw_http_requests_total{operation="decide",status="201"}'
    )
    assert 'quickdraw_learned_scale{experiment="line",scale="length_scale"} 0.25' in text
    counted = 'quickdraw_http_request_seconds_count{operation="decide"}'
    assert value(text, counted) == value(before, counted) + 1
    assert "quickdraw_log_lag_events" in text


@pytest.mark.parametrize(
    "path",
    ["/healthz", "/openapi.json", "/v1/experiments", "/v1/experiments/line", "/v1/experiments/line/log", "/none"],
)
def test_a_head_is_that_of_the_whole_answer(client, path):
    whole, head = client.get(path), client.head(path)
    assert head.status_code == whole.status_code
    assert head.content == b""
    kept = {"content-type", "content-length", "content-disposition", "x-content-type-options"}
    of_head, of_whole = ({k: v for k, v in each.headers.items() if k in kept} for each in (head, whole))
    assert of_head == of_whole
    assert client.get("/healthz").status_code == 200  # the connection goes on


def test_a_head_needs_a_key_and_an_address_that_can_be_read(serve, client):
    answer = client.head("/v1/experiments/line/rewards")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
