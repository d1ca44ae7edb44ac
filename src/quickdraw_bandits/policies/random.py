"""Uniformly random choice, the baseline of all other policies (B1)."""

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.policies.index_policy import any_arm, uniform
from quickdraw_bandits.policies.policy import Policy


class Random(Policy[int]):
    """Plays every arm with the same probability and learns nothing.

    Parameters
    ----------
    arms, seed
        As for ``Policy``.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.Random(qd.Arms.grid(-1, 1, 10), seed=0)
    >>> policy.select(time=0.0)
    8
    """

    def _select(self, time: float, among: Subset | None = None) -> int:
        return any_arm(len(self.arms), among, self._random)

    def _decide(self, time: float, among: Subset | None) -> tuple[int, float]:
        return self._select(time, among), 1 / (len(self.arms) if among is None else len(among))

    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        return uniform(len(self.arms), None if among is None else among.positions)

    def _grow(self, arms: Arms) -> None:
        pass

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        pass
