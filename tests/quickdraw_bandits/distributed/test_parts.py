"""What parts may be, and what they may not."""

import copy

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.distributed import Deployment, ShardedQuickDraw

POINTS = np.random.default_rng(3).random((40, 2))


def test_files_are_read_by_the_shards(tmp_path, here):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    np.save(tmp_path / "first.npy", POINTS[:15])
    table = pyarrow.table({"id": np.arange(25), "x": POINTS[15:, 0], "y": POINTS[15:, 1]})
    parquet.write_table(table, tmp_path / "second.parquet")
    parts = [tmp_path / "first.npy", str(tmp_path / "second.parquet")]
    deployment = Deployment(host=here, columns=("x", "y"))
    policy = ShardedQuickDraw(parts, engine="exact", seed=0, deployment=deployment)
    one = qd.QuickDraw(qd.Arms(POINTS), engine="exact", seed=0)
    for each in (policy, one):
        each.update([0.0, 0.1], [3, 30], [0.2, 0.7])
    np.testing.assert_array_equal(policy.index(0.2), one.index(0.2))
    assert repr(policy) == "ShardedQuickDraw(ShardedArms(40 arms in 2 parts, metric='euclidean'))"


@pytest.mark.parametrize(
    ("parts", "parameters", "error", "message"),
    [
        ([], {}, ValueError, "parts must be a list of at least one array or path, got list"),
        (POINTS, {}, ValueError, "parts must be a list of at least one array or path, got ndarray"),
        (["arms.csv"], {}, ValueError, r"parts\[0\] must be an array or the path of a .npy or .parquet file"),
        ([POINTS, [[np.nan, 1.0]]], {}, ValueError, r"parts\[1\]: points must be finite"),
        ([POINTS, POINTS[:, :1]], {}, ValueError, r"parts\[1\] must have coordinates as parts\[0\], 2, got 1"),
        ([POINTS, POINTS.astype("f4")], {}, ValueError, r"parts\[1\] must have numbers of the type as parts\[0\]"),
        ([POINTS], {"metric": "precomputed"}, NotImplementedError, "use QuickDraw in one process"),
        ([POINTS], {"metric": "manhattan"}, ValueError, "metric must be one of"),
        ([POINTS], {"engine": "fast"}, ValueError, "engine must be one of"),
        ([POINTS], {"tolerance": -1.0}, ValueError, "tolerance must be"),
        ([POINTS], {"length_scale": 0.0}, ValueError, "length_scale must be"),
        ([POINTS * 0 + [1e300, 0], POINTS * -1e300], {}, ValueError, "points must have a diameter"),
    ],
)
def test_bad_input_is_named(deployment, parts, parameters, error, message):
    with pytest.raises(error, match=message):
        ShardedQuickDraw(parts, deployment=deployment, **parameters)


def test_bad_deployments_are_named():
    with pytest.raises(ValueError, match="on_loss must be one of wait, skip, got 'stop'"):
        Deployment(on_loss="stop")
    with pytest.raises(ValueError, match="at_once must be an integer of at least 1, got 0"):
        Deployment(at_once=0)


def test_what_cannot_be_done_says_what_can(deployment):
    policy = ShardedQuickDraw([POINTS], deployment=deployment)
    for attempt in (lambda: copy.deepcopy(policy), lambda: qd.save(policy, "policy.qd")):
        with pytest.raises(NotImplementedError, match=r"keep policy.observations, build a new policy"):
            attempt()
    with pytest.raises(ValueError, match="labels must be left out"):
        policy.add_arms([[0.1, 0.2]], labels=["a"])
    with pytest.raises(ValueError, match="points must have 2 coordinates"):
        policy.add_arms([[0.1]])
    with pytest.raises(ValueError, match="arm must be"):
        policy.update(0.0, 40, 0.5)
    assert policy.n_observations == 0


def test_arms_in_parts_have_no_labels_but_may_be_columns(here):
    pandas = pytest.importorskip("pandas")
    policy = ShardedQuickDraw([POINTS[:20], POINTS[20:]], seed=0, deployment=Deployment(host=here))
    log = pandas.DataFrame({"time": [0.0, 0.1], "arm": [3, 30], "reward": [0.2, 0.7]})
    policy.update(log["time"], log["arm"], log["reward"])
    assert policy.observations[1].tolist() == [3, 30]
    with pytest.raises(ValueError, match="arm must be a position, as the arms have no labels, got 'left'"):
        policy.update(0.2, "left", 0.1)
    with pytest.raises(ValueError, match="among must be a position"):
        policy.select(0.2, among=["left"])
