"""Beyond what a server takes, it refuses at once and goes on serving the others."""

import io
import socket
import threading

import httpx
import numpy as np
import pytest

from quickdraw_service.limits import Limits

DECISIONS = "/v1/experiments/line/decisions"
GRID = {"arms": {"grid": {"low": 0, "high": 1, "n": 5}}}


def limited(serve, **limits):
    client = serve(limits=Limits(**limits))
    assert client.put("/v1/experiments/line", json=GRID).status_code == 201
    return client


def test_a_full_queue_is_said_at_once(client):
    client.service.full = True
    answer = client.post(DECISIONS, json={})
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "3")
    assert answer.json()["error"]["code"] == "overloaded"
    client.service.full = False
    assert client.post(DECISIONS, json={}).status_code == 201


def test_before_it_is_ready_and_while_it_stops(client):
    client.service.ready = False
    for answer in (client.post(DECISIONS, json={}), client.get("/readyz")):
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) >= 1
    assert client.get("/healthz").json() == {"status": "ok"}
    client.service.ready = True
    assert client.get("/readyz").json() == {"status": "ready"}
    client.running.app.stopping()
    assert client.get("/readyz").status_code == 503


def test_a_request_does_not_wait_for_ever(serve):
    client = limited(serve)
    client.service.hold = True
    client.running.limit(wait_seconds=0.1)
    answer = client.post(DECISIONS, json={"id": "x"})
    client.running.limit(wait_seconds=60)
    assert answer.status_code == 503
    assert "same id" in answer.json()["error"]["advice"]
    client.service.release()  # the answer comes too late, and harms nothing
    assert client.post(DECISIONS, json={"id": "x"}).json()["decisions"][0]["id"] == "x"


@pytest.mark.parametrize("announced", [True, False])
def test_bodies_that_are_too_large(serve, announced):
    client = limited(serve, body=1000)
    body = b'{"id": "' + b"x" * 2000 + b'"}'
    content = body if announced else iter([body[:500], body[500:]])
    answer = client.post(DECISIONS, content=content, headers={"content-type": "application/json"})
    assert answer.status_code == 413
    assert "1,000 bytes" in answer.json()["error"]["message"]


def test_a_body_that_does_not_come(serve):
    client = limited(serve)
    client.running.limit(body_seconds=0.1)
    address = httpx.URL(client.running.url)
    with socket.create_connection((address.host, address.port), timeout=60) as connection:
        connection.sendall(
            f"POST {DECISIONS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            "Content-Length: 50\r\n\r\n{".encode()
        )
        assert connection.recv(1000).startswith(b"HTTP/1.1 408")


def test_large_bodies_share_their_memory(serve):
    client = limited(serve, bodies=100_000)
    answer = client.post(DECISIONS, content=b"x" * 200_000, headers={"content-type": "application/json"})
    assert answer.status_code == 429


def test_counts(serve):
    client = limited(serve, count=3, rewards=2, observations=2, arms=10, page=5)
    assert client.post(DECISIONS, json={"count": 4}).status_code == 422
    rewards = [{"id": "x", "reward": 1}] * 3
    assert client.post("/v1/experiments/line/rewards", json={"rewards": rewards}).status_code == 422
    columns = {"times": [1, 2, 3], "arms": [1, 2, 3], "rewards": [1, 2, 3]}
    assert client.post("/v1/experiments/line/observations", json=columns).status_code == 422
    grid = {"arms": {"grid": {"low": 0, "high": 1, "n": 11}}}
    assert client.put("/v1/experiments/big", json=grid).status_code == 422
    file = io.BytesIO()
    np.save(file, np.arange(11.0))
    headers = {"content-type": "application/x-npy"}
    assert client.put("/v1/experiments/big", content=file.getvalue(), headers=headers).status_code == 422
    assert client.get(f"{DECISIONS}?limit=6").status_code == 422


def test_questions_wait_in_a_short_queue(serve):
    client = limited(serve, readers=1, reading=1)
    begun, go_on = threading.Event(), threading.Event()
    usual = client.service.experiments

    def slow():
        begun.set()
        assert go_on.wait(60)
        return usual()

    client.service.experiments = slow
    statuses = []
    threads = [
        threading.Thread(target=lambda: statuses.append(client.get("/v1/experiments").status_code)) for _ in range(2)
    ]
    threads[0].start()
    assert begun.wait(60)
    threads[1].start()
    client.running.until(lambda: client.running.app.tools.readers._room <= 0)
    assert client.get("/v1/experiments").status_code == 429
    assert client.post(DECISIONS, json={}).status_code == 201  # decisions do not wait behind questions
    go_on.set()
    for thread in threads:
        thread.join()
    assert statuses == [200, 200]
