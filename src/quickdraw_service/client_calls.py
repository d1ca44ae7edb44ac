"""What the clients send and how they read the answers, without any input or output of their own."""

import io
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar
from urllib.parse import quote

import httpx
import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from quickdraw_bandits import Arms
from quickdraw_service import errors
from quickdraw_service.errors import ConflictError, ServiceError, UnavailableError, UnknownDecisionError
from quickdraw_service.ids import DecisionIds
from quickdraw_service.requests import Decided, Outcome

T = TypeVar("T")
Parameters = Mapping[str, float | int | str | None]
Among = Sequence[int] | Sequence[str] | NDArray[np.bool_]
LARGE = 20_000
"""Coordinates above which arms are sent as Parquet, which is smaller and read faster than JSON."""
RETRIED = (429, 503)

_ids = DecisionIds()

_ERRORS = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, ServiceError) and kind is not ServiceError
}


@dataclass(frozen=True)
class Ask(Generic[T]):
    """One request, and how to read its answer. It may be sent any number of times: ids make that harmless."""

    method: str
    path: str
    read: Callable[[bytes], T]
    content: bytes | None = None
    headers: Mapping[str, str] | None = None


class _Decisions(msgspec.Struct):
    decisions: list[Decided]


class _Outcomes(msgspec.Struct):
    outcomes: list[Outcome]


class _New(msgspec.Struct):
    new: bool


class _Positions(msgspec.Struct):
    positions: list[int]


class _Problem(msgspec.Struct):
    code: str
    message: str
    advice: str


class _Error(msgspec.Struct):
    error: _Problem


def _json(method: str, path: str, body: object, read: Callable[[bytes], T]) -> Ask[T]:
    return Ask(method, path, read, _encoded(body), {"content-type": "application/json"})


def _encoded(body: object) -> bytes:
    return msgspec.json.encode(body, enc_hook=_plain)


def _plain(value: object) -> object:
    """Return numbers and arrays of NumPy as Python's own."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise ValueError(f"cannot send a {type(value).__name__}: expected numbers, strings, lists or arrays of them")


def _finite(name: str, value: float) -> float:
    """Return a number that JSON can hold. Others would be sent as null, which stands for a value left out."""
    if not math.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value}")
    return value


def _experiment(name: str) -> str:
    return f"/v1/experiments/{quote(name, safe='')}"


def create(
    name: str,
    arms: Arms | Mapping[str, object] | ArrayLike,
    policy: str | Mapping[str, object],
    parameters: Parameters | None,
    uniform: float,
    seed: int,
    reward_within: float | None,
) -> Ask[bool]:
    """Begin an experiment."""
    if isinstance(policy, str):
        policy = {"name": policy, "parameters": dict(parameters or {})}
    elif parameters is not None:
        raise ValueError("parameters must be left out where policy has them, got both")
    rest = {
        "policy": dict(policy),
        "uniform": uniform,
        "seed": seed,
        "reward_within": reward_within,
    }

    def read(content: bytes) -> bool:
        return msgspec.json.decode(content, type=_New).new

    if isinstance(arms, Mapping):
        return _json("PUT", _experiment(name), {"arms": dict(arms), **rest}, read)
    if not isinstance(arms, Arms):
        arms = Arms(arms)
    labels = None if isinstance(arms.labels, range) else [str(label) for label in arms.labels]
    if arms.points.size <= LARGE:
        described = {"points": arms.points.tolist(), "metric": arms.metric, "labels": labels}
        return _json("PUT", _experiment(name), {"arms": described, **rest}, read)
    definition = _encoded({"metric": arms.metric, **rest}).decode()
    headers = {"content-type": "application/vnd.apache.parquet", "quickdraw-definition": definition}
    return Ask("PUT", _experiment(name), read, _parquet(arms, labels), headers)


def _parquet(arms: Arms, labels: list[str] | None) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet

    columns = {f"x{i}": np.ascontiguousarray(column) for i, column in enumerate(arms.points.T)}
    file = io.BytesIO()
    pyarrow.parquet.write_table(pa.table(columns | ({} if labels is None else {"label": labels})), file)
    return file.getvalue()


def decide(name: str, count: int | None, time: float | None, among: Among | None, id: str | None) -> Ask[list[Decided]]:
    """Choose arms; without an id one is made here, so that a repeated request decides once."""
    body: dict[str, object] = {"id": id or new_id()}
    if time is not None:
        body["time"] = _finite("time", time) if isinstance(time, float) else time
    if among is not None:
        which = np.asarray(among)
        if which.dtype.kind == "U" and not all(isinstance(each, str) for each in among):
            raise ValueError(f"among must be positions or labels, not both, got {list(among)!r}")
        body["among"] = (np.flatnonzero(which) if which.dtype == bool else which).tolist()
    if count is not None:
        body["count"] = count
    return _json(
        "POST",
        f"{_experiment(name)}/decisions",
        body,
        lambda content: msgspec.json.decode(content, type=_Decisions).decisions,
    )


def rewards(name: str, given: Iterable[tuple[str, float]]) -> Ask[list[Outcome]]:
    """Record rewards."""
    items = [{"id": id, "reward": _finite("reward", float(reward))} for id, reward in given]
    return _json(
        "POST",
        f"{_experiment(name)}/rewards",
        {"rewards": items},
        lambda content: msgspec.json.decode(content, type=_Outcomes).outcomes,
    )


def id_of(decision: str | Decided) -> str:
    """Return the id of a decision that is given by it or as a whole."""
    return decision.id if isinstance(decision, Decided) else decision


def reward_outcome(name: str, id: str, outcomes: Sequence[Outcome]) -> Outcome:
    """Return the outcome of one reward, or raise what is wrong with it."""
    (outcome,) = outcomes
    if outcome == "unknown":
        raise UnknownDecisionError(f"the experiment {name!r} has no decision {id!r}")
    if outcome == "conflict":
        raise ConflictError(f"the decision {id!r} has another reward already")
    return outcome


def observe(name: str, times: ArrayLike, arms: ArrayLike, rewards: ArrayLike, id: str | None) -> Ask[bool]:
    """Record history."""
    body = {
        "id": id or new_id(),
        "times": [_finite("times", each) for each in np.atleast_1d(np.asarray(times, dtype=np.float64)).tolist()],
        "arms": np.atleast_1d(np.asarray(arms)).tolist(),
        "rewards": [_finite("rewards", each) for each in np.atleast_1d(np.asarray(rewards, dtype=np.float64)).tolist()],
    }
    return _json(
        "POST", f"{_experiment(name)}/observations", body, lambda content: msgspec.json.decode(content, type=_New).new
    )


def add_arms(name: str, points: ArrayLike, labels: Sequence[str] | None, id: str | None) -> Ask[list[int]]:
    """Add arms."""
    body = {
        "id": id or new_id(),
        "points": np.atleast_2d(np.asarray(points, dtype=np.float64)).tolist(),
        "labels": None if labels is None else list(labels),
    }
    return _json("POST", f"{_experiment(name)}/arms", body, _read_positions)


def retire(name: str, arms: Sequence[int] | Sequence[str]) -> Ask[list[int]]:
    """Retire arms."""
    return _json("DELETE", f"{_experiment(name)}/arms", {"arms": np.asarray(arms).tolist()}, _read_positions)


def _read_positions(content: bytes) -> list[int]:
    return msgspec.json.decode(content, type=_Positions).positions


def experiment(name: str) -> Ask[dict[str, object]]:
    """Show an experiment."""
    return Ask("GET", _experiment(name), lambda content: msgspec.json.decode(content, type=dict[str, object]))


def log_path(name: str, format: str) -> str:
    """Return where the log is."""
    return f"{_experiment(name)}/log?format={format}"


def new_id() -> str:
    """Return an id that nobody has."""
    return _ids.new()


def problem(response: httpx.Response) -> ServiceError:
    """Return the error in an answer, as the class that the service itself raises."""
    try:
        found = msgspec.json.decode(response.content, type=_Error).error
    except msgspec.DecodeError:
        found = _Problem("unexpected", f"the server answered with status {response.status_code}", "Check the address.")
    error = _ERRORS.get(found.code, ServiceError)(found.message, found.advice)
    error.status, error.code = response.status_code, found.code
    return error


def unreachable(failed: httpx.TransportError) -> UnavailableError:
    """Return the error for a request that got no answer."""
    return UnavailableError(f"the server cannot be reached: {failed}", "Check the address, or try later.")


def headers(key: str | None) -> dict[str, str]:
    """Return the headers of all requests with a key."""
    return {} if key is None else {"authorization": f"Bearer {key}"}


class Patience:
    """When to try again: waits that double from 0.05 s to 5 s, each cut by a random part, until time is up.

    Parameters
    ----------
    seconds
        How long to go on in all.
    clock
        Returns seconds.
    """

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._clock, self._until, self._wait = clock, clock() + seconds, 0.05

    def next_wait(self, response: httpx.Response | None) -> float | None:
        """Return the seconds to wait, None to give up. ``response`` is None where there was none."""
        asked = 0.0
        if response is not None:
            if response.status_code not in RETRIED:
                return None
            given = response.headers.get("retry-after", "")
            asked = min(float(given), 60.0) if given.isdecimal() else 0.0
        wait = max(asked * random.uniform(0.5, 1.0), self._wait * random.uniform(0.5, 1.0))
        self._wait = min(2 * self._wait, 5.0)
        return wait if self._clock() + wait < self._until else None


class Collected:
    """Rewards that wait to be sent together.

    Parameters
    ----------
    size, seconds
        How many are sent together, and the age of the first at which they are sent anyway.
    """

    def __init__(self, size: int, seconds: float) -> None:
        self._size, self._seconds, self._since = size, seconds, 0.0
        self._waiting: list[tuple[str, float]] = []
        self.refused: list[tuple[str, Outcome]] = []

    def add(self, id: str, reward: float) -> bool:
        """Add a reward; return whether it is time to send."""
        now = monotonic()
        if not self._waiting:
            self._since = now
        self._waiting.append((id, reward))
        return len(self._waiting) >= self._size or now - self._since >= self._seconds

    def take(self) -> list[tuple[str, float]]:
        """Return what waits, and begin anew."""
        taken, self._waiting = self._waiting, []
        return taken

    @contextmanager
    def returned_on_error(self, taken: list[tuple[str, float]]) -> Iterator[None]:
        """Let rewards wait again if they could not be sent."""
        try:
            yield
        except BaseException:
            self._waiting = taken + self._waiting
            raise

    def note(self, sent: Sequence[tuple[str, float]], outcomes: Sequence[Outcome]) -> None:
        """Keep what was not recorded."""
        self.refused += [
            (id, outcome) for (id, _), outcome in zip(sent, outcomes, strict=True) if outcome in ("unknown", "conflict")
        ]
