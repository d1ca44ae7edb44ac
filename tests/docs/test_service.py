"""The commands and the program on the page about the service do what it says."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from quickdraw_service.limits import Limits

PAGE = (Path(__file__).parents[2] / "docs" / "service.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(bash|json|python)\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path):
    """Return a folder with a running server of the store ``shop.db``, and a ``quickdraw`` command for it."""
    command = tmp_path / "bin" / "quickdraw"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m quickdraw_cli "$@"\n')
    command.chmod(0o755)
    (command.parent / "python").symlink_to(sys.executable)
    return tmp_path


def shell(folder, text, port):
    environment = os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euc", text.replace(":8000", f":{port}").replace("curl ", "curl -s ")],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def same_shape(shown, given):
    """Whether two values have the same fields and types; numbers and texts may differ."""
    if isinstance(shown, dict):
        return shown.keys() == given.keys() and all(same_shape(shown[key], given[key]) for key in shown)
    if isinstance(shown, list):
        return len(shown) == len(given) and all(map(same_shape, shown, given))
    return type(shown) is type(given)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_commands_of_the_page_run_in_order(folder):
    assert "serve --store sqlite:///shop.db" in BLOCKS[0][1]
    server = subprocess.Popen(
        [sys.executable, "-m", "quickdraw_cli", "serve", "--store", "sqlite:///shop.db", "--port", "0"],
        cwd=folder, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        port = next(int(found[1]) for line in server.stdout if (found := re.match(r"ready on .*:(\d+)", line)))
        output, compared = "", 0
        for kind, text in BLOCKS[1:]:
            if kind == "bash" and "keys add" not in text:
                output = shell(folder, text, port)
                if "curl" in text and "-o " not in text:
                    answer = json.loads(output)
                    assert ("error" in answer) == ("cuont" in text)
            elif kind == "json" and output:
                assert same_shape(json.loads(text), json.loads(output)), (text, output)
                if "outcomes" in text or "error" in text:
                    assert json.loads(text) == json.loads(output)
                output, compared = "", compared + 1
            elif kind == "python":
                exec(text.replace(":8000", f":{port}"), {})
        assert compared == 5
        assert "Random" in (folder / "evaluated" / "estimates.csv").read_text()
        (keys,) = [text for kind, text in BLOCKS if kind == "bash" and "keys add" in text]
        listed = shell(folder, keys, port)
        assert "web shop" in listed
        assert len(re.findall(r"^qd_\w{8}_\S{43}$", listed, re.MULTILINE)) == 2
    finally:
        server.terminate()
        server.communicate(timeout=60)
    assert server.returncode == 0


def test_the_limits_on_the_page_are_those_of_the_server():
    table = PAGE.split("| limit | default | meaning |")[1].split("\n\n")[0]
    shown = {
        name: int(value.replace(",", ""))
        for name, value in re.findall(r"^\| `(\w+)` \| ([\d,]+) ", table, re.MULTILINE)
    }
    assert shown == vars(Limits())
