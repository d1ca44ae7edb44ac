"""The twin of ``client`` for programs that run in an event loop."""

import asyncio
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


class AsyncClient:
    """``Client`` with methods to await: the same names, parameters and errors.

    Parameters
    ----------
    url, key, patience, timeout
        As for ``Client``.

    Examples
    --------
    >>> async def price(url):
    ...     async with AsyncClient(url) as client:
    ...         decision = await client.decide("prices")
    ...         await client.reward("prices", decision.id, 0.7)
    """

    def __init__(self, url: str, key: str | None = None, *, patience: float = 30.0, timeout: float = 30.0) -> None:
        self._patience = patience
        self._http = httpx.AsyncClient(base_url=url, headers=calls.headers(key), timeout=timeout)

    async def create(
        self,
        name: str,
        arms: Arms | Mapping[str, object] | ArrayLike,
        policy: str | Mapping[str, object] = "AdaptiveQuickDraw",
        parameters: Parameters | None = None,
        uniform: float = 0.05,
        seed: int = 0,
        reward_within: float | None = None,
    ) -> bool:
        """Begin an experiment; return False if it was there with the same definition."""
        return await self._send(calls.create(name, arms, policy, parameters, uniform, seed, reward_within))

    @overload
    async def decide(
        self,
        name: str,
        time: float | None = None,
        among: Among | None = None,
        id: str | None = None,
        count: None = None,
    ) -> Decided: ...

    @overload
    async def decide(
        self, name: str, time: float | None = None, among: Among | None = None, id: str | None = None, *, count: int
    ) -> list[Decided]: ...

    async def decide(
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
        found = await self._send(calls.decide(name, count, time, among, id))
        return found[0] if count is None else found

    async def decide_several(
        self, name: str, count: int, time: float | None = None, among: Among | None = None, id: str | None = None
    ) -> list[Decided]:
        """Choose ``count`` different arms."""
        return await self.decide(name, time, among, id, count=count)

    async def reward(self, name: str, id: str | Decided, reward: float) -> Outcome:
        """Record the reward of a decision, given by its id or as a whole; returns when it is on disk."""
        id = calls.id_of(id)
        return calls.reward_outcome(name, id, await self.rewards(name, [(id, reward)]))

    async def rewards(self, name: str, given: Iterable[tuple[str, float]]) -> list[Outcome]:
        """Record up to 10,000 rewards, given as pairs of id and reward; return what became of each."""
        return await self._send(calls.rewards(name, given))

    def batch(self, name: str, size: int = 100, seconds: float = 1.0) -> "AsyncRewardBatch":
        """Return a collector of rewards, to be used in an ``async with`` block."""
        return AsyncRewardBatch(self, name, size, seconds)

    async def observe(
        self, name: str, times: ArrayLike, arms: ArrayLike, rewards: ArrayLike, id: str | None = None
    ) -> bool:
        """Record history: numbers, or arrays of one length; return False if it was there under this id."""
        return await self._send(calls.observe(name, times, arms, rewards, id))

    async def add_arms(
        self, name: str, points: ArrayLike, labels: Sequence[str] | None = None, id: str | None = None
    ) -> list[int]:
        """Add arms, one row of coordinates each; return their positions."""
        return await self._send(calls.add_arms(name, points, labels, id))

    async def retire(self, name: str, arms: Sequence[int] | Sequence[str]) -> list[int]:
        """Never choose these arms again; return their positions."""
        return await self._send(calls.retire(name, arms))

    async def experiment(self, name: str) -> dict[str, object]:
        """Return the definition of an experiment and how it stands."""
        return await self._send(calls.experiment(name))

    async def save_log(self, name: str, path: str | Path, format: Literal["csv", "parquet"] = "csv") -> None:
        """Write the log to a file that ``quickdraw evaluate`` reads."""
        temporary = Path(f"{path}.part")
        async with self._http.stream("GET", calls.log_path(name, format)) as response:
            if not response.is_success:
                await response.aread()
                raise calls.problem(response)
            with temporary.open("wb") as file:
                async for part in response.aiter_bytes():
                    file.write(part)
        temporary.replace(path)

    async def _send(self, ask: Ask[T]) -> T:
        patience = Patience(self._patience, clock.monotonic)
        while True:
            response: httpx.Response | None = None
            try:
                response = await self._http.request(ask.method, ask.path, content=ask.content, headers=ask.headers)
                if response.is_success:
                    return ask.read(response.content)
                error: Exception = calls.problem(response)
            except httpx.TransportError as failed:
                error = calls.unreachable(failed)
            wait = patience.next_wait(response)
            if wait is None:
                raise error
            await asyncio.sleep(wait)

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncRewardBatch:
    """``RewardBatch`` with methods to await.

    Parameters
    ----------
    client, name, size, seconds
        As for ``RewardBatch``.
    """

    def __init__(self, client: AsyncClient, name: str, size: int = 100, seconds: float = 1.0) -> None:
        self._client, self._name = client, name
        self._collected = calls.Collected(size, seconds)

    @property
    def refused(self) -> list[tuple[str, Outcome]]:
        """Ids whose reward was not recorded: unknown decisions, and conflicts with another reward."""
        return self._collected.refused

    async def add(self, id: str, reward: float) -> None:
        """Add the reward of a decision."""
        if self._collected.add(id, reward):
            await self.send()

    async def send(self) -> None:
        """Send what has come."""
        waiting = self._collected.take()
        if waiting:
            with self._collected.returned_on_error(waiting):
                self._collected.note(waiting, await self._client.rewards(self._name, waiting))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.send()
