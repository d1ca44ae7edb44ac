import io
import sys

from quickdraw_cli import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_lines_where_there_is_no_terminal(capsys, monkeypatch):
    now = iter([-50.0, 0.0, 1.0, 12.0, 13.0, 20.0])
    monkeypatch.setattr(progress, "monotonic", lambda: next(now))
    with progress.progress_bars("rounds") as open_bar:
        report = open_bar("Random")
        for done in (0, 10, 40, 50, 100):
            report(done, 100)
    assert capsys.readouterr().err == (
        "Random: getting ready\n"
        "Random: 40 of 100 rounds in 12.0 s, about 18 s left\n"
        "Random: 100 of 100 rounds in 20.0 s\n"
    )


def test_bars_on_a_terminal(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    with progress.progress_bars("rounds") as open_bar:
        report = open_bar("QuickDraw")
        report(50, 100)
        report(100, 100)
    assert "QuickDraw" in terminal.getvalue()
    assert "None" not in terminal.getvalue()
    assert "100 of 100 rounds" in terminal.getvalue()


def test_lines_on_a_terminal_without_rich(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    with progress.progress_bars("runs") as open_bar:
        open_bar("Random")(3, 3)
    assert terminal.getvalue().startswith("Random: getting ready\nRandom: 3 of 3 runs in ")


def test_times_are_whole_on_a_narrow_terminal(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("TERM", "xterm")
    with progress.progress_bars("rounds") as open_bar:
        report = open_bar("SlidingEpsilonGreedy, matched")
        report(0, 864585)
        report(50, 864585)
        report(864585, 864585)
    assert "SlidingEpsilonGreedy, matched" in terminal.getvalue()
    assert "864585/864585" in terminal.getvalue()
    assert "0:00:00" in terminal.getvalue()
    assert "…" not in terminal.getvalue()
