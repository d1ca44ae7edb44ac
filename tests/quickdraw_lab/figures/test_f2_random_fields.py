import csv

import numpy as np

from quickdraw_lab.figures.f2_random_fields import make_fields
from quickdraw_lab.testbed import TestBed


def test_one_field_at_two_powers_with_the_same_noise(tmp_path):
    assert make_fields("F2", TestBed(seed=1, n_arms=60, n_rounds=100, warmup=5), tmp_path) == [
        "F2.csv",
        "F2.png",
        "F2.svg",
    ]
    with open(tmp_path / "F2.csv", newline="") as file:
        table = np.array([[float(value) for value in row.values()] for row in csv.DictReader(file)])
    assert len(table) == 2 * 50 * 60
    one, three = table[table[:, 0] == 1.0], table[table[:, 0] == 3.0]
    np.testing.assert_array_equal(one[:, 1:3], three[:, 1:3])
    np.testing.assert_allclose(one[:, 3] ** 3, three[:, 3])
    noise = one[:, 4] - one[:, 3]
    np.testing.assert_allclose(noise, three[:, 4] - three[:, 3], atol=1e-12)
    assert 0.09 < noise.std() < 0.11  # 0.1, from 3000 draws
