"""Taking in many decisions and rewards at once: what ``Learner.apply`` does one by one, in a fraction of the time."""

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from quickdraw_service import pulls
from quickdraw_service.pulls import TIDY, Pull
from quickdraw_service.stores.store import DECISION, REWARD, Event

if TYPE_CHECKING:
    from quickdraw_service.learner import Learner

LEAST = 256
"""Events from which on this is faster than one by one."""


class _Expected:
    """The pending pulls of a policy as plain dictionaries, in the order and with the rules of ``Pending``."""

    def __init__(self, times: list[float], arms: list[int]) -> None:
        self._numbers = count()
        self.in_order: dict[int, tuple[float, int]] = {}
        self._twins: dict[tuple[float, int], list[int]] = {}  # those of one time and arm
        for time, arm in zip(times, arms, strict=True):
            self.add(time, arm)

    def add(self, time: float, arm: int) -> None:
        number, key = next(self._numbers), (time, arm)
        self.in_order[number] = key
        twins = self._twins.get(key)
        if twins is None:
            self._twins[key] = [number]
        else:
            twins.append(number)

    def remove(self, time: float, arm: int) -> None:
        """End one pull, the latest announced of this time and arm; where there is none, nothing happens."""
        key = time, arm
        twins = self._twins.get(key)
        if twins is not None:
            del self.in_order[twins.pop()]
            if not twins:
                del self._twins[key]


def replay(learner: "Learner", events: Sequence[Event]) -> None:
    """Take in decisions and rewards, the next of the log; for policies that take many observations at once.

    Tables are planned at the same decisions as in live play, and made once, at the end.
    """
    policy, pending, due, within = learner.policy, learner.pending, learner._due, learner.definition.reward_within
    expected = _Expected(*(each.tolist() for each in policy._pending.arrays()))
    most = pulls.MOST_PENDING
    times: list[float] = []
    arms: list[int] = []
    rewards: list[float] = []
    first, tidied, latest, decisions = events[0].position, learner.tidied, learner.latest_time, 0
    assert first == learner.position + 1, "events of a log come without gaps"

    def flush() -> None:
        if times:
            policy._observe(np.array(times), np.array(arms, np.int64), np.array(rewards))
            for column in (times, arms, rewards):
                column.clear()

    for position, kind, identity, at, time, arm, value, _ in events:
        if due:
            learner._give_up(at, expected.remove)
        assert identity is not None
        if kind == DECISION:
            if position >= tidied + TIDY:
                flush()
                policy._tidy(time, later=True)
                tidied = position
            pending[identity] = Pull(at, time, arm, value)
            if within is not None:
                due.append((at, identity))
            expected.add(time, arm)
            if len(pending) > most:
                oldest = learner.end_oldest()
                expected.remove(oldest.time, oldest.arm)
            latest = time
            decisions += 1
        else:
            assert kind == REWARD
            if learner.end(identity):
                expected.remove(time, arm)
            times.append(time)
            arms.append(arm)
            rewards.append(value)
    flush()
    policy._pending.replace(list(expected.in_order.values()))
    learner.tidied, learner.latest_time = tidied, latest
    learner.counts.decisions += decisions
    learner.counts.rewards += len(events) - decisions
    learner.position, learner.last_at = events[-1].position, events[-1].at
    assert learner.position == first + len(events) - 1, "events of a log come without gaps"
