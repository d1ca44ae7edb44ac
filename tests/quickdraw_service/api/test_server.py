import contextlib
import socket
import threading

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from quickdraw_service.server import allow_many_connections, bind, is_loopback, url_of


@pytest.mark.parametrize(
    ("host", "expected"), [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("::", False)]
)
def test_which_addresses_are_of_this_machine_only(host, expected):
    assert is_loopback(host) == expected


def test_addresses_of_both_families_become_urls():
    with bind("127.0.0.1", 0) as listener:
        assert url_of(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"


def listens(client):
    try:
        socket.create_connection((client.base_url.host, client.base_url.port)).close()
    except ConnectionError:
        return False
    return True


def test_requests_under_way_are_answered_before_the_server_ends(serve):
    client = serve()
    client.put("/v1/experiments/line", json={"arms": {"grid": {"low": 0, "high": 1, "n": 5}}})
    client.service.hold = True
    found = []
    asking = threading.Thread(target=lambda: found.append(client.post("/v1/experiments/line/decisions", json={})))
    asking.start()
    client.running.until(lambda: client.service.held)
    client.running.server.config.timeout_graceful_shutdown = 60  # longer than a busy machine takes for the rest
    client.running.server.handle_exit(15, None)
    client.running.until(lambda: not listens(client))  # the port is closed first
    client.service.release()
    asking.join()
    client.running.thread.join(60)
    assert found[0].status_code == 201
    assert client.service.stopped


def test_a_service_that_failed_ends_the_server(serve):
    client = serve()
    client.service.failure = ValueError("the store is of a newer version")
    client.running.thread.join(60)
    assert not client.running.thread.is_alive()
    assert client.running.failed == [client.service.failure]


def test_connections_that_send_nothing_are_closed(serve):
    client = serve()
    with socket.create_connection((client.base_url.host, client.base_url.port), timeout=60) as silent:
        silent.sendall(b"GET /healthz HTTP/1.1\r\nHost:")
        assert client.get("/healthz").status_code == 200  # a connection in use is not closed
        for _ in range(2):
            client.running.loop_call(client.running.server._close_silent)
        assert silent.recv(10) == b""
    assert client.get("/healthz").status_code == 200


@pytest.mark.parametrize("begin", [b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ", b"GET /"])
def test_headers_without_end_are_not_read(serve, begin):
    client = serve()
    with socket.create_connection((client.base_url.host, client.base_url.port), timeout=60) as endless:
        endless.sendall(begin)
        sent = 0
        with contextlib.suppress(ConnectionError):
            while sent < 50_000_000:
                sent += endless.send(b"x" * 10_000)
        assert sent < 50_000_000
    headers = {"x": "y" * 50_000}
    assert client.get("/healthz", headers=headers).status_code == 200


def test_large_bodies_are_no_long_headers(serve):
    client = serve()
    body = b'{"arms": {"points": [' + b",".join([b"[0.5]"] * 100_000) + b"]}}"
    answer = client.put("/v1/experiments/x", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 201


@pytest.mark.slow
def test_many_connections_at_once(serve):
    allow_many_connections()
    client = serve()
    address = (client.base_url.host, client.base_url.port)
    opened = [socket.create_connection(address, timeout=60) for _ in range(2_000)]
    request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for connection in opened:
        connection.sendall(request)
    answers = {connection.recv(1000).split(b"\r\n")[0] for connection in opened}
    for connection in opened:
        connection.close()
    assert answers == {b"HTTP/1.1 200 OK"}


def test_pages_come_beside_the_api_and_only_to_this_machine(serve):
    client = serve(page=[Route("/", lambda request: PlainTextResponse("a page"))])
    assert client.get("/").text == "a page"
    assert client.get("/", headers={"host": "evil.example"}).status_code == 421
    for method, path, status in (("GET", "/nothing", 404), ("GET", "/healthz/", 404), ("POST", "/", 405)):
        answer = client.request(method, path)
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
        assert all(answer.json()["error"][name] for name in ("code", "message", "advice"))
    assert "GET" in client.post("/").headers["allow"]
    answer = client.get("/v1/nothing")
    assert answer.json()["error"]["code"] == "not_found"
    assert httpx.get(f"{client.running.url}/healthz").json() == {"status": "ok"}


def test_an_address_is_given_to_one_server_only():
    with bind("127.0.0.1", 0) as listener, pytest.raises(OSError, match="cannot listen on"):
        bind("127.0.0.1", listener.getsockname()[1])
