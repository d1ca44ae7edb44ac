"""A policy that follows a log."""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import Any

import numpy as np

from quickdraw_bandits import AdaptiveQuickDraw, Arms, Mixed, QuickDraw
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, arm_positions
from quickdraw_bandits.policies import Policy
from quickdraw_service import pulls
from quickdraw_service.answers import ScalesThen
from quickdraw_service.bodies import unpack_arms, unpack_observations, unpack_positions
from quickdraw_service.definition import build
from quickdraw_service.ids import DecisionRandom
from quickdraw_service.pulls import TIDY, Pull
from quickdraw_service.replay import LEAST, replay
from quickdraw_service.requests import Decided, Definition
from quickdraw_service.stores.store import ARMS, DECISION, OBSERVATIONS, RETIRED, REWARD, Event

SCALES_EVERY, SCALES_KEPT = 16, 500
"""For the live page: number of events between two notes of the scales, and number of notes kept."""


@dataclass
class Counts:
    """How many decisions, rewards and other observations are in the log."""

    decisions: int = 0
    rewards: int = 0
    observations: int = 0


class Learner:
    """The state of an experiment after the first ``position`` events of its log, and nothing else.

    ``apply`` takes in the next events. ``choose`` decides without changing anything, so that a decision counts only
    once it is in the log. Two learners that have applied the same events are alike, whoever wrote them.

    Parameters
    ----------
    name, definition
        The experiment.
    policy
        The policy after those events; by default a new one.
    """

    def __init__(self, name: str, definition: Definition, policy: Mixed | None = None) -> None:
        self.name = name
        self.definition = definition
        self.policy = build(definition) if policy is None else policy
        self.policy._clock.accept(0.0)
        self.random = DecisionRandom(name, definition.seed)
        self.position = 0
        self.tidied = 0
        self.last_at = -np.inf
        self.latest_time = -np.inf  # of the decision that was written last
        self.counts = Counts()
        self.pending: OrderedDict[str, Pull] = OrderedDict()
        self._earlier: OrderedDict[str, Pull] = OrderedDict()  # not pending any more, without a reward; no snapshot's
        self.arms_added = False
        self.scales_over_time: deque[ScalesThen] = deque(maxlen=SCALES_KEPT)
        self._due: deque[tuple[float, str]] = deque()  # when each pull was written; some may have ended since
        self._asks = False
        self._takes_many = isinstance(self.policy.policy, QuickDraw)
        self.takes_any_reward = type(self.policy.policy)._check_rewards is Policy._check_rewards

    @property
    def arms(self) -> Arms:
        """The arms, with those that were added."""
        return self.policy.arms

    @property
    def scales(self) -> dict[str, float]:
        """The numbers among what the policy has learned about itself; none for most policies."""
        inside = self.policy.policy
        scales = inside.scales if isinstance(inside, AdaptiveQuickDraw) else None
        if scales is None:
            return {}
        values = {name: getattr(scales, name) for name in scales.__dataclass_fields__}
        return {name: float(value) for name, value in values.items() if isinstance(value, int | float)}

    def restore_pending(self, pending: dict[str, Pull]) -> None:
        """Set which decisions are pending, in the order of the log; the policy knows them already."""
        self.pending = OrderedDict(pending)
        if self.definition.reward_within is not None:
            self._due = deque((pull.at, each) for each, pull in pending.items())

    def unrewarded(self, id: str) -> Pull | None:
        """Return a decision that has no reward, None for one that has and for those that only the log knows."""
        return self.pending.get(id) or self._earlier.get(id)

    def end_oldest(self) -> Pull:
        """Let the decision that has been pending for longest be pending no more; the policy must be told."""
        identity, pull = self.pending.popitem(last=False)
        self._keep(identity, pull)
        return pull

    def end(self, id: str) -> bool:
        """Note that a decision has a reward now; return whether it was pending, which the policy must be told."""
        if self.pending.pop(id, None) is not None:
            return True
        self._earlier.pop(id, None)
        return False

    def _keep(self, id: str, pull: Pull) -> None:
        self._earlier[id] = pull
        if len(self._earlier) > pulls.MOST_EARLIER:
            self._earlier.popitem(last=False)

    def n_pending(self, now: float) -> int:
        """Return how many rewards are expected; the policy itself gives up overdue ones at the next event."""
        within = self.definition.reward_within
        if within is None:
            return len(self.pending)
        pulls = self.pending.copy().values()  # the worker may change it meanwhile
        return sum(1 for _ in takewhile(lambda pull: pull.at + within > now, reversed(pulls)))

    def choose(self, decision: str, time: float, among: Subset | None) -> tuple[int, float]:
        """Draw an arm with the random numbers of this decision, and return its probability as well."""
        if not self._asks:
            with self.asking():
                return self.choose(decision, time, among)
        arm, probability = self.policy._draw(time, among, self.random.of(decision))
        return arm, float(probability)

    def allowed(self, among: Sequence[int] | Sequence[str] | None) -> Subset | None:
        """Return the arms that may be chosen, given by position or label; ValueError if they are none."""
        if among is None:
            return self.policy._allowed(None)
        return self.policy._allowed(self.positions(among, "among"))

    def positions(self, arms: Sequence[int] | Sequence[str], field: str = "arms") -> Integers:
        """Return the positions of arms that are given by position or label; ValueError for unknown ones."""
        if len(arms) and isinstance(arms[0], str):
            if isinstance(self.arms.labels, range):
                raise ValueError(f"{field} must be given by position, since arms have no labels, got {arms[0]!r}")
            return np.array([self.arms.position(label) for label in arms], dtype=np.int64)
        return arm_positions(field, arms, len(self.arms))

    def decided(self, id: str, time: float, arm: int, probability: float, reward: float | None) -> Decided:
        """Return a decision as it is answered."""
        arms = self.arms
        label = None if isinstance(arms.labels, range) else str(arms.labels[arm])
        point = [] if arms.metric == "precomputed" else arms.points[arm].tolist()
        return Decided(id, arm, label, point, time, probability, reward)

    def apply(self, events: Sequence[Event]) -> None:
        """Take in the next events of the log."""
        with self.policy._lock:
            if self._takes_many and len(events) >= LEAST:
                for usual, some in groupby(events, lambda event: event.kind in (DECISION, REWARD)):
                    run = list(some)
                    if usual and len(run) >= LEAST:
                        replay(self, run)
                    else:
                        self._apply_each(run)
            else:
                self._apply_each(events)

    def settle(self) -> None:
        """Do now what many events have left to the next decision."""
        with self.asking():
            pass

    @contextmanager
    def asking(self) -> Iterator[Mixed]:
        """Lend the policy for questions; whatever is asked, it is as before in the end."""
        self.begin_asking()
        try:
            yield self.policy
        finally:
            self.end_asking()

    def begin_asking(self) -> None:
        """Take the policy's lock for questions; until ``end_asking``, nobody else sees what is only assumed."""
        self.policy._lock.acquire()
        self.policy._begin_asking()
        self._asks = True

    def end_asking(self) -> None:
        """Let the policy be as it was before ``begin_asking``."""
        self._asks = False
        self.policy._end_asking()
        self.policy._lock.release()

    def _apply_each(self, events: Sequence[Event]) -> None:
        batch = _Batch(self.policy, self._takes_many)
        for event in events:
            self._apply(event, batch)
        batch.flush()

    def _apply(self, event: Event, batch: "_Batch") -> None:
        assert event.position == self.position + 1, "events of a log come without gaps"
        policy, kind = self.policy, event.kind
        if self._due:
            self._give_up(event.at, policy._pending.remove)
        if kind == DECISION:
            if not self._takes_many or event.position >= self.tidied + TIDY:
                batch.flush()
                policy._tidy(event.time)
                self.tidied = event.position
            if not self._takes_many:
                policy._chosen(event.time, event.arm, self._among(event.body))
            pull = Pull(event.at, event.time, event.arm, event.value)
            assert event.id is not None
            self.pending[event.id] = pull
            if self.definition.reward_within is not None:
                self._due.append((event.at, event.id))
            policy._pending.add(event.time, event.arm)
            if len(self.pending) > pulls.MOST_PENDING:
                oldest = self.end_oldest()
                policy._pending.remove(oldest.time, oldest.arm)
            self.latest_time = event.time
            self.counts.decisions += 1
        elif kind == REWARD:
            assert event.id is not None
            if self.end(event.id):
                policy._pending.remove(event.time, event.arm)
            batch.add(event.time, event.arm, event.value)
            self.counts.rewards += 1
        elif kind == OBSERVATIONS:
            assert event.body is not None
            batch.add_many(*unpack_observations(event.body))
            self.counts.observations += event.arm
        elif kind == ARMS:
            assert event.body is not None
            batch.flush()
            policy.add_arms(*unpack_arms(event.body))
            self.arms_added = True
        elif kind == RETIRED:
            assert event.body is not None
            batch.flush()
            policy.retire(unpack_positions(event.body))
        self.position, self.last_at = event.position, event.at
        if event.position % SCALES_EVERY == 0 and not self._takes_many:
            scales = self.scales
            if scales:
                self.scales_over_time.append(ScalesThen(self.latest_time, scales))

    def _among(self, body: bytes | None) -> Subset | None:
        """Return the arms that a decision was made among."""
        return self.policy._allowed(None if body is None else unpack_positions(body))

    def _give_up(self, at: float, forget: Callable[[float, int], Any]) -> None:
        """Forget pulls whose rewards are overdue when an event is written; the decisions stay rewardable."""
        within = self.definition.reward_within
        assert within is not None
        while self._due and (self._due[0][0] + within <= at or self._due[0][1] not in self.pending):
            identity = self._due.popleft()[1]
            pull = self.pending.pop(identity, None)
            if pull is not None:
                self._keep(identity, pull)
                forget(pull.time, pull.arm)


class _Batch:
    """Observations that wait for the policy, which takes many at once where that equals one by one."""

    def __init__(self, policy: Mixed, takes_many: bool) -> None:
        self._policy = policy
        self._takes_many = takes_many
        self._rows: list[tuple[float, int, float]] = []

    def add(self, time: float, arm: int, reward: float) -> None:
        self._rows.append((time, arm, reward))
        if not self._takes_many:
            self.flush()

    def add_many(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        self.flush()
        self._policy._observe(times, arms, rewards)

    def flush(self) -> None:
        if self._rows:
            times, arms, rewards = zip(*self._rows, strict=True)
            self._rows.clear()
            self._policy._observe(np.array(times, np.float64), np.array(arms, np.int64), np.array(rewards, np.float64))
