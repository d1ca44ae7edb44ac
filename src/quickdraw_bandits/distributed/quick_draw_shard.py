"""A shard of Quick-Draw: its engine over a part of the arms."""

from typing import NamedTuple

import numpy as np

from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.distributed.offers import LISTED, Offer
from quickdraw_bandits.distributed.shard import Behind, Frame, Shard
from quickdraw_bandits.interpolation.answers import Answers, Question
from quickdraw_bandits.interpolation.engines.registry import EngineName, build
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.limits import PendingPulls
from quickdraw_bandits.interpolation.parts import Parts


class Asked(NamedTuple):
    """A question to all shards: when ``n`` observations are known, with pending pulls as times and coordinates."""

    n: int
    time: float
    gamma: float
    cap: float
    pending: tuple[Floats, Floats] | None = None


class Settings(NamedTuple):
    """How a shard finds its best arms."""

    kernel: Kernel
    engine: EngineName
    tolerance: float
    seed: int


class QuickDrawShard(Shard):
    """Answers for its arms as a ``QuickDraw`` of all arms would."""

    def begin(self, frame: Frame, settings: Settings) -> None:
        """Build the engine; to be called again when the frame or the arms have changed."""
        self.set_frame(frame)
        self._settings, self._random = settings, np.random.default_rng(settings.seed)
        self._seen.grow(self._arms)
        kernel, engine, tolerance, _ = settings
        self._engine = build(engine, self._arms, kernel, tolerance, self._seen, self._random)
        self._answers = Answers(self._arms, kernel, self._engine, Parts(), self._seen)
        self._latest = None
        if self._seen.n:
            self._engine.extend()

    def _learn(self) -> None:
        self._engine.extend()

    def contend(self, asked: Asked, among: Subset | None, every: bool) -> Offer | Behind:
        """Return the best of the arms, of all or of some.

        ``every`` is for those who need to know all of them, and changes nothing. Without it the engine may offer one
        that it drew, and keep what it made to find it.
        """
        if self._seen.n != asked.n:
            return Behind(self._seen.n)
        question = self._question(asked)
        key = np.inf
        if every or among is not None or asked.pending is not None:
            arms = self._answers.best(question, among, keep=not every)
        else:
            arms, key = self._engine.contenders(asked.time, asked.gamma, asked.cap, self._random)
        values = self._values(question, arms, key)
        self._latest = arms, values
        return Offer.of(arms, values, key, self.places)

    def _values(self, question: Question, arms: Integers, key: float) -> Floats:
        """Return the index of the best arms, the cap for those that the engine counts as at the cap."""
        if key < np.inf:
            return np.full(len(arms), question.cap)
        at_cap = question.cap - self._engine.slack
        some = self._answers.index(question, arms[:LISTED])
        some = np.where(np.isnan(some), -np.inf, np.where(some >= at_cap, question.cap, some))
        if len(arms) <= LISTED:
            return some
        if some[0] >= question.cap:  # then so are all that tie with it
            return np.full(len(arms), question.cap)
        return np.concatenate([some, self._answers.index(question, arms[LISTED:])])

    def estimate(self, asked: Asked, arms: Integers | None) -> tuple[Floats, Floats] | Behind:
        """Return mean and standard deviation of all arms (None), or of some."""
        if self._seen.n != asked.n:
            return Behind(self._seen.n)
        return self._answers.estimate(asked.time, arms, self._question(asked).pending)

    def _question(self, asked: Asked) -> Question:
        pending = None
        if asked.pending is not None:
            times, places = asked.pending
            nowhere = np.zeros(len(times), dtype=np.int64)  # they are given by their places
            pending = PendingPulls(self._arms, self._settings.kernel, times, nowhere, places)
        return Question(asked.time, asked.gamma, asked.cap, pending)
