"""The switches of the ablation turn off what they say."""

import csv

import numpy as np
import pytest

import quickdraw_bandits as qd
from benchmarks import ablation
from benchmarks.product_form import fill_product, product_correlation
from quickdraw_bandits.policies.adaptive.correlation import Rates
from quickdraw_bandits.policies.adaptive.covariance import fill_covariance


@pytest.mark.parametrize("family", ["jagged", "rough", "medium", "smooth"])
def test_the_product_is_that_of_its_formula(family):
    random = np.random.default_rng(0)
    x, times, arms, noises = random.random((2, 9)), random.random(9) * 5, np.arange(9) // 2, random.random(9)
    x[:, 1::2] = x[:, :-1:2]
    rates = Rates.of(0.4, 2.0, family, share=0.3)
    squared = ((x[:, :, None] - x[:, None]) ** 2).sum(axis=0) / 0.4**2
    aged = (times[:, None] - times) ** 2 / 2.0**2
    c0 = {"jagged": lambda q: 1 / (1 + np.sqrt(q)), "rough": lambda q: 1 / (1 + q / 2)}
    c0 |= {"medium": lambda q: (1 + q / 8) ** -4.0, "smooth": lambda q: (1 + q / 32) ** -16.0}
    expected = 0.7 * c0[family](squared) * c0[family](aged) + 0.3 * (arms[:, None] == arms)
    found, out, joint = np.empty((9, 11)), np.empty((9, 11)), np.empty((9, 11))
    found = product_correlation(
        squared * 0.4**2, rates.recent * (times[:, None] - times) ** 2, arms[:, None] == arms, rates
    )
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    largest = fill_product(x, np.empty((0, 0)), arms, times, rates, noises, times, out)
    expected[np.diag_indices(9)] = 1 + noises
    np.testing.assert_allclose(out[:, :9], expected, rtol=1e-12)
    assert largest == pytest.approx(expected.sum(axis=1).max())
    # The joint form differs wherever both distance and age do, and fills the same places.
    fill_covariance(x, np.empty((0, 0)), arms, times, rates, noises, times, joint)
    np.testing.assert_allclose(joint[:, 9:], out[:, 9:])
    np.testing.assert_allclose(np.diag(joint), np.diag(out))
    assert (joint[np.triu_indices(9, 1)] != out[np.triu_indices(9, 1)]).any()


def test_every_part_can_be_switched_off_and_comes_back():
    def values():
        return {
            (module.__name__, name): getattr(module, name) for c in ablation.PARTS.values() for module, name, _ in c
        }

    before = values()
    for part, changes in ablation.PARTS.items():
        with ablation.changed(changes):
            for module, name, value in changes:
                assert getattr(module, name) is value, part
    assert values() == before


@pytest.mark.parametrize("part", ["product of distance and age", "no stays", "the oldest entries are dropped"])
def test_the_policy_plays_without_a_part(part):
    arms = qd.Arms.grid(0, 1, 30)
    with ablation.changed(ablation.PARTS[part]):
        policy = qd.AdaptiveQuickDraw(arms, seed=0)
        missed = []
        for k in range(40):
            arm = policy.select(k)
            missed.append(abs(arm - 20 - k / 10))
            policy.update(k, arm, -missed[-1])
    # By chance it is above 6; some of the choices explore.
    assert np.median(missed[20:]) <= 2


def test_the_table_compares_games_that_both_played(tmp_path):
    rows = [
        ("full policy", "field", "a", 1, 0.1),
        ("full policy", "field", "a", 2, 0.3),
        ("full policy", "field", "b", 1, 0.2),
        ("no stays", "field", "a", 1, 0.2),
        ("no stays", "field", "a", 2, 0.6),
        ("no stays", "field", "b", 1, 0.2),
        ("no stays", "field", "c", 1, 9.0),
    ]
    with (tmp_path / "games.csv").open("w", newline="") as file:
        csv.writer(file).writerows([ablation.COLUMNS, *rows])
    known = ablation.read(tmp_path / "games.csv")
    last = ablation.table(known).splitlines()[-1]
    # Ratios of 2 and 1: the geometric mean is sqrt(2).
    assert last.startswith("| no stays | 1.41 (")
    assert last.endswith(" | 2.00 | a |")
    page = tmp_path / "page.md"
    page.write_text(f"before\n{ablation.BEGIN}stale{ablation.END}\nafter\n")
    ablation.write(page, tmp_path / "games.csv")
    assert "stale" not in page.read_text()
    assert last in page.read_text()
    assert page.read_text().startswith("before\n")
    assert page.read_text().endswith("\nafter\n")
