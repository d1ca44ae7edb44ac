"""Learning the scales: hill climbing on the likelihood of the latest observations, one challenger at a time."""

from dataclasses import replace

from quickdraw_bandits.checks import Integers
from quickdraw_bandits.policies.adaptive.clock import Clock
from quickdraw_bandits.policies.adaptive.evidence import Evidence
from quickdraw_bandits.policies.adaptive.model import Model
from quickdraw_bandits.policies.adaptive.sample import NOISELESS, SpaceTimeSample
from quickdraw_bandits.policies.adaptive.scales import Candidate, ScaleGrid

MOST, NOISY_MOST, WEAK_MOST, LIMITED_MOST = 96, 160, 450, 256
"""Observations of a model; with noise it takes more of them to know as much, and those merged count as one.

The most are needed where arms have levels of their own, each of which must be remembered, and where noise is strong.
Among very many arms they are fewer: the more observations, the fewer arms can be searched in the same time.
"""
WEAK_SIGNAL = 0.3
"""Variance of the noise, in units of the signal's, from which on it is strong."""
MARGIN = 1.0
"""How much larger the log posterior of a challenger must be."""
CHALLENGERS, NOISY_CHALLENGERS = 1, 2
"""How many are tried per observation; with noise scales are harder to tell, and models of fewer points cheaper."""
FIRST_CHALLENGERS = 200
"""How many are tried before the first choice, and where a new clock has made all that was learned useless."""
MOST_CHALLENGERS = 64
"""How many are tried for one choice later on."""


class Tuner:
    """The candidate in use, and the next to be compared with it.

    The challengers are the neighbours of the candidate in use, in turn. Each is compared with it on the same
    observations, those of the model and blocks of earlier ones, and replaces it if its log posterior is larger by a
    margin. Only their scores on the blocks are remembered, so that changing the one in use costs nothing.
    """

    def __init__(self, grid: ScaleGrid) -> None:
        self._turn = 0
        self._evidence = Evidence()
        self._use(grid, grid.start)

    def _use(self, grid: ScaleGrid, cell: Integers) -> None:
        self._grid, self.cell = grid, cell
        self._neighbours = grid.neighbours(cell)
        self._chooser = self.candidate

    def move(self, grid: ScaleGrid, ratio: float) -> None:
        """Go on with another grid, where a length is ``ratio`` times the number that it was before."""
        tried = self._turn > 0
        self._evidence = self._evidence.stretched(ratio)
        self._use(grid, grid.nearest(self.cell, ratio * self.candidate.length) if tried else grid.start)

    @property
    def candidate(self) -> Candidate:
        """The scales in use."""
        return self._grid.candidate(self.cell)

    def challengers(self, observations: int) -> int:
        """Return how many to try after so many observations."""
        noisy = self.candidate.noise > NOISELESS
        return min(observations * (NOISY_CHALLENGERS if noisy else CHALLENGERS), MOST_CHALLENGERS)

    def start_anew(self) -> int:
        """Forget earlier observations, whose times were counted in other steps, and return how many to try then."""
        self._evidence = Evidence()
        return FIRST_CHALLENGERS

    def improve(self, latest: SpaceTimeSample, challengers: int, time: float, clock: Clock) -> Model:
        """Return the model in use at a time, after trying some challengers on the latest observations.

        The observations are condensed for the scales in use before the challengers were tried. Asked again with no
        challengers, the answer is the same.
        """
        if challengers:
            self._chooser = self.candidate
        sample = latest.condensed(self._chooser, most_observations(self._chooser, self._grid.very_many))
        model = Model(sample, self.candidate)
        if challengers:
            self._evidence = self._evidence.after(sample, time, clock)
            best = self._log_posterior(model, self.cell)
        for _ in range(challengers):
            cell = self._challenger()
            other = Model(sample, self._grid.candidate(cell))
            found = self._log_posterior(other, cell)
            if found > best + MARGIN:
                self.cell, model, best = cell, other, found
                self._neighbours = self._grid.neighbours(cell)
        while not model.fits:  # distances without coordinates; with enough noise any covariance is positive definite
            model = Model(sample, replace(model.candidate, noise=10 * model.candidate.noise))
        return model

    def _log_posterior(self, model: Model, cell: Integers) -> float:
        """Return the log posterior of a cell of the grid, whose model is that of the latest observations."""
        return model.score + model.candidate.log_prior + self._evidence.score(cell.tobytes(), model.candidate)

    def _challenger(self) -> Integers:
        self._turn += 1
        return self._neighbours[self._turn % len(self._neighbours)]


def most_observations(candidate: Candidate, very_many: bool = False) -> int:
    """Return how many observations a model with these scales may have, those merged counted as one.

    Examples
    --------
    >>> tried = (0.1, 0.0), (0.1, 0.3), (1.0, 0.0)
    >>> [most_observations(Candidate("rough", 0.1, 40.0, noise, 1, share)) for noise, share in tried]
    [160, 450, 450]
    >>> most_observations(Candidate("rough", 0.1, 40.0, 1.0, 1, 0.0), very_many=True)
    256
    """
    if candidate.noise <= NOISELESS:
        return MOST
    if candidate.share == 0 and candidate.noise < WEAK_SIGNAL:
        return NOISY_MOST
    return LIMITED_MOST if very_many else WEAK_MOST
