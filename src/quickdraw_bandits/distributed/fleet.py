"""All shards of a policy: what they are told, what they are asked, and what happens when one is lost."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from quickdraw_bandits.arms import Metric
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.distributed.hosts import Host, LostShardError
from quickdraw_bandits.distributed.shard import Behind, Summary
from quickdraw_bandits.distributed.sharded_arms import ShardedArms
from quickdraw_bandits.observations import Observations

OnLoss = Literal["wait", "skip"]
ON_LOSS: tuple[str, ...] = get_args(OnLoss)
MOST_ATTEMPTS = 5
"""How often one question is put to a shard that is lost again and again."""
FEW = 64
"""Observations that wait for the next question: a message of their own costs as much as a question."""


class ShardWarning(UserWarning):
    """A shard was lost, and choices go on without its arms until it is back."""


@dataclass
class Member:
    """A shard: its handle, how many observations it was sent, and the ticket of its start."""

    handle: Any
    sent: int = 0
    started: Any = None


class Fleet:
    """Shards that all learn the same observations.

    A few new observations are sent with the next question, many at once, without waiting. Every question says how many
    of them it is about, so that a shard that missed some says so and gets them again. A shard that is lost is started
    from its part and the log of observations.

    Parameters
    ----------
    host
        Where shards run.
    kind
        Their class, derived from ``Shard``.
    sources
        Their parts.
    metric
        As for ``Arms``.
    on_loss
        ``"wait"``: a question waits for a lost shard. ``"skip"``: it goes on without.
    """

    def __init__(self, host: Host, kind: type, sources: list[Any], metric: Metric, on_loss: OnLoss) -> None:
        self._host, self._kind, self._metric, self._on_loss = host, kind, metric, on_loss
        self._sources = [source if hasattr(source, "read") else host.keep(source) for source in sources]
        self._added: list[list[Any]] = [[] for _ in sources]
        self.summaries: list[Summary | None] = [None] * len(sources)
        """What each part was when it was read first; a shard that is started again checks it."""
        self._begin: Callable[[int], tuple[Any, ...]] | None = None
        self._seen: Observations | None = None
        self._ready = 0
        """How many observations can be sent: their coordinates are known."""
        self.missing: tuple[int, ...] = ()
        self.restarts = 0
        self.members = [Member(self._new(k)) for k in range(len(sources))]

    def _new(self, k: int) -> Any:
        return self._host.start(self._kind, k, self._sources[k], self._metric, list(self._added[k]), self.summaries[k])

    def begin(
        self, seen: Observations | None, arguments: Callable[[int], tuple[Any, ...]], at_once: int | None
    ) -> None:
        """Call ``begin`` of every shard with the arguments for its number, so many shards at once; keep the log."""
        self._seen, self._begin = seen, arguments
        everyone = range(len(self.members))
        step = at_once or len(self.members)
        for first in range(0, len(self.members), step):
            self.ask({k: ("begin", *arguments(k)) for k in everyone[first : first + step]}, wait=True)

    def grow(self, points: Any, arguments: Callable[[int], tuple[Any, ...]]) -> None:
        """Add arms to the last shard, and let every shard begin again with new arguments."""
        last, before = len(self.members) - 1, self._begin
        self.ask({last: ("add_arms", points)}, wait=True)
        # If the shard is lost from here on, it is started with these arms.
        self._added[last].append(points)
        try:
            self.begin(self._seen, arguments, None)
        except BaseException:  # then nothing was added: the shard starts again from what it was
            self._begin = before
            self._added[last].pop()
            self._host.end(self.members[last].handle)
            raise

    def tell(self, arms: ShardedArms, wait: bool = False) -> None:
        """Take new observations for sending, up to the first of an arm of unknown coordinates; send them if many.

        With ``wait``, ask for the coordinates.
        """
        seen = self._seen
        assert seen is not None
        unknown = np.flatnonzero(np.isnan(seen.coordinates[0, self._ready : seen.n]))
        if wait and len(unknown):
            self.locate(seen, arms, self._ready)
            unknown = unknown[:0]
        self._ready = self._ready + int(unknown[0]) if len(unknown) else seen.n
        for member in self.members:
            if self._ready - member.sent > FEW:
                self._host.call(member.handle, "extend", *self._log(member))

    def _log(self, member: Member) -> tuple[Any, ...]:
        """Return the observations that a shard was not sent yet, as ``Shard.extend`` takes them; count them as sent."""
        seen, begin = self._seen, member.sent
        assert seen is not None
        new = slice(begin, self._ready)
        member.sent = self._ready
        return (
            begin,
            seen.times[new],
            seen.arms[new],
            seen.rewards[new],
            np.ascontiguousarray(seen.coordinates[:, new].T),
        )

    def _put(self, k: int, question: tuple[Any, ...]) -> Any:
        """Put a question to a shard, with the observations that it has not been sent; return the ticket."""
        member = self.members[k]
        if member.sent < self._ready:
            question = "after", self._log(member), *question
        return self._host.call(member.handle, *question)

    def locate(self, store: Observations, arms: ShardedArms, begin: int = 0) -> None:
        """Ask for the coordinates that a store lacks, from observation ``begin`` on."""
        lacking = begin + np.flatnonzero(np.isnan(store.coordinates[0, begin : store.n]))
        if len(lacking) == 0:
            return
        wanted, inverse = np.unique(store.arms[lacking], return_inverse=True)
        store.coordinates[:, lacking] = self.fetch(arms, wanted)[inverse].T

    def fetch(self, arms: ShardedArms, positions: Integers) -> Floats:
        """Ask for the coordinates of arms, in ascending order, and remember them."""
        owners = arms.owners(positions)
        questions = {int(k): ("places", positions[owners == k] - arms.starts[k]) for k in np.unique(owners)}
        places = np.concatenate(list(self.ask(questions, wait=True).values()))
        for position, place in zip(positions.tolist(), places, strict=True):
            arms.remember(position, place)
        return places

    def ask(self, questions: Mapping[int, tuple[Any, ...]], wait: bool = False) -> dict[int, Any]:
        """Call a method of some shards, given by number, and return their answers by number.

        Shards that are lost are started again, and asked again; with ``on_loss="skip"`` and without ``wait``, they are
        left out, unless no other would answer.
        """
        if not self.members:
            raise RuntimeError("the policy is closed; build another on the same parts, with policy.observations")
        skips = self._on_loss == "skip" and not wait
        if skips:
            away = tuple(k for k in questions if not self._is_back(k))
            self.missing = away if len(away) < len(questions) else ()
        open_ones = {k: question for k, question in questions.items() if not skips or k not in self.missing}
        found: dict[int, Any] = {}
        for _ in range(MOST_ATTEMPTS):
            tickets = [self._put(k, question) for k, question in open_ones.items()]
            again = {}
            for (k, question), answer in zip(open_ones.items(), self._host.answers(tickets), strict=True):
                if isinstance(answer, LostShardError):
                    reason = str(answer)
                    self._restart(k)
                    if skips and len(self.missing) + 1 < len(questions):
                        self.missing = (*self.missing, k)
                        self._warn(k)
                    else:
                        again[k] = question
                elif isinstance(answer, Behind):
                    reason = f"it has {answer.n} observations"
                    self.members[k].sent = answer.n
                    again[k] = question
                else:
                    found[k] = answer
            if not again:
                return {k: found[k] for k in questions if k in found}  # in order, whoever answered first
            open_ones = again
        raise RuntimeError(f"shard {next(iter(open_ones))} did not answer {MOST_ATTEMPTS} times: {reason}")

    def _restart(self, k: int) -> None:
        """Start a shard again; what it must do first is queued, and not waited for."""
        self.restarts += 1
        self.members[k] = member = Member(self._new(k))
        if self._begin is not None:
            member.started = self._host.call(member.handle, "begin", *self._begin(k))
        if self._ready:
            member.started = self._host.call(member.handle, "extend", *self._log(member))

    def _is_back(self, k: int) -> bool:
        started = self.members[k].started
        if started is not None and self._host.is_ready(started):
            self.members[k].started = started = None
        return started is None

    def _warn(self, k: int) -> None:
        warnings.warn(
            f"shard {k} was lost; choices go on without its arms until it has been started again (on_loss='skip')",
            ShardWarning,
            stacklevel=2,
        )

    def close(self) -> None:
        """End all shards, and what was started to run them."""
        for member in self.members:
            self._host.end(member.handle)
        self.members = []
        self._host.close()
