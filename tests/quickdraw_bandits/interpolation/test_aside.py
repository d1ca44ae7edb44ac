"""Compiling aside: the same choices without compiled code, and helpers that come to an end."""

import os
import stat
import subprocess
import sys
from time import monotonic, sleep
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quickdraw_bandits as qd
from quickdraw_bandits.interpolation import aside, auto
from quickdraw_bandits.interpolation.direct import DirectSum
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.observations import Observations

RANDOM = np.random.default_rng(3)
POINTS = RANDOM.standard_normal((60, 16))
ARMS = {
    "line": qd.Arms.grid(0, 1, 60),
    "plane, float32": qd.Arms(POINTS[:, :2].astype(np.float32)),
    "cosine": qd.Arms(POINTS, metric="cosine"),
    "haversine": qd.Arms(POINTS[:20, :2] / 4, metric="haversine"),
    "precomputed": qd.Arms(np.abs(np.subtract.outer(np.arange(30.0), np.arange(30.0))), metric="precomputed"),
}


def code_on_its_way(monkeypatch, patience=np.inf):
    """Make this process do without compiled code; return what says so for each type of coordinates."""
    with monkeypatch.context() as patch:
        patch.setattr(aside, "can_be_compiled_aside", lambda: False)
        codes = {kind: aside.Code(kind) for kind in "df"}
    for code in codes.values():
        code.is_missing, code._left = True, patience
    monkeypatch.setattr(aside, "_codes", codes)
    return codes


def played(arms, sharpness, rounds, after_round=lambda k, policy: None, engine="auto"):
    """Return all choices of a game with pending pulls and subsets."""
    policy = qd.QuickDraw(arms, time_scale=0.2, sharpness=sharpness, seed=0, engine=engine)
    chosen = []
    for k in range(rounds):
        time = 1e-3 * k
        if k % 9 == 8:
            chosen.append(policy.select(time, among=np.arange(5, len(arms))))
        if k % 7 == 6:
            chosen.append(int(policy.probabilities(time).argmax()))
        arm = policy.select(time)
        if k % 5 == 4:
            policy.expect(time, arm)
            chosen += policy.select(time, count=2).tolist()
        policy.update(time, arm, 0.5 + 0.4 * np.sin(arm / 5 + 3 * time))
        chosen.append(arm)
        after_round(k, policy)
    return chosen


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize(("sharpness", "arrival"), [(1, 0), (1, 40), (2, 120), (3, 250)])
def test_choices_do_not_depend_on_when_code_arrives(monkeypatch, name, sharpness, arrival):
    """The last rounds are within the tolerance: these depend on which tables were made when."""
    rounds = 420 if arrival else 60
    alone = played(ARMS[name], sharpness, rounds)
    codes = code_on_its_way(monkeypatch)

    def arrive(k, policy):
        for code in codes.values():
            code.is_missing = k < arrival

    assert played(ARMS[name], sharpness, rounds, arrive) == alone


def test_auto_stays_exact_until_code_arrives(monkeypatch):
    """Its round of the change is a fixed one only where code is there: what warming up makes sure of."""
    arms = ARMS["cosine"]
    last = auto.longest_exact(arms, in_trees=False)
    assert 300 < last < 400
    exact = played(arms, 1, 380, engine="exact")
    codes = code_on_its_way(monkeypatch)
    assert played(arms, 1, 380) == exact
    slack = []

    def note(k, policy):
        for code in codes.values():
            code.is_missing = k < 360
        slack.append(policy._engine.slack > 0)

    played(arms, 1, 380, note)
    assert slack.index(True) == last  # the change itself is due at a count of observations; ...
    policy = qd.QuickDraw(arms, time_scale=0.2, seed=0)
    monkeypatch.setattr(aside, "_codes", {})
    qd.warm_up(policy)
    monkeypatch.setattr(DirectSum, "_plainly", None)  # ... with all code there, nothing is ever summed in NumPy
    played(arms, 1, 380)


def test_building_a_policy_asks_for_its_code(monkeypatch):
    asked = []
    monkeypatch.setattr(aside, "ask", lambda points: asked.append(points.dtype.char))
    for engine, expected in (("auto", 1), ("exact", 1), ("cached", 0), ("tree", 0)):
        asked.clear()
        qd.QuickDraw(ARMS["line"], engine=engine, seed=0)
        assert asked == ["d"] * expected


def test_no_compiled_function_is_called_before_code_arrives(monkeypatch):
    code_on_its_way(monkeypatch)
    for module in ("direct.estimate_at_rows", "direct.largest_index", "engines.tables.engine.measure"):
        monkeypatch.setattr(f"quickdraw_bandits.interpolation.{module}", None)
    assert len(played(ARMS["line"], 1, 200)) > 200


@given(
    name=st.sampled_from(sorted(ARMS)),
    sharpness=st.integers(1, 3),
    n=st.integers(1, 40),
    seed=st.integers(0, 2**32 - 1),
    rate=st.sampled_from([0.0, 1e-3, 1.0, 1e3]),
)
def test_sums_in_numpy_are_those_of_compiled_code(name, sharpness, n, seed, rate):
    random, arms = np.random.default_rng(seed), ARMS[name]
    seen = Observations(arms)
    seen.append(np.sort(random.random(n)), random.integers(len(arms), size=n), random.standard_normal(n))
    direct = DirectSum(arms, Kernel(0.3, 1 / rate if rate else None, 1e-7, sharpness), seen)
    rows = random.permutation(len(arms))[: 1 + n % len(arms)]
    for plain, compiled in zip(
        direct._plainly(1.5, arms.points, rows), direct.estimate(1.5, arms.points, rows), strict=True
    ):
        np.testing.assert_allclose(plain, compiled, rtol=1e-11, atol=1e-13)


def test_sums_beyond_float64_are_left_to_compiled_code(monkeypatch):
    arms = ARMS["line"]
    seen = Observations(arms)
    seen.append(np.array([0.0]), np.array([3]), np.array([0.5]))
    direct = DirectSum(arms, Kernel(1.0, 1.0, 1e-7, 3), seen)
    expected = direct.estimate(1e60, arms.points)
    code_on_its_way(monkeypatch)
    assert direct._plainly(1e60, arms.points, np.arange(60)) is None
    np.testing.assert_array_equal(direct.estimate(1e60, arms.points), expected)


@pytest.mark.parametrize(("most", "patience"), [(1000, np.inf), (10**9, 0.0)])
def test_long_sums_are_not_made_in_numpy(monkeypatch, most, patience):
    codes = code_on_its_way(monkeypatch, patience)
    monkeypatch.setattr(aside, "MOST_PLAIN", most)
    policy = qd.QuickDraw(ARMS["line"], seed=0)
    policy.update(np.arange(30) * 0.01, np.arange(30), np.arange(30) / 30)
    policy.select(0.4)
    assert not codes["d"].is_missing
    assert codes["f"].is_missing


def test_warming_up_compiles_and_waits_for_no_helper(monkeypatch):
    codes = code_on_its_way(monkeypatch)
    monkeypatch.setattr(DirectSum, "_plainly", None)
    policy = qd.QuickDraw(ARMS["line"], seed=0)
    qd.warm_up(policy)
    assert not codes["d"].is_missing
    played(ARMS["line"], 1, 40)


def test_a_simulation_compiles_at_once(monkeypatch):
    codes = code_on_its_way(monkeypatch)
    env = qd.environments.KnownFunction(lambda x: 1 - x * x, n_arms=20, n_rounds=12)
    qd.simulate(qd.QuickDraw(env.arms, seed=0), env, warmup=5)
    assert not any(code.is_missing for code in codes.values())


def functions(signatures=(), index=None):
    """Return stand-ins of compiled functions: what is loaded, and what the cache has."""
    cache = SimpleNamespace() if index is None else SimpleNamespace(_cache_file=SimpleNamespace(_load_index=index))
    return (SimpleNamespace(signatures=[1]), SimpleNamespace(signatures=signatures, _cache=cache))


def unreadable():
    raise OSError


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        (functions(index=dict), True),
        (functions(signatures=[1], index=dict), False),
        (functions(index=lambda: {"kept": 1}), False),
        (functions(), False),
        (functions(index=unreadable), False),
    ],
)
def test_a_helper_is_needed_for_code_that_the_cache_could_have(monkeypatch, known, expected):
    monkeypatch.delenv(aside.SWITCH, raising=False)
    monkeypatch.setattr(aside, "FUNCTIONS", known)
    assert aside.can_be_compiled_aside() is expected
    monkeypatch.setattr(sys, "executable", "/usr/bin/uwsgi")
    assert not aside.can_be_compiled_aside()


def test_helpers_can_be_switched_off(monkeypatch):
    monkeypatch.setattr(aside, "FUNCTIONS", functions(index=dict))
    monkeypatch.setenv(aside.SWITCH, "0")
    assert not aside.can_be_compiled_aside()


def other_python(monkeypatch, tmp_path, lines):
    """Let helpers be started that run a shell script in place of Python."""
    path = tmp_path / "python-other"
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(sys, "executable", str(path))
    monkeypatch.setattr(aside, "can_be_compiled_aside", lambda: True)


@pytest.mark.parametrize("lines", ["exit 1", None])
def test_where_a_helper_fails_this_process_compiles(monkeypatch, tmp_path, lines):
    other_python(monkeypatch, tmp_path, lines or "")
    if lines is None:
        monkeypatch.setattr(sys, "executable", str(tmp_path / "python-missing"))
    code = aside.Code("d")
    code._thread.join(60)
    assert not code.is_missing


def test_when_a_helper_is_done_code_is_loaded(monkeypatch, tmp_path):
    loaded = []
    monkeypatch.setattr(aside, "exercise", loaded.append)
    other_python(monkeypatch, tmp_path, "exit 0")
    code = aside.Code("f")
    code._thread.join(60)
    assert loaded == ["f"]
    assert not code.is_missing


def test_one_helper_at_a_time(monkeypatch, tmp_path):
    lock, overlap = tmp_path / "lock", tmp_path / "overlap"
    other_python(monkeypatch, tmp_path, f"mkdir {lock} || touch {overlap}\nsleep 0.2\nrmdir {lock}\nexit 1")
    codes = [aside.Code(kind) for kind in "dfd"]
    for code in codes:
        code._thread.join(60)
        assert not code.is_missing
    assert not overlap.exists()


def test_stopping_ends_the_helper_and_the_thread(monkeypatch, tmp_path):
    other_python(monkeypatch, tmp_path, "exec sleep 600")
    code = aside.Code("d")
    end = monotonic() + 60
    while code._process is None and monotonic() < end:
        sleep(0.01)
    code.stop()
    assert not code._thread.is_alive()
    assert code._process.returncode < 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_child_begins_anew(monkeypatch):
    helper = code_on_its_way(monkeypatch)["d"]._process = SimpleNamespace(returncode=None)
    child = os.fork()
    if child == 0:
        anew = not aside._codes and aside._loading.acquire(timeout=60) and helper.returncode == 0
        os._exit(0 if anew else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert set(aside._codes) == {"d", "f"}
    assert helper.returncode is None
    assert not aside._loading.locked()


@pytest.mark.parametrize("lines", ["aside._watch(1)", "aside.LONGEST = 0; aside._watch(os.getppid())"])
def test_a_helper_ends_with_its_parent_and_after_a_long_time(lines):
    code = f"import os; from quickdraw_bandits.interpolation import aside; {lines}"
    assert subprocess.run([sys.executable, "-c", code], timeout=120, check=False).returncode == 1


GAME = """
import time
import numpy as np
import quickdraw_bandits as qd
from quickdraw_bandits.interpolation import aside
aside.PATIENCE = aside.MOST_PLAIN = 1e12  # however slow the machine is
policy = qd.QuickDraw(qd.Arms.grid(0, 1, 50), seed=0)
chosen, end = [], time.monotonic() + 300
for k in range(100_000):
    chosen.append(policy.select(0.001 * k))
    policy.update(0.001 * k, chosen[-1], 0.5 + 0.4 * np.sin(chosen[-1] / 5 + 0.003 * k))
    if k >= ROUNDS and not aside._codes["d"].is_missing or time.monotonic() > end:
        break
    time.sleep(PAUSE)
print(chosen[:300], sum(sum(f.stats.cache_misses.values()) for f in aside.FUNCTIONS))
"""


@pytest.mark.slow
def test_on_an_empty_cache_a_helper_compiles_and_no_choice_does(tmp_path):
    def game(pause, switch):
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), aside.SWITCH: switch}
        code = GAME.replace("PAUSE", pause).replace("ROUNDS", "300")
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
        return done.stdout.decode().rsplit(maxsplit=1)

    (aside_choices, misses), (choices, _) = game("0.02", "1"), game("0", "0")
    assert misses == "0"
    assert aside_choices == choices
