"""Settings of all tests.

Checks that need a program or library of their own are collected only where it is, and named where it is not.
"""

import importlib.util
import os
import shutil

from hypothesis import settings

# The same random problems every time, so that a change is judged by what it changes; QUICKDRAW_NEW_PROBLEMS=1 looks
# for new ones.
settings.register_profile("fixed", derandomize=True, deadline=None)
if not os.environ.get("QUICKDRAW_NEW_PROBLEMS"):
    settings.load_profile("fixed")

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
