"""The parameters of a Gaussian process with a squared-exponential kernel and white noise."""

from dataclasses import dataclass

from quickdraw_bandits.checks import positive


@dataclass(frozen=True, slots=True)
class Parameters:
    """Signal variance s², length scale l and noise variance σ², all above 0.

    The covariance of two observations is ``s² exp(-|x - x'|² / (2 l²))``, plus σ² for one with itself.

    Examples
    --------
    >>> Parameters(signal_variance=1.0, length_scale=0.2, noise_variance=0.1)
    Parameters(signal_variance=1.0, length_scale=0.2, noise_variance=0.1)
    """

    signal_variance: float
    length_scale: float
    noise_variance: float

    def __post_init__(self) -> None:
        for name in ("signal_variance", "length_scale", "noise_variance"):
            object.__setattr__(self, name, positive(name, getattr(self, name)))
