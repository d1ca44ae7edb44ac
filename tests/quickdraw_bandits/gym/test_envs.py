"""Late rewards, actions, and input that is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quickdraw_bandits as qd
from quickdraw_bandits.gym import BanditEnv, BoxEnv

REWARDS = np.random.default_rng(0).random((20, 4))
RECORDED = qd.environments.Recorded(REWARDS, qd.Arms.grid(0, 1, 4), times=np.arange(20.0))


def episode(env, seed=0):
    """Return the rewards and the arrivals of every step; the arm of round r is r modulo 4."""
    env.reset(seed=seed)
    rewards, arrivals, over = [], [], False
    while not over:
        _, reward, over, _, info = env.step(len(rewards) % 4)
        rewards.append(reward)
        arrivals.append(info["arrivals"])
    return rewards, arrivals


@given(low=st.integers(0, 6), spread=st.integers(0, 25), seed=st.integers(0, 2**32))
def test_every_reward_arrives_once_with_its_pull_and_within_the_delay(low, spread, seed):
    rewards, arrivals = episode(BanditEnv(RECORDED, delay=(low, low + spread)), seed)
    assert len(rewards) == 20
    for round, arrived in enumerate(arrivals):
        assert rewards[round] == pytest.approx(sum(arrival.reward for arrival in arrived))
        for time, arm, reward in arrived:
            assert arm == time % 4
            assert reward == REWARDS[int(time), arm]
            assert round - time <= low + spread
            assert round - time >= low or round == 19
    assert sorted(arrival.time for arrived in arrivals for arrival in arrived) == list(range(20))


def test_a_fixed_delay_keeps_the_order():
    _, arrivals = episode(BanditEnv(RECORDED, delay=3))
    assert [[arrival.time for arrival in arrived] for arrived in arrivals] == [
        *([] for _ in range(3)),
        *([time] for time in range(16)),
        [16, 17, 18, 19],
    ]


def test_random_delays_change_the_order():
    _, arrivals = episode(BanditEnv(RECORDED, delay=(0, 8)))
    times = [arrival.time for arrived in arrivals for arrival in arrived]
    assert times != sorted(times)


def test_a_box_pays_the_function_and_noise_of_its_seed():
    def function(x, t):
        return x[0] + 10 * x[1] + 100 * t

    env = BoxEnv(function, [0, 0], [1, 2], n_rounds=400, noise=0.5, best=lambda t: 21 + 100 * t)
    draws = []
    for seed in (1, 1, 2):
        observation, _ = env.reset(seed=seed)
        over, noise = False, []
        while not over:
            time = observation[0]
            observation, reward, over, _, info = env.step(np.array([0.5, 1.0]))
            assert info["mean"] == pytest.approx(10.5 + 100 * time)
            assert info["regret"] == pytest.approx(10.5)
            noise.append(reward - info["mean"])
        draws.append(noise)
    assert draws[0] == draws[1]
    assert draws[0] != draws[2]
    assert np.std(draws[0]) == pytest.approx(0.5, rel=0.15)
    assert info["arrivals"][0].arm.tolist() == [0.5, 1.0]


def test_an_unknown_best_mean_leaves_the_regret_out():
    env = BoxEnv(lambda x, t: 0.0, n_rounds=2)
    env.reset()
    assert "regret" not in env.step([0.0])[4]


def test_one_round_is_an_episode():
    env = BanditEnv(qd.environments.Recorded([[0.5, 0.6]], qd.Arms([0.0, 1.0])), delay=5)
    env.reset()
    observation, reward, terminated, _, _ = env.step(1)
    assert (reward, terminated) == (0.6, True)
    assert observation in env.observation_space
    with pytest.raises(RuntimeError, match="the episode is over; call reset"):
        env.step(1)


def test_a_step_before_reset_is_refused():
    with pytest.raises(RuntimeError, match="call reset"):
        BanditEnv(RECORDED).step(0)


@pytest.mark.parametrize(
    ("delay", "message"),
    [
        (-1, "delay must be"),
        (1.5, "delay must be"),
        ((1, 2, 3), "delay must be a number of rounds, or the smallest and the largest"),
        ((3, 1), "the largest delay must be .* at least 3"),
        ((-1, 1), "the smallest delay must be"),
    ],
)
def test_a_bad_delay_is_refused(delay, message):
    with pytest.raises(ValueError, match=message):
        BanditEnv(RECORDED, delay=delay)


def test_bad_input_is_refused_and_leaves_the_round():
    env = BanditEnv(RECORDED)
    env.reset()
    with pytest.raises(ValueError, match=r"action must be .* 3"):
        env.step(4)
    box = BoxEnv(lambda x, t: 1.0)
    box.reset()
    with pytest.raises(ValueError, match="action must lie in Box"):
        box.step([3.0])
    assert env.step(2)[1] == REWARDS[0, 2]
    with pytest.raises(ValueError, match="function must be a function, got None"):
        BoxEnv(None)
    with pytest.raises(ValueError, match="environment must be an Environment, or a function"):
        BanditEnv(REWARDS)


def test_a_function_that_fails_to_pay_is_named():
    env = BoxEnv(lambda x, t: float("nan"), n_rounds=2)
    env.reset()
    with pytest.raises(ValueError, match=r"function at \[0.5\] and time 0 must be a finite number, got nan"):
        env.step([0.5])


def test_episodes_must_have_the_same_arms():
    def build(seed):
        return qd.environments.Recorded(REWARDS[:, : 4 - (seed > 0)], qd.Arms.grid(0, 1, 4 - (seed > 0)))

    with pytest.raises(ValueError, match="the same arms and times from every seed"):
        BanditEnv(build).reset(seed=1)
