"""Where shards run: on Ray."""

import pickle
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from quickdraw_bandits.distributed.cluster import cluster, have_ray
from quickdraw_bandits.evaluation.workers import cores

DEFAULTS: Mapping[str, object] = {
    "num_cpus": 0,
    "scheduling_strategy": "SPREAD",
    "max_restarts": 0,
    "enable_task_events": False,  # which record every call, and are read by nobody here
}
"""Options of actors."""


class LostShardError(Exception):
    """The process of a shard has ended, or does not answer."""


class Host(ABC):
    """Starts objects elsewhere and calls their methods. Calls of one object run one by one, in their order."""

    @abstractmethod
    def keep(self, value: Any) -> Any:
        """Return something that stands for an array in the arguments of ``start``, now and later."""

    @abstractmethod
    def start(self, kind: type, *arguments: Any) -> Any:
        """Return a handle of a new object, without waiting for it."""

    @abstractmethod
    def call(self, handle: Any, method: str, *arguments: Any) -> Any:
        """Call a method, and return a ticket for the answer, without waiting."""

    @abstractmethod
    def answers(self, tickets: list[Any]) -> list[Any]:
        """Wait for answers; in place of one that will never come, return a ``LostShardError``."""

    @abstractmethod
    def is_ready(self, ticket: Any) -> bool:
        """Return whether the answer has come, or never will."""

    @abstractmethod
    def end(self, handle: Any) -> None:
        """End an object."""

    @abstractmethod
    def close(self) -> None:
        """Release what was started to run objects at all."""


class Actor:
    """An object in a process of Ray's. Calls and answers are bytes, which Ray passes on as they are.

    Arguments of Ray's own calls are taken apart, each array by itself, which takes several times as long.
    """

    def __init__(self, kind: type, *arguments: Any) -> None:
        self._object = kind(*arguments)

    def call(self, request: bytes) -> bytes:
        """Call a method, and return its result."""
        method, arguments = pickle.loads(request)
        return pickle.dumps(getattr(self._object, method)(*arguments), pickle.HIGHEST_PROTOCOL)


class RayHost(Host):
    """Actors on Ray: on the cluster that this process is connected to, on that of an address, or on one started here.

    Parameters
    ----------
    address
        An existing cluster. By default, the one that this process is connected to; if there is none, one is started
        that listens on the loopback interface only, requires a token, and ends with ``close``.
    options
        Options of the actors, as ``ray.remote`` takes them. By default an actor reserves no core, and actors are spread
        over the nodes.
    n_shards
        How many there will be: the cores of this machine are shared between them.
    """

    def __init__(self, address: str | None, options: Mapping[str, Any] | None, n_shards: int) -> None:
        if not have_ray():
            raise ImportError('sharded policies need ray: pip install "quickdraw-bandits[ray]"')
        self._closing = ExitStack()
        loaded = sys.modules.get("ray")
        if address is None and loaded is not None and loaded.is_initialized():
            self._ray: Any = loaded
        else:
            threads = max(1, cores() // n_shards)
            self._ray = self._closing.enter_context(cluster(cores(), address, threads, niceness=0))
        self._options = {**DEFAULTS, **(options or {})}
        self._actor = self._ray.remote(Actor)

    def keep(self, value: Any) -> Any:
        """Put an array into the object store."""
        return self._ray.put(value)

    def start(self, kind: type, *arguments: Any) -> Any:
        """Return the handle of a new actor."""
        return self._actor.options(**self._options).remote(kind, *arguments)

    def call(self, handle: Any, method: str, *arguments: Any) -> Any:
        """Call a method of an actor, and return a reference to its result."""
        return handle.call.remote(pickle.dumps((method, arguments), pickle.HIGHEST_PROTOCOL))

    def answers(self, tickets: list[Any]) -> list[Any]:
        """Wait for results, together if all come."""
        lost = self._ray.exceptions.RayActorError
        try:
            try:
                return [pickle.loads(each) for each in self._ray.get(tickets)]
            except lost:
                return [self._answer(ticket) for ticket in tickets]
        except self._ray.exceptions.RayTaskError as error:  # what the shard raised, without Ray's account of it
            raise error.cause from None

    def _answer(self, ticket: Any) -> Any:
        try:
            return pickle.loads(self._ray.get(ticket))
        except self._ray.exceptions.RayActorError as error:
            return LostShardError(str(error))

    def is_ready(self, ticket: Any) -> bool:
        """Return whether the result is there, or the actor has died."""
        return bool(self._ray.wait([ticket], timeout=0)[0])

    def end(self, handle: Any) -> None:
        """End an actor."""
        self._ray.kill(handle)

    def close(self) -> None:
        """End the cluster, if it was started here."""
        self._closing.close()
