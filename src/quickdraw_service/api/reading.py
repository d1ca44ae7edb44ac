"""Operations that change nothing."""

from quickdraw_service.answers import Belief, History, Summary, Why
from quickdraw_service.api.export import CSV, PARQUET, export
from quickdraw_service.api.operation import Call, Reply, Text
from quickdraw_service.api.wire import (
    BeliefAnswer,
    BeliefQuery,
    DecisionsAnswer,
    DecisionsQuery,
    EvaluationAnswer,
    EvaluationQuery,
    ExperimentAnswer,
    ExperimentsAnswer,
    ExplainAnswer,
    ExplainQuery,
    Grid,
    HistoryAnswer,
    HistoryQuery,
    LogQuery,
    PolicyBody,
)
from quickdraw_service.errors import BadRequestError


async def experiments(call: Call) -> Reply:
    """List the experiments that the key may see."""
    call.refuse_query()
    found = await call.tools.readers.run(call.tools.service.experiments)
    key = call.key
    return 200, ExperimentsAnswer(
        [_experiment(summary) for summary in found if key is None or key.allows("read", summary.name)]
    )


async def experiment(call: Call) -> Reply:
    """Show one experiment."""
    call.refuse_query()
    return 200, _experiment(await call.tools.readers.run(call.tools.service.experiment, call.experiment))


async def decision(call: Call) -> Reply:
    """Show one decision."""
    call.refuse_query()
    return 200, await call.tools.readers.run(call.tools.service.decision, call.experiment, call.id)


async def decisions(call: Call) -> Reply:
    """List decisions, newest first."""
    query = call.query(DecisionsQuery)
    if query.limit > call.tools.limits.page:
        raise BadRequestError(f"limit: this server gives at most {call.tools.limits.page:,} decisions at a time")
    found = await call.tools.readers.run(
        call.tools.service.decisions, call.experiment, after=query.after, limit=query.limit
    )
    return 200, DecisionsAnswer(found)


async def belief(call: Call) -> Reply:
    """Show mean, deviation and index over arms."""
    query = call.query(BeliefQuery)
    points = min(query.points, call.tools.limits.belief)
    return 200, await call.tools.readers.run(
        lambda: _belief(call.tools.service.belief(call.experiment, query.time, points))
    )


async def explain(call: Call) -> Reply:
    """Show which observations weigh most at an arm."""
    query = call.query(ExplainQuery)
    if (query.arm is None) == (query.label is None):
        raise BadRequestError("give either 'arm' or 'label'", "arm=17 is a position; label=17 is a label.")
    arm: int | str = query.label if query.arm is None else query.arm  # type: ignore[assignment]  # one is given
    if query.arm is not None and query.arm.isdecimal() and query.arm.isascii():
        arm = int(query.arm[:19])
    why = await call.tools.readers.run(call.tools.service.explain, call.experiment, arm, query.time, most=query.most)
    return 200, _why(why)


async def history(call: Call) -> Reply:
    """Show what is believed over arms and time."""
    query, service = call.query(HistoryQuery), call.tools.service
    return 200, await call.tools.readers.run(
        lambda: _history(service.history(call.experiment, query.times, query.points, query.latest))
    )


async def evaluation(call: Call) -> Reply:
    """Estimate what others would have earned."""
    query = call.query(EvaluationQuery)
    policies = [name.strip() for name in query.policies.split(",") if name.strip()]
    found = await call.tools.readers.run(call.tools.service.evaluation, call.experiment, policies, query.latest)
    return 200, EvaluationAnswer(found)


async def log(call: Call) -> Reply:
    """Stream the log."""
    query = call.query(LogQuery)
    parts = await export(call, query.format, query.unrewarded)
    return 200, Text(CSV if query.format == "csv" else PARQUET, parts, file=f"{call.experiment}.{query.format}")


def _experiment(summary: Summary) -> ExperimentAnswer:
    definition = summary.definition
    grid = definition.grid
    return ExperimentAnswer(
        name=summary.name,
        grid=None if grid is None else Grid(*grid),
        metric=definition.metric,
        policy=PolicyBody(definition.policy, dict(definition.parameters)),
        uniform=definition.uniform,
        seed=definition.seed,
        reward_within=definition.reward_within,
        created=summary.created,
        n_arms=summary.n_arms,
        n_retired=summary.n_retired,
        dimension=summary.dimension,
        decisions=summary.decisions,
        rewards=summary.rewards,
        observations=summary.observations,
        pending=summary.pending,
        latest_time=summary.latest_time,
        position=summary.position,
        lag=summary.lag,
        scales=dict(summary.scales),
    )


def _belief(found: Belief) -> BeliefAnswer:
    return BeliefAnswer(
        time=found.time,
        arms=found.arms.tolist(),
        labels=found.labels,
        points=found.points.tolist(),
        mean=found.mean.tolist(),
        deviation=found.deviation.tolist(),
        index=found.index.tolist(),
    )


def _why(found: Why) -> ExplainAnswer:
    return ExplainAnswer(
        found.time, found.arm, found.label, found.mean, found.deviation, found.index, found.observations
    )


def _history(found: History) -> HistoryAnswer:
    return HistoryAnswer(
        times=found.times.tolist(),
        arms=found.arms.tolist(),
        labels=found.labels,
        points=found.points.tolist(),
        mean=found.mean.tolist(),
        deviation=found.deviation.tolist(),
        chosen=found.chosen,
        scales=found.scales,
    )
