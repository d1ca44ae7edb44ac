"""The simulation of a question to many shards."""

import numpy as np
import pytest

from quickdraw_lab.scale.fan_out import simulate


def test_the_slowest_of_shards_on_cores_of_their_own():
    """Of n exponential times, the largest is the n-th harmonic number on average."""
    random = np.random.default_rng(0)
    single = random.exponential(size=200_000)
    for n in (1, 4, 16):
        harmonic = sum(1 / k for k in range(1, n + 1))
        assert simulate(n, 0.0, single, n, 20_000, random).mean() == pytest.approx(harmonic, rel=0.02)


def test_shards_that_share_cores_wait_for_each_other():
    assert simulate(6, 0.5, np.array([3.0]), 2, 1, np.random.default_rng(0)).tolist() == [10.0]
    assert simulate(6, 0.5, np.array([3.0]), 6, 1, np.random.default_rng(0)).tolist() == [6.0]


def test_hedged_requests_cut_the_tail():
    """If one answer in a hundred takes a hundred times as long, most questions to 100 shards do without hedging."""
    random = np.random.default_rng(0)
    single = np.where(np.arange(1000) % 100 == 0, 100.0, 1.0)
    plain, hedged = (simulate(100, 0.0, single, 100, 2000, random, hedge) for hedge in (0.0, 1.5))
    assert np.median(plain) == 100
    assert np.quantile(hedged, 0.98) == 2.5
