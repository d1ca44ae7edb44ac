"""Each test of a claim on tables so small that its comparisons can be worked out by hand."""

import csv
import math

import pytest

from quickdraw_lab.claims import checks
from quickdraw_lab.result_tables import Tables


@pytest.fixture
def write(tmp_path):
    def write(name, columns, rows):
        with open(tmp_path / f"{name}.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerows([columns.split(), *rows])
        return Tables(tmp_path)

    return write


def regrets(write, piece, table):
    """Write a sweep; the regret of a policy at a value on two fields, which differ by nothing that matters."""
    rows = [
        (value, policy, field, regret + 0.01 * field)
        for (policy, value), regret in table.items()
        for field in range(2)
    ]  # fmt: skip
    return write(piece, "value policy field regret_per_round", rows)


def test_below_is_by_a_share_of_the_regret_of_random(write):
    tables = regrets(write, "F4", {("Random", 0.1): 0.495, ("Restless", 0.1): 0.3, ("QuickDraw", 0.1): 0.1})
    [found] = checks.below("F4", ["QuickDraw"], ["Restless"], [0.1], margin=0.1)(tables)
    assert found.what == "Quick-Draw − Restless at sigma_noise = 0.1"
    assert (found.mean, found.above, found.below) == pytest.approx((-0.2, -math.inf, -0.05))


def test_close_is_within_a_tenth_of_the_regret_of_random(write):
    tables = regrets(write, "F6", {("Random", 1e-3): 0.495, ("Restless", 1e-3): 0.3, ("QuickDraw", 1e-3): 0.28})
    [found] = checks.close("F6", [("QuickDraw", "Restless")], [1e-3])(tables)
    assert (found.mean, found.above, found.below) == pytest.approx((-0.02, -0.05, 0.05))


def test_rises_from_the_first_value_to_the_second(write):
    tables = regrets(write, "F9", {("QuickDraw", 1.0): 0.1, ("QuickDraw", 0.1): 0.3})
    [found] = checks.rises("F9", ["QuickDraw"], [(1.0, 0.1)])(tables)
    assert found.what == "Quick-Draw at l_t = 0.1 − at 1"
    assert (found.mean, found.above) == pytest.approx((0.2, 0.0))


def test_degrading_less_compares_rises(write):
    table = {("QuickDraw", 0.0): 0.1, ("QuickDraw", 0.5): 0.2, ("Restless", 0.0): 0.2, ("Restless", 0.5): 0.6}
    [found] = checks.degrades_less("F4", "QuickDraw", ["Restless"], (0.0, 0.5))(regrets(write, "F4", table))
    assert (found.mean, found.below) == pytest.approx((0.1 - 0.4, 0.0))


@pytest.mark.parametrize(
    ("shares", "overconfident", "sometimes_right"),
    [([0.2, 0.21, 0.22], "holds", "open"), ([0.2, 0.01, 0.02], "open", "holds")],
)
def test_a_bound_of_two_standard_deviations_lets_few_arms_through(write, shares, overconfident, sometimes_right):
    tables = write("F11_bounds", "field above_share", list(enumerate(shares)))
    [too_narrow], [right] = checks.overconfident(tables), checks.sometimes_right(tables)
    assert too_narrow.above == pytest.approx(0.02275, abs=1e-5)  # of a standard normal number above 2
    assert too_narrow.mean == pytest.approx(sum(shares) / 3)
    assert right.mean == sum(share < 0.0227 for share in shares) / 3
    assert (too_narrow.verdict, right.verdict) == (overconfident, sometimes_right)


def test_rounds_are_timed_by_orders_of_magnitude(write):
    """Rounds of 1 ms; of 1 s at first and 10 s later on; the first round of all does not count."""
    quick, slow = [5.0] + [0.001] * 4, [7.0, 1.0, 1.0, 10.0, 10.0]
    times = {"QuickDraw": quick, "GPUCB (george)": slow, "GPUCB (scikit-learn)": slow}
    rows = [(policy, i, sum(each[: i + 1])) for policy, each in times.items() for i in range(5)]
    tables = write("F1", "policy round cumulative_seconds", rows)
    [ratio] = checks.faster("george")(tables)
    assert (ratio.mean, ratio.above, ratio.n) == pytest.approx((3.5, 2.0, 4))
    steady, *others = checks.slows_down(tables)
    assert (steady.mean, steady.above, steady.below) == pytest.approx((0.0, -0.1, 0.1), abs=1e-9)
    assert [(each.mean, each.above) for each in others] == [pytest.approx((1.0, 0.0))] * 2


def test_sensitivity_is_the_mean_regret_above_the_least(write):
    rows = [("GPUCB", 0, 0.1), ("GPUCB", 0, 0.5), ("QuickDraw", 0, 0.2), ("QuickDraw", 0, 0.3)]
    [found] = checks.more_sensitive(write("F1_sensitivity", "policy function regret_per_round", rows))
    assert found.mean == pytest.approx(0.2 - 0.05)


def test_a_table_that_lacks_a_value_is_told(write):
    tables = regrets(write, "F9", {("QuickDraw", 1.0): 0.1})
    with pytest.raises(KeyError):
        list(checks.rises("F9", ["QuickDraw"], [(1.0, 0.1)])(tables))
