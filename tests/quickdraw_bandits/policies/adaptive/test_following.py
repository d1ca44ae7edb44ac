"""Following a single peak: who decides, and what is chosen then."""

import copy

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.policies.adaptive import peaks, stay
from quickdraw_bandits.policies.adaptive.peaks import Peaks
from quickdraw_bandits.policies.clock_warning import ClockWarning

ROUNDS = 600


def to_and_fro(k):
    """Where the peak is in a round, from 0 to 1."""
    return abs((k / 80) % 2 - 1)


def reward_at(place, k, random):
    """The reward of a beam: one peak with weak noise, whose height flickers."""
    height = 1 + 0.2 * random.standard_normal()
    return 0.05 + 0.5 * height / (1 + ((place - to_and_fro(k)) / 0.04) ** 4) + 0.02 * random.standard_normal()


def play(policy, places, rounds=ROUNDS, begin=0, seed=1, time=lambda k: k, scale=lambda y: y):
    """Play after 100 random rounds; return how far from the peak each choice was, and its arm."""
    random = np.random.default_rng([seed, begin])
    off, chosen = [], []
    for k in range(begin, begin + rounds):
        arm = int(random.integers(len(places))) if k < 100 else policy.select(time(k))
        policy.update(time(k), arm, scale(reward_at(places[arm], k, random)))
        off.append(abs(places[arm] - to_and_fro(k)))
        chosen.append(arm)
    return np.array(off), chosen


@pytest.fixture(scope="module")
def following():
    """A policy that follows a peak, the places of its arms, and how far off it was."""
    places = np.linspace(0, 1, 64)
    policy = qd.AdaptiveQuickDraw(qd.Arms(places), seed=0)
    off, _ = play(policy, places)
    assert policy.scales.peak_width is not None
    return policy, places, off


def test_a_peak_is_followed_closely(following):
    _, _, off = following
    # Two thirds of the rounds, within about two beams; a field alone has fewer than half, see the next test.
    assert (off[300:] < 0.04).mean() > 0.65


def test_without_the_filter_the_peak_is_followed_less_closely(following, monkeypatch):
    _, places, off = following
    monkeypatch.setattr(peaks, "LEADS", np.inf)
    policy = qd.AdaptiveQuickDraw(qd.Arms(places), seed=0)
    field, _ = play(policy, places)
    assert policy.scales.peak_width is None
    assert (field[300:] < 0.04).mean() < (off[300:] < 0.04).mean() - 0.1


def test_scales_show_width_and_velocity_of_the_peak(following):
    policy, _, _ = following
    scales = policy.scales
    assert scales.peak_width in peaks.WIDTHS
    (velocity,) = scales.velocity
    # At round 600 the peak has gone towards 1 for 40 rounds, by 1/80 per round.
    assert 1 / 160 < velocity < 1 / 40


def test_questions_agree_with_the_choice(following):
    policy, places, _ = following
    mean, deviation = policy.estimate(ROUNDS)
    index = policy.index(ROUNDS)
    np.testing.assert_allclose(index, mean)
    assert (deviation > 0).all()
    probabilities = policy.probabilities(ROUNDS)
    assert probabilities.argmax() == index.argmax() == copy.deepcopy(policy).select(ROUNDS)
    assert probabilities.sum() == pytest.approx(1)
    why = policy.explain(ROUNDS, int(index.argmax()))
    assert (why.mean, why.deviation, why.index) == (mean.max(), deviation[index.argmax()], index.max())
    assert abs(places[index.argmax()] - to_and_fro(ROUNDS)) < 0.1


def test_estimates_of_the_past_are_those_of_the_field(following, monkeypatch):
    policy, places, _ = following
    was = {time: policy.estimate(time)[0].argmax() for time in range(ROUNDS - 80, ROUNDS - 1, 4)}
    off = [abs(places[best] - to_and_fro(time)) for time, best in was.items()]
    # A field lags behind a peak that travels. The peak of today, and the middle of the line, are off by a quarter.
    assert np.median(off) < 0.18
    field = copy.deepcopy(policy)
    field._peaks.leads = False
    np.testing.assert_array_equal(field.estimate(500), policy.estimate(500))


def test_only_eligible_arms_are_chosen(following):
    policy, _, _ = following
    index = policy.index(ROUNDS)
    some = [3, 11, 50, 63]
    assert copy.deepcopy(policy).select(ROUNDS, among=some) == some[int(index[some].argmax())]
    decision = copy.deepcopy(policy).decide(ROUNDS, among=some)
    assert decision.probability == policy.probabilities(ROUNDS, among=some)[decision.arm] == 1
    retiring = copy.deepcopy(policy)
    retiring.retire([int(index.argmax())])
    assert retiring.select(ROUNDS) == int(np.argsort(index)[-2])


def test_arms_tried_at_once_differ(following):
    policy, _, _ = following
    several = copy.deepcopy(policy).select(ROUNDS, count=5)
    assert len(set(several.tolist())) == 5
    assert several[0] == policy.index(ROUNDS).argmax()


def test_while_a_pull_is_pending_the_field_decides(following, monkeypatch):
    policy, _, _ = following
    waiting = copy.deepcopy(policy)
    waiting.expect(ROUNDS, 7)
    monkeypatch.setattr(Peaks, "at", None)  # would raise if it were asked
    assert 0 <= waiting.select(ROUNDS) < 64
    waiting.forget(ROUNDS, 7)
    with pytest.raises(TypeError):
        waiting.select(ROUNDS)


def test_a_saved_policy_goes_on_alike(following, tmp_path):
    policy, places, _ = following
    qd.save(policy, tmp_path / "policy.qd")
    loaded = qd.load(tmp_path / "policy.qd")
    one, other = (play(each, places, 60, ROUNDS)[1] for each in (copy.deepcopy(policy), loaded))
    assert one == other


def test_units_of_time_rewards_and_distance_change_no_choice():
    places = np.linspace(0, 1, 64)
    one = qd.AdaptiveQuickDraw(qd.Arms(places), seed=0)
    other = qd.AdaptiveQuickDraw(qd.Arms(1024 * places), seed=0)
    _, chosen = play(one, places, 250)
    _, alike = play(other, places, 250, time=lambda k: 0.25 * k + 16, scale=lambda y: 64 * y)
    assert one.scales.peak_width is not None
    assert other.scales.peak_width == pytest.approx(one.scales.peak_width)  # distances are fractions of the largest
    assert chosen == alike


def test_a_wrong_time_asked_for_changes_nothing_for_good(following):
    policy, places, _ = following
    asked = copy.deepcopy(policy)
    with pytest.warns(ClockWarning):
        assert 0 <= asked.select(1e300) < 64
    for time in (-1e300, ROUNDS * 1e9):
        assert 0 <= asked.select(time) < 64
    off, _ = play(asked, places, 100, ROUNDS)
    assert (off < 0.04).mean() > 0.5


def test_a_reward_of_a_million_is_passed_over(following):
    policy, places, _ = following
    struck = copy.deepcopy(policy)
    struck.update(ROUNDS, 20, 1e6)
    off, _ = play(struck, places, 40, ROUNDS + 1)
    assert (off[20:] < 0.04).mean() > 0.5


def test_other_rewards_from_now_on_are_learned(following):
    policy, places, _ = following
    changed = copy.deepcopy(policy)
    off, _ = play(changed, places, 500, ROUNDS, scale=lambda y: 1000 * (y + 3))
    assert (off[300:] < 0.04).mean() > 0.35  # by chance 0.08


def test_history_at_once_is_where_the_peak_is_found(following):
    policy, _, _ = following
    times, arms, rewards = policy.observations
    loaded = copy.deepcopy(policy)
    loaded.update(times[-30:] + 100, arms[-30:], rewards[-30:])
    assert loaded.index(ROUNDS + 100).argmax() != policy.index(ROUNDS + 100).argmax()
    assert loaded.scales.peak_width is not None


@pytest.mark.parametrize("wrong", [1e4, 1e12])
def test_one_reward_with_a_wrong_time_costs_some_rounds(following, wrong):
    policy, places, _ = following
    misled = copy.deepcopy(policy)
    misled.update(ROUNDS + wrong, 3, 0.05)
    off, chosen = play(misled, places, 300, ROUNDS + 1)
    assert len(set(chosen[100:])) > 30
    assert (off[100:] < 0.08).mean() > 0.5


def test_a_clock_that_starts_again_does_not_end_in_one_arm(following):
    policy, places, _ = following
    again = copy.deepcopy(policy)
    _, chosen = play(again, places, 200, ROUNDS, time=lambda k: k - ROUNDS)
    assert len(set(chosen[100:])) > 20


def test_rewards_that_come_in_pairs_are_judged(following):
    policy, places, _ = following
    paired, random, rewards = copy.deepcopy(policy), np.random.default_rng(3), []
    for k in range(ROUNDS, ROUNDS + 400, 2):
        arms = [paired.select(k), paired.select(k + 1)]
        paid = [0.3 * np.sin(6 * np.pi * places[arm]) + 0.3 + 0.02 * random.standard_normal() for arm in arms]
        paired.update([k, k + 1], arms, paid)
        rewards += paid
    assert paired.scales.peak_width is None
    assert np.mean(rewards[-100:]) > 0.5  # at most 0.6; random arms have 0.3


@pytest.mark.parametrize("scale", [lambda y: y - 2, lambda y: y + 3])
def test_another_level_of_all_rewards_is_learned(following, scale):
    policy, places, _ = following
    moved = copy.deepcopy(policy)
    play(moved, places, 100, ROUNDS, scale=scale)
    peaks_ = moved._peaks
    low = peaks_._units.centre + peaks_._units.unit * peaks_.best.profile.low
    assert abs(low - scale(0.05)) < 0.5


def test_a_history_after_a_few_rounds_says_where_the_peak_is():
    places, random = np.linspace(0, 1, 64), np.random.default_rng(2)
    policy = qd.AdaptiveQuickDraw(qd.Arms(places), seed=0)
    play(policy, places, 8)
    policy.select(8)
    arms = random.integers(64, size=300)
    rewards = [reward_at(places[arm], k, random) for k, arm in enumerate(arms, start=8)]
    policy.update(np.arange(8, 308), arms, rewards)
    likely = policy._peaks.best.chances.sum(axis=0)
    assert likely.max() > 3 * likely.mean()


def test_asking_changes_nothing_that_is_saved(following, tmp_path):
    policy, _, _ = following
    asked = copy.deepcopy(policy)
    qd.save(asked, tmp_path / "before.qd")
    asked.probabilities(ROUNDS), asked.estimate(ROUNDS), asked.index(ROUNDS), asked.explain(ROUNDS, 3)
    qd.save(asked, tmp_path / "after.qd")
    assert (tmp_path / "before.qd").read_bytes() == (tmp_path / "after.qd").read_bytes()


def test_late_rewards_leave_the_peak_where_it_is(following):
    policy, _, _ = following
    late = copy.deepcopy(policy)
    late.update(ROUNDS - 30.0, 5, 0.9)
    np.testing.assert_array_equal(late.index(ROUNDS), policy.index(ROUNDS))


def test_added_arms_make_the_line_longer(following):
    policy, _, _ = following
    grown = copy.deepcopy(policy)
    grown.add_arms(np.linspace(1.02, 1.5, 32)[:, None])
    mean, _ = grown.estimate(ROUNDS)
    assert len(mean) == 96
    # The peak is where it was; only the line is longer, and with it the width, which is a part of its length.
    assert abs(np.linspace(0, 1, 64)[mean[:64].argmax()] - to_and_fro(ROUNDS)) < 0.1
    assert mean[64:].max() < mean.max()
    assert grown.scales.peak_width > policy.scales.peak_width


@pytest.mark.parametrize(
    "added",
    [
        pytest.param(np.full(100, 0.5), id="at one place"),
        pytest.param([2.0], id="one far away"),
        pytest.param([1000.0], id="one very far away"),
    ],
)
def test_among_arms_that_are_no_line_of_the_same_length_the_field_decides(following, added):
    policy, places, _ = following
    grown = copy.deepcopy(policy)
    grown.add_arms(np.reshape(added, (-1, 1)))
    assert grown.scales.peak_width is None
    # With the peak that was followed before, 0.02 to 0.2 of the rounds were within 0.04.
    off, _ = play(grown, np.append(places, added), 200, ROUNDS)
    assert (off[50:] < 0.04).mean() > 0.3


@pytest.mark.parametrize("struck", [1e6, -1e6, 1e300])
def test_an_outlier_among_the_first_rewards_is_not_taken_for_the_peak(struck):
    places, k = np.linspace(0, 1, 64), iter(range(ROUNDS))
    policy = qd.AdaptiveQuickDraw(qd.Arms(places), seed=0)
    off, _ = play(policy, places, scale=lambda reward: struck if next(k) == 10 else reward)
    # Taken for the reward of the peak, it kept the peak from deciding for 1,500 rounds.
    assert (off[300:] < 0.04).mean() > 0.65


def test_scales_have_no_peak_while_the_field_decides(following):
    policy, _, _ = following
    waiting = copy.deepcopy(policy)
    waiting.expect(ROUNDS, 7)
    assert waiting.scales.peak_width is None
    assert waiting.scales.velocity != policy.scales.velocity


def test_a_history_in_any_order_is_taken_in_by_its_times(following):
    policy, places, _ = following
    random = np.random.default_rng(5)
    arms = random.integers(64, size=40)
    times = ROUNDS + np.arange(40.0)
    rewards = np.array([reward_at(places[arm], k, random) for k, arm in zip(times, arms, strict=True)])
    order = random.permutation(40)
    one, other = copy.deepcopy(policy), copy.deepcopy(policy)
    one.update(times, arms, rewards)
    other.update(times[order], arms[order], rewards[order])
    np.testing.assert_array_equal(one._peaks.best.chances, other._peaks.best.chances)


def test_nothing_is_stayed_at_while_a_peak_is_followed(following, monkeypatch):
    policy, _, _ = following
    monkeypatch.setattr(stay, "rounds", lambda candidate, observations: 5)
    followed, field = copy.deepcopy(policy), copy.deepcopy(policy)
    followed.select(ROUNDS)
    assert followed._stay is None
    field._peaks.leads = False
    field.select(ROUNDS)
    assert field._stay is not None


def test_a_box_of_one_dimension_is_searched_for_the_peak():
    policy = qd.AdaptiveQuickDraw(qd.Box([10.0], [20.0]), seed=0)
    random, off = np.random.default_rng(3), []
    for k in range(400):
        place = random.uniform(10, 20, 1) if k < 100 else policy.select(k)
        policy.update(k, place, reward_at(place[0] / 10 - 1, k, random))
        off.append(abs(place[0] / 10 - 1 - to_and_fro(k)))
    assert policy.scales.peak_width is not None
    assert (np.array(off[250:]) < 0.04).mean() > 0.5
