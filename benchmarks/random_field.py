"""A random field computed by one matrix product, against GSTools."""

import numpy as np

import quickdraw_bandits as qd
from benchmarks.row import Row, at_least, best_of


def run() -> list[Row]:
    """Compute the same field of 1,000 arms and 1,000 rounds with both."""
    import gstools

    env = qd.environments.RandomField(seed=0)
    made = {}

    def ours() -> None:
        made["ours"] = qd.environments.RandomField(seed=0).mean

    def theirs() -> None:
        model = gstools.Gaussian(dim=2, var=1.0, len_scale=[0.1, 0.1])
        field = gstools.SRF(model, seed=0).structured([env.arms.points[:, 0], env.times]).T
        made["theirs"] = (field - field.min()) / (field.max() - field.min())

    (fast,) = best_of(3, ours)
    (slow,) = best_of(1, theirs)
    np.testing.assert_allclose(made["ours"], made["theirs"], rtol=0, atol=1e-10)
    return [at_least("random field, 1,000 × 1,000, against GSTools", fast, slow, 50)]
