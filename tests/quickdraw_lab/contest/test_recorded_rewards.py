import numpy as np
import pytest

from quickdraw_bandits.tables import fill_gaps
from quickdraw_lab.contest.recorded_rewards import checksum, read_recorded


def plain_fill(column):
    """Fill gaps one by one, by looking left and right."""
    filled = list(column)
    known = [i for i, value in enumerate(column) if not np.isnan(value)]
    for i, value in enumerate(column):
        if np.isnan(value):
            before = [k for k in known if k < i]
            after = [k for k in known if k > i]
            if not before or not after:
                filled[i] = column[after[0] if after else before[-1]]
            else:
                a, b = before[-1], after[0]
                filled[i] = column[a] + (column[b] - column[a]) * (i - a) / (b - a)
    return filled


def test_gaps_lie_on_the_line_between_their_neighbours():
    random = np.random.default_rng(0)
    rewards = random.normal(size=(40, 5))
    rewards[random.uniform(size=rewards.shape) < 0.4] = np.nan
    expected = np.column_stack([plain_fill(column) for column in rewards.T])
    np.testing.assert_allclose(fill_gaps(rewards), expected, rtol=1e-12)


def test_reads_rows_as_rounds_or_as_arms_and_scales(tmp_path):
    rewards = np.arange(60.0).reshape(30, 2)
    path = str(tmp_path / "r.npy")
    np.save(path, rewards)
    record = read_recorded(path, checksum(path))
    np.testing.assert_allclose(record.mean, rewards / 59)
    np.save(path, rewards.T)
    turned = read_recorded(path, checksum(path), arms_in_rows=True)
    np.testing.assert_array_equal(turned.mean, record.mean)


@pytest.mark.parametrize(
    ("rewards", "message"),
    [
        (np.zeros(30), "must have two dimensions"),
        (np.zeros((19, 2)), "must have at least 20 rounds, got 19"),
        (np.zeros((30, 0)), "must have at least one arm"),
        (np.zeros((30, 2)), "must be finite and vary, got values from 0 to 0"),
        (np.full((30, 2), np.nan), "must have at least one value for every arm, got none for arm 0"),
        (np.where(np.arange(60).reshape(30, 2) == 7, np.inf, 1.0), "must be finite and vary"),
    ],
)
def test_refuses_in_the_name_of_the_file(tmp_path, rewards, message):
    path = str(tmp_path / "r.npy")
    np.save(path, rewards)
    with pytest.raises(ValueError, match=f"r.npy: rewards {message}"):
        read_recorded(path, checksum(path))


def test_a_file_that_has_changed_or_gone_is_refused(tmp_path):
    path = str(tmp_path / "r.npy")
    np.save(path, np.arange(60.0).reshape(30, 2))
    with pytest.raises(ValueError, match="has changed since"):
        read_recorded(path, "00000000")
    with pytest.raises(ValueError, match="No such file"):
        checksum(str(tmp_path / "none.npy"))


def test_a_header_of_numbers_is_asked_for(tmp_path):
    path = tmp_path / "prices.csv"
    rewards = np.random.default_rng(0).random((30, 3)).round(3)
    path.write_text("4.99,5.99,6.49\n" + "\n".join(",".join(map(str, row)) for row in rewards.tolist()))
    content = checksum(str(path))
    with pytest.raises(ValueError, match="say which by header=True or header=False"):
        read_recorded(str(path), content)
    assert read_recorded(str(path), content, header=True).arms.points[:, 0].tolist() == [4.99, 5.99, 6.49]
    assert read_recorded(str(path), content, header=False).n_rounds == 31
