import numpy as np
import pytest

from quickdraw_lab.testbed import FieldSetting, TestBed


def test_the_base_setting_and_size_are_the_papers():
    env = TestBed().environment(0, FieldSetting())
    assert (env.length_x, env.length_t, env.power, env.noise) == (0.1, 0.1, 1.0, 0.0)
    assert (len(env.arms), env.n_rounds, TestBed().warmup) == (1000, 1000, 100)


def test_each_field_has_its_own_seed_and_each_bed_its_own_fields():
    seeds = [TestBed(seed).field_seed(field) for seed in range(3) for field in range(100)]
    assert len(set(seeds)) == 300
    assert seeds[5] == int(np.random.SeedSequence(0, spawn_key=(5,)).generate_state(1)[0])
    # Those of the default seed are none of the fields on which the defaults of the baselines were chosen.
    assert not set(seeds[:100]) & {*range(2000, 2016), *range(10_000, 10_031)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": -1}, "seed must be an integer of at least 0, got -1"),
        ({"n_arms": 1}, "n_arms must be an integer of at least 2, got 1"),
        ({"n_rounds": 0}, "n_rounds must be an integer of at least 2, got 0"),
        ({"n_rounds": 50, "warmup": 50}, "warmup must be an integer from 0 to 49, got 50"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        TestBed(**arguments)
