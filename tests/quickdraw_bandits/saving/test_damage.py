"""A file that was cut short or altered is refused, wherever the damage is."""

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.saving.files import FORMAT


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "policy.qd"
    policy = qd.policies.UCB1(qd.Arms.grid(0, 1, 3), seed=0)
    policy.update([0.0, 1.0, 2.0], [0, 1, 2], [0.3, 0.9, 0.1])
    policy.expect(3.0, 1)
    qd.save(policy, path)
    assert len(path.read_bytes()) < 60_000
    return path


def is_refused(content, path):
    path.write_bytes(content)
    try:
        qd.load(path)
    except ValueError as error:
        return "policy.qd" in str(error)
    return False


@pytest.mark.slow
def test_every_truncation_is_refused(saved, tmp_path):
    content, damaged = saved.read_bytes(), tmp_path / "policy.qd"
    assert all(is_refused(content[:length], damaged) for length in range(len(content)))
    assert not is_refused(content, damaged)


@pytest.mark.slow
def test_every_altered_byte_is_refused(saved, tmp_path):
    content, damaged, random = saved.read_bytes(), tmp_path / "policy.qd", np.random.default_rng(0)
    for place, change in enumerate(random.integers(1, 256, size=len(content)).tolist()):
        altered = bytearray(content)
        altered[place] ^= change
        assert is_refused(altered, damaged), (place, change)


def test_bytes_behind_the_end_are_refused(saved, tmp_path):
    damaged = tmp_path / "policy.qd"
    damaged.write_bytes(saved.read_bytes() + b"\0")
    with pytest.raises(ValueError, match="checksum"):
        qd.load(damaged)


def test_a_newer_format_says_so(saved, tmp_path):
    newer = bytearray(saved.read_bytes())
    newer[8] += 1
    (tmp_path / "policy.qd").write_bytes(newer)
    with pytest.raises(ValueError, match=f"a newer version of quickdraw_bandits, in format {FORMAT + 1}"):
        qd.load(tmp_path / "policy.qd")


def test_what_was_saved_is_what_is_loaded(saved):
    policy = qd.load(saved)
    np.testing.assert_array_equal(policy.observations[2], [0.3, 0.9, 0.1])
    assert policy.pending[1].tolist() == [1]
