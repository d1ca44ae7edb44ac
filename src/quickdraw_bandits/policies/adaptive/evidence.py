"""What earlier observations say of the scales, after those of the model in use have replaced them."""

from dataclasses import dataclass, field, replace

import numpy as np

from quickdraw_bandits.policies.adaptive.clock import Clock
from quickdraw_bandits.policies.adaptive.model import Model
from quickdraw_bandits.policies.adaptive.sample import SpaceTimeSample, no_rows
from quickdraw_bandits.policies.adaptive.scales import Candidate

BLOCKS = 3
"""How many blocks of earlier observations count."""
REPLACED = 0.7
"""Part of a model's observations that must be later than a block before the block counts."""


@dataclass(frozen=True)
class Evidence:
    """Blocks of earlier observations, and the log likelihood that candidates have on them.

    A policy that has found a good arm sees rewards of few arms, which say little of the scales. A model that has only
    these may take up scales that all earlier rewards contradict. So the observations of a model are kept as a block
    once most of them have left it. Blocks are treated as independent of each other and of the model, although one may
    share up to three tenths of its observations with the next::

        log likelihood = that of the model's observations + sum over blocks of that of their observations

    each with a signal variance of its own. The latest blocks replace the oldest, so that scales may change.

    Attributes
    ----------
    blocks
        Those that count, the latest last.
    next_block, since
        Observations of a model that are the next block once most of them have left it, and the time of that model.
    """

    blocks: tuple[SpaceTimeSample, ...] = ()
    next_block: SpaceTimeSample | None = None
    since: float = 0.0
    _known: dict[bytes, float] = field(default_factory=dict)

    def score(self, key: bytes, candidate: Candidate) -> float:
        """Return the log likelihood of a candidate on all blocks; ``key`` stands for the candidate."""
        if key not in self._known:
            self._known[key] = sum(Model(block, candidate).score for block in self.blocks)
        return self._known[key]

    def after(self, sample: SpaceTimeSample, time: float, clock: Clock) -> "Evidence":
        """Return the evidence when a model has this sample, at a time."""
        if self.next_block is None:
            return replace(self, next_block=block_of(sample), since=time)
        age = clock.age(self.since, time)
        if age > 0:  # the clock went back, or a choice was asked for at a wrong time
            return replace(self, since=time)
        if np.count_nonzero(sample.times > age) / len(sample) < REPLACED:
            return self
        return Evidence((*self.blocks, self.next_block)[-BLOCKS:], block_of(sample), time)

    def stretched(self, ratio: float) -> "Evidence":
        """Return the same where a length is ``ratio`` times the number that it was before."""
        following = None if self.next_block is None else _stretched(self.next_block, ratio)
        return Evidence(tuple(_stretched(block, ratio) for block in self.blocks), following, self.since)


def block_of(sample: SpaceTimeSample) -> SpaceTimeSample:
    """Return a sample, and of a matrix of distances only what it needs.

    Examples
    --------
    >>> nothing, arms = np.zeros(3), np.array([5, 2, 5])
    >>> matrix = np.arange(36.0).reshape(6, 6)
    >>> sample = SpaceTimeSample(np.empty((3, 0)), nothing, nothing, nothing, nothing, arms, matrix, arms)
    >>> block_of(sample).arms, block_of(sample).matrix
    (array([1, 0, 1]), array([[14., 17.],
           [32., 35.]]))
    """
    sample = replace(sample, members=no_rows(), groups=no_rows())
    if len(sample.matrix) == 0:
        return sample
    positions, arms = np.unique(sample.arms, return_inverse=True)
    return replace(sample, arms=arms.astype(np.int64), matrix=sample.matrix[np.ix_(positions, positions)])


def _stretched(block: SpaceTimeSample, ratio: float) -> SpaceTimeSample:
    return replace(block, points=ratio * block.points, matrix=ratio**2 * block.matrix)
