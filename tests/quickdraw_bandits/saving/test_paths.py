"""Where a policy cannot be saved to or loaded from, one error says why."""

import os

import numpy as np
import pytest

import quickdraw_bandits as qd


@pytest.fixture
def policy():
    return qd.QuickDraw(qd.Arms.grid(0, 1, 5), seed=0)


def test_a_missing_folder_is_named_and_not_the_temporary_file(policy, tmp_path):
    with pytest.raises(ValueError, match=r"folder that exists, got .*nowhere/policy\.qd$"):
        qd.save(policy, tmp_path / "nowhere" / "policy.qd")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", [None, 3, b"policy.qd"])
def test_what_is_no_path_is_refused(policy, path):
    with pytest.raises(ValueError, match="path must be the name of a file"):
        qd.save(policy, path)
    with pytest.raises(ValueError, match="path must be the name of a file"):
        qd.load(path)


def test_a_folder_is_no_file(policy, tmp_path):
    with pytest.raises(ValueError, match="path must be the name of a file, got the folder"):
        qd.save(policy, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_keeps_its_permissions_and_a_link_its_target(policy, tmp_path):
    real, link = tmp_path / "real.qd", tmp_path / "link.qd"
    mask = os.umask(0o027)
    try:
        qd.save(policy, real)
    finally:
        os.umask(mask)
    assert real.stat().st_mode & 0o777 == 0o640
    real.chmod(0o604)
    link.symlink_to(real)
    before = real.read_bytes()
    policy.update(0.0, 1, 0.5)
    qd.save(policy, link)
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o604
    assert real.read_bytes() != before
    assert sorted(tmp_path.iterdir()) == [link, real]


def test_arms_with_other_labels_are_others(tmp_path):
    points, path = [[0.0], [1.0], [2.0]], tmp_path / "policy.qd"
    policy = qd.QuickDraw(qd.Arms(points, labels=["a", "b", "c"]), seed=0)
    policy.update(0.0, "a", 0.9)
    qd.save(policy, path)
    for labels in (["c", "b", "a"], None):
        with pytest.raises(ValueError, match="with the same labels"):
            qd.load(path, arms=qd.Arms(points, labels=labels))
    with pytest.raises(ValueError, match="arms must be an Arms set or a Box, got list"):
        qd.load(path, arms=points)
    assert qd.load(path, arms=qd.Arms(points, labels=["a", "b", "c"])).observations[2].tolist() == [0.9]


@pytest.mark.parametrize("arms", [True, False])
def test_arms_of_the_same_numbers_in_another_shape_or_type_are_others(tmp_path, arms):
    policy = qd.QuickDraw(qd.Arms(np.zeros((8, 1)), scale=False), seed=0)
    policy.update([0.0, 1.0], [7, 3], [0.1, 0.3])
    qd.save(policy, tmp_path / "policy.qd", arms)
    for points in (np.zeros((4, 2)), np.zeros((2, 4)), np.zeros((16, 1), np.float32)):
        with pytest.raises(ValueError, match="arms must be those of the policy in"):
            qd.load(tmp_path / "policy.qd", arms=qd.Arms(points, scale=False))
    assert len(qd.load(tmp_path / "policy.qd", arms=qd.Arms(np.zeros((8, 1)), scale=False)).arms) == 8
