"""Settings of all tests.

Checks that need a program or library of their own are collected only where it is, and named where it is not.
"""

import importlib.util
import os
import shutil

# Tests run in several processes, where threads of BLAS wait for each other; before NumPy is imported.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
# Where the cache is empty, every process of the tests would start a helper that compiles; its own tests switch it on.
os.environ.setdefault("QUICKDRAW_COMPILE_ASIDE", "0")

import numpy as np  # noqa: E402
import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

import quickdraw_bandits as qd  # noqa: E402

# The same random problems every time, so that a change is judged by what it changes; QUICKDRAW_NEW_PROBLEMS=1 looks
# for new ones.
settings.register_profile("fixed", derandomize=True, deadline=None)
if not os.environ.get("QUICKDRAW_NEW_PROBLEMS"):
    settings.load_profile("fixed")

collect_ignore = []
_left_out = []

if not (shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")):
    collect_ignore += ["quickdraw_lab/browser", "quickdraw_service/browser", "docs/browser"]
    _left_out.append("left out, as there is no Chromium: the pages in a browser (tests/*/browser)")
if importlib.util.find_spec("ray") is None:
    collect_ignore += ["quickdraw_lab/cluster", "quickdraw_bandits/distributed/test_on_ray.py"]
    _left_out.append(
        "left out, as Ray is not installed: the same table from a Ray cluster (tests/quickdraw_lab/cluster) and shards "
        "on Ray (tests/quickdraw_bandits/distributed/test_on_ray.py)"
    )


NEED_NO_COMPILED_CODE = (
    "tests/packaging/",  # which compiles in an environment of its own
    "tests/docs/browser/",
    "tests/docs/test_site.py",
    "tests/docs/test_architecture.py",
    "tests/quickdraw_lab/browser/",
    "tests/quickdraw_lab/claims/",
    "tests/quickdraw_lab/report/",
    "tests/quickdraw_service/api/",
    "tests/quickdraw_service/stores/",
    "tests/quickdraw_bandits/tables/",
    "tests/quickdraw_bandits/datasets/",
    "tests/quickdraw_bandits/environments/",
)


def pytest_collection_modifyitems(items):
    """Let one process begin with tests that need no compiled code, while the other compiles what both need.

    On an empty cache, both would compile the same functions at the same time otherwise. Tests that run mypy come last:
    `make test` runs it at the beginning, and they take what it has found about the sources from its cache.
    """
    items.sort(key=lambda item: not item.nodeid.startswith(NEED_NO_COMPILED_CODE))
    items.sort(key=lambda item: item.nodeid.startswith("tests/examples/test_typed.py::test_mypy"))


@pytest.fixture
def beats_random():
    """Return a check that the regret of a policy is at most a share of that of random play, beyond chance.

    Over some environments, the mean of (regret - share · regret of random play) must lie below 0 by three of its
    standard errors. The share is what is asked of the policy, in round numbers; how sure one can be of it does not
    depend on a lucky seed, since the environments are those of seeds 0, 1, 2, … without a choice.
    """

    def check(environments, build, share, warmup=100):
        excess = []
        for seed, env in enumerate(environments):
            chance = qd.simulate(qd.policies.Random(env.arms, seed=seed), env, warmup).regret_per_round
            excess.append(qd.simulate(build(env, seed), env, warmup).regret_per_round - share * chance)
        assert len(excess) >= 4
        assert np.mean(excess) + 3 * np.std(excess, ddof=1) / np.sqrt(len(excess)) < 0

    return check


@pytest.fixture
def few_draws(monkeypatch):
    """Let predictive sampling count an eighth of its draws: each of its probabilities takes milliseconds otherwise."""
    monkeypatch.setattr("quickdraw_bandits.policies.predictive_sampling.DRAWS", 32)


@pytest.fixture(scope="session")
def run_here():
    """Return a twin of ``run_on_pool`` that starts no processes, which takes seconds each time."""

    def run(play, tasks, jobs):
        for task in tasks:
            yield from play(task)

    return run


@pytest.fixture
def in_this_process(monkeypatch, run_here):
    """Play runs in the process of the test."""
    monkeypatch.setattr("quickdraw_lab.runner.pool.run_on_pool", run_here)


def pytest_terminal_summary(terminalreporter):
    for line in _left_out:
        terminalreporter.write_line(line)
