"""mabwiser: UCB1."""

from importlib.metadata import version

from mabwiser.mab import MAB, LearningPolicy

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed
from quickdraw_bandits.policies import Policy


class UCB1(Policy):
    """UCB1 as the library implements it; an arm that was never played counts as having a reward of 0."""

    contest_version = f"mabwiser {version('mabwiser')}"
    contest_grid = tuple({"alpha": alpha} for alpha in (1.0, 0.3, 0.1, 0.03, 0.01, 3.0, 0.003, 0.0, 0.6))

    def __init__(self, arms: Arms, alpha: float = 1.0, seed: Seed = None) -> None:
        super().__init__(arms, seed)
        self._bandit = MAB(
            list(range(len(arms))), LearningPolicy.UCB1(alpha=alpha), seed=int(self._random.integers(2**31))
        )
        self._is_fitted = False

    def _select(self, time: float) -> int:
        if not self._is_fitted:
            return int(self._random.integers(len(self.arms)))
        return int(self._bandit.predict())

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        (self._bandit.partial_fit if self._is_fitted else self._bandit.fit)(arms, rewards)
        self._is_fitted = True
