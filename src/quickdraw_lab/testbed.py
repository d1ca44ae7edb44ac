"""The test bed of section 5: random fields of one size, all drawn from one seed."""

from dataclasses import asdict, dataclass
from typing import ClassVar

import numpy as np

from quickdraw_bandits.checks import integer
from quickdraw_bandits.environments import RandomField


@dataclass(frozen=True)
class FieldSetting:
    """The parameters of a random field, named as in the paper. The defaults are the paper's base setting."""

    rho_x: float = 0.1
    rho_t: float = 0.1
    alpha: float = 1.0
    sigma_noise: float = 0.0


@dataclass(frozen=True)
class TestBed:
    """Size of all environments, and the seed of all randomness."""

    __test__: ClassVar[bool] = False  # not a test class, whatever pytest thinks of its name

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
        """Return the values that must agree for results to be stored together."""
        return asdict(self)

    def field_seed(self, field: int) -> int:
        """Return the seed of a field: of its values, its noise, its warm-up and the policies that play on it.

        Examples
        --------
        >>> TestBed(seed=0).field_seed(0) == TestBed(seed=0).field_seed(1)
        False
        """
        return self.seed_at(field)

    def seed_at(self, *key: int) -> int:
        """Return the seed at a spawn key of the test bed's own seed."""
        return int(np.random.SeedSequence(self.seed, spawn_key=key).generate_state(1)[0])

    def environment(self, field: int, setting: FieldSetting) -> RandomField:
        """Return a field by its number. Use its ``vary`` for other powers and noise levels of the same field."""
        return RandomField(
            setting.rho_x,
            setting.rho_t,
            setting.alpha,
            setting.sigma_noise,
            self.n_arms,
            self.n_rounds,
            self.field_seed(field),
        )
