import math
import sys

import numpy as np
import pytest

from quickdraw_bandits.environments import RandomField
from quickdraw_bandits.environments.plane_waves import PlaneWaves, gaussian_waves


def structured(length_x, length_t, seed, x, t):
    import gstools

    model = gstools.Gaussian(dim=2, var=1.0, len_scale=[length_x, length_t])
    return gstools.SRF(model, seed=seed).structured([x, t]).T


@pytest.mark.parametrize(
    ("length_x", "length_t"), [(0.1, 0.1), (0.001, 0.1), (0.1, 0.001), (0.001, 0.001), (0.5, 0.02), (3.0, 2.0)]
)
@pytest.mark.parametrize("seed", [0, 4_294_967_295])
def test_equals_gstools_own_field(length_x, length_t, seed):
    x, t = np.linspace(-1, 1, 31), np.arange(24) / 24
    ours = gaussian_waves(length_x, length_t, seed).on_grid(x, t)
    assert ours.shape == (24, 31)
    np.testing.assert_allclose(ours, structured(length_x, length_t, seed, x, t), rtol=0, atol=1e-10)


def test_grid_is_the_plain_sum_of_waves():
    random = np.random.default_rng(0)
    k, w, z1, z2 = random.normal(size=(4, 7))
    x, t = random.normal(size=5), random.normal(size=3)
    expected = [
        [
            0.3 * sum(z1[i] * math.cos(k[i] * a + w[i] * b) + z2[i] * math.sin(k[i] * a + w[i] * b) for i in range(7))
            for a in x
        ]
        for b in t
    ]
    np.testing.assert_allclose(PlaneWaves(k, w, z1, z2, 0.3).on_grid(x, t), expected, atol=1e-13)


def test_correlation_is_gaussian_with_these_lengths():
    """Over 400 fields the correlation at one length apart is exp(-pi / 4) = 0.456, to three standard errors."""
    x, t = np.array([0.0, 0.2]), np.array([0.0, 0.05])
    fields = np.array([gaussian_waves(0.2, 0.05, seed).on_grid(x, t) for seed in range(400)])
    margin = 3 * (1 - math.exp(-math.pi / 2)) / math.sqrt(400)
    assert np.corrcoef(fields[:, 0, 0], fields[:, 0, 1])[0, 1] == pytest.approx(math.exp(-math.pi / 4), abs=margin)
    assert np.corrcoef(fields[:, 0, 0], fields[:, 1, 0])[0, 1] == pytest.approx(math.exp(-math.pi / 4), abs=margin)


def test_missing_gstools_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "gstools", None)
    with pytest.raises(ImportError, match=r'pip install "quickdraw-bandits\[fields\]"'):
        RandomField()


def test_gstools_of_another_shape_is_a_clear_error(monkeypatch):
    class Without:
        __version__ = "9.9"
        generator = object()

        def __getattr__(self, name):
            return lambda *args, **kwargs: self

    monkeypatch.setitem(sys.modules, "gstools", Without())
    with pytest.raises(ImportError, match=r"gstools 9\.9 keeps its plane waves under other names.*_cov_sample"):
        gaussian_waves(0.1, 0.1, 0)
