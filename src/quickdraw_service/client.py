"""A client of the service that waits for its answers; ``async_client`` has its twin."""

import time as clock
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, Self, TypeVar, overload

import httpx
from numpy.typing import ArrayLike

from quickdraw_bandits import Arms
from quickdraw_service import client_calls as calls
from quickdraw_service.client_calls import Among, Ask, Parameters, Patience
from quickdraw_service.requests import Decided, Outcome

T = TypeVar("T")


class Client:
    """Asks a server, and asks again where it is busy or cannot be reached.

    Every request carries an id, so that one that is sent twice is carried out once. Errors of the server are raised
    as the classes of ``quickdraw_service.errors``. Any number of threads may use one client.

    Parameters
    ----------
    url
        Address of the server, for example ``"http://127.0.0.1:8000"``.
    key
        A key from ``quickdraw keys add``; default None, for a server without keys.
    patience
        Seconds to go on trying while the server is busy or away; default 30. With 0 each request is sent once.
    timeout
        Seconds to wait for one answer; default 30.

    Examples
    --------
    >>> def price(url):
    ...     with Client(url) as client:
    ...         client.create("prices", {"grid": {"low": 1, "high": 10, "n": 100}})
    ...         decision = client.decide("prices")
    ...         client.reward("prices", decision.id, 0.7)
    """

    def __init__(self, url: str, key: str | None = None, *, patience: float = 30.0, timeout: float = 30.0) -> None:
        self._patience = patience
        self._http = httpx.Client(base_url=url, headers=calls.headers(key), timeout=timeout)

    def create(
        self,
        name: str,
        arms: Arms | Mapping[str, object] | ArrayLike,
        policy: str | Mapping[str, object] = "AdaptiveQuickDraw",
        parameters: Parameters | None = None,
        uniform: float = 0.05,
        seed: int = 0,
        reward_within: float | None = None,
    ) -> bool:
        """Begin an experiment; return False if it was there with the same definition.

        Parameters
        ----------
        name
            Letters, digits, dot, underscore and hyphen; up to 100.
        arms
            An ``Arms`` set, or what the API takes: ``{"grid": {"low": 1, "high": 10, "n": 100}}`` or
            ``{"points": [[...], ...], "metric": "euclidean", "labels": [...]}``; or an array, one row per arm.
        policy, parameters
            Class name of a policy, default ``"AdaptiveQuickDraw"``, and its parameters that differ from the defaults.
            Or both in ``policy``, as the API takes them: ``{"name": "QuickDraw", "parameters": {"cap": 2.0}}``.
        uniform
            Part of the decisions drawn at random, from 0 to 1; default 0.05. More makes the log say more about other
            policies, and earns less.
        seed
            Seed of the policy and of all draws; default 0.
        reward_within
            Seconds after which a decision without a reward is no longer pending; default None: never.
        """
        return self._send(calls.create(name, arms, policy, parameters, uniform, seed, reward_within))

    @overload
    def decide(
        self,
        name: str,
        time: float | None = None,
        among: Among | None = None,
        id: str | None = None,
        count: None = None,
    ) -> Decided: ...

    @overload
    def decide(
        self, name: str, time: float | None = None, among: Among | None = None, id: str | None = None, *, count: int
    ) -> list[Decided]: ...

    def decide(
        self,
        name: str,
        time: float | None = None,
        among: Among | None = None,
        id: str | None = None,
        count: int | None = None,
    ) -> Decided | list[Decided]:
        """Choose one arm, now or at a time; with a ``count``, a list of that many different arms.

        ``among`` limits the choice: positions, labels, or a boolean mask over all arms.
        """
        found = self._send(calls.decide(name, count, time, among, id))
        return found[0] if count is None else found

    def decide_several(
        self, name: str, count: int, time: float | None = None, among: Among | None = None, id: str | None = None
    ) -> list[Decided]:
        """Choose ``count`` different arms."""
        return self.decide(name, time, among, id, count=count)

    def reward(self, name: str, id: str | Decided, reward: float) -> Outcome:
        """Record the reward of a decision, given by its id or as a whole; returns when it is on disk.

        Raises UnknownDecisionError, or ConflictError if the decision has another reward.
        """
        id = calls.id_of(id)
        return calls.reward_outcome(name, id, self.rewards(name, [(id, reward)]))

    def rewards(self, name: str, given: Iterable[tuple[str, float]]) -> list[Outcome]:
        """Record up to 10,000 rewards, given as pairs of id and reward; return what became of each."""
        return self._send(calls.rewards(name, given))

    def batch(self, name: str, size: int = 100, seconds: float = 1.0) -> "RewardBatch":
        """Return a collector of rewards, to be used in a ``with`` block; see ``RewardBatch``."""
        return RewardBatch(self, name, size, seconds)

    def observe(self, name: str, times: ArrayLike, arms: ArrayLike, rewards: ArrayLike, id: str | None = None) -> bool:
        """Record history: numbers, or arrays of one length; return False if it was there under this id."""
        return self._send(calls.observe(name, times, arms, rewards, id))

    def add_arms(
        self, name: str, points: ArrayLike, labels: Sequence[str] | None = None, id: str | None = None
    ) -> list[int]:
        """Add arms, one row of coordinates each; return their positions."""
        return self._send(calls.add_arms(name, points, labels, id))

    def retire(self, name: str, arms: Sequence[int] | Sequence[str]) -> list[int]:
        """Never choose these arms again; return their positions."""
        return self._send(calls.retire(name, arms))

    def experiment(self, name: str) -> dict[str, object]:
        """Return the definition of an experiment and how it stands."""
        return self._send(calls.experiment(name))

    def save_log(self, name: str, path: str | Path, format: Literal["csv", "parquet"] = "csv") -> None:
        """Write the log to a file that ``quickdraw evaluate`` reads."""
        temporary = Path(f"{path}.part")
        with self._http.stream("GET", calls.log_path(name, format)) as response:
            if not response.is_success:
                response.read()
                raise calls.problem(response)
            with temporary.open("wb") as file:
                for part in response.iter_bytes():
                    file.write(part)
        temporary.replace(path)

    def _send(self, ask: Ask[T]) -> T:
        patience = Patience(self._patience, clock.monotonic)
        while True:
            response: httpx.Response | None = None
            try:
                response = self._http.request(ask.method, ask.path, content=ask.content, headers=ask.headers)
                if response.is_success:
                    return ask.read(response.content)
                error: Exception = calls.problem(response)
            except httpx.TransportError as failed:
                error = calls.unreachable(failed)
            wait = patience.next_wait(response)
            if wait is None:
                raise error
            clock.sleep(wait)

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RewardBatch:
    """Collects rewards and sends many at once, which is about ten times faster than one by one.

    A reward is on disk when the batch that holds it was sent: when ``size`` have come, when one is added ``seconds``
    after the first, at ``send``, and at the end of the ``with`` block.

    Parameters
    ----------
    client, name
        The client and the experiment.
    size
        Rewards in one request, default 100, at most 10,000.
    seconds
        Age of the first reward at which the next one sends them; default 1.
    """

    def __init__(self, client: Client, name: str, size: int = 100, seconds: float = 1.0) -> None:
        self._client, self._name = client, name
        self._collected = calls.Collected(size, seconds)

    @property
    def refused(self) -> list[tuple[str, Outcome]]:
        """Ids whose reward was not recorded: unknown decisions, and conflicts with another reward."""
        return self._collected.refused

    def add(self, id: str, reward: float) -> None:
        """Add the reward of a decision."""
        if self._collected.add(id, reward):
            self.send()

    def send(self) -> None:
        """Send what has come. If that fails, it is kept and sent with the next call."""
        waiting = self._collected.take()
        if waiting:
            with self._collected.returned_on_error(waiting):
                self._collected.note(waiting, self._client.rewards(self._name, waiting))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.send()
