"""Operations that write: create, decide, reward, observe, change arms."""

from quickdraw_service.api.definitions import kinds_of_arms, points_of, read_definition
from quickdraw_service.api.operation import Asked, Call, Reply
from quickdraw_service.api.wire import (
    AddArmsBody,
    ArmsAnswer,
    CreatedAnswer,
    DecideBody,
    DecisionsAnswer,
    ObservationsAnswer,
    ObservationsBody,
    RetireArmsBody,
    RewardAnswer,
    RewardBody,
    RewardsAnswer,
    RewardsBody,
)
from quickdraw_service.errors import BadRequestError, ConflictError, UnknownDecisionError
from quickdraw_service.requests import (
    AddArms,
    ArmsChanged,
    Create,
    Created,
    Decide,
    Decisions,
    Observe,
    Observed,
    RetireArms,
    Reward,
    Rewarded,
)


async def create(call: Call) -> Reply:
    """Begin an experiment."""
    call.refuse_query()
    definition = await read_definition(call)
    n = definition.grid[2] if definition.points is None and definition.grid else len(definition.points)  # type: ignore[arg-type]
    _at_most("arms", n, call.tools.limits.arms, "Use fewer: this is the limit for one experiment.")
    request = await call.tools.readers.run(call.tools.service.prepare, Create(call.experiment, definition))
    answer = await call.ask(request)
    assert isinstance(answer, Created)
    return 201 if answer.new else 200, CreatedAnswer(call.experiment, answer.new)


def _decide(call: Call, raw: bytes) -> Decide:
    if not raw:
        return Decide(call.experiment)
    body = call.decoded(raw, DecideBody)
    if body.count is not None:
        _at_most("count", body.count, call.tools.limits.count)
    among = None if body.among is None else kinds_of_arms("among", body.among)
    return Decide(call.experiment, body.id, body.time, among, body.count)


def _decided(_: Call, answer: Decisions) -> Reply:
    return 201 if answer.new else 200, DecisionsAnswer(answer.decisions)


decide = Asked(_decide, _decided, optional=True)
"""Choose arms."""


def _reward(call: Call, raw: bytes) -> Reward:
    return Reward(call.experiment, [call.id], [call.decoded(raw, RewardBody).reward])


def _rewarded(call: Call, answer: Rewarded) -> Reply:
    outcome = answer.outcomes[0]
    if outcome == "unknown":
        raise UnknownDecisionError(
            f"the experiment {call.experiment!r} has no decision {call.id!r}",
            "Rewards go to decisions of this experiment; history goes to /observations.",
        )
    if outcome == "conflict":
        raise ConflictError(
            f"the decision {call.id!r} has another reward already", "A reward that is in the log never changes."
        )
    return 200, RewardAnswer(outcome)


reward = Asked(_reward, _rewarded)
"""Record the reward of one decision."""


def _rewards(call: Call, raw: bytes) -> Reward:
    items = call.decoded(raw, RewardsBody).rewards
    _at_most("rewards", len(items), call.tools.limits.rewards)
    return Reward(call.experiment, [item.id for item in items], [item.reward for item in items])


def _all_rewarded(_: Call, answer: Rewarded) -> Reply:
    return 200, RewardsAnswer(answer.outcomes)


rewards = Asked(_rewards, _all_rewarded)
"""Record the rewards of several decisions."""


async def observe(call: Call) -> Reply:
    """Record history."""
    call.refuse_query()
    body = await call.body(ObservationsBody)
    n = len(body.times)
    _at_most("observations", n, call.tools.limits.observations)
    if len(body.arms) != n or len(body.rewards) != n:
        raise BadRequestError(
            f"times, arms and rewards must be of one length, got {n}, {len(body.arms)} and {len(body.rewards)}"
        )
    arms = kinds_of_arms("arms", body.arms)
    answer = await call.ask(Observe(call.experiment, body.times, arms, body.rewards, body.id))
    assert isinstance(answer, Observed)
    return 201 if answer.new else 200, ObservationsAnswer(answer.count, answer.new)


async def add_arms(call: Call) -> Reply:
    """Add arms."""
    call.refuse_query()
    body = await call.body(AddArmsBody)
    most = call.tools.limits.arms
    answer = await call.ask(AddArms(call.experiment, points_of(body.points), body.labels, body.id, most))
    assert isinstance(answer, ArmsChanged)
    return 201 if answer.new else 200, ArmsAnswer(answer.positions, answer.new)


async def retire_arms(call: Call) -> Reply:
    """Retire arms."""
    call.refuse_query()
    body = await call.body(RetireArmsBody)
    answer = await call.ask(RetireArms(call.experiment, kinds_of_arms("arms", body.arms)))
    assert isinstance(answer, ArmsChanged)
    return 200, ArmsAnswer(answer.positions, answer.new)


def _at_most(what: str, n: int, limit: int, advice: str = "Send several requests.") -> None:
    if n > limit:
        raise BadRequestError(f"{what}: this server takes at most {limit:,}, got {n:,}", advice)
