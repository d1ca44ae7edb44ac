"""Both clients against a server over a store in a file."""

import asyncio
import inspect
import threading

import httpx
import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_service import AsyncClient, Client
from quickdraw_service import client_calls as calls
from quickdraw_service.api import create_app
from quickdraw_service.client_calls import Patience
from quickdraw_service.errors import (
    BadRequestError,
    ConflictError,
    OverloadedError,
    ServiceError,
    UnavailableError,
    UnknownDecisionError,
    UnknownExperimentError,
)
from quickdraw_service.server import Server, bind, url_of
from quickdraw_service.service import Service

GRID = {"grid": {"low": 1, "high": 10, "n": 20}}


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    store = f"sqlite:///{tmp_path_factory.mktemp('store')}/log.db"
    ready = threading.Event()
    app = create_app(lambda deliver: Service(store, deliver=deliver, warm_up=False))
    server, listener = Server(app, ready.set), bind("127.0.0.1", 0)
    thread = threading.Thread(target=server.serve_on, args=(listener,))
    thread.start()
    assert ready.wait(60)
    yield url_of(listener)
    server.should_exit = True
    thread.join()


def test_positions_and_labels_are_not_mixed():
    """Converted to one type, the position 1 would be sent as the label "1"."""
    with pytest.raises(ValueError, match="among must be positions or labels, not both"):
        calls.decide("prices", None, None, ["red", 1], None)


class Awaited:
    """An ``AsyncClient`` that is called like a ``Client``, so that one test serves both."""

    def __init__(self, url):
        self._loop = asyncio.new_event_loop()
        self._client = AsyncClient(url)

    def __getattr__(self, name):
        method = getattr(self._client, name)
        return lambda *args, **kwargs: self._loop.run_until_complete(method(*args, **kwargs))

    def fill(self, name, rewards):
        async def run():
            async with self._client.batch(name, size=3) as batch:
                for id, reward in rewards:
                    await batch.add(id, reward)
            return batch.refused

        return self._loop.run_until_complete(run())

    def end(self):
        self.close()
        self._loop.close()


class Plain(Client):
    def fill(self, name, rewards):
        with self.batch(name, size=3) as batch:
            for id, reward in rewards:
                batch.add(id, reward)
        return batch.refused

    end = Client.close


@pytest.fixture(params=[Plain, Awaited])
def client(request, url):
    client = request.param(url)
    yield client
    client.end()


@pytest.fixture
def name(client, request):
    """Return a new experiment of 20 arms."""
    name = f"x{abs(hash(request.node.name))}"
    assert client.create(name, GRID, policy="QuickDraw")
    return name


def test_the_whole_loop(client, name):
    assert not client.create(name, GRID, policy="QuickDraw")
    decision = client.decide(name, time=1.0, among=[3, 4])
    assert decision.arm in (3, 4)
    assert client.reward(name, decision.id, 0.5) == "recorded"
    assert client.reward(name, decision.id, 0.5) == "duplicate"
    several = client.decide_several(name, 4, time=2.0, id="s")
    assert [each.id for each in several] == ["s-1", "s-2", "s-3", "s-4"]
    assert client.rewards(name, [("s-1", 1.0), ("none", 0.0)]) == ["recorded", "unknown"]
    assert client.observe(name, [0.0, 0.5], [1, 2], [0.1, 0.2], id="h")
    assert not client.observe(name, [0.0, 0.5], [1, 2], [0.1, 0.2], id="h")
    assert client.add_arms(name, [[11.0]]) == [20]
    assert client.retire(name, [0, 1]) == [0, 1]
    found = client.experiment(name)
    counts = [found[key] for key in ("decisions", "rewards", "observations", "pending", "n_arms", "n_retired")]
    assert counts == [5, 2, 2, 3, 21, 2]


def test_the_same_id_decides_once(client, name):
    first = client.decide(name, id="a")
    assert client.decide(name, id="a") == first
    assert client.experiment(name)["decisions"] == 1


def test_errors_are_those_of_the_service(client, name):
    client.decide(name, id="a")
    client.reward(name, "a", 1.0)
    with pytest.raises(ConflictError):
        client.reward(name, "a", 2.0)
    with pytest.raises(UnknownDecisionError):
        client.reward(name, "b", 2.0)
    with pytest.raises(UnknownExperimentError):
        client.decide("none")
    with pytest.raises(BadRequestError, match="among"):
        client.decide(name, among=[])
    with pytest.raises(ConflictError):
        client.create(name, GRID)


def test_a_policy_is_given_by_name_or_as_in_the_api(client, name):
    def described(suffix, *args, **kwargs):
        assert client.create(name + suffix, *args, **kwargs)
        return client.experiment(name + suffix)["policy"]

    expected = {"name": "QuickDraw", "parameters": {"length_scale": 0.5}}
    assert described("a", GRID, policy=expected, uniform=0.05) == expected
    assert described("b", GRID, "QuickDraw", {"length_scale": np.float64(0.5)}) == expected
    assert described("c", arms=GRID, policy={"name": "Random"}) == {"name": "Random", "parameters": {}}
    with pytest.raises(ValueError, match="parameters must be left out"):
        client.create("d", GRID, expected, {"cap": 2.0})
    with pytest.raises(BadRequestError, match="unknown field 'cap' in policy"):
        client.create("d", GRID, {"name": "QuickDraw", "cap": 2.0})


def test_numpy_values_are_taken_wherever_numbers_are(client, name):
    points = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    assert client.create(name + "a", points, policy="Random")
    assert not client.create(name + "a", points.tolist(), policy="Random")
    assert not client.create(name + "a", {"points": points, "metric": "euclidean"}, policy="Random")
    assert client.decide(name, time=np.float64(2.5)).time == 2.5
    assert client.decide(name, np.int64(3)).time == 3.0
    mask = np.arange(20) == 7
    assert client.decide(name, among=mask).arm == 7
    with pytest.raises(ValueError, match="cannot send a complex"):
        client.decide(name, 1j)


@pytest.mark.parametrize("wrong", [float("nan"), np.inf])
def test_numbers_that_are_not_finite_are_not_sent(client, name, wrong):
    with pytest.raises(ValueError, match="time must be finite"):
        client.decide(name, time=wrong)
    with pytest.raises(ValueError, match="reward must be finite"):
        client.reward(name, "a", wrong)
    with pytest.raises(ValueError, match="times must be finite"):
        client.observe(name, [0.0, wrong], [1, 2], [0.1, 0.2])
    with pytest.raises(ValueError, match="rewards must be finite"):
        client.observe(name, [0.0, 1.0], [1, 2], [0.1, wrong])
    found = client.experiment(name)
    assert (found["decisions"], found["observations"]) == (0, 0)


def test_several_arms_are_decided_at_once_by_a_count(client, name):
    several = client.decide(name, count=3, id="s")
    assert several == client.decide_several(name, 3, id="s")
    assert len({each.arm for each in several}) == 3
    assert len(client.decide(name, count=1)) == 1
    assert client.reward(name, several[1], 0.5) == "recorded"
    assert client.reward(name, several[1].id, 0.5) == "duplicate"


def test_rewards_in_batches(client, name):
    ids = [each.id for each in client.decide_several(name, 7)]
    refused = client.fill(name, [*((id, 0.25) for id in ids), (ids[0], 0.5), ("none", 1.0)])
    assert sorted(refused) == sorted([(ids[0], "conflict"), ("none", "unknown")])
    assert client.experiment(name)["rewards"] == 7


def test_sets_of_arms_large_and_small_with_labels(client, request):
    for n, named in ((3, True), (20_001, False), (20_001, True)):
        labels = [f"arm {i}" for i in range(n)] if named else None
        arms = qd.Arms(np.linspace(0, 1, n), labels=labels)
        name = f"y{abs(hash((request.node.name, n, named)))}"
        assert client.create(name, arms, policy="Random", uniform=0.0)
        assert not client.create(name, arms, policy="Random", uniform=0.0)
        decision = client.decide(name, among=[2])
        assert decision.label == ("arm 2" if named else None)
        np.testing.assert_allclose(decision.point, arms.points[2])


def test_the_log_is_saved_for_evaluate(client, name, tmp_path):
    for i in range(5):
        client.reward(name, client.decide(name, time=float(i)).id, i / 4)
    for format in ("csv", "parquet"):
        client.save_log(name, tmp_path / f"log.{format}", format)
        log = qd.datasets.read_log(tmp_path / f"log.{format}")
        assert log.reward.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.csv", "log.parquet"]


def test_both_clients_have_the_same_methods():
    def methods(kind):
        return {
            name: list(inspect.signature(method).parameters)
            for name, method in vars(kind).items()
            if not name.startswith("_")
        }

    assert methods(Client) == methods(AsyncClient)


def flaky(answers):
    """Return a transport that gives these answers one after the other, and the requests that it got."""
    asked = []

    def handle(request):
        asked.append(request)
        answer = answers[len(asked) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    return httpx.MockTransport(handle), asked


def busy(status):
    error = {"error": {"code": "overloaded" if status == 429 else "unavailable", "message": "m", "advice": "a"}}
    return httpx.Response(status, json=error, headers={"retry-after": "0"})


DECIDED = {"id": "x", "arm": 1, "label": None, "point": [0.5], "time": 1.0, "probability": 0.5, "reward": None}


@pytest.mark.parametrize("asynchronous", [False, True])
def test_busy_and_absent_servers_are_asked_again_with_the_same_id(asynchronous):
    transport, asked = flaky(
        [busy(429), httpx.ConnectError("refused"), busy(503), httpx.ReadError("cut"),
         httpx.Response(201, json={"decisions": [DECIDED]})]
    )  # fmt: skip
    if asynchronous:

        async def run():
            client = AsyncClient("http://server")
            client._http = httpx.AsyncClient(transport=transport, base_url="http://server")
            return await client.decide("prices")

        decision = asyncio.run(run())
    else:
        client = Client("http://server")
        client._http = httpx.Client(transport=transport, base_url="http://server")
        decision = client.decide("prices")
    assert decision.arm == 1
    assert len(asked) == 5
    assert len({request.content for request in asked}) == 1
    assert b'"id"' in asked[0].content


def test_after_its_patience_a_client_gives_up():
    client = Client("http://server", patience=0)
    client._http = httpx.Client(transport=flaky([busy(429)])[0], base_url="http://server")
    with pytest.raises(OverloadedError):
        client.decide("prices")
    client._http = httpx.Client(transport=flaky([httpx.ConnectError("refused")])[0], base_url="http://server")
    with pytest.raises(UnavailableError, match="refused"):
        client.decide("prices")
    client._http = httpx.Client(transport=flaky([httpx.Response(502, text="<html>")])[0], base_url="http://server")
    with pytest.raises(ServiceError, match="502"):
        client.decide("prices")


def test_waits_double_and_respect_what_the_server_asks():
    now = [0.0]
    patience = Patience(100.0, lambda: now[0])
    waits = [patience.next_wait(None) for _ in range(9)]
    for i, wait in enumerate(waits):
        assert 0.5 <= wait / min(0.05 * 2**i, 5.0) <= 1
    assert patience.next_wait(httpx.Response(503, headers={"retry-after": "20"})) >= 10
    assert patience.next_wait(httpx.Response(409)) is None
    now[0] = 99.9
    assert patience.next_wait(None) is None


def test_rewards_that_could_not_be_sent_wait_for_the_next_time():
    client = Client("http://server", patience=0)
    transport, asked = flaky([busy(503), httpx.Response(200, json={"outcomes": ["recorded", "recorded"]})])
    client._http = httpx.Client(transport=transport, base_url="http://server")
    batch = client.batch("prices", size=2)
    batch.add("a", 1.0)
    with pytest.raises(UnavailableError):
        batch.add("b", 2.0)
    batch.send()
    assert asked[0].content == asked[1].content
