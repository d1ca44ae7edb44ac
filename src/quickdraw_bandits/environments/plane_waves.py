"""GSTools' random fields, evaluated on a grid by one matrix product.

GSTools' randomisation method writes a Gaussian random field as a sum of N plane waves with random wave vectors and
amplitudes,

    u(x, t) = sqrt(variance / N) · sum_i  z1_i cos(a_i + b_i) + z2_i sin(a_i + b_i),   a_i = k_i x,  b_i = w_i t,

and evaluates it point by point. By the angle-sum identities a wave is the sum of two products of a function of x and a
function of t,

    z1 cos(a + b) + z2 sin(a + b) = cos b · (z1 cos a + z2 sin a)  +  sin b · (z2 cos a - z1 sin a),

so that on a grid the whole sum is one product of a (times, 2N) and a (2N, coordinates) matrix.

GSTools keeps its waves in private attributes. Only this file reads them.
"""

from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.extras import missing_extra


@dataclass(frozen=True)
class PlaneWaves:
    """The waves of one Gaussian random field over a coordinate and time.

    Attributes
    ----------
    k, w
        Wave numbers over the coordinate and over time.
    z1, z2
        Amplitudes of cosine and sine.
    scale
        sqrt(variance / N).
    """

    k: Floats
    w: Floats
    z1: Floats
    z2: Floats
    scale: float

    def on_grid(self, x: Floats, t: Floats) -> Floats:
        """Return the field at all times and coordinates, of shape (len(t), len(x))."""
        a, b = np.outer(x, self.k), np.outer(t, self.w)
        cos_a, sin_a = np.cos(a), np.sin(a)
        of_x = np.hstack([self.z1 * cos_a + self.z2 * sin_a, self.z2 * cos_a - self.z1 * sin_a])
        of_t = np.hstack([np.cos(b), np.sin(b)])
        of_t *= self.scale
        return np.asarray(of_t @ of_x.T)


def gaussian_waves(length_x: float, length_t: float, seed: int) -> PlaneWaves:
    """Return the waves that GSTools draws for a Gaussian covariance with unit variance.

    The length scales are GSTools' own: the correlation at distance r is ``exp(-(pi / 4) (r / length)²)``.
    """
    import gstools

    model = gstools.Gaussian(dim=2, var=1.0, len_scale=[length_x, length_t])
    generator = gstools.SRF(model, generator="RandMeth", seed=seed).generator
    try:
        (k, w), z1, z2 = generator._cov_sample, generator._z_1, generator._z_2
        n_waves = generator._mode_no
    except AttributeError as error:
        raise ImportError(
            f"gstools {gstools.__version__} keeps its plane waves under other names than expected ({error}); "
            "install a version that is known to work: pip install 'gstools>=1.6,<2'"
        ) from None
    # GSTools draws isotropic waves and squeezes the second coordinate by the ratio of the length scales.
    return PlaneWaves(k, w / model.anis[0], z1, z2, float(np.sqrt(model.var / n_waves)))


def require_gstools() -> None:
    """Raise ImportError with what to install if GSTools is missing; it is imported later, when a field is made."""
    if find_spec("gstools") is None:
        raise missing_extra("random fields", "GSTools", "fields")
