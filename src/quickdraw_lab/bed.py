"""The test bed of section 5: fields, and what is measured when a policy plays on one."""

from dataclasses import asdict, dataclass

import numpy as np

from quickdraw_bandits.checks import integer
from quickdraw_bandits.environments import RandomField


@dataclass(frozen=True)
class Setting:
    """What a field is like, in the paper's words; the values are those of the base setting."""

    rho_x: float = 0.1
    rho_t: float = 0.1
    alpha: float = 1.0
    sigma_noise: float = 0.0


@dataclass(frozen=True)
class Bed:
    """The size of the test bed, and the seed that all its randomness comes from."""

    seed: int = 0
    n_arms: int = 1000
    n_rounds: int = 1000
    warmup: int = 100

    def __post_init__(self) -> None:
        integer("seed", self.seed, at_least=0)
        integer("n_arms", self.n_arms, at_least=2)
        integer("n_rounds", self.n_rounds, at_least=2)
        integer("warmup", self.warmup, at_least=0, at_most=self.n_rounds - 1)

    def describe(self) -> dict[str, int]:
        """Return what tells results of one bed from those of another."""
        return asdict(self)

    def field_seed(self, field: int) -> int:
        """Return the seed of a field by its number: of its waves, its noise, its warm-up and the policies on it.

        Examples
        --------
        >>> Bed(seed=0).field_seed(0) == Bed(seed=0).field_seed(1)
        False
        """
        return int(np.random.SeedSequence(self.seed, spawn_key=(field,)).generate_state(1)[0])

    def environment(self, field: int, setting: Setting) -> RandomField:
        """Return a field by its number; ``vary`` it for other powers and noise levels."""
        return RandomField(
            setting.rho_x,
            setting.rho_t,
            setting.alpha,
            setting.sigma_noise,
            self.n_arms,
            self.n_rounds,
            self.field_seed(field),
        )
