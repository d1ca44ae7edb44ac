import argparse
import sys

import pytest

from quickdraw_cli.options import add_jobs, add_runner_options, import_from_working_folder, runner_of


def parse(*given):
    parser = argparse.ArgumentParser()
    add_jobs(parser)
    add_runner_options(parser)
    return parser.parse_args(given)


@pytest.mark.parametrize("option", ["--runner", "--engine"])
def test_the_runner_is_the_one_asked_for(monkeypatch, option):
    """Under its former name as well."""
    asked = []
    monkeypatch.setattr("quickdraw_lab.runner.ray_cluster.require_ray", lambda: None)
    monkeypatch.setattr("quickdraw_lab.runner.ray_cluster.require_cluster", asked.append)
    runner = runner_of(parse(option, "ray", "--ray-address", "10.0.0.1:6379", "--jobs", "3"), print)
    assert (runner.func.__name__, runner.args) == ("run_on_ray", (print,))
    assert runner.keywords == {"jobs": 3, "address": "10.0.0.1:6379"}
    assert asked == ["10.0.0.1:6379"]
    assert runner_of(parse("--jobs", "2"), print).func.__name__ == "run_on_pool"


def test_the_working_folder_comes_last_and_once(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["first"])
    import_from_working_folder()
    import_from_working_folder()
    assert sys.path == ["first", str(tmp_path)]
