"""Decisions and rewards on the direct way: the same answers as on the usual way, in order, whatever comes."""

import json
import socket
import time

import pytest

from quickdraw_service.api import direct, heads
from quickdraw_service.limits import Limits

DECIDE = "/v1/experiments/line/decisions"
GRID = {"arms": {"grid": {"low": 0, "high": 1, "n": 5}}}


@pytest.fixture
def taken(monkeypatch):
    """Return a list that grows with every request that takes the direct way."""
    found, real = [], direct.Direct.start
    monkeypatch.setattr(direct.Direct, "start", lambda self: (found.append(1), real(self)))
    return found


class Line:
    """A connection on which bytes are sent as they are."""

    def __init__(self, client):
        self._socket = socket.create_connection((client.base_url.host, client.base_url.port), timeout=60)
        self._buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()

    def send(self, *parts):
        for k, part in enumerate(parts):
            if k:
                time.sleep(0.05)
            self._socket.sendall(part)

    def answer(self):
        """Return status, headers and body of the next answer."""
        while b"\r\n\r\n" not in self._buffer:
            self._more()
        head, self._buffer = self._buffer.split(b"\r\n\r\n", 1)
        first, *lines = head.decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines)
        while len(self._buffer) < int(headers["content-length"]):
            self._more()
        body, self._buffer = (
            self._buffer[: int(headers["content-length"])],
            self._buffer[int(headers["content-length"]) :],
        )
        return int(first.split()[1]), headers, body

    def _more(self):
        data = self._socket.recv(65536)
        assert data, "the connection was closed"
        self._buffer += data

    def closed(self):
        return self._socket.recv(1) == b""


def request(path, body, method="POST", version="1.1", headers=()):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/{version}", "Host: localhost", "Content-Type: application/json", *headers]
    return "\r\n".join([*lines, f"Content-Length: {len(raw)}", "", ""]).encode() + raw


def chunked(path, raw, method="POST", headers=()):
    """Return the same request in a form that takes the usual way."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json", *headers]
    parts = b"%x\r\n%b\r\n" % (len(raw), raw) if raw else b""
    return "\r\n".join([*lines, "Transfer-Encoding: chunked", "", ""]).encode() + parts + b"0\r\n\r\n"


ODD = [
    ("POST", DECIDE, b'{"id": "a", "time": 1}'),
    ("POST", DECIDE, b'{"id": "a", "time": 1}'),
    ("POST", DECIDE, b""),
    ("POST", DECIDE, b"{"),
    ("POST", DECIDE, b"\xff"),
    ("POST", DECIDE, b'{"idd": 1}'),
    ("POST", DECIDE, b'{"count": 0}'),
    ("POST", DECIDE, b'{"count": 100000}'),
    ("POST", DECIDE, b"[" * 60_000),
    ("POST", DECIDE, b'{"id": "b", "among": [1, "x"]}'),
    ("POST", "/v1/experiments/nothing/decisions", b"{}"),
    ("POST", "/v1/experiments/-/decisions", b"{}"),
    ("POST", "/v1/experiments/%ff/decisions", b"{}"),
    ("PUT", f"{DECIDE}/a/reward", b'{"reward": 0.5}'),
    ("PUT", f"{DECIDE}/a/reward", b'{"reward": 0.5}'),
    ("PUT", f"{DECIDE}/a/reward", b'{"reward": 0.6}'),
    ("PUT", f"{DECIDE}/a/reward", b'{"reward": NaN}'),
    ("PUT", f"{DECIDE}/{'a' * 200}/reward", b'{"reward": 0.6}'),
    ("PUT", f"{DECIDE}/none/reward", b'{"reward": 1}'),
    ("PUT", f"{DECIDE}/a%2Fb/reward", b'{"reward": 1}'),
    ("POST", "/v1/experiments/line/rewards", b'{"rewards": [{"id": "a", "reward": 0.5}, {"id": "c", "reward": 1}]}'),
    ("POST", "/v1/experiments/line/rewards", b'{"rewards": []}'),
]


@pytest.mark.parametrize(("method", "path", "body"), ODD)
def test_both_ways_give_the_same_answer(client, taken, method, path, body):
    client.post(DECIDE, json={"id": "a", "time": 1})
    client.put(f"{DECIDE}/a/reward", json={"reward": 0.5})
    del taken[:]
    with Line(client) as line:
        line.send(request(path, body, method))
        ours = line.answer()
        assert len(taken) == 1
        line.send(chunked(path, body, method))
        usual = line.answer()
        assert len(taken) == 1
    assert ours[0] == usual[0]
    own = {"date", "content-length"} if usual[0] == 201 else {"date"}
    assert {k: v for k, v in ours[1].items() if k not in own} == {k: v for k, v in usual[1].items() if k not in own}
    if usual[0] != 201:  # that has an id of its own
        assert ours[2] == usual[2]


@pytest.mark.parametrize("headers", [["Content-Type: text/plain"], ["Host: elsewhere"], ["Origin: http://elsewhere"]])
def test_what_the_usual_way_refuses_is_refused(client, taken, headers):
    name = headers[0].split(":")[0]
    lines = [each for each in ("Host: localhost", "Content-Type: application/json") if not each.startswith(name)]
    raw = "\r\n".join([f"POST {DECIDE} HTTP/1.1", *lines, *headers, "Content-Length: 2", "", "{}"]).encode()
    with Line(client) as line:
        line.send(raw)
        status, _, body = line.answer()
    assert taken
    assert (status, json.loads(body)["error"]["code"]) in [
        (415, "unsupported_media_type"),
        (421, "misdirected"),
        (403, "forbidden"),
    ]


@pytest.mark.parametrize("cut", [1, 40, -3, -11])
def test_a_request_in_two_parts(client, taken, cut):
    """Cut within the request line, the headers, the body, and just before the body."""
    whole = request(DECIDE, {"id": "a"})
    with Line(client) as line:
        line.send(whole[:cut], whole[cut:])
        assert line.answer()[0] == 201
        assert len(taken) == 1
        line.send(request(DECIDE, {"id": "a"}))
        assert line.answer()[0] == 200


def test_requests_that_follow_each_other_at_once_are_answered_in_order(client):
    client.service.hold = True
    parts = [request(DECIDE, {"id": f"d{k}"}) for k in range(5)]
    parts.insert(2, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    parts.append(request(f"{DECIDE}/d1/reward", {"reward": 1}, "PUT"))
    with Line(client) as line:
        line.send(b"".join(parts))
        client.running.until(lambda: client.service.held)
        client.service.hold = False
        client.service.release()
        answers = [line.answer() for _ in parts]
    assert [status for status, _, _ in answers] == [201, 201, 200, 201, 201, 201, 200]
    bodies = [json.loads(body) for _, _, body in answers]
    assert [body["decisions"][0]["id"] for body in bodies if "decisions" in body] == [f"d{k}" for k in range(5)]
    assert bodies[2] == {"status": "ok"}
    assert bodies[-1] == {"status": "recorded"}


@pytest.mark.parametrize(("version", "headers"), [("1.1", ["Connection: close"]), ("1.0", [])])
def test_a_connection_is_closed_when_the_client_says_so(client, version, headers):
    with Line(client) as line:
        line.send(request(DECIDE, {"id": "a"}, version=version, headers=headers))
        status, found, _ = line.answer()
        assert (status, found["connection"]) == (201, "close")
        assert line.closed()


def test_a_client_that_goes_away_harms_nobody(client):
    client.service.hold = True
    with Line(client) as line:
        line.send(request(DECIDE, {"id": "gone"}))
        client.running.until(lambda: client.service.held)
    client.service.hold = False
    client.service.release()
    assert client.post(DECIDE, json={"id": "gone"}).status_code == 200
    waiting = client.running.app.tools.waiting
    client.running.until(lambda: not waiting._unanswered)
    assert waiting._waiting == 0


def test_who_waits_for_too_long_is_told_so(serve, taken):
    client = serve()
    client.put("/v1/experiments/line", json=GRID)
    client.service.hold = True
    client.running.limit(wait_seconds=0.1)
    found = client.post(DECIDE, json={"id": "a"})
    client.running.limit(wait_seconds=60)
    assert (found.status_code, found.json()["error"]["code"]) == (503, "unavailable")
    assert found.headers["retry-after"] == "1"
    assert taken
    client.service.hold = False
    client.service.release()
    assert client.post(DECIDE, json={"id": "a"}).status_code == 200


def test_a_mistake_of_the_server_is_an_answer(client, monkeypatch, caplog):
    monkeypatch.setattr(client.service, "submit", lambda *_: 1 / 0)
    found = client.post(DECIDE, json={})
    assert (found.status_code, found.json()["error"]["code"]) == (500, "internal")
    assert "ZeroDivisionError" in caplog.text


def test_a_body_that_does_not_come_is_not_waited_for_for_ever(serve, taken):
    client = serve()
    client.put("/v1/experiments/line", json=GRID)
    client.running.limit(body_seconds=0.1)
    with Line(client) as line:
        line.send(request(DECIDE, {"id": "a"})[:-3])
        status, headers, body = line.answer()
        assert (status, json.loads(body)["error"]["code"], headers["connection"]) == (408, "timeout", "close")
        assert line.closed()
    assert not taken


def test_a_body_above_the_limit_of_the_server_is_refused(serve):
    client = serve(limits=Limits(body=50))
    found = client.post(DECIDE, json={"id": "a" * 60})
    assert (found.status_code, found.headers["connection"]) == (413, "close")


def test_known_headers_need_no_parser(client, taken, monkeypatch):
    with Line(client) as line:
        line.send(request(DECIDE, {"id": "a"}))
        assert line.answer()[0] == 201
        monkeypatch.setattr(direct.Protocol, "on_message_begin", lambda _: pytest.fail("parsed"))
        line.send(request(DECIDE, {"id": "b"}))
        assert line.answer()[0] == 201
    with Line(client) as line:  # all connections share what is known
        line.send(request(DECIDE, {"id": "a"}))
        status, _, body = line.answer()
    assert (status, json.loads(body)["decisions"][0]["id"]) == (200, "a")
    assert len(taken) == 3


@pytest.mark.parametrize(
    "change",
    [
        (b"POST", b"post"),
        (b"POST", b"GET"),
        (b"HTTP/1.1", b"HTTP/1.0"),
        (b"HTTP/1.1", b"HTTP/9.9"),
        (b"HTTP/1.1", b"HTTP/1.1 "),
        (b" /v1", b"  /v1"),
        (b"/decisions", b"/deci\x01sions"),
        (b"/decisions", b"/decisions?x=1"),
        (b"/decisions", b"/nothing"),
        (b"\r\nHost", b"\nHost"),
        (b"Host: ", b"Host : "),
        (b"Content-Length: ", b"Content-Length: 0"),
        (b"Content-Length: ", b"Content-Length: 1"),
        (b"\r\nContent-Type", b"\r\nTransfer-Encoding: chunked\r\nContent-Type"),
    ],
)
def test_a_changed_request_is_answered_as_if_nothing_were_known(serve, change):
    """Where one byte is another, the parser looks at it, whatever came before."""

    def answer(known):
        client = serve()
        client.put("/v1/experiments/line", json=GRID)
        with Line(client) as line:
            line.send(request(DECIDE, {"id": "a", "time": 1}))
            assert line.answer()[0] == 201
            assert client.running.app.heads._known
            if not known:
                client.running.app.heads._known.clear()
            client.running.limit(body_seconds=0.5)  # some of the changes announce more than comes
            line.send(request(DECIDE, {"id": "b", "time": 1}).replace(*change, 1))
            status, _, body = line.answer()
            return status, body

    assert answer(known=True) == answer(known=False)


def test_a_request_within_the_body_of_another_is_not_one(client):
    """The rest of a body whose request has been answered may look like a request with known headers."""
    inner = request(DECIDE, {"id": "b"})
    outer = request("/v1/nothing", inner)
    with Line(client) as line:
        line.send(request(DECIDE, {"id": "a"}))
        assert line.answer()[0] == 201
        line.send(outer[: -len(inner)])
        assert line.answer()[0] == 404
        line.send(inner, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert json.loads(line.answer()[2]) == {"status": "ok"}
    assert client.get(f"{DECIDE}/b").status_code == 404
    assert client.get(f"{DECIDE}/a").status_code == 200


def test_only_so_many_headers_are_known(client):
    known = client.running.app.heads._known
    with Line(client) as line:
        for k in range(heads.MOST + 20):
            line.send(request(DECIDE, {"id": f"{k}"}, headers=[f"X-Number: {k}"]))
            assert line.answer()[0] == 201
            assert 0 < len(known) <= heads.MOST
        line.send(request(DECIDE, {"id": "long"}, headers=[f"X-Long: {'x' * heads.LONGEST}"]))
        assert line.answer()[0] == 201
    assert max(map(len, known)) <= heads.LONGEST


def test_an_idle_connection_is_closed_and_a_busy_one_is_not(client):
    def look():
        client.running.loop_call(protocol.timeout_keep_alive_handler)

    before = set(client.running.server.server_state.connections)
    with Line(client) as line:
        line.send(request(DECIDE, {"id": "a"}))
        assert line.answer()[0] == 201
        (protocol,) = set(client.running.server.server_state.connections) - before
        look()  # it is idle, but not for long
        client.service.hold = True
        line.send(request(DECIDE, {"id": "b"}))
        client.running.until(lambda: client.service.held)
        look()
        client.service.hold = False
        client.service.release()
        assert line.answer()[0] == 201
        assert protocol.timeout_keep_alive_task is not None
        protocol._idle_since -= protocol.timeout_keep_alive
        look()
        assert line.closed()
