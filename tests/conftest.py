"""Checks that need a program or library of their own are collected only where it is, and named where it is not."""

import importlib.util
import shutil

collect_ignore = []
_left_out = []

if not (shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")):
    collect_ignore.append("browser")
    _left_out.append("left out, as there is no Chromium: opening the report in a browser (tests/browser)")
if importlib.util.find_spec("ray") is None:
    collect_ignore.append("cluster")
    _left_out.append("left out, as Ray is not installed: the same table from a Ray cluster (tests/cluster)")


def pytest_terminal_summary(terminalreporter):
    for line in _left_out:
        terminalreporter.write_line(line)
