"""The table of all operations."""

from quickdraw_service.api import reading, state, writing
from quickdraw_service.api.export import CSV, PARQUET
from quickdraw_service.api.operation import Operation
from quickdraw_service.api.wire import (
    AddArmsBody,
    ArmsAnswer,
    BeliefAnswer,
    BeliefQuery,
    CreatedAnswer,
    DecideBody,
    DecisionsAnswer,
    DecisionsQuery,
    EvaluationAnswer,
    EvaluationQuery,
    ExperimentAnswer,
    ExperimentBody,
    ExperimentsAnswer,
    ExplainAnswer,
    ExplainQuery,
    HistoryAnswer,
    HistoryQuery,
    LogQuery,
    ObservationsAnswer,
    ObservationsBody,
    RetireArmsBody,
    RewardAnswer,
    RewardBody,
    RewardsAnswer,
    RewardsBody,
    StatusAnswer,
)
from quickdraw_service.requests import Decided

_EXPERIMENT = "/v1/experiments/{name}"
_TEXT = "text/plain; version=0.0.4; charset=utf-8"

OPERATIONS = [
    Operation(
        "POST", f"{_EXPERIMENT}/decisions", "decide", "decide", "Choose an arm, or several different ones",
        writing.decide, {200: DecisionsAnswer, 201: DecisionsAnswer}, DecideBody, errors=(404, 409),
        description="Without an id the server makes one (UUIDv7); without a time the server's clock counts. The same "
        "id again answers 200 with the same decision. With count above 1, the ids are id-1, id-2, …",
    ),
    Operation(
        "PUT", f"{_EXPERIMENT}/decisions/{{id}}/reward", "reward", "reward", "Record the reward of a decision",
        writing.reward, {200: RewardAnswer}, RewardBody, errors=(404, 409),
        description="Answers after the reward is on disk. It counts at the time of the decision, however late it is. "
        "The same value again is a duplicate, another value a conflict.",
    ),
    Operation(
        "POST", f"{_EXPERIMENT}/rewards", "rewards", "reward", "Record rewards of several decisions",
        writing.rewards, {200: RewardsAnswer}, RewardsBody, errors=(404,),
        description="Each reward gets its own outcome, in the order of the request: recorded, duplicate, conflict "
        "(the decision has another reward) or unknown (there is no such decision).",
    ),
    Operation(
        "PUT", _EXPERIMENT, "create", "admin", "Create an experiment",
        writing.create, {200: CreatedAnswer, 201: CreatedAnswer}, ExperimentBody, errors=(409,), arms=True,
        description="The same definition again answers 200, another one 409. Many arms may come as a Parquet or .npy "
        "body; the rest of the definition then comes as JSON in the header Quickdraw-Definition.",
    ),
    Operation(
        "GET", _EXPERIMENT, "experiment", "read", "Show an experiment",
        reading.experiment, {200: ExperimentAnswer}, errors=(404,),
    ),
    Operation(
        "GET", "/v1/experiments", "experiments", "read", "List experiments",
        reading.experiments, {200: ExperimentsAnswer}, some=True,
    ),
    Operation(
        "GET", f"{_EXPERIMENT}/decisions", "decisions", "read", "List decisions, newest first",
        reading.decisions, {200: DecisionsAnswer}, query=DecisionsQuery, errors=(404,),
    ),
    Operation(
        "GET", f"{_EXPERIMENT}/decisions/{{id}}", "decision", "read", "Show a decision",
        reading.decision, {200: Decided}, errors=(404,),
    ),
    Operation(
        "POST", f"{_EXPERIMENT}/observations", "observe", "reward", "Record history that no decision led to",
        writing.observe, {200: ObservationsAnswer, 201: ObservationsAnswer}, ObservationsBody, errors=(404, 409),
    ),
    Operation(
        "GET", f"{_EXPERIMENT}/belief", "belief", "read", "Show mean, deviation and index over arms",
        reading.belief, {200: BeliefAnswer}, query=BeliefQuery, errors=(404,),
    ),
    Operation(
        "GET", f"{_EXPERIMENT}/explain", "explain", "read", "Show which observations weigh most at an arm",
        reading.explain, {200: ExplainAnswer}, query=ExplainQuery, errors=(404,),
    ),
    Operation(
        "GET", f"{_EXPERIMENT}/history", "history", "read", "Show the belief over arms and time",
        reading.history, {200: HistoryAnswer}, query=HistoryQuery, errors=(404,),
    ),
    Operation(
        "GET", f"{_EXPERIMENT}/evaluation", "evaluation", "read", "Estimate what others would have earned",
        reading.evaluation, {200: EvaluationAnswer}, query=EvaluationQuery, errors=(404,),
        description="Off-policy estimates with 95 % intervals from the experiment's own log; a weakness says where "
        "the log holds too little evidence.",
    ),
    Operation(
        "GET", f"{_EXPERIMENT}/log", "log", "read", "Download the log",
        reading.log, {200: None}, query=LogQuery, errors=(404,), media=(CSV, PARQUET),
        description="Columns: id, time, arm, label, reward, propensity. `quickdraw evaluate` reads it.",
    ),
    Operation(
        "POST", f"{_EXPERIMENT}/arms", "add_arms", "admin", "Add arms",
        writing.add_arms, {200: ArmsAnswer, 201: ArmsAnswer}, AddArmsBody, errors=(404, 409),
    ),
    Operation(
        "DELETE", f"{_EXPERIMENT}/arms", "retire_arms", "admin", "Retire arms",
        writing.retire_arms, {200: ArmsAnswer}, RetireArmsBody, errors=(404, 409),
    ),
    Operation(
        "GET", "/healthz", "healthz", None, "Whether the process runs", state.healthz, {200: StatusAnswer},
    ),
    Operation(
        "GET", "/readyz", "readyz", None, "Whether decisions are taken", state.readyz, {200: StatusAnswer},
        errors=(503,),
    ),
    Operation(
        "GET", "/metrics", "metrics", "read", "Figures for Prometheus", state.metrics, {200: None}, media=(_TEXT,),
    ),
    Operation(
        "GET", "/openapi.json", "openapi", None, "This description", state.openapi, {200: None},
        media=("application/json",),
    ),
]  # fmt: skip
"""Those that are asked most come first."""
