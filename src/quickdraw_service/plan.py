"""What requests lead to: answers, and events to append to the log."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.arms.subset import Subset
from quickdraw_service.bodies import pack_observations, pack_positions
from quickdraw_service.errors import BadRequestError, ConflictError
from quickdraw_service.ids import DecisionIds, is_id
from quickdraw_service.requests import Decide, Decided, Decisions, Observe, Observed, Outcome, Reward, Rewarded
from quickdraw_service.stores.store import DECISION, OBSERVATIONS, REWARD, SEVERAL, Event

if TYPE_CHECKING:
    from quickdraw_service.learner import Learner

Frequent = Decide | Reward | Observe
"""Requests that share a transaction with others."""


class Plan:
    """The events of one transaction for one experiment, on top of what its learner has applied.

    Requests are taken in order. Each one sees the decisions and rewards of those before it as if they were in the log.
    Nothing changes until the events are written and the learner applies them; ``undo`` must be called in any case.

    Parameters
    ----------
    learner
        Has applied the whole log.
    found
        The events of the log whose ids the requests name, as ``Store.find`` returns them. Those of decisions that the
        learner knows to have no reward may be left out.
    now
        The server's clock.
    ids
        Makes ids for decisions that come without one.
    """

    def __init__(self, learner: "Learner", found: dict[tuple[str, str], Event], now: float, ids: DecisionIds) -> None:
        self._learner = learner
        self._found = found
        self._at = max(now, learner.last_at)
        self._ids = ids
        self._chosen: list[tuple[float, int]] = []
        self._asking = False
        self.events: list[Event] = []

    def undo(self) -> None:
        """Take back what was only assumed while choosing."""
        if self._asking:
            for time, arm in reversed(self._chosen):  # the latest first, which is the cheapest order
                self._learner.policy._pending.remove(time, arm)
            self._chosen.clear()
            self._asking = False
            self._learner.end_asking()

    def _write(self, kind: str, id: str | None, time: float, arm: int, value: float, body: bytes | None) -> Event:
        position = self._learner.position + len(self.events) + 1
        event = Event(position, kind, id, self._at, time, arm, value, body)
        self.events.append(event)
        if id is not None:
            self._found[kind, id] = event
        return event

    def answer(self, request: Frequent) -> Decisions | Rewarded | Observed:
        """Return the answer to a request, and keep its events; a request that raises has none."""
        if isinstance(request, Reward):
            return self._reward(request)
        if isinstance(request, Decide):
            return self._decide(request)
        return self._observe(request)

    def _decide(self, request: Decide) -> Decisions:
        count = 1 if request.count is None else request.count
        if request.id is None:
            identity = self._ids.new()
        else:
            identity = request.id
            earlier = self._earlier(identity, count)
            if earlier is not None:
                return Decisions(earlier, new=False)
        # A time that a client gives, right or wrong, does not move the server's clock.
        time = self._at if request.time is None else float(request.time)
        if not math.isfinite(time):
            raise BadRequestError(f"time must be a finite number, got {request.time!r}")
        try:
            among = self._learner.allowed(request.among)
        except (ValueError, NotImplementedError) as error:
            raise BadRequestError(str(error)) from error
        most = len(self._learner.arms) if among is None else len(among)
        if not 1 <= count <= most:
            raise BadRequestError(f"count must be from 1 to the {most} arms to choose from, got {count}")
        body = None if request.among is None or among is None else pack_positions(among.positions)
        before = len(self.events)
        try:
            return Decisions(self._choose(identity, count, time, among, body), new=True)
        except BaseException:
            self._drop(before)
            raise

    def _choose(
        self, identity: str, count: int, time: float, among: Subset | None, body: bytes | None
    ) -> list[Decided]:
        learner, n_arms = self._learner, len(self._learner.arms)
        if not self._asking:
            # Until ``undo``, so that nobody sees what is only assumed.
            learner.begin_asking()
            self._asking = True
        if count > 1:
            self._write(SEVERAL, identity, time, count, 0.0, None)
        decided = []
        for k in range(count):
            name = identity if count == 1 else f"{identity}-{k + 1}"
            arm, probability = learner.choose(name, time, among)
            learner.policy._pending.add(time, arm)
            self._chosen.append((time, arm))
            decided.append(self._decided(self._write(DECISION, name, time, arm, probability, body)))
            if k + 1 < count:
                left = among or Subset(n_arms, mask=np.ones(n_arms, dtype=np.bool_))
                among = left.without(np.array([arm]))
        return decided

    def _drop(self, before: int) -> None:
        """Take back the events of a request that failed."""
        for event in self.events[before:]:
            del self._found[event.kind, event.id]  # type: ignore[arg-type]
            if event.kind == DECISION:
                self._learner.policy._pending.remove(*self._chosen.pop())
        del self.events[before:]

    def _earlier(self, identity: str, count: int) -> list[Decided] | None:
        """Return the decisions of an earlier request with this id, None if there was none."""
        if not is_id(identity):
            raise BadRequestError(
                f"id must be 1 to 128 characters without a null character, and not . or .., got {identity[:140]!r}"
            )
        several = self._found.get((SEVERAL, identity))
        made = several.arm if several is not None else 1 if self._decision(identity) is not None else 0
        if made not in (0, count):
            raise ConflictError(
                f"the id {identity!r} was used for {made} decision{'s' if made > 1 else ''}, got count={count}",
                "use another id for another request",
            )
        names = [identity] if count == 1 else [f"{identity}-{k + 1}" for k in range(count)]
        events = [self._decision(name) for name in names]
        if made == 0:
            taken = [name for name, event in zip(names, events, strict=True) if event is not None]
            if taken:
                raise ConflictError(f"the id {taken[0]!r} belongs to another decision", "use another id")
            if len(names[-1]) > 128:
                raise BadRequestError("id must leave room for the numbers of several decisions within 128 characters")
            return None
        return [self._decided(event) for event in events if event is not None]

    def _decision(self, identity: str) -> Event | None:
        found = self._found.get((DECISION, identity))
        if found is None:
            pull = self._learner.unrewarded(identity)
            if pull is not None:
                return Event(0, DECISION, identity, pull.at, pull.time, pull.arm, pull.probability, None)
        return found

    def _decided(self, event: Event) -> Decided:
        assert event.id is not None
        reward = self._found.get((REWARD, event.id))
        return self._learner.decided(event.id, event.time, event.arm, event.value, reward and reward.value)

    def _reward(self, request: Reward) -> Rewarded:
        if len(request.ids) != len(request.rewards):
            raise BadRequestError(
                f"ids and rewards must be equally many, got {len(request.ids)} and {len(request.rewards)}"
            )
        self._check_rewards(request.rewards)
        return Rewarded(
            [self._outcome(each, float(value)) for each, value in zip(request.ids, request.rewards, strict=True)]
        )

    def _check_rewards(self, rewards: Sequence[float]) -> None:
        for value in rewards:
            if not math.isfinite(value):
                raise BadRequestError(f"reward must be a finite number, got {value!r}")
        if self._learner.takes_any_reward:
            return
        try:
            self._learner.policy._check_rewards(np.array(rewards, dtype=np.float64))
        except ValueError as error:
            raise BadRequestError(str(error)) from error

    def _outcome(self, identity: str, value: float) -> Outcome:
        earlier = self._found.get((REWARD, identity))
        if earlier is not None:
            return "duplicate" if earlier.value == value else "conflict"
        decision = self._learner.unrewarded(identity) or self._found.get((DECISION, identity))
        if decision is None:
            return "unknown"
        self._write(REWARD, identity, decision.time, decision.arm, value, None)
        return "recorded"

    def _observe(self, request: Observe) -> Observed:
        count = len(request.times)
        if not count == len(request.arms) == len(request.rewards):
            sizes = f"{count}, {len(request.arms)} and {len(request.rewards)}"
            raise BadRequestError(f"times, arms and rewards must be equally many, got {sizes}")
        if request.id is not None and not is_id(request.id):
            raise BadRequestError(
                f"id must be 1 to 128 characters without a null character, and not . or .., got {request.id!r}"
            )
        if count == 0:
            return Observed(0, new=False)
        times = np.array(request.times, dtype=np.float64)
        if not np.isfinite(times).all():
            raise BadRequestError("times must be finite numbers")
        self._check_rewards(request.rewards)
        try:
            arms = self._learner.positions(request.arms)
        except ValueError as error:
            raise BadRequestError(str(error)) from error
        body = pack_observations(times, arms, np.array(request.rewards, dtype=np.float64))
        earlier = None if request.id is None else self._found.get((OBSERVATIONS, request.id))
        if earlier is not None:
            if earlier.body != body:
                raise ConflictError(f"the id {request.id!r} was used for other observations", "use another id")
            return Observed(count, new=False)
        self._write(OBSERVATIONS, request.id, float(times.max()), count, 0.0, body)
        return Observed(count, new=True)


def ids_to_find(requests: Iterable[Frequent], learner: "Learner") -> set[str]:
    """Return the ids that must be looked up in the log before requests are planned."""
    wanted: set[str] = set()
    for request in requests:
        if isinstance(request, Reward):
            wanted.update(each for each in request.ids if learner.unrewarded(each) is None and is_id(each))
        elif request.id is not None and is_id(request.id):
            wanted.add(request.id)
            if isinstance(request, Decide) and request.count is not None and request.count > 1:
                wanted.update(f"{request.id}-{k + 1}" for k in range(request.count))
    return wanted
