"""The simulation of a question to many shards."""

import json
from pathlib import Path

import numpy as np
import pytest

from quickdraw_lab.scale.fan_out import Costs, FanOut, p99_with_common_stalls, simulate

DOCS = Path(__file__).parents[3] / "docs"


def taking(service, send=0.0, carry=0.0, latency=0.0):
    return Costs(send, carry, latency, np.atleast_1d(service))


def test_the_slowest_of_shards_on_cores_of_their_own():
    """Of n exponential times, the largest is the n-th harmonic number on average."""
    random = np.random.default_rng(0)
    costs = taking(random.exponential(size=200_000))
    for n in (1, 4, 16):
        harmonic = sum(1 / k for k in range(1, n + 1))
        assert simulate(costs, n, None, 10_000, random).mean() == pytest.approx(harmonic, rel=0.03)


def test_shards_that_share_cores_wait_for_each_other():
    random = np.random.default_rng(0)
    assert simulate(taking(3.0), 6, 2, 1, random).tolist() == [9.0]
    assert simulate(taking(3.0), 6, None, 1, random).tolist() == [3.0]


def test_the_driver_sends_and_carries_one_question_after_the_other():
    random = np.random.default_rng(0)
    assert simulate(taking(3.0, send=0.5), 6, None, 1, random).tolist() == [6.0]
    # Two are carried out, each for 1; then the second takes 3; it is carried in for 1 after the first was.
    assert simulate(taking(3.0, carry=2.0), 2, None, 1, random).tolist() == [6.0]
    assert simulate(taking(3.0, latency=0.25), 4, None, 1, random).tolist() == [3.5]


def test_the_driver_needs_a_core_too():
    """On one core everything is added up."""
    costs = taking(3.0, send=0.5, carry=1.0)
    assert simulate(costs, 3, 1, 1, np.random.default_rng(0)).tolist() == [3 * (3.0 + 0.5 + 1.0)]


def test_costs_of_one_shard_give_its_times_back():
    times = np.random.default_rng(1).gamma(5.0, 0.2, 1000)
    costs = Costs.of(times, send=0.05, driver=0.15, shard=0.5)
    assert costs.latency == pytest.approx((np.median(times) - 0.65) / 2)
    again = simulate(costs, 1, 2, 20_000, np.random.default_rng(0))
    assert np.quantile(again, [0.5, 0.99]) == pytest.approx(np.quantile(times, [0.5, 0.99]), rel=0.03)


def test_hedged_requests_cut_the_tail():
    """If one answer in a hundred takes a hundred times as long, most questions to 100 shards do without hedging."""
    random = np.random.default_rng(0)
    costs = taking(np.where(np.arange(1000) % 100 == 0, 100.0, 1.0))
    plain, hedged = (simulate(costs, 100, None, 2000, random, hedge) for hedge in (0.0, 1.5))
    assert np.median(plain) == 100
    assert np.quantile(hedged, 0.98) == 2.5


def test_the_page_has_the_committed_figures():
    """Medians within 8 %, and the 99th percentile within 17 % if stalls are common, 37 % if they are not."""
    page = (DOCS / "beyond-one-machine.md").read_text()
    rows = [FanOut(**row) for row in json.loads((DOCS / "results" / "shards.json").read_text())["fan-out"]]
    ones = {row.work: row for row in rows if row.shards == 1}
    for row in rows:
        common = p99_with_common_stalls(row, ones[row.work])
        off = "(used)" if row.shards == 1 else f"{100 * (row.simulated_median / row.median - 1):+.0f} %"
        figures = f"{row.median:.2f} | {row.simulated_median:.2f} | {off} | {row.p99:.2f} | {row.simulated_p99:.2f}"
        line = f"| {row.work} | {row.shards} | {figures} | {common:.2f} |"
        assert line in page, line
        assert row.simulated_median == pytest.approx(row.median, rel=0.08)
        assert row.simulated_p99 == pytest.approx(row.p99, rel=0.37)
        assert common == pytest.approx(row.p99, rel=0.17)
