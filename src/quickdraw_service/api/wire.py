"""Bodies and answers as they go over the wire. The OpenAPI description is made from these types."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from quickdraw_service.answers import Chosen, Estimated, ScalesThen, Weighed
from quickdraw_service.limits import Limits
from quickdraw_service.requests import Decided, Outcome

LIMITS = Limits()
"""The default limits: the description names them, and a server may lower them."""

ID_PATTERN = r"^[^\x00]+$"
LARGEST = 1e100
"""Largest magnitude of a number: beyond it, squares and differences of floats overflow."""

Id = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=128,
        pattern=ID_PATTERN,
        description="1 to 128 characters, no null character, neither . nor ..",
    ),
]
LONGEST_LABEL = 256
"""Characters of a label."""
Label = Annotated[str, Meta(min_length=1, max_length=LONGEST_LABEL, pattern=ID_PATTERN)]
Position = Annotated[int, Meta(ge=0, le=2**53)]
Number = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
Arms = Annotated[
    list[Position | Label],
    Meta(min_length=1, max_length=LIMITS.arms, description="Arms by position, or all of them by label"),
]


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A body or a query: unknown fields are refused by name."""


class Grid(Body, frozen=True):
    """Arms evenly spaced on a line, both ends included."""

    low: Number
    high: Number
    n: Annotated[int, Meta(ge=1, le=LIMITS.arms)]


class ArmsBody(Body, frozen=True):
    """Where the arms are: either ``grid``, or ``points`` with one row of coordinates per arm."""

    grid: Grid | None = None
    points: (
        Annotated[
            list[Annotated[list[Number], Meta(min_length=1, max_length=10_000)]],
            Meta(min_length=1, max_length=LIMITS.arms),
        ]
        | None
    ) = None
    metric: Literal["euclidean", "cosine", "haversine", "precomputed"] | None = None
    labels: Annotated[list[Label], Meta(max_length=LIMITS.arms)] | None = None


class PolicyBody(Body, frozen=True):
    """A policy by its class name, and the parameters that differ from its defaults."""

    name: Annotated[str, Meta(min_length=1, max_length=64)] = "AdaptiveQuickDraw"
    parameters: Annotated[
        dict[
            Annotated[str, Meta(min_length=1, max_length=64)],
            Number | Annotated[int, Meta(ge=-(2**53), le=2**53)] | Annotated[str, Meta(max_length=64)] | None,
        ],
        Meta(max_length=32),
    ] = {}


class ExperimentBody(Body, frozen=True):
    """The definition of an experiment."""

    arms: ArmsBody
    policy: PolicyBody = PolicyBody()
    uniform: Annotated[float, Meta(ge=0, le=1, description="Part of the decisions drawn at random")] = 0.05
    seed: Annotated[int, Meta(ge=0, le=2**53)] = 0
    reward_within: (
        Annotated[
            float,
            Meta(gt=0, le=LARGEST, description="Seconds after which a decision without a reward is no longer pending"),
        ]
        | None
    ) = None


class DecideBody(Body, frozen=True):
    """What to decide. All fields may be left out."""

    id: Id | None = None
    time: Number | None = None
    among: Arms | None = None
    count: Annotated[int, Meta(ge=1, le=LIMITS.count)] | None = None


class RewardBody(Body, frozen=True):
    """The reward of one decision."""

    reward: Number


class RewardItem(Body, frozen=True):
    """The reward of one of several decisions."""

    id: Id
    reward: Number


class RewardsBody(Body, frozen=True):
    """Rewards of several decisions; each gets its own outcome."""

    rewards: Annotated[list[RewardItem], Meta(min_length=1, max_length=LIMITS.rewards)]


class ObservationsBody(Body, frozen=True):
    """History in columns of equal length. With an ``id``, the same request again changes nothing."""

    times: Annotated[list[Number], Meta(min_length=1, max_length=LIMITS.observations)]
    arms: Annotated[list[Position | Label], Meta(min_length=1, max_length=LIMITS.observations)]
    rewards: Annotated[list[Number], Meta(min_length=1, max_length=LIMITS.observations)]
    id: Id | None = None


class AddArmsBody(Body, frozen=True):
    """Arms to add at the end of the set. With an ``id``, the same request again changes nothing."""

    points: Annotated[
        list[Annotated[list[Number], Meta(min_length=1, max_length=10_000)]],
        Meta(min_length=1, max_length=LIMITS.arms),
    ]
    labels: Annotated[list[Label], Meta(max_length=LIMITS.arms)] | None = None
    id: Id | None = None


class RetireArmsBody(Body, frozen=True):
    """Arms never to choose again."""

    arms: Arms


class BeliefQuery(Body, frozen=True):
    """When to ask, and for how many arms at most."""

    time: Annotated[Number, Meta(description="Default: the time of the latest decision")] | None = None
    points: Annotated[int, Meta(ge=1, le=LIMITS.belief, description="Arms in the answer at most")] = 1_000


class ExplainQuery(Body, frozen=True):
    """Which arm: ``arm`` or ``label``."""

    arm: (
        Annotated[str, Meta(min_length=1, max_length=256, description="Position of the arm; other text is a label")]
        | None
    ) = None
    label: Annotated[str, Meta(min_length=1, max_length=256, description="Label of the arm")] | None = None
    time: Annotated[Number, Meta(description="Default: the time of the latest decision")] | None = None
    most: Annotated[int, Meta(ge=1, le=100, description="Observations in the answer at most")] = 10


class HistoryQuery(Body, frozen=True):
    """How finely to show the belief over arms and time, and over how many of the latest decisions."""

    times: Annotated[int, Meta(ge=1, le=200, description="Times in the answer at most")] = 60
    points: Annotated[int, Meta(ge=1, le=1_000, description="Arms in the answer at most")] = 200
    latest: Annotated[int, Meta(ge=1, le=LIMITS.page, description="Decisions in the answer at most")] = 500


class EvaluationQuery(Body, frozen=True):
    """Which policies to evaluate beside random arms and the best fixed arm, and on how many of the latest decisions."""

    policies: Annotated[str, Meta(max_length=200, description="Names with commas between them")] = ""
    latest: Annotated[int, Meta(ge=1, le=10_000)] = 2_000


class LogQuery(Body, frozen=True):
    """How to write the log."""

    format: Literal["csv", "parquet"] = "csv"
    unrewarded: Annotated[bool, Meta(description="Also decisions without a reward; their reward is empty")] = False


class DecisionsQuery(Body, frozen=True):
    """Which page of the decisions, newest first."""

    after: Annotated[Id, Meta(description="Go on after this decision")] | None = None
    limit: Annotated[int, Meta(ge=1, le=LIMITS.page)] = 100


class NoQuery(Body, frozen=True):
    """No query parameters."""


class CreatedAnswer(msgspec.Struct, frozen=True):
    """The experiment, and whether this request created it."""

    name: str
    new: bool


class ExperimentAnswer(msgspec.Struct, frozen=True):
    """An experiment as it stands. ``lag`` is the number of events in the log that this server has not applied."""

    name: str
    grid: Grid | None
    metric: str
    policy: PolicyBody
    uniform: float
    seed: int
    reward_within: float | None
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
    scales: dict[str, float | None]


class ExperimentsAnswer(msgspec.Struct, frozen=True):
    """All experiments that the key may see."""

    experiments: list[ExperimentAnswer]


class DecisionsAnswer(msgspec.Struct, frozen=True):
    """Decisions; ``reward`` is null until it has come."""

    decisions: list[Decided]


class RewardAnswer(msgspec.Struct, frozen=True):
    """``recorded`` is sent only after the reward is on disk; ``duplicate``: it was already there."""

    status: Literal["recorded", "duplicate"]


class RewardsAnswer(msgspec.Struct, frozen=True):
    """What became of each reward, in the order of the request."""

    outcomes: list[Outcome]


class ObservationsAnswer(msgspec.Struct, frozen=True):
    """How many observations are in the log by this id, and whether this request brought them."""

    count: int
    new: bool


class ArmsAnswer(msgspec.Struct, frozen=True):
    """Positions of the arms added or retired, and whether this request changed anything."""

    positions: list[int]
    new: bool


class BeliefAnswer(msgspec.Struct, frozen=True):
    """Mean, deviation and index, one entry per arm. A number that is not finite is null."""

    time: float | None
    arms: list[int]
    labels: list[str] | None
    points: list[list[float]]
    mean: list[float | None]
    deviation: list[float | None]
    index: list[float | None]


class ExplainAnswer(msgspec.Struct, frozen=True):
    """The estimate at an arm, and the observations that weigh most in it."""

    time: float | None
    arm: int
    label: str | None
    mean: float | None
    deviation: float | None
    index: float | None
    observations: list[Weighed]


class HistoryAnswer(msgspec.Struct, frozen=True):
    """What is believed now: ``mean`` and ``deviation`` have one row per time and one entry per arm.

    An entry is null where the policy has no estimate.

    ``chosen`` has the latest decisions in columns, ``scales`` what the policy had learned about itself at some times.
    """

    times: list[float]
    arms: list[int]
    labels: list[str] | None
    points: list[list[float]]
    mean: list[list[float | None]]
    deviation: list[list[float | None]]
    chosen: Chosen
    scales: list[ScalesThen]


class EvaluationAnswer(msgspec.Struct, frozen=True):
    """Rewards per decision: of the experiment, of random arms, of the best fixed arm, and of the policies asked for."""

    estimates: list[Estimated]


class StatusAnswer(msgspec.Struct, frozen=True):
    """State of the server."""

    status: Literal["ok", "ready"]


class Problem(msgspec.Struct, frozen=True):
    """What was wrong, and what to do."""

    code: str
    message: str
    advice: str


class ErrorAnswer(msgspec.Struct, frozen=True):
    """Every error has this shape."""

    error: Problem
