import subprocess
import sys

import pytest

import quickdraw_bandits as qd
from quickdraw_cli import main


def test_help_and_version(capsys):
    assert main(["--help"]) == 0
    assert "play" in capsys.readouterr().out
    assert main(["play", "--help"]) == 0
    assert "--length-x" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"quickdraw {qd.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        ([], "quickdraw: error: the following arguments are required: COMMAND"),
        (["dance"], "quickdraw: error: argument COMMAND: invalid choice: 'dance'"),
        (["play", "--speed"], "quickdraw play: error: unknown argument --speed; did you mean --seed?"),
        (["play", "--arms", "many"], "quickdraw play: error: argument --arms: invalid int value: 'many'"),
        (["tune"], "quickdraw tune: error: the following arguments are required: POLICY, --grid"),
    ],
)
def test_bad_options_are_one_line(capsys, arguments, start):
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(start)
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("two\nlines"), "quickdraw play: error: two lines\n"),
        (FileNotFoundError(2, "No such file or directory", "a.npy"), "error: a.npy: No such file or directory\n"),
        (OSError(28, "No space left on device"), "No space left on device\n"),
        (ImportError("figures need matplotlib"), "error: figures need matplotlib\n"),
        (MemoryError(), "error: MemoryError\n"),
    ],
)
def test_errors_are_one_line(capsys, monkeypatch, error, line):
    def fail(names):
        raise error

    monkeypatch.setattr("quickdraw_lab.players.built_in.find_policies", fail)
    assert main(["play"]) == 2
    said = capsys.readouterr().err
    assert said.endswith(line)
    assert said.count("\n") == 1


def test_a_mistake_in_the_program_is_not_hidden(monkeypatch):
    def fail(names):
        raise ZeroDivisionError

    monkeypatch.setattr("quickdraw_lab.players.built_in.find_policies", fail)
    with pytest.raises(ZeroDivisionError):
        main(["play"])


def test_stopping_is_one_line(capsys, monkeypatch):
    def stop(names):
        raise KeyboardInterrupt

    monkeypatch.setattr("quickdraw_lab.players.built_in.find_policies", stop)
    assert main(["play"]) == 130
    assert capsys.readouterr().err == "\nquickdraw play: stopped\n"


def test_asking_for_help_imports_nothing_heavy():
    code = (
        "import sys; from quickdraw_cli import main; main(['--help']); "
        "print(sorted({'numba', 'scipy', 'matplotlib', 'gstools', 'rich', 'sklearn'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


def test_runs_as_a_module():
    result = subprocess.run(
        [sys.executable, "-m", "quickdraw_cli", "play", "--policies", "nobody"], capture_output=True, text=True
    )
    assert result.returncode == 2
    assert result.stderr.startswith("quickdraw play: error: there is no policy 'nobody'; known policies are ")
    assert result.stderr.count("\n") == 1
