"""river: epsilon-greedy on exponentially weighted means."""

from importlib.metadata import version

from river import bandit, stats

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed
from quickdraw_bandits.policies import Policy


class FadingEpsilonGreedy(Policy):
    """Plays a random arm with probability epsilon, otherwise the arm with the highest exponentially weighted mean."""

    contest_version = f"river {version('river')}"
    contest_grid = (
        {},
        {"epsilon": 0.2},
        {"fading": 0.9},
        {"epsilon": 0.03},
        {"fading": 0.1},
        {"epsilon": 0.03, "fading": 0.9},
        {"epsilon": 0.2, "fading": 0.9},
        {"epsilon": 0.03, "fading": 0.1},
        {"epsilon": 0.4},
    )

    def __init__(self, arms: Arms, epsilon: float = 0.1, fading: float = 0.5, seed: Seed = None) -> None:
        super().__init__(arms, seed)
        self._ids = range(len(arms))
        self._bandit = bandit.EpsilonGreedy(
            epsilon=epsilon, reward_obj=stats.EWMean(fading), seed=int(self._random.integers(2**31))
        )

    def _select(self, time: float) -> int:
        return int(self._bandit.pull(self._ids))

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        for arm, reward in zip(arms.tolist(), rewards.tolist(), strict=True):
            self._bandit.update(arm, reward)
