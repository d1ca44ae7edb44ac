import math

import pytest

from quickdraw_lab.claims.verdicts import Comparison, compare, compare_share, overall, paired


def comparison(low, high, above=-1.0, below=1.0, n=10):
    return Comparison("", (low + high) / 2, low, high, above, below, n)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-0.9, 0.9, "holds"),
        (0.5, 1.5, "open"),
        (-1.5, -0.5, "open"),
        (-2.0, 2.0, "open"),
        (1.1, 1.2, "does not hold"),
        (-1.2, -1.1, "does not hold"),
    ],
)
def test_the_whole_interval_decides(low, high, verdict):
    assert comparison(low, high).verdict == verdict


def test_one_field_settles_nothing():
    assert compare("", [0.5], above=0.0).verdict == "open"


def test_a_claim_of_several():
    holds, fails, open_ = comparison(0, 0.1), comparison(2, 3), comparison(0, 2)
    assert overall([holds, holds]) == "holds"
    assert overall([holds, open_]) == "open"
    assert overall([holds, open_, fails]) == "does not hold"
    assert overall([]) == "not measured"


def test_pairing_is_by_field():
    assert paired({"a": 1.0, "b": 5.0, "c": 9.0}, {"c": 1.0, "b": 2.0}) == [3.0, 8.0]
    with pytest.raises(KeyError):
        paired({"a": 1.0}, {"b": 1.0})


def test_pairing_finds_what_fields_hide():
    """Fields differ by far more than policies do; the paired difference settles what two means cannot."""
    one = {str(field): 100.0 * field for field in range(10)}
    other = {field: value + 1 + 0.1 * (int(field) % 2) for field, value in one.items()}
    assert compare("", paired(one, other), below=0.0).verdict == "holds"


@pytest.mark.parametrize(
    ("above", "below", "claimed"),
    [(-math.inf, -0.0, "below 0"), (0.5, math.inf, "above 0.5"), (-0.04, 0.04, "-0.04 to 0.04")],
)
def test_says_what_was_claimed(above, below, claimed):
    assert str(comparison(0.1, 0.3, above, below)) == f": 0.2 [0.1, 0.3], claimed {claimed}"


def test_one_field_shows_that_something_happens():
    assert compare_share("", [False, True, False], above=0.0).verdict == "holds"
    assert compare_share("", [False, False, False], above=0.0).verdict == "open"
