"""Whatever comes, the answer is one clear error below 500, in one shape."""

import json
import socket

import httpx
import pytest

DECISIONS = "/v1/experiments/line/decisions"
JSON = {"content-type": "application/json"}


def problem(answer, status):
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    (error,) = answer.json().values()
    assert set(error) == {"code", "message", "advice"}
    assert error["message"]
    assert error["advice"]
    return error


@pytest.mark.parametrize(
    "body",
    [
        b" ",
        b"{",
        b"[" * 100_000,
        b'{"among": ' + b"[" * 100_000,
        b'{"time": NaN}',
        b'{"time": Infinity}',
        b'{"time": -Infinity}',
        b'{"id": "\xff"}',
        b'{"id": "\\ud800"}',
        b'{"id": "\\udc00x"}',
        b'{"time": 1}x',
        b"\xef\xbb\xbf{}",
        b"\x00",
        b"\x80\x04K\x01.",
    ],
)
def test_bodies_that_are_no_json(client, body):
    answer = client.post(DECISIONS, content=body, headers=JSON)
    assert problem(answer, answer.status_code)["code"] in ("malformed", "bad_request")
    assert answer.status_code in (400, 422)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"[]", "object"),
        (b"null", "object"),
        (b'"x"', "object"),
        (b'{"time": "1"}', "time"),
        (b'{"time": "NaN"}', "time"),
        (b'{"time": true}', "time"),
        (b'{"time": 1e999}', "time"),
        (b'{"time": ' + b"9" * 400 + b"}", "time"),
        (b'{"count": 1.5}', "count"),
        (b'{"count": 0}', "count"),
        (b'{"count": 123456789012345678901234567890}', "count"),
        (b'{"count": true}', "count"),
        (b'{"id": ""}', "id"),
        (b'{"id": 5}', "id"),
        (b'{"id": "\\u0000"}', "id"),
        (b'{"id": "' + b"x" * 129 + b'"}', "id"),
        (b'{"among": []}', "among"),
        (b'{"among": [1.5]}', "among"),
        (b'{"among": [-1]}', "among"),
        (b'{"among": [true]}', "among"),
        (b'{"among": [123456789012345678901234567890]}', "among"),
    ],
)
def test_values_of_the_wrong_type_are_named(client, body, named):
    answer = client.post(DECISIONS, content=body, headers=JSON)
    assert named in problem(answer, 422)["message"]
    assert not client.service.known["line"].decisions


@pytest.mark.parametrize("reward", ["NaN", '"NaN"', '"1"', "true", "null", "1e999", "[1]", "{}"])
def test_rewards_that_are_no_numbers(client, reward):
    client.post(DECISIONS, json={"id": "x"})
    answer = client.put(f"{DECISIONS}/x/reward", content=f'{{"reward": {reward}}}', headers=JSON)
    problem(answer, 400 if reward == "NaN" else 422)
    assert client.get(f"{DECISIONS}/x").json()["reward"] is None


def test_unknown_fields_are_named_with_what_was_meant(client):
    error = problem(client.post(DECISIONS, json={"cuont": 2}), 422)
    assert error["message"] == "unknown field 'cuont'; did you mean 'count'?"
    assert error["advice"] == "The fields are: id, time, among, count."
    body = {"arms": {"grid": {"low": 0, "high": 1, "n": 5, "step": 1}}}
    error = problem(client.put("/v1/experiments/new", json=body), 422)
    assert error["message"] == "unknown field 'step' in arms.grid"
    assert error["advice"] == "/openapi.json lists the fields."


def test_values_of_a_wrong_kind_are_refused_with_where_to_look(client):
    error = problem(client.get("/v1/experiments/line/log?format=xml"), 422)
    assert error["message"] == "format: invalid enum value 'xml'"
    assert error["advice"] == "/openapi.json says what each parameter takes."
    error = problem(client.post(DECISIONS, json=[]), 422)
    assert (error["message"], error["advice"]) == (
        "the body: expected object, got array",
        "/openapi.json says what each field takes.",
    )


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("tiem=1", 422),
        ("time=nan", 422),
        ("time=inf", 422),
        ("time=1e999", 422),
        ("time=1&time=2", 422),
        ("time=", 422),
        ("time=%00", 422),
        ("points=0", 422),
        ("points=99999999999999999999", 422),
        ("points=x", 422),
        ("%ff=1", 400),
        ("time=%ff", 400),
        ("time", 400),
        ("&".join(f"a{i}=1" for i in range(100)), 400),
    ],
)
def test_queries(client, query, status):
    problem(client.get(f"/v1/experiments/line/belief?{query}"), status)


@pytest.mark.parametrize(
    ("body", "message", "advice"),
    [
        ({"count": 5000}, "count: expected int <= 1000, got 5000", "/openapi.json says what each field takes."),
        ({"among": [1, -2]}, "among[1]: expected int >= 0, got -2", "/openapi.json says what each field takes."),
        ({"id": "x" * 129}, "id: expected str of length <= 128, got 129 characters", "takes."),
        (
            {"time": "2026-01-01T00:00:00Z"},
            "time: expected float | null, got str",
            "A time is a number, such as the seconds since 1970.",
        ),
    ],
)
def test_what_came_is_said_and_what_to_send(client, body, message, advice):
    error = problem(client.post(DECISIONS, json=body), 422)
    assert error["message"] == message
    assert error["advice"].endswith(advice)


def test_a_missing_field_is_named_with_where_to_look(client):
    client.post(DECISIONS, json={"id": "x"})
    error = problem(client.put(f"{DECISIONS}/x/reward", json={}), 422)
    assert error["message"] == "the field 'reward' is missing"
    error = problem(client.put("/v1/experiments/new", json={"arms": {"grid": {"low": 0, "n": 5}}}), 422)
    assert error["message"] == "the field 'high' in arms.grid is missing"


@pytest.mark.parametrize("body", [b'{"id": "\\ud800"}', b'{"id": "\\udc00x"}', b'{"id": "\\uD83D\\u0041"}'])
def test_half_a_character_is_named(client, body):
    answer = client.post(DECISIONS, content=body, headers=JSON)
    assert "half a character" in problem(answer, 400)["message"]


def test_a_whole_character_in_two_escapes_is_taken(client):
    answer = client.post(DECISIONS, content=b'{"id": "\\ud83d\\ude00"}', headers=JSON)
    assert answer.json()["decisions"][0]["id"] == "\N{GRINNING FACE}"


def test_whole_numbers_may_have_a_point(client):
    body = {"arms": {"grid": {"low": 0, "high": 1, "n": 5.0}}, "seed": 1.0}
    assert client.put("/v1/experiments/new", json=body).status_code == 201
    assert client.service.known["new"].definition.seed == 1
    assert client.post(DECISIONS, json={"among": [1.0, 2.0]}).status_code == 201
    problem(client.post(DECISIONS, json={"among": [1.5]}), 422)


@pytest.mark.parametrize("headers", [{}, JSON])
def test_a_decision_needs_no_body(client, headers):
    assert client.post(DECISIONS, headers=headers).status_code == 201
    assert len(client.service.known["line"].decisions) == 1


def test_a_query_where_none_is_taken(client):
    assert "'x'" in problem(client.get("/v1/experiments?x=1"), 422)["message"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1", 404),
        ("/v1/", 404),
        ("/v1/experiments/", 404),
        ("/v1/experiments/line/", 404),
        ("/v1/experiments/line/nothing", 404),
        ("/v2/experiments", 404),
        ("//", 404),
        ("/v1/experiments/none", 404),
        ("/v1/experiments/%ff", 400),
        ("/v1/experiments/%00", 422),
        ("/v1/experiments/-x", 422),
        ("/v1/experiments/a%2Fb", 422),
        ("/v1/experiments/" + "x" * 129, 422),
        ("/v1/experiments/line%0A", 422),
        ("/v1/experiments/%ED%A0%80", 400),
        ("/v1/experiments/line/decisions/%00", 422),
        ("/v1/experiments/line/decisions/" + "x" * 129, 422),
        ("/v1/experiments/line/decisions/%C3%28", 400),
    ],
)
def test_paths(client, path, status):
    problem(client.get(path), status)


def test_other_methods_are_named(client):
    for method in ("DELETE", "PATCH", "OPTIONS", "TRACE"):
        answer = client.request(method, DECISIONS)
        assert problem(answer, 405)["advice"] == "This address takes GET, HEAD, POST."
        assert answer.headers["allow"] == "GET, HEAD, POST"


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "application/pickle", "é"])
def test_bodies_of_other_types(client, kind):
    headers = {} if kind is None else {"content-type": kind.encode()}
    problem(client.post(DECISIONS, content=b"{}", headers=headers), 415)


def test_json_with_a_charset(client):
    headers = {"content-type": "Application/JSON; charset=utf-8"}
    assert client.post(DECISIONS, content=b"{}", headers=headers).status_code == 201


def raw(client, request):
    """Return the answer to a request that no client would send: the whole of it, until the server closes."""
    address = httpx.URL(client.running.url)
    with socket.create_connection((address.host, address.port), timeout=60) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize(
    "request_line",
    [
        b"GET /v1/experiments/\xff HTTP/1.1",
        b"GET /v1/experiments/a b HTTP/1.1",
        b"GET /\x00 HTTP/1.1",
        b"GET * HTTP/1.1",
        b"OPTIONS * HTTP/1.1",
        b"GET http://other/v1/experiments HTTP/1.1",
        b"CONNECT x:1 HTTP/1.1",
        b"NONSENSE / HTTP/1.1",
        b"GET /v1/experiments?\xff HTTP/1.1",
        b"\x16\x03\x01\x02\x00\x01\x00",
    ],
)
def test_requests_that_are_hardly_http(client, request_line):
    status = raw(client, request_line + b"\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert status.startswith(b"HTTP/1.1 4") or (b"http://other" in request_line and status.startswith(b"HTTP/1.1 200"))
    head, _, body = status.partition(b"\r\n\r\n")
    if not status.startswith(b"HTTP/1.1 200"):
        assert b"content-type: application/json" in head
        assert all(json.loads(body)["error"][name] for name in ("code", "message", "advice"))
    assert client.get("/healthz").status_code == 200


def test_bad_chunks_are_refused_in_the_same_shape(client):
    begin = b"POST " + DECISIONS.encode() + b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    answer = raw(client, begin + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == "malformed"


@pytest.mark.parametrize("length", [b"-1", b"x", b"99999999999999999999999999", b"1e3"])
def test_lengths_that_are_no_lengths(client, length):
    request = b"POST " + DECISIONS.encode() + b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    assert raw(client, request + b"Content-Length: " + length + b"\r\n\r\n{}").startswith(b"HTTP/1.1 4")


def test_a_mistake_of_the_server_shows_nothing_of_it(client, caplog):
    client.service.experiments = lambda: 1 / 0
    error = problem(client.get("/v1/experiments"), 500)
    assert "division" not in str(error)
    assert "division" in caplog.text
