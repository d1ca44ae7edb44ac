"""The simulation of a question to many shards."""

import json
from pathlib import Path

import numpy as np
import pytest

from quickdraw_lab.scale.fan_out import Costs, FanOut, compare, shared, simulate
from quickdraw_lab.scale.fan_out_page import BEGIN, END, fan_out_text

DOCS = Path(__file__).parents[3] / "docs"


def taking(service, n, calls=0.0, contention=1.0):
    return Costs({n: np.atleast_1d(calls)}, np.atleast_1d(service), {n: np.atleast_1d(contention)})


def test_the_slowest_of_shards_on_cores_of_their_own():
    """Of n exponential times, the largest is the n-th harmonic number on average."""
    random = np.random.default_rng(0)
    service = random.exponential(size=200_000)
    for n in (1, 4, 16):
        harmonic = sum(1 / k for k in range(1, n + 1))
        assert simulate(taking(service, n), n, None, 10_000, random).mean() == pytest.approx(harmonic, rel=0.03)


def step_by_step(work, cores, step=1e-3):
    """Share cores between tasks in small steps of time, and return when the last is done."""
    left, now = np.array(work), 0.0
    while (left > 0).any():
        running = left > 0
        left[running] -= step * min(1.0, cores / running.sum())
        now += step
    return now


def test_shards_share_cores_evenly():
    random = np.random.default_rng(1)
    for n in (1, 2, 3, 5):
        for cores in (1, 2, 4):
            work = random.exponential(size=n) + 0.1
            assert shared(work[None], cores)[0] == pytest.approx(step_by_step(work, cores), abs=0.01)
    assert shared(np.full((1, 6), 3.0), 2).tolist() == [9.0]
    assert shared(np.full((1, 6), 3.0), None).tolist() == [3.0]


def test_calls_are_added_and_contention_stretches_the_work():
    random = np.random.default_rng(0)
    assert simulate(taking(3.0, 4, calls=0.5, contention=1.5), 4, 2, 1, random).tolist() == [0.5 + 1.5 * 6.0]
    calls, contention = np.array([1.0, 2.0]), np.array([1.0, 3.0])
    drawn = simulate(taking(10.0, 2, calls, contention), 2, 2, 4000, random)
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == [11.0, 12.0, 31.0, 32.0]
    assert (np.abs(counts - 1000) < 120).all()  # four standard deviations


def test_hedged_requests_cut_the_tail():
    """If one answer in a hundred takes a hundred times as long, most questions to 100 shards do without hedging."""
    random = np.random.default_rng(0)
    costs = taking(np.where(np.arange(1000) % 100 == 0, 100.0, 1.0), 100)
    plain, hedged = (simulate(costs, 100, None, 2000, random, hedge) for hedge in (0.0, 1.5))
    assert np.median(plain) == 100
    assert np.quantile(hedged, 0.98) == 2.5


def test_measured_and_simulated_quantiles_are_not_exchanged():
    [row] = compare("small", taking(3.0, 2, calls=1.0), {2: np.linspace(0.0, 100.0, 101)}, 2)
    assert row == FanOut("small", 2, 50.0, 99.0, 4.0, 4.0, 101)
    assert row.off == pytest.approx((4 / 50 - 1, 4 / 99 - 1))


def test_the_page_has_the_committed_figures():
    page = (DOCS / "beyond-one-machine.md").read_text()
    rows = [FanOut(**row) for row in json.loads((DOCS / "results" / "shards.json").read_text())["fan-out"]]
    assert page.split(BEGIN)[1].split(END)[0].strip() == fan_out_text(rows)
    assert {row.shards for row in rows} == {1, 2, 3, 4}


@pytest.mark.slow
def test_everything_is_measured_on_a_local_ray(monkeypatch):
    """With few questions to one and two shards: figures of any size, one row per kind of work and number of shards."""
    from quickdraw_lab.scale import fan_out_measured

    monkeypatch.setattr(fan_out_measured, "MEASURED", (1, 2))
    monkeypatch.setattr(fan_out_measured, "CALIBRATION", 5)
    monkeypatch.setattr(fan_out_measured, "BLOCKS", 5)
    rows = fan_out_measured.fan_out(10, 500)
    assert [(row.work, row.shards) for row in rows] == [
        (work, n) for work in ("small", "middle", "search") for n in (1, 2)
    ]
    assert all(0 < row.median <= row.p99 and 0 < row.simulated_median <= row.simulated_p99 for row in rows)
