"""A file that was cut short or altered is refused, wherever the damage is."""

import re

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.saving.files import FORMAT, from_bytes


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "policy.qd"
    policy = qd.policies.UCB1(qd.Arms.grid(0, 1, 3), seed=0)
    policy.update([0.0, 1.0, 2.0], [0, 1, 2], [0.3, 0.9, 0.1])
    policy.expect(3.0, 1)
    qd.save(policy, path)
    assert len(path.read_bytes()) < 60_000
    return path


def is_refused(content):
    try:
        from_bytes(content, "policy.qd")
    except ValueError as error:
        return "policy.qd" in str(error)
    return False


def test_every_truncation_is_refused(saved):
    content = saved.read_bytes()
    assert all(is_refused(content[:length]) for length in range(len(content)))
    assert not is_refused(content)


def test_every_altered_byte_is_refused(saved):
    content, random = saved.read_bytes(), np.random.default_rng(0)
    for place, change in enumerate(random.integers(1, 256, size=len(content)).tolist()):
        altered = bytearray(content)
        altered[place] ^= change
        assert is_refused(bytes(altered)), (place, change)


@pytest.mark.parametrize("length", [0, 20, -1])
def test_a_file_that_was_cut_short_is_named(saved, tmp_path, length):
    damaged = tmp_path / "policy.qd"
    damaged.write_bytes(saved.read_bytes()[:length])
    with pytest.raises(ValueError, match=re.escape(str(damaged))):
        qd.load(damaged)


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
