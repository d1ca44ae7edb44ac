"""Learning the scales: the likelihood of the latest observations, climbed one challenger at a time."""

from dataclasses import replace

from quickdraw_bandits.checks import Integers
from quickdraw_bandits.policies.adaptive.model import NOISELESS, Model, Sample
from quickdraw_bandits.policies.adaptive.scales import Candidate, Ladders

MOST, NOISY_MOST = 96, 192
"""Observations of a model: with noise it takes more of them to know as much, and those taken together count as one."""
MARGIN = 1.0
"""How much likelier, as a difference of logarithms, a challenger must be."""
CHALLENGERS, NOISY_CHALLENGERS = 1, 2
"""How many are tried for an observation; with noise scales are harder to tell, and models of fewer points cheaper."""
FIRST_CHALLENGERS = 200
"""How many are tried before the first choice, and where a new clock has made all that was learned useless."""
MOST_CHALLENGERS = 64
"""How many are tried for one choice later on."""


class Tuner:
    """The candidate in use, and the next to be compared with it.

    The challengers are the neighbours of the candidate in use, in turn. Each is compared on the same observations as
    the one in use, which it replaces if it is likelier by a margin.
    Nothing else is remembered, so changing the candidate costs nothing.
    """

    def __init__(self, ladders: Ladders) -> None:
        self._ladders = ladders
        self.rungs: Integers = ladders.start
        self._turn = 0
        self._neighbours = ladders.neighbours(self.rungs)
        self._chooser = self.candidate

    @property
    def candidate(self) -> Candidate:
        """The scales in use."""
        return self._ladders.candidate(self.rungs)

    def challengers(self, observations: int) -> int:
        """Return how many to try after so many observations."""
        noisy = self.candidate.noise > NOISELESS
        return min(observations * (NOISY_CHALLENGERS if noisy else CHALLENGERS), MOST_CHALLENGERS)

    def improve(self, pool: Sample, challengers: int) -> Model:
        """Return the model in use, after trying some challengers on what the pool holds.

        The observations are those that matter to the scales in use before the challengers were tried. Asked again
        with no challengers, the answer is the same.
        """
        if challengers:
            self._chooser = self.candidate
        sample = pool.condensed(self._chooser, NOISY_MOST if self._chooser.noise > NOISELESS else MOST)
        model = Model(sample, self.candidate)
        for _ in range(challengers):
            rungs = self._challenger()
            other = Model(sample, self._ladders.candidate(rungs))
            if other.score - other.candidate.doubt > model.score - model.candidate.doubt + MARGIN:
                self.rungs, model = rungs, other
                self._neighbours = self._ladders.neighbours(rungs)
        while not model.fits:  # distances that are of no space; with noise enough, any covariance is positive definite
            model = Model(sample, replace(model.candidate, noise=10 * model.candidate.noise))
        return model

    def _challenger(self) -> Integers:
        self._turn += 1
        return self._neighbours[self._turn % len(self._neighbours)]
