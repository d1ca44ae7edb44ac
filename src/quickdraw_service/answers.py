"""What the service answers to questions that change nothing. Arrays are encoded by the API."""

import msgspec

from quickdraw_service.requests import Definition, Floats, Integers


class Summary(msgspec.Struct, frozen=True):
    """One experiment as it stands.

    Attributes
    ----------
    name, definition, created
        As it was created; ``created`` is the server's clock then, in seconds.
    n_arms, n_retired, dimension
        Arms that it has now, added ones included; how many of them are retired; coordinates per arm.
    decisions, rewards, observations, pending
        How many of each are in the log, and decisions whose reward is still expected.
    latest_time
        The time of the decision that was written last, None before the first.
    position, lag
        Events that this server has applied, and events in the log beyond them.
    scales
        What the policy has learned about itself: length and time scales by name; empty where it learns none.
    """

    name: str
    definition: Definition
    created: float
    n_arms: int
    n_retired: int
    dimension: int
    decisions: int
    rewards: int
    observations: int
    pending: int
    latest_time: float | None
    position: int
    lag: int
    scales: dict[str, float]


class Belief(msgspec.Struct, frozen=True):
    """What a policy believes at some arms and one time. One entry per arm, in the order of positions.

    ``points`` has the coordinates, one row per arm. Before the first observation the mean is NaN and the deviation
    infinite.
    """

    time: float
    arms: Integers
    labels: list[str] | None
    points: Floats
    mean: Floats
    deviation: Floats
    index: Floats


class Weighed(msgspec.Struct, frozen=True):
    """An observation that weighs much in an estimate; ``count`` of them where several were merged."""

    time: float
    age: float
    arm: int
    label: str | None
    distance: float
    reward: float
    count: float
    weight: float


class Why(msgspec.Struct, frozen=True):
    """The estimate at one arm and time, and the observations that weigh most in it, the largest weight first."""

    time: float
    arm: int
    label: str | None
    mean: float
    deviation: float
    index: float
    observations: list[Weighed]


class LogRows(msgspec.Struct, frozen=True):
    """Consecutive decisions of a log, in its order. ``rewards`` is NaN where none has come."""

    ids: list[str]
    times: Floats
    arms: Integers
    labels: list[str] | None
    rewards: Floats
    propensities: Floats


class Chosen(msgspec.Struct, frozen=True):
    """Decisions in columns, the oldest first; a reward is None until it has come.

    ``points`` has the coordinates of the arms, or empty rows where only distances are known.
    """

    ids: list[str]
    times: list[float]
    arms: list[int]
    points: list[list[float]]
    rewards: list[float | None]
    probabilities: list[float]


class ScalesThen(msgspec.Struct, frozen=True):
    """What a policy had learned about itself at a time."""

    time: float
    scales: dict[str, float]


class History(msgspec.Struct, frozen=True):
    """What is believed now about some arms at several times: ``mean`` and ``deviation`` have one row per time."""

    times: Floats
    arms: Integers
    labels: list[str] | None
    points: Floats
    mean: Floats
    deviation: Floats
    chosen: Chosen
    scales: list[ScalesThen]


class Estimated(msgspec.Struct, frozen=True):
    """A reward per decision with its 95 % interval; ``weakness`` says why there is too little evidence, if so.

    ``arm`` is the arm of a policy that always plays the same one.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    weakness: str
    arm: int | None


class Figures(msgspec.Struct, frozen=True):
    """How the worker is doing, since it started: totals, and the number of requests waiting now."""

    waiting: int
    batches: int
    events: int
    commit_seconds: float
    choose_seconds: float
