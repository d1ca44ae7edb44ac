"""Every call of a policy on parts of all kinds, with a shard lost in the middle of each."""

from dataclasses import astuple

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.distributed import ShardedAdaptiveQuickDraw, ShardedQuickDraw

N = 90


def parts_of(points, folder):
    """Return an array, a ``.npy`` file and a Parquet file."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    np.save(folder / "second.npy", points[31:32])
    parquet.write_table(pyarrow.table({"x": points[32:, 0], "y": points[32:, 1]}), folder / "third.parquet")
    return [points[:31], str(folder / "second.npy"), folder / "third.parquet"]


CALLS = {
    "select": lambda policy, time, _: policy.select(time),
    "among": lambda policy, time, k: policy.select(time, among=[(7 * k + j * j) % N for j in range(9)]),
    "mask": lambda policy, time, k: policy.select(time, among=np.arange(N) % 5 != k % 5),
    "count": lambda policy, time, _: policy.select(time, count=7).tolist(),
    "decide": lambda policy, time, _: astuple(policy.decide(time)),
    "decide among": lambda policy, time, k: astuple(policy.decide(time, among=[k % N, (3 * k) % N, (5 * k + 1) % N])),
    "estimate": lambda policy, time, k: np.concatenate(policy.estimate(time, arms=[k % N, 31, 89])).tolist(),
    "index": lambda policy, time, k: policy.index(time, arms=[0, k % N, 31]).tolist(),
    "explain": lambda policy, time, k: policy.explain(time, k % N).arms.tolist(),
}


@pytest.mark.parametrize(
    ("kind", "alone", "settings"),
    [
        (ShardedQuickDraw, qd.QuickDraw, {"length_scale": 0.3, "time_scale": 0.5, "engine": "exact", "seed": 2}),
        (ShardedAdaptiveQuickDraw, qd.AdaptiveQuickDraw, {"seed": 2}),
    ],
)
def test_every_answer_is_that_of_one_process(here, deployment, places, earned, tmp_path, kind, alone, settings):
    points = places("euclidean", N)  # many lie where others do, so that arms of several shards tie
    policy = kind(parts_of(points, tmp_path), deployment=deployment, **settings)
    one = alone(qd.Arms(points), **settings)
    random, lost = np.random.default_rng(0), 0

    def lose_one():
        here.before_answers = lambda: None
        here.lose(int(random.integers(3)))

    for k in range(40):
        time = 0.01 * k
        for name, call in CALLS.items():
            if name in ("estimate", "index", "explain") and k == 0:
                continue  # nothing is known yet
            here.before_answers = lose_one
            lost += 1
            assert call(policy, time, k) == pytest.approx(call(one, time, k), rel=1e-9), f"{name} in round {k}"
        arm = one.select(time)
        here.before_answers = lose_one
        assert policy.select(time) == arm
        for each in (policy, one):
            if k % 4 == 1:
                each.expect(time, arm)
            else:
                each.update([time, time], [arm, (arm + 40) % N], [earned(arm, time), 0.4])
            if k == 20:
                each.retire([3, 31, 45])
            if k % 8 == 5:
                each.forget(time, arm)
    assert policy.restarts > lost // 2
    np.testing.assert_array_equal(policy.observations[1], one.observations[1])
    np.testing.assert_array_equal(policy.pending[1], one.pending[1])


def test_a_shard_that_dies_every_time_is_an_error_and_not_a_wait_for_ever(here, deployment):
    points = np.random.default_rng(3).random((N, 2))
    policy = ShardedQuickDraw([points[:30], points[30:]], deployment=deployment, seed=0)
    policy.update(0.0, 3, 0.5)
    here.before_answers = lambda: here.lose(1)
    with pytest.raises(RuntimeError, match=r"shard 1 did not answer \d+ times: lost"):
        policy.select(0.1)
    here.before_answers = lambda: None
    one = qd.QuickDraw(qd.Arms(points), seed=0)
    one.update(0.0, 3, 0.5)
    assert policy.index(0.1) == pytest.approx(one.index(0.1))


@pytest.mark.parametrize("kind", [ShardedQuickDraw, ShardedAdaptiveQuickDraw])
def test_a_closed_policy_says_so(deployment, kind):
    with kind([np.random.default_rng(3).random((N, 2))], deployment=deployment, seed=0) as policy:
        policy.update(0.0, 3, 0.5)
    for call in (lambda: policy.select(0.1), lambda: policy.estimate(0.1, arms=[3, 4]), policy.processes):
        with pytest.raises(RuntimeError, match="closed"):
            call()
    policy.close()
