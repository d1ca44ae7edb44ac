"""What policies on shards have in common: they own a fleet, and cannot be copied."""

from collections.abc import Callable
from typing import Any, NoReturn, Self

import numpy as np

from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Integers
from quickdraw_bandits.distributed.fleet import Fleet
from quickdraw_bandits.distributed.offers import Offers, draw
from quickdraw_bandits.distributed.sharded_arms import ShardedArms
from quickdraw_bandits.observations import Pending
from quickdraw_bandits.policies.policy import Policy


class ShardedPolicy(Policy[int]):
    """A policy whose arms are in other processes."""

    arms: ShardedArms  # type: ignore[assignment]
    _fleet: Fleet

    @property
    def missing(self) -> tuple[int, ...]:
        """The shards that were left out of the latest choice, by number; only with ``on_loss="skip"``."""
        return self._fleet.missing

    @property
    def restarts(self) -> int:
        """How many times a shard was lost and started again."""
        return self._fleet.restarts

    def processes(self) -> list[int]:
        """Return the process number of each shard, on its own machine: to watch its memory, say."""
        with self._lock:
            answers = self._fleet.ask(dict.fromkeys(range(len(self.arms.counts)), ("process",)), wait=True)
            return list(answers.values())

    def close(self) -> None:
        """End all shards, and Ray if it was started for them. The policy cannot be used afterwards."""
        with self._lock:
            self._fleet.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _offers(self, among: Subset | None, arguments: Callable[[Subset | None], tuple[Any, ...]]) -> "Offers":
        """Ask all shards that have some of the arms for their best; arguments of ``contend`` depend on which."""
        parts = {k: self.arms.part(k, among) for k in range(len(self.arms.counts))}
        given = {k: arguments(part) for k, part in parts.items() if part is None or len(part)}
        return Offers(self._fleet, given, self._fleet.ask({k: ("contend", *each) for k, each in given.items()}))

    def _one_of(self, offers: "Offers", least: float) -> tuple[int, int]:
        """Return one of the arms that have at least this index, and how many there are; keep its coordinates."""
        counts = [offers.count(k, least) for k in offers.found]
        which, rank = draw(counts, [offer.key for offer in offers.found.values()], self._random)
        k = list(offers.found)[which]
        arm, place = offers.arm(k, least, rank)
        position = int(self.arms.starts[k]) + arm
        self.arms.remember(position, place)
        return position, sum(counts)

    def _all_of(self, offers: "Offers", least: float) -> Integers:
        """Return all arms that have at least this index, in ascending order."""
        return np.concatenate([offers.arms(k, least) + self.arms.starts[k] for k in offers.found])

    @classmethod
    def _takes(cls, arms: object) -> bool:
        return isinstance(arms, ShardedArms)

    def _refuse_copy(self) -> NoReturn:
        raise NotImplementedError(
            f"{type(self).__name__} cannot be copied or saved, since its arms are in other processes; keep "
            "policy.observations, build a new policy on the same parts, and update it with them"
        )

    def __getstate__(self) -> dict[str, Any]:
        """Refuse."""
        self._refuse_copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Refuse."""
        self._refuse_copy()

    def _allowed(self, among: Any) -> Subset | None:
        if among is None and self._retired is not None:
            # As positions: they are few, and are sent to shards.
            return Subset(len(self.arms), excluded=np.flatnonzero(self._retired))
        return super()._allowed(among)


def free_arms(n_arms: int, among: Subset | None, pending: Pending) -> Subset:
    """Return the arms, of all or of some, that have no pending pull; all of them if each has one."""
    every = among or Subset(n_arms, excluded=np.empty(0, dtype=np.int64))
    pulled: Integers = np.unique(pending.arrays()[1])
    free = every.without(pulled) if len(pulled) else every
    return free if len(free) else every


def draw_from(some: Subset, random: np.random.Generator) -> int:
    """Return one of some arms, each as likely; a single one takes no random number."""
    return some.number(int(random.integers(len(some))) if len(some) > 1 else 0)
