"""Every id passes gymnasium's own checks and plays what the environment of the same name pays."""

import copy

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import quickdraw_bandits as qd
import quickdraw_bandits.gym  # registers the ids

ARMS = qd.Arms.grid(-1, 1, 5)
REWARDS = np.random.default_rng(0).random((8, 5))


def hill(x, t):
    return 1 - (x[0] - t) ** 2


MAKE = {
    "RandomField": {"n_arms": 5, "n_rounds": 8, "noise": 0.1},
    "KnownFunction": {"function": lambda x, t: x * t, "n_arms": 5, "n_rounds": 8, "noise": 0.1},
    "Recorded": {"rewards": REWARDS, "arms": ARMS, "noise": 0.1},
    "Box": {"function": hill, "low": [-1.0, -1.0], "high": [1.0, 1.0], "n_rounds": 8, "noise": 0.1},
}
ONE_BY_ONE = [name for name in MAKE if name != "Box"]


def make(name, **more):
    return gymnasium.make(f"quickdraw/{name}-v0", **MAKE[name], **more)


@pytest.mark.parametrize("delay", [0, 2, (0, 3)])
@pytest.mark.parametrize("name", MAKE)
def test_gymnasiums_checker_finds_nothing(name, delay):
    check_env(make(name, delay=delay).unwrapped)


def test_every_environment_of_the_library_has_an_id():
    public = {name: getattr(qd.environments, name) for name in qd.environments.__all__}
    kinds = {name for name, kind in public.items() if isinstance(kind, type)} - {"Environment"}
    ids = {
        id.removeprefix("quickdraw/").removesuffix("-v0") for id in gymnasium.registry if id.startswith("quickdraw/")
    }
    assert ids == kinds | {"Box"} == set(MAKE)


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_the_seed_of_the_episode_is_the_seed_of_the_environment(name):
    env = make(name)
    expected = getattr(qd.environments, name)(**MAKE[name], seed=7)
    observation, _ = env.reset(seed=7)
    for round in range(expected.n_rounds):
        assert observation[0] == expected.times[round]
        observation, reward, terminated, truncated, info = env.step(round % 5)
        assert reward == expected.pull(round, round % 5)
        assert info["mean"] == expected.mean[round, round % 5]
        assert info["regret"] == expected.best_mean[round] - info["mean"]
        assert terminated == (round == expected.n_rounds - 1)
        assert not truncated


def rewards_of_an_episode(env, action):
    over, rewards = False, []
    while not over:
        _, reward, over, _, _ = env.step(action)
        rewards.append(reward)
    return rewards


@pytest.mark.parametrize("name", MAKE)
def test_episodes_differ_without_a_seed_and_agree_with_one(name):
    env = make(name)
    action = env.action_space.sample()
    episodes = []
    for seed in (3, None, 3, None):
        env.reset(seed=seed)
        episodes.append(rewards_of_an_episode(env, action))
    assert episodes[0] == episodes[2]
    assert episodes[1] == episodes[3]
    assert episodes[0] != episodes[1]


def test_a_seed_beyond_the_range_of_the_environment_is_accepted():
    env = make("RandomField")
    episodes = []
    for seed in (2**32 + 1, 2**32 + 1, 2**32 + 2):
        env.reset(seed=seed)
        episodes.append(rewards_of_an_episode(env, 1))
    assert episodes[0] == episodes[1] != episodes[2]


def test_a_copy_goes_on_by_itself():
    env = make("RandomField", delay=1)
    env.reset(seed=0)
    env.step(1)
    other = copy.deepcopy(env)
    assert rewards_of_an_episode(env, 2) == rewards_of_an_episode(other, 2)


def test_environments_run_side_by_side():
    envs = gymnasium.make_vec("quickdraw/RandomField-v0", 3, "sync", **MAKE["RandomField"], delay=(0, 2))
    envs.reset(seed=0)
    _, rewards, _, _, info = envs.step(np.array([0, 1, 2]))
    for k in range(3):
        assert rewards[k] == sum(arrival.reward for arrival in info["arrivals"][k])


def test_the_seed_goes_to_reset():
    with pytest.raises(ValueError, match="seed must be given to reset, not to make; got seed=3"):
        make("RandomField", seed=3)
