"""Levels in blocks of arms, which are made in turns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quickdraw_bandits as qd
from quickdraw_bandits.interpolation.engines.tables import table_sums as sums_module
from quickdraw_bandits.interpolation.engines.tables import turns as module
from quickdraw_bandits.interpolation.engines.tables.turns import Turns, left_out


@pytest.fixture
def small_blocks(monkeypatch):
    """Cut tables of few arms as those of very many are."""
    monkeypatch.setattr(module, "WORK", 500)
    monkeypatch.setattr(module, "GRAIN", 4)


@given(st.integers(1, 3_000_000), st.sampled_from([(7, 1.0), (8, 0.5), (10, 0.5)]))
def test_blocks_cover_all_arms_and_lie_within_those_of_the_level_below(n_arms, nodes_and_share):
    turns = Turns(n_arms, *nodes_and_share)
    for number in range(14):
        edges = turns.edges(number)
        assert (edges[0], edges[-1]) == (0, n_arms)
        assert (np.diff(edges) > 0).all()
        assert turns.count(number) == len(edges) - 1 <= turns.period(number)
        above = turns.edges(number + 1)
        for block in range(turns.count(number)):
            inside = turns.above(number, block)
            assert 1 <= len(inside) <= 2
            assert above[inside[0]] == edges[block]
            assert above[inside[-1] + 1] == edges[block + 1]


@pytest.mark.parametrize("n_arms", [30_000, 200_000, 1_000_000])
def test_every_block_has_one_turn_a_period_and_few_have_it_at_once(n_arms):
    turns = Turns(n_arms, nodes=7, share=1.0)
    for number in range(8):
        period, count = turns.period(number), turns.count(number)
        due = [turns.due(number, n - 1, n) for n in range(1000, 1000 + period)]
        assert sorted(block for some in due for block in some) == list(range(count))
        assert max(map(len, due)) == 1


@pytest.mark.parametrize("n_arms", [5_000, 20_000, 100_000, 1_000_000])
def test_blocks_of_every_level_are_spread_over_its_period(n_arms):
    """In each quarter of it, about as many have their turn; also where levels have no more blocks than those below."""
    turns = Turns(n_arms, nodes=7, share=1.0)
    for number in range(12):
        period, count = turns.period(number), turns.count(number)
        quarters = [len(turns.due(number, k * period // 4, (k + 1) * period // 4)) for k in range(4)]
        assert sum(quarters) == count
        if count >= 16:
            assert max(quarters) - min(quarters) <= count // 8


def test_a_block_is_made_when_one_above_it_is_new_or_halfway():
    turns = Turns(500_000, nodes=7, share=1.0)
    last: dict[tuple[int, int], int] = {}
    ages = set()
    for n in range(2000):
        for number in (4, 3, 2, 1, 0):
            for block in turns.due(number, n - 1, n):
                last[number, block] = n
                if n > 1000 and number < 4:
                    ages |= {
                        (n - last[number + 1, above]) / turns.period(number) for above in turns.above(number, block)
                    }
    assert ages == {0, 1}


def game(policy, rounds, jitter=0.0):
    """Play, and return the choices."""
    random, time, chosen = np.random.default_rng(5), 0.0, []
    places = np.asarray(policy.arms.points)
    for _ in range(rounds):
        time += 1e-3 * (random.exponential() if jitter else 1.0)
        arm = policy.select(time)
        chosen.append(arm)
        policy.update(time, arm, float(0.5 + 0.3 * np.sin(5 * places[arm].sum() + 4 * time)))
    return chosen


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("sharpness", [1, 2, 3])
@pytest.mark.parametrize("jitter", [False, True])
def test_choices_are_those_of_the_formula(metric, sharpness, jitter):
    arms = qd.Arms(np.random.default_rng(1).normal(size=(70, 4)), metric=metric)
    policy = qd.QuickDraw(arms, length_scale=0.3, time_scale=0.4, sharpness=sharpness, engine="exact", seed=0)
    random, time, blocks = np.random.default_rng(2), 0.0, 0
    for k in range(420):
        time += 1e-3 * (random.exponential() if jitter else 1.0)
        arm = policy.select(time)
        if k:
            index = policy.index(time)
            assert index[arm] >= index.max() - 1e-12
        blocks = max(blocks, *(len(level) for level in policy._engine._levels._levels.values()), 0)
        policy.update(time, arm, float(np.sin(5 * arms.points[arm].sum() + 4 * time)))
    assert blocks >= 8


@pytest.mark.usefixtures("small_blocks")
def test_an_estimate_from_blocks_is_within_the_tolerance_when_the_clock_jumps():
    arms = qd.Arms(np.random.default_rng(1).random((90, 2)))
    policy = qd.QuickDraw(arms, length_scale=0.3, engine="cached", tolerance=2e-2, cap=None, seed=0)
    random, time = np.random.default_rng(3), 0.0
    for _ in range(300):
        time += float(random.choice([-2e-3, 1e-3, 1e-3, 1e-3, 0.3], p=[0.05, 0.3, 0.3, 0.3, 0.05]))
        arm = policy.select(time)
        if policy.n_observations:
            index = policy.index(time)
            assert index[arm] >= index.max() - 2e-2
        policy.update(time, arm, float(random.random()))


@pytest.fixture
def summed(monkeypatch):
    """Return a list to whose last entry the kernel evaluations for tables are added."""
    summed = [0.0]
    add = sums_module.add_observations

    def counted(scaled, observed, positions, time, after, units, sharpness, tables, begin, end):
        summed[-1] += len(observed.times) * len(after) * (end - begin)
        return add(scaled, observed, positions, time, after, units, sharpness, tables, begin, end)

    monkeypatch.setattr(sums_module, "add_observations", counted)
    return summed


@pytest.mark.usefixtures("small_blocks")
def test_no_round_makes_many_blocks(summed):
    """The largest sum of a round is a small multiple of the mean, where all at once would be a hundred times that."""
    arms = qd.Arms(np.random.default_rng(1).random((256, 2)))
    policy = qd.QuickDraw(arms, length_scale=0.3, engine="cached", seed=0)
    policy.update(np.arange(600) * 1e-3, np.arange(600) % 256, np.linspace(0, 1, 600))
    for k in range(600, 2600):
        arm = policy.select(k * 1e-3)
        policy.update(k * 1e-3, arm, 0.5)
        summed.append(0.0)
    rounds = np.array(summed[400:-1])
    top = 2 * left_out(6) * 7 * 256
    assert rounds.max() < 5 * rounds.mean() < top / 4


@pytest.mark.usefixtures("small_blocks")
def test_blocks_do_not_end_together_where_no_observations_come(summed):
    """Choices alone, while the time since the last observation grows to sixteen times what it was."""
    arms = qd.Arms(np.random.default_rng(1).random((256, 2)))
    policy = qd.QuickDraw(arms, length_scale=0.3, time_scale=100.0, engine="cached", seed=0)
    policy.update(np.arange(2600) * 1e-3, np.arange(2600) % 256, np.linspace(0, 1, 2600))
    for k in range(1500):
        policy.select(2.7 + k * 1e-3)
        summed.append(0.0)
    rounds = np.array(summed[1:-1])
    everything = 2600 * 7 * 256
    assert rounds.sum() > everything
    assert rounds.max() < everything / 4


@pytest.mark.usefixtures("small_blocks")
def test_asking_and_saving_change_no_choice(tmp_path):
    arms = qd.Arms(np.random.default_rng(1).random((100, 2)))

    def build():
        return qd.QuickDraw(arms, length_scale=0.3, engine="cached", seed=0)

    plain = build()
    expected = game(plain, 300, jitter=1.0)
    asked = build()
    original = asked.select

    def select(time):
        asked.probabilities(time)
        return original(time)

    asked.select = select
    assert game(asked, 300, jitter=1.0) == expected
    qd.save(plain, tmp_path / "policy.qd")
    again = qd.load(tmp_path / "policy.qd")
    for k in range(300):
        time = 0.5 + 1e-3 * k
        arm = plain.select(time)
        assert again.select(time) == arm
        for policy in (plain, again):
            policy.update(time, arm, 0.4)


@pytest.mark.usefixtures("small_blocks")
def test_probabilities_name_the_arm_that_is_chosen_next():
    arms = qd.Arms(np.random.default_rng(1).random((100, 2)))
    policy = qd.QuickDraw(arms, length_scale=0.3, engine="cached", seed=0)
    for k in range(300):
        likely = policy.probabilities(1e-3 * k)
        arm = policy.select(1e-3 * k)
        assert likely[arm] > 0
        policy.update(1e-3 * k, arm, 0.1 * (k % 7))
