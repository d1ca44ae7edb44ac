"""For how long an arm is played where a single reward says little."""

import numpy as np
import pytest

from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.policies.adaptive.scales import Candidate
from quickdraw_bandits.policies.adaptive.stay import Stay, rounds


@pytest.mark.parametrize(
    ("noise", "age", "observations", "expected"),
    [
        (1e-5, 1e4, 10**5, 1),  # without noise every reward counts
        (3.0, 1e4, 1000, 1),
        (300.0, 1e4, 5000, 30),  # a tenth of the noise
        (300.0, 1e4, 100, 6),  # few observations: each is still news
        (300.0, 200.0, 5000, 5),  # a fast drift
        (0.1, 1e4, 20000, 10),  # a long history
    ],
)
def test_a_stay_is_longer_with_more_noise_and_shorter_with_fast_drift(noise, age, observations, expected):
    assert rounds(Candidate("smooth", 0.1, age, noise, 1), observations) == expected


def test_a_stay_ends_with_its_observations_or_its_time():
    stay = Stay(arm=3, observations=20, until=7.0)
    assert stay.lasts(7.0, 19)
    assert not stay.lasts(7.0, 20)
    assert not stay.lasts(7.1, 19)


def test_a_stay_is_for_the_arms_that_it_was_chosen_among():
    some, same, others = (Subset(5, positions=np.array(each)) for each in ([1, 3], [1, 3], [1, 4]))
    assert Stay(3, 20, 7.0).suits(None)
    assert not Stay(3, 20, 7.0).suits(some)
    stay = Stay(3, 20, 7.0, some.mask)
    assert (stay.suits(same), stay.suits(others), stay.suits(None)) == (True, False, False)
