"""bayesianbandits: Bayesian linear regression on radial features, with forgetting and Thompson sampling."""

from importlib.metadata import version

import bayesianbandits
import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, Seed, fraction, integer, positive
from quickdraw_bandits.policies import Policy

FEWEST_POINTS_PER_CENTRE = 2


class RadialThompson(Policy):
    """Draws weights from the posterior of a linear model on radial features, and plays the arm they predict to be best.

    The features of an arm are exp(-(d / width)² / 2) for its distances d to ``centres`` arms, spread evenly over the
    positions of the arm set, and a constant. The library applies forgetting before each observation, once per round.
    """

    contest_version = f"bayesianbandits {version('bayesianbandits')}"
    contest_grid = (
        {},
        {"forgetting": 0.99},
        {"width": 0.1},
        {"forgetting": 0.9},
        {"noise": 0.1, "forgetting": 0.99},
        {"noise": 0.03},
        {"width": 0.025},
        {"width": 0.1, "forgetting": 0.99},
        {"noise": 0.3, "forgetting": 0.99},
        {"noise": 0.1},
    )

    def __init__(
        self,
        arms: Arms,
        centres: int = 50,
        width: float = 0.05,
        forgetting: float = 0.97,
        noise: float = 0.1,
        prior: float = 1.0,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, seed)
        count = min(integer("centres", centres, at_least=1), len(arms))
        middles = np.unique(np.linspace(0, len(arms) - 1, count).round().astype(int))
        distances = np.array([arms.distances(int(middle)) for middle in middles]).T
        features = np.exp(-((distances / positive("width", width)) ** 2) / 2)
        self._features = np.hstack([features, np.ones((len(arms), 1))])
        self._model = bayesianbandits.NormalRegressor(
            alpha=1 / positive("prior", prior) ** 2,
            beta=1 / positive("noise", noise) ** 2,
            forgetting=bayesianbandits.StabilizedForgetting(fraction("forgetting", forgetting)),
            random_state=self._random,
        )

    def _select(self, time: float) -> int:
        return int(np.argmax(self._model.sample(self._features, size=1)))

    def _update(self, times: Floats, arms: Integers, rewards: Floats) -> None:
        self._model.partial_fit(self._features[arms], rewards)
