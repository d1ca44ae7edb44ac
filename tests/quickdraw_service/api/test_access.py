import pytest

from quickdraw_service.keys import KeyRing, new_key

GRID = {"arms": {"grid": {"low": 0, "high": 1, "n": 5}}}


def bearer(token):
    return {"authorization": f"Bearer {token}"}


@pytest.fixture
def keys():
    """Return keys by role, as the store has them, and their tokens."""
    made = {role: new_key([role]) for role in ("decide", "reward", "read", "admin")}
    made["one"] = new_key(["decide", "read"], ["line"])
    return [key for key, _ in made.values()], {name: token for name, (_, token) in made.items()}


@pytest.fixture
def locked(serve, keys):
    client = serve(keys[0])
    for name in ("line", "other"):
        answer = client.put(f"/v1/experiments/{name}", json=GRID, headers=bearer(keys[1]["admin"]))
        assert answer.status_code == 201
    return client


REQUESTS = {
    "decide": ("POST", "/v1/experiments/line/decisions", {"id": "x"}),
    "reward": ("POST", "/v1/experiments/line/rewards", {"rewards": [{"id": "x", "reward": 1}]}),
    "read": ("GET", "/v1/experiments/line", None),
    "admin": ("DELETE", "/v1/experiments/line/arms", {"arms": [0]}),
}


@pytest.mark.parametrize("role", REQUESTS)
def test_a_key_may_do_what_its_role_says(locked, keys, role):
    method, path, body = REQUESTS[role]
    for name in REQUESTS:
        answer = locked.request(method, path, json=body, headers=bearer(keys[1][name]))
        expected = name in (role, "admin")
        assert (answer.status_code < 300) == expected
        if not expected:
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden")
            assert keys[1][name] not in answer.text


def test_a_key_for_one_experiment(locked, keys):
    headers = bearer(keys[1]["one"])
    assert locked.get("/v1/experiments/line", headers=headers).status_code == 200
    assert locked.get("/v1/experiments/other", headers=headers).status_code == 403
    assert locked.get("/v1/experiments/none", headers=headers).status_code == 403  # says not whether it is there
    listed = locked.get("/v1/experiments", headers=headers).json()["experiments"]
    assert [each["name"] for each in listed] == ["line"]
    assert locked.get("/metrics", headers=headers).status_code == 403  # names all experiments
    assert locked.get("/metrics", headers=bearer(keys[1]["read"])).status_code == 200


@pytest.mark.parametrize(
    "header",
    [None, "", "Bearer", "Bearer x", "Basic abc", "Bearer qd__", "Bearer qd_00000000_abc", "Bearer \xff\xfe"],
)
def test_without_a_valid_key(locked, header):
    headers = {} if header is None else {"authorization": header.encode("latin-1")}
    answer = locked.get("/v1/experiments", headers=headers)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")


def test_the_secret_of_another_key_does_not_help(locked, keys):
    _, id, _ = keys[1]["admin"].split("_", 2)
    secret = keys[1]["read"].split("_", 2)[2]
    assert locked.get("/v1/experiments", headers=bearer(f"qd_{id}_{secret}")).status_code == 401


def test_what_needs_no_key(locked):
    for path in ("/healthz", "/readyz", "/openapi.json"):
        assert locked.get(path).status_code == 200


def test_a_revoked_key_is_refused(keys):
    from msgspec.structs import replace

    valid, token = keys[0][0], keys[1]["decide"]
    assert KeyRing([valid]).find(token) == valid
    ring = KeyRing([replace(valid, revoked=1.0)])
    assert ring.find(token) is None
    assert not ring.empty  # a store whose keys are all revoked does not open


def test_keys_that_are_added_or_revoked_count_soon(serve, keys, monkeypatch):
    monkeypatch.setattr("quickdraw_service.api.app.KEYS_EVERY", 0.01)
    client = serve()
    assert client.get("/v1/experiments").status_code == 200
    client.service.stored_keys = keys[0]
    client.running.until(lambda: client.get("/v1/experiments").status_code != 200)
    assert client.get("/v1/experiments", headers=bearer(keys[1]["read"])).status_code == 200
    client.service.stored_keys = keys[0][:1]
    client.running.until(lambda: client.get("/v1/experiments", headers=bearer(keys[1]["read"])).status_code != 200)


def test_elsewhere_than_on_loopback_nothing_is_open(serve):
    client = serve(loopback=False)
    assert client.get("/v1/experiments").status_code == 401


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200), ("LOCALHOST:8000", 200), ("127.0.0.1:1", 200), ("[::1]:8000", 200), ("evil.example", 421),
        ("localhost.evil.example", 421), ("127.0.0.1.evil.example", 421), ("", 421), ("[::1", 421),
    ],
)  # fmt: skip
def test_an_open_server_answers_to_local_names_only(client, host, status):
    assert client.get("/v1/experiments", headers={"host": host}).status_code == status


def test_pages_of_other_sites_cannot_use_an_open_server(client):
    headers = {"host": "localhost:8000", "origin": "http://evil.example"}
    assert client.get("/v1/experiments", headers=headers).status_code == 403
    headers["origin"] = "http://localhost:8000"
    assert client.get("/v1/experiments", headers=headers).status_code == 200
