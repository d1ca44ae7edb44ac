import numpy as np
import pytest

from quickdraw_bandits.environments.reward_files import read_rewards

REWARDS = np.array([[0.1, -2.5, 3.0], [1e-9, 0.0, 7.0]])


def test_npy(tmp_path):
    np.save(tmp_path / "a.npy", REWARDS)
    np.testing.assert_array_equal(read_rewards(str(tmp_path / "a.npy")).rewards, REWARDS)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz_with_one_array_of_any_name(tmp_path, save):
    save(tmp_path / "a.npz", REWARDS)
    np.testing.assert_array_equal(read_rewards(tmp_path / "a.npz").rewards, REWARDS)


def test_npz_with_names(tmp_path):
    np.savez(tmp_path / "a.npz", other=[1], rewards=REWARDS, times=[0.0, 1.0])
    content = read_rewards(tmp_path / "a.npz")
    assert content.times.tolist() == [0.0, 1.0]
    assert content.points is None


@pytest.mark.parametrize(
    "text",
    [
        "0.1,-2.5,3\n1e-9,0,7\n",
        "a,b,c\n0.1,-2.5,3\n1e-9,0,7",
        "\ufeffa,b,c\r\n0.1, -2.5, 3\r\n\r\n1e-9,0,7\r\n\r\n",
        '"arm, one",b,\n0.1,"-2.5",3\n1e-9,0,7\n',
    ],
)
def test_csv(tmp_path, text):
    (tmp_path / "a.CSV").write_text(text, encoding="utf-8")
    np.testing.assert_array_equal(read_rewards(tmp_path / "a.CSV").rewards, REWARDS)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"1;2\n3;4\n5,6", ": row 3 must have 2 fields as the first row has, got 1; .* semicolons$"),
        ("a.csv", b"x;y\n1,5;2\n", r": column 'x', row 1: .*with decimal commas, read with decimal=','\), got '1,5'"),
        ("a.csv", b"-inf,2\n", ": column '1', row 1: must be a finite number, got '-inf'"),
        ("a.doc", b"1,2", r": the file must be one of \.npy, \.npz, \.csv"),
        ("a", b"1,2", r": the file must be one of \.npy, \.npz, \.csv"),
        ("a.csv", b"", " must have columns, and is empty"),
        ("a.csv", b"x,y\n", " must hold at least one row below its header, got none"),
        ("a.csv", b"x,y\n1,2\n3\n", ": row 2 must have 2 fields as the header has, got 1; .*commas$"),
        ("a.csv", b"1,2\n3,oops\n", ": column '2', row 2: must be a finite number, got 'oops'"),
        ("a.csv", b"oops,2\n3,4\n", r": the first row \(oops, 2\) may be a header or a round of rewards; say which"),
        ("a.csv", b"2026-07-01,2\n2026-07-02,4\n", r": column '1', row 1: .*name a column of times"),
        ("a.csv", b"x,x\n1,2\n", " has more than one column 'x'"),
        (
            "a.csv",
            b"day,x\n2026-07-01,1\n",
            r"'day', row 1: .*name a column of times by time=\.\.\.\), got '2026-07-01'",
        ),
        ("a.csv", b'x,y\n1,"1,200.5"\n', "without separators of thousands, got '1,200.5'"),
        ("a.csv", b"x,y\r1,2\r", " must end its lines by a line feed"),
        ("a.csv", b"\xff\xfe1,2\n", " must be a CSV table in UTF-8, got UTF-16"),
        ("a.csv", b"x,y\n1,\xe9\n", " must be a CSV table in UTF-8, plain or gzip, and cannot be read"),
        ("a.parquet", b"x,y\n1,2\n", " must be a Parquet table, and cannot be read"),
        ("a.npy", b"", r"cannot be read as \.npy"),
        ("a.npy", b"not an array", r"cannot be read as \.npy"),
        ("a.npz", b"not an archive", r"cannot be read as \.npz"),
        ("a.npz", b"", r"cannot be read as \.npz"),
    ],
)
def test_bad_files_are_named(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=rf"{name}.*{message}"):
        read_rewards(tmp_path / name)


def test_torn_files_are_named(tmp_path):
    for save, name in [(np.save, "torn.npy"), (np.savez_compressed, "torn.npz")]:
        save(tmp_path / name, np.random.default_rng(0).random((50, 50)))
        whole = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(whole[: len(whole) // 2])
        with pytest.raises(ValueError, match=rf"{name}: cannot be read"):
            read_rewards(tmp_path / name)


def test_damaged_archive_is_named(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", np.random.default_rng(0).random((50, 50)))
    content = bytearray((tmp_path / "a.npz").read_bytes())
    content[400:500] = bytes(100)
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(ValueError, match=r"a\.npz: cannot be read"):
        read_rewards(tmp_path / "a.npz")


def test_code_in_files_is_never_run(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{"an": "object"}]), allow_pickle=True)
    np.savez(tmp_path / "a.npz", rewards=np.array([{"an": "object"}]))
    for name in ("a.npy", "a.npz"):
        with pytest.raises(ValueError, match=f"{name}: cannot be read.*allow_pickle"):
            read_rewards(tmp_path / name)


def test_archive_without_one_clear_array(tmp_path):
    np.savez(tmp_path / "a.npz", one=REWARDS, two=REWARDS)
    with pytest.raises(ValueError, match=r"a\.npz: .*one named 'rewards', got one, two"):
        read_rewards(tmp_path / "a.npz")


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(ValueError, match=r"none\.npy must be a file, and there is none"):
        read_rewards(tmp_path / "none.npy")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ValueError, match=r"folder\.csv must be a file"):
        read_rewards(tmp_path / "folder.csv")
