"""The parameters of the interpolation, as one frozen record."""

from dataclasses import dataclass
from typing import Self

from quickdraw_bandits.checks import integer, scale


@dataclass(frozen=True)
class Kernel:
    """How the variance of one observation as an estimate grows with distance and age (E1, E3, E9).

    sigma²_s(x, t) = (rho² + (D(x, x_s) / l_x)² + ((t - t_s) / l_t)²)^p

    ==================  ======  ===============================================================================
    attribute           symbol  meaning
    ==================  ======  ===============================================================================
    ``length_scale``    l_x     distance over which a reward stays informative
    ``time_scale``      l_t     the same for time; None leaves the last term out: rewards do not drift (E1)
    ``noise_variance``  rho²    variance left at zero distance and zero age
    ``sharpness``       p       1 is the paper's; 2 and 3 make the interpolation more local (E9)
    ==================  ======  ===============================================================================
    """

    length_scale: float
    time_scale: float | None
    noise_variance: float
    sharpness: int

    @classmethod
    def checked(cls, length_scale: object, time_scale: object, noise_variance: object, sharpness: object) -> Self:
        """Build a kernel from what the user gave, or raise ValueError."""
        return cls(
            length_scale=scale("length_scale", length_scale),
            time_scale=None if time_scale is None else scale("time_scale", time_scale),
            noise_variance=scale("noise_variance", noise_variance),
            sharpness=integer("sharpness", sharpness, at_least=1, at_most=3),
        )
