"""The paper's test bed: a Gaussian random field over arms and time."""

import copy
from functools import cached_property
from typing import Self, final

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, integer, positive
from quickdraw_bandits.environments.environment import Environment, read_only, round_times
from quickdraw_bandits.environments.plane_waves import gaussian_waves, require_gstools

SMALLEST_RANGE = 1e-6
"""The range of a field of unit variance below which scaling would magnify rounding errors."""


@final
class RandomField(Environment):
    """A random reward that drifts (section 5 of the paper).

    GSTools draws a Gaussian random field u(x, t) with Gaussian covariance over arms x in [-1, 1] and times t in
    [0, 1). It is scaled to [0, 1] over the whole array. The mean reward is ``mu = u ** power``.

    Parameters
    ----------
    length_x, length_t
        Correlation lengths over arms and over time as GSTools defines them, rho_x and rho_t in the paper; default 0.1.
        Arms cover a range of 2, times a range of 1. A larger value makes the field smoother.
    power
        alpha in the paper; default 1. A larger value makes the peaks sharper and rarer.
    noise
        As for ``Environment``; sigma_noise in the paper.
    n_arms
        Number of arms on [-1, 1], both ends included; default 1,000.
    n_rounds
        Number of rounds on [0, 1); default 1,000.
    seed
        An integer from 0 to 2^32 - 1; default 0. It is GSTools' seed for the field; the noise has its own stream.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> env = qd.environments.RandomField(n_arms=50, n_rounds=20, seed=1)
    >>> env.mean.shape, float(env.mean.min()), float(env.mean.max())
    ((20, 50), 0.0, 1.0)
    >>> noisy = env.vary(noise=0.1)
    >>> noisy.mean is env.mean, noisy.pull(3, 7) == noisy.pull(3, 7)
    (True, True)
    """

    def __init__(
        self,
        length_x: float = 0.1,
        length_t: float = 0.1,
        power: float = 1.0,
        noise: float = 0.0,
        n_arms: int = 1000,
        n_rounds: int = 1000,
        seed: int = 0,
    ) -> None:
        require_gstools()
        arms = Arms.grid(-1, 1, integer("n_arms", n_arms, at_least=2))
        super().__init__(arms, round_times(n_rounds), noise, integer("seed", seed, at_least=0, at_most=2**32 - 1))
        self.length_x = positive("length_x", length_x)
        self.length_t = positive("length_t", length_t)
        self.power = positive("power", power)
        self._field = _Field(arms.points[:, 0].astype(np.float64), self.times, self.length_x, self.length_t, self.seed)

    @cached_property
    def mean(self) -> Floats:
        """The field, scaled to [0, 1] and raised to ``power``; computed on first use."""
        return self._field.values if self.power == 1 else read_only(self._field.values**self.power)

    @property
    def prior(self) -> tuple[float, float]:
        """Mean and variance of the Gaussian process from which the field was drawn, for ``power`` 1.

        GSTools draws with mean 0 and variance 1. Scaling the range [a, b] of the draw to [0, 1] changes them to
        ``-a / (b - a)`` and ``1 / (b - a)²``. They differ from the mean and variance of this one draw.
        """
        low, high = self._field.range
        return -low / (high - low), 1 / (high - low) ** 2

    def vary(self, power: float | None = None, noise: float | None = None) -> Self:
        """Return the same field with another power or noise level; None keeps the value. The field is shared."""
        varied = type(self)(
            self.length_x,
            self.length_t,
            self.power if power is None else power,
            self.noise if noise is None else noise,
            len(self.arms),
            self.n_rounds,
            self.seed,
        )
        varied._field = self._field
        return varied

    def __getstate__(self) -> dict[str, object]:
        """Leave out the field too: it can be made again from its seed."""
        state = {name: value for name, value in super().__getstate__().items() if name != "mean"}
        return {**state, "_field": copy.copy(self._field)}


class _Field:
    """A random field scaled to [0, 1], computed on first use and shared by its variations."""

    def __init__(self, x: Floats, t: Floats, length_x: float, length_t: float, seed: int) -> None:
        self.x, self.t, self.length_x, self.length_t, self.seed = x, t, length_x, length_t, seed

    @property
    def values(self) -> Floats:
        return self._made[0]

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest value before scaling."""
        return self._made[1]

    @cached_property
    def _made(self) -> tuple[Floats, tuple[float, float]]:
        field = gaussian_waves(self.length_x, self.length_t, self.seed).on_grid(self.x, self.t)
        low, high = float(field.min()), float(field.max())
        if high - low < SMALLEST_RANGE:
            raise ValueError(
                f"length_x and length_t must be small enough for the field to vary, got length_x={self.length_x:g} "
                f"and length_t={self.length_t:g}"
            )
        field -= low
        field /= high - low
        return read_only(field), (low, high)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_made"}
