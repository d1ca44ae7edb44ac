import numpy as np
import pytest

from quickdraw_bandits.environments.streams import stream


def test_streams_are_the_children_of_the_seed():
    children = np.random.SeedSequence(12).spawn(3)
    for use, child in zip(("field", "noise", "warm-up"), children, strict=True):
        np.testing.assert_array_equal(stream(12, use).generate_state(8), child.generate_state(8))


@pytest.mark.parametrize("bad", [-1, 0.5, None])
def test_refuses_bad_seeds(bad):
    with pytest.raises(ValueError, match="seed must be an integer of at least 0"):
        stream(bad, "noise")
