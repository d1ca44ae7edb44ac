import threading

import pytest

GRID = {"arms": {"grid": {"low": 0, "high": 1, "n": 5}}}


def test_an_experiment_is_created_once(client):
    again = client.put("/v1/experiments/line", json=GRID)
    assert (again.status_code, again.json()) == (200, {"name": "line", "new": False})
    other = client.put("/v1/experiments/line", json=GRID | {"seed": 3})
    assert other.status_code == 409
    assert other.json()["error"]["code"] == "conflict"


def test_what_is_left_out_of_a_definition_has_defaults(client):
    definition = client.service.known["line"].definition
    assert (definition.policy, definition.parameters, definition.uniform) == ("AdaptiveQuickDraw", {}, 0.05)
    assert (definition.seed, definition.reward_within, definition.metric) == (0, None, "euclidean")
    assert definition.grid == (0.0, 1.0, 5)
    assert definition.points is None


@pytest.mark.parametrize(
    "arms",
    [
        {},
        {"grid": {"low": 0, "high": 1, "n": 5}, "points": [[1]]},
        {"grid": {"low": 0, "high": 1, "n": 5}, "labels": ["a"]},
        {"grid": {"low": 0, "high": 1, "n": 5}, "metric": "cosine"},
        {"grid": {"low": 0, "high": 1, "n": 0}},
        {"points": [[1, 2], [3]]},
        {"points": []},
        {"points": [["1"]]},
        {"points": [[True]]},
        {"points": [[1]], "metric": "manhattan"},
    ],
)
def test_arms_that_cannot_be(client, arms):
    answer = client.put("/v1/experiments/new", json={"arms": arms})
    assert answer.status_code == 422
    assert "new" not in client.service.known


def test_a_decision_has_all_that_a_log_needs(client):
    answer = client.post("/v1/experiments/labelled/decisions", json={"id": "x", "time": 3, "among": ["b", "c"]})
    assert answer.status_code == 201
    (decision,) = answer.json()["decisions"]
    assert decision == {
        "id": "x", "arm": 1, "label": "b", "point": [1.0], "time": 3.0, "probability": 1 / 3, "reward": None,
    }  # fmt: skip
    again = client.post("/v1/experiments/labelled/decisions", json={"id": "x", "time": 9})
    assert again.status_code == 200
    assert again.json()["decisions"] == [decision]
    assert client.post("/v1/experiments/labelled/decisions", json={"id": "x", "count": 2}).status_code == 409


def test_several_decisions_at_once(client):
    answer = client.post("/v1/experiments/line/decisions", json={"id": "x", "count": 3})
    assert [each["id"] for each in answer.json()["decisions"]] == ["x-1", "x-2", "x-3"]


def test_a_reward_and_what_may_come_after_it(client):
    client.post("/v1/experiments/line/decisions", json={"id": "x"})
    address = "/v1/experiments/line/decisions/x/reward"
    assert client.put(address, json={"reward": 0.5}).json() == {"status": "recorded"}
    assert client.put(address, json={"reward": 0.5}).json() == {"status": "duplicate"}
    other = client.put(address, json={"reward": 0.6})
    assert (other.status_code, other.json()["error"]["code"]) == (409, "conflict")
    unknown = client.put("/v1/experiments/line/decisions/y/reward", json={"reward": 0.6})
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "unknown_decision")


def test_each_of_many_rewards_has_its_own_outcome(client):
    client.post("/v1/experiments/line/decisions", json={"id": "x", "count": 3})
    rewards = [("x-1", 1), ("x-1", 1), ("x-1", 2), ("x-2", 0.5), ("none", 0)]
    answer = client.post(
        "/v1/experiments/line/rewards", json={"rewards": [{"id": id, "reward": reward} for id, reward in rewards]}
    )
    assert answer.status_code == 200
    assert answer.json()["outcomes"] == ["recorded", "duplicate", "conflict", "recorded", "unknown"]


def test_observations_come_in_columns_of_one_length(client):
    address = "/v1/experiments/line/observations"
    columns = {"id": "h", "times": [1, 2], "arms": [0, 1], "rewards": [0.5, 0.25]}
    first = client.post(address, json=columns)
    assert (first.status_code, first.json()) == (201, {"count": 2, "new": True})
    assert client.post(address, json=columns).status_code == 200
    answer = client.post(address, json=columns | {"times": [1]})
    assert answer.status_code == 422
    assert "1, 2 and 2" in answer.json()["error"]["message"]


def test_arms_come_and_go(client):
    added = client.post("/v1/experiments/labelled/arms", json={"points": [[7.0]], "labels": ["d"]})
    assert (added.status_code, added.json()) == (201, {"positions": [3], "new": True})
    gone = client.request("DELETE", "/v1/experiments/labelled/arms", json={"arms": ["a", "b"]})
    assert (gone.status_code, gone.json()) == (200, {"positions": [0, 1], "new": True})
    decided = client.post("/v1/experiments/labelled/decisions", json={}).json()["decisions"]
    assert decided[0]["label"] == "c"


def test_positions_and_labels_are_not_mixed(client):
    answer = client.post("/v1/experiments/labelled/decisions", json={"among": ["a", 1]})
    assert answer.status_code == 422
    assert "among" in answer.json()["error"]["message"]


@pytest.mark.parametrize("id", ["a/b", "a b", "ü%", "..", "?x=1#y", "a+b", "reward"])
def test_ids_may_have_any_characters(client, id):
    from urllib.parse import quote

    assert client.post("/v1/experiments/line/decisions", json={"id": id}).status_code == 201
    if id != "..":  # clients of HTTP resolve it; rewards in bulk take it
        path = f"/v1/experiments/line/decisions/{quote(id, safe='')}"
        assert client.get(path).json()["id"] == id
        assert client.put(path + "/reward", json={"reward": 1}).json() == {"status": "recorded"}
    rewards = {"rewards": [{"id": id, "reward": 1}]}
    assert client.post("/v1/experiments/line/rewards", json=rewards).json()["outcomes"] != ["unknown"]


def test_answers_of_one_batch_reach_their_own_requests(client):
    client.service.hold = True
    found = {}

    def ask(i):
        answer = client.post("/v1/experiments/line/decisions", json={"id": f"r{i}"})
        found[i] = answer.json()["decisions"][0]["id"]

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    client.running.until(lambda: len(client.service.held) == 8)
    client.service.release()
    for thread in threads:
        thread.join()
    assert found == {i: f"r{i}" for i in range(8)}
