"""Clients that have asked and will send no more."""

import json
import socket

import pytest

DECIDE = "/v1/experiments/line/decisions"
BODY = b'{"id": "last", "time": 1}'
HEAD = f"POST {DECIDE} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".encode()
DIRECT = HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY
USUAL = HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)


def received(connection):
    """Return all that comes until the server closes."""
    return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize("sent", [DIRECT, USUAL])
def test_a_client_that_will_send_no_more_gets_its_answer(client, sent):
    client.service.hold = True
    with socket.create_connection((client.base_url.host, client.base_url.port), timeout=60) as connection:
        connection.sendall(sent)
        client.running.until(lambda: client.service.held)
        connection.shutdown(socket.SHUT_WR)
        open_ones = client.running.server.server_state.connections
        client.running.until(lambda: any(each.cycle and not each.cycle.keep_alive for each in list(open_ones)))
        client.service.release()
        head, _, body = received(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 201")
    assert b"connection: close" in head
    assert json.loads(body)["decisions"][0]["id"] == "last"


@pytest.mark.parametrize("sent", [b"", b"POST ", DIRECT[:-3]])
def test_a_client_that_ends_in_the_middle_gets_none(client, sent):
    with socket.create_connection((client.base_url.host, client.base_url.port), timeout=60) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        assert received(connection) == b""
    assert client.get(f"{DECIDE}/last").status_code == 404
