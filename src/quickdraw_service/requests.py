"""What the service can be asked to write, and what it answers: the interface between the API and the worker."""

from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from quickdraw_service.creating import Prepared

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Create(msgspec.Struct, frozen=True):
    """Begin an experiment, unless it was begun with the same definition.

    ``prepared`` is what ``Service.prepare`` has made of it.
    """

    experiment: str
    definition: "Definition"
    prepared: "Prepared | None" = None


class Decide(msgspec.Struct, frozen=True):
    """Choose one arm, or ``count`` different ones.

    Without an ``id`` the service makes one (UUIDv7). Without a ``time`` the server's clock counts. ``among`` holds
    positions or labels of the arms that may be chosen now.
    """

    experiment: str
    id: str | None = None
    time: float | None = None
    among: list[int] | list[str] | None = None
    count: int | None = None


class Reward(msgspec.Struct, frozen=True):
    """Rewards of decisions, given by id. One request may bring many; each gets its own outcome."""

    experiment: str
    ids: list[str]
    rewards: list[float]


class Observe(msgspec.Struct, frozen=True):
    """Observations that no decision of the service led to. With an ``id``, the same request again changes nothing."""

    experiment: str
    times: list[float]
    arms: list[int] | list[str]
    rewards: list[float]
    id: str | None = None


class AddArms(msgspec.Struct, frozen=True):
    """Arms to add at the end of the set. With an ``id``, the same request again changes nothing.

    ``most`` is how many the experiment may have in the end; None for any number.
    """

    experiment: str
    points: Floats
    labels: list[str] | None = None
    id: str | None = None
    most: int | None = None


class RetireArms(msgspec.Struct, frozen=True):
    """Arms never to choose again, by position or label. The same request again changes nothing."""

    experiment: str
    arms: list[int] | list[str]


Request = Create | Decide | Reward | Observe | AddArms | RetireArms


class Definition(msgspec.Struct, frozen=True):
    """What an experiment is. Two definitions are the same if all fields are equal, arms included.

    ``points`` has one row per arm; a grid is stored by its three numbers alone.
    """

    grid: tuple[float, float, int] | None
    points: Floats | None
    metric: str
    labels: list[str] | None
    policy: str
    parameters: dict[str, float | int | str | None]
    uniform: float
    seed: int
    reward_within: float | None


class Decided(msgspec.Struct, frozen=True):
    """One decision as it is in the log; ``reward`` is None until it has come."""

    id: str
    arm: int
    label: str | None
    point: list[float]
    time: float
    probability: float
    reward: float | None = None


class Created(msgspec.Struct, frozen=True):
    """Whether the experiment is new (201), or was there with the same definition (200)."""

    new: bool


class Decisions(msgspec.Struct, frozen=True):
    """The decisions, and whether they are new (201) or those of an earlier request with the same id (200)."""

    decisions: list[Decided]
    new: bool


Outcome = Literal["recorded", "duplicate", "conflict", "unknown"]


class Rewarded(msgspec.Struct, frozen=True):
    """What became of each reward, in the order of the request."""

    outcomes: list[Outcome]


class Observed(msgspec.Struct, frozen=True):
    """How many observations are in the log by this request, and whether they came with it or with an earlier one."""

    count: int
    new: bool


class ArmsChanged(msgspec.Struct, frozen=True):
    """The positions added or retired, and whether this request changed anything."""

    positions: list[int]
    new: bool


Answer = Created | Decisions | Rewarded | Observed | ArmsChanged
