"""Where a policy cannot be saved to or loaded from, one error says why."""

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
