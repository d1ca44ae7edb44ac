import math

import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.environments import KnownFunction, RandomField

GRID = {"window": [5, 20], "epsilon": [0.05, 0.5, 1.0]}


def fields(n=3):
    return [RandomField(noise=0.1, n_arms=20, n_rounds=60, seed=s) for s in range(n)]


def without_times(result):
    return [{k: v for k, v in row.items() if k != "seconds_per_choice"} for row in result.rows]


def test_rows_against_plain_runs():
    result = qd.tune(qd.policies.SlidingEpsilonGreedy, GRID, fields(), warmup=10, seed=4)
    expected = []
    for window in GRID["window"]:
        for epsilon in GRID["epsilon"]:
            traces = []
            for seed, env in enumerate(fields(), start=4):
                policy = qd.policies.SlidingEpsilonGreedy(env.arms, window, epsilon, seed=seed)
                traces.append(qd.simulate(policy, env, warmup=10, seed=seed))
            rewards = [trace.reward_per_round for trace in traces]
            mean = sum(rewards) / 3
            expected.append(
                {
                    "window": window,
                    "epsilon": epsilon,
                    "reward_per_round": pytest.approx(mean),
                    "standard_error": pytest.approx(math.sqrt(sum((r - mean) ** 2 for r in rewards) / 2 / 3)),
                    "regret_per_round": pytest.approx(sum(trace.regret_per_round for trace in traces) / 3),
                }
            )
    got = without_times(result)
    assert sorted(got, key=lambda r: (r["window"], r["epsilon"])) == expected
    assert [r["reward_per_round"] for r in got] == sorted((r["reward_per_round"] for r in got), reverse=True)
    assert result.best == {"window": got[0]["window"], "epsilon": got[0]["epsilon"]}
    assert result.policy == "SlidingEpsilonGreedy"
    assert all(row["seconds_per_choice"] > 0 for row in result.rows)


def test_the_same_result_for_any_number_of_jobs(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    alone = qd.tune(qd.policies.SlidingEpsilonGreedy, GRID, fields(2), warmup=10, jobs=1)
    seen = []
    together = qd.tune(
        qd.policies.SlidingEpsilonGreedy,
        GRID,
        fields(2),
        warmup=10,
        jobs=2,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert without_times(alone) == without_times(together)
    assert seen == [(i, 12) for i in range(13)]


class FirstArm:
    """Earns what its parameter says, whatever the seed."""

    built = 0

    def __init__(self, arms, arm, seed=None):
        type(self).built += 1
        self.arm = arm

    def select(self, time):
        return self.arm

    def update(self, time, arm, reward):
        pass


def test_finds_the_best_arm_and_takes_any_policy():
    env = KnownFunction(lambda x: -abs(x - 0.5), n_arms=5, n_rounds=6)
    result = qd.tune(FirstArm, {"arm": range(5)}, env, warmup=0)
    assert result.best == {"arm": 3}
    assert [row["arm"] for row in result.rows] == [3, 2, 4, 1, 0]  # 2 and 4 earn the same: in the order of the grid
    assert math.isnan(result.rows[0]["standard_error"])


def test_every_setting_meets_the_same_conditions():
    """A parameter that changes nothing changes no number."""

    class Indifferent(qd.policies.Random):
        def __init__(self, arms, dial, seed=None):
            super().__init__(arms, seed)

    rows = without_times(qd.tune(Indifferent, {"dial": [1, 2]}, fields(2), warmup=10))
    assert {**rows[0], "dial": 0} == {**rows[1], "dial": 0}
    assert rows[0]["dial"] != rows[1]["dial"]


def test_environments_are_not_filled_by_playing():
    env = RandomField(n_arms=20, n_rounds=30)
    qd.tune(qd.policies.SlidingEpsilonGreedy, {"epsilon": [0.1]}, [env], warmup=5)
    assert "mean" not in vars(env)


def test_table_lines_up_and_starts_with_the_best():
    env = KnownFunction(lambda x: x, n_arms=3, n_rounds=4)
    lines = qd.tune(FirstArm, {"arm": [0, 2]}, env, warmup=1).table().splitlines()
    assert lines[0].split() == ["arm", "reward_per_round", "standard_error", "regret_per_round", "seconds_per_choice"]
    assert lines[1].split()[:4] == ["2", "1", "-", "0"]
    assert lines[2].split()[:4] == ["0", "-1", "-", "2"]
    assert len({len(line) for line in lines}) == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"grid": {"speed": [1]}}, "grid must name parameters of FirstArm: arm; got 'speed'"),
        ({"grid": {"arms": [1]}}, "grid must name parameters of FirstArm: arm; got 'arms'"),
        ({"grid": {"seed": [1]}}, "grid must name parameters of FirstArm: arm; got 'seed'"),
        ({"grid": {"arm": []}}, "grid must have at least one value for arm, got none"),
        ({"grid": {"arm": 3}}, "grid must have a list of values for arm, got 3"),
        ({"grid": {}}, "grid must name at least one parameter of FirstArm"),
        ({"grid": [("arm", [0])]}, "grid must be a dictionary with one list per parameter, got list"),
        ({"environments": []}, "environments must be one environment or several, got none"),
        ({"environments": [3]}, "environments must hold environments, got int"),
        ({"environments": 3}, "environments must be one environment or several, got 3"),
        ({"warmup": 6}, "warmup must be an integer from 0 to 5, got 6"),
        ({"seed": -1}, "seed must be an integer of at least 0"),
        ({"jobs": 0}, "jobs must be an integer of at least 1"),
        ({"policy_class": 3}, "policy_class must be a policy class, got 3"),
    ],
)
def test_bad_input_runs_nothing(changed, message):
    env = KnownFunction(lambda x: x, n_arms=3, n_rounds=6)
    seen = []
    arguments = {"policy_class": FirstArm, "grid": {"arm": [0]}, "environments": env, "warmup": 1}
    with pytest.raises(ValueError, match=message):
        qd.tune(**{**arguments, **changed}, progress=lambda *a: seen.append(a))
    assert seen == []


def test_bad_values_are_found_before_anything_runs():
    seen = []
    with pytest.raises(ValueError, match="epsilon must be between 0 and 1"):
        qd.tune(
            qd.policies.SlidingEpsilonGreedy,
            {"epsilon": [0.1, 7]},
            fields(1),
            warmup=5,
            progress=lambda *a: seen.append(a),
        )
    assert seen == []
