"""The two games of the demo: who plays on what, and what the adaptive policy believed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.environments import Environment, RandomField, highway
from quickdraw_bandits.evaluation import Trace, simulate
from quickdraw_bandits.evaluation.simulate import Progress
from quickdraw_bandits.plots.style import style_of
from quickdraw_bandits.policies import AdaptiveQuickDraw
from quickdraw_lab.play.traces import play
from quickdraw_lab.players.built_in import DEFAULT, find_policies
from quickdraw_lab.result_tables import Row

BELIEFS = 150
"""About how many times during a game the belief is written down."""


@dataclass(frozen=True)
class Setting:
    """A game of the demo.

    Attributes
    ----------
    name, title, text
        For files, the page and the terminal.
    arms, time
        What the axes show.
    warmup
        Number of first rounds played at random.
    build
        Makes the environment from a seed.
    """

    name: str
    title: str
    text: str
    arms: str
    time: str
    warmup: int
    build: Callable[[int], Environment]


@dataclass(frozen=True)
class Chapter:
    """A game that was played: the traces, the adaptive policy's first, and its belief at some of the rounds."""

    setting: Setting
    env: Environment
    traces: Sequence[Trace]
    rounds: list[int]
    believed: Floats

    def rows(self) -> list[Row]:
        """Return one row per policy, with its regret as a multiple of the adaptive policy's."""
        least = self.traces[0].regret_per_round
        return [
            {
                "policy": style_of(trace.policy).label,
                "regret per round": f"{trace.regret_per_round:.3f}",
                "times adaptive": f"{trace.regret_per_round / least:.1f}" if least else "–",
                "reward per round": f"{trace.reward_per_round:.3f}",
                "ms per choice": f"{1e3 * trace.seconds_per_choice:.2f}",
            }
            for trace in self.traces
        ]


class Remembering:
    """Plays as a policy does, and writes down what it believes before some of its choices."""

    def __init__(self, policy: AdaptiveQuickDraw[int], every: int) -> None:
        self.policy, self.every = policy, every
        self.seen = 0
        self.rounds: list[int] = []
        self.means: list[Floats] = []

    def select(self, time: float) -> int:
        """Choose, and write down the estimated mean of every arm."""
        if self.seen % self.every == 0:
            self.rounds.append(self.seen)
            self.means.append(self.policy.estimate(time)[0])
        return self.policy.select(time)

    def update(self, time: float, arm: int, reward: float) -> None:
        """Learn."""
        self.seen += 1
        self.policy.update(time, arm, reward)


def play_chapter(setting: Setting, seed: int, progress: Callable[[str], Progress] | None = None) -> Chapter:
    """Play the default policies, then the adaptive one again to write down what it believed.

    It makes the same choices again: asking for an estimate changes nothing. The time of a choice is that of the first
    game, in which nobody asked.
    """
    env = setting.build(seed)
    traces = play(find_policies(DEFAULT), env, setting.warmup, seed, progress)
    observer = Remembering(AdaptiveQuickDraw(env.arms, seed=seed), max(1, env.n_rounds // BELIEFS))
    simulate(observer, env, setting.warmup, seed)
    return Chapter(setting, env, traces, observer.rounds, np.array(observer.means))


SETTINGS = (
    Setting(
        name="field",
        title="A thousand arms on a drifting field",
        text="A thousand arms on a line. Arms that are close to each other have similar rewards, and all rewards "
        "drift: the best arm keeps moving. Each round, a policy sees the reward of the one arm it chose. The adaptive "
        "policy learns how fast rewards drift and over what distance arms are similar; the others play with their "
        "default parameters.",
        arms="arm",
        time="time",
        warmup=100,
        build=lambda seed: RandomField(seed=seed),
    ),
    Setting(
        name="highway",
        title="Where does traffic flow? Recorded highway speeds",
        text="Recorded speeds on 200 cells of a congested highway (NGSIM). Each step, a policy picks one cell, and its "
        "reward is the speed there: it must find free-flowing stretches while waves of congestion travel along the "
        "road. This is real data, and harder: a wave crosses the whole road in about 30 steps, and a policy sees one "
        "cell per step.",
        arms="cell of the road",
        time="time, from start to end of the record",
        warmup=50,
        build=lambda seed: highway(seed=seed),
    ),
)
