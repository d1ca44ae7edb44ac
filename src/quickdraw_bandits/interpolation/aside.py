"""Compiling aside: on a new machine another process compiles, while sums in NumPy serve the choices of this one.

An engine that begins with exact choices asks for the code of the tables engine when it is built. Where that is neither
loaded nor in Numba's cache, a helper process fills the cache, and a thread loads from it. Until then
``DirectSum`` adds up in NumPy. Both find the same arms, because exact choices do not depend on how they are found.
Choices within a tolerance do: so ``auto`` goes on with exact ones until the code is there.

The helper is told a type of coordinates and nothing else. There is one at a time, and it ends with this process. If it
fails, or if sums in NumPy take far longer than compiling does, this process compiles, as it does without a helper.
``QUICKDRAW_COMPILE_ASIDE=0`` switches all of this off.
"""

import atexit
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.metrics import Metric, Points
from quickdraw_bandits.interpolation.engines.tables.arm_index import index_at_arms
from quickdraw_bandits.interpolation.engines.tables.node_sums import add_observations, carry_over, measure
from quickdraw_bandits.interpolation.estimate import estimate_at_rows
from quickdraw_bandits.interpolation.index import largest_index
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.observations import Observations

SWITCH = "QUICKDRAW_COMPILE_ASIDE"
"""The variable of the environment that switches helpers off, with the value 0."""
FUNCTIONS: tuple[Any, ...] = (
    estimate_at_rows,
    largest_index,
    measure,
    index_at_arms,
    add_observations,
    carry_over,
)
"""All compiled functions that Python code of the tables engine calls for exact choices."""
MOST_PLAIN = 10_000_000
"""Arms times observations up to which a choice is made in NumPy: some 70 ms."""
PATIENCE = 60.0
"""Seconds of choices in NumPy after which the helper is given up. Compiling takes 8 seconds of a processor, and several
times that on a busy machine: to begin anew would cost more than to go on without."""
LONGEST = 600.0
"""Seconds after which a helper gives up."""
PLAYED: tuple[tuple[Metric, float], ...] = (("euclidean", 1e-6), ("euclidean", 2e-2), ("haversine", 2e-2))
"""Metrics, and times between observations in units of the time scale: coordinates are compared in float64 while ages
are short, and in float32 later on; distances on the sphere, and in a matrix, always in float64."""
ROUNDS = 80

_HELPER = "from quickdraw_bandits.interpolation.aside import main; main()"


class Code:
    """The code for one type of coordinates, and the helper that compiles it.

    Attributes
    ----------
    is_missing
        Whether choices have to do without it for now.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._left = PATIENCE
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._run, name="quickdraw-aside", daemon=True)
        self.is_missing = can_be_compiled_aside()
        if self.is_missing:
            try:
                self._thread.start()
            except RuntimeError:  # no more threads, or the interpreter ends
                self.is_missing = False

    def spend(self, seconds: float) -> None:
        """Count the time that sums in NumPy took; give up when it was too much."""
        self._left -= seconds
        if self._left < 0:
            self.give_up()

    def give_up(self) -> None:
        """End the helper: this process compiles by itself what it needs."""
        self.is_missing = False
        process = self._process
        if process is not None and process.poll() is None:
            process.kill()

    def stop(self) -> None:
        """End the helper and the thread, before the interpreter ends."""
        if self._thread.is_alive():
            self.give_up()
            self._thread.join()

    def disown(self) -> None:
        """Leave the helper to the process that this one was forked from."""
        if self._process is not None:
            self._process.returncode = 0  # no child of this process: nothing to wait for, nothing to warn of

    def _run(self) -> None:
        with _turn:
            done = self.is_missing and self._compile()
            with _loading:
                if done and self.is_missing:
                    exercise(self._kind)
        self.is_missing = False

    def _compile(self) -> bool:
        """Have a helper fill the cache; return whether it did."""
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _HELPER, self._kind, str(os.getpid())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # on Windows
            )
        except OSError:  # no more processes, or none are allowed
            return False
        if not self.is_missing:  # given up meanwhile
            self._process.kill()
        return self._process.wait() == 0


_codes: dict[str, Code] = {}
_asking = threading.Lock()  # of the dictionary
_turn = threading.Lock()  # held while a helper runs: one at a time
_loading = threading.Lock()  # held while code is loaded, and during a fork
_here = threading.local()


def ask(points: Points) -> None:
    """Have the code for these arms compiled, if that has to be done and can be done aside."""
    kind = points.dtype.char
    if kind not in _codes and not _compiles():
        with _asking:
            if kind not in _codes:
                _codes[kind] = Code(kind)


def serves(points: Points, work: int) -> bool:
    """Tell whether a choice is made in NumPy, because compiled code is on its way; ``work``: arms times observations.

    Where nobody has asked for the code, as after a fork, this does.
    """
    ask(points)
    code = missing(points)
    if code is not None and work > MOST_PLAIN:
        code.give_up()
        return False
    return code is not None


def missing(points: Points) -> Code | None:
    """Return the code for these arms if it is on its way, otherwise None."""
    if not _codes:
        return None
    code = _codes.get(points.dtype.char)
    return code if code is not None and code.is_missing and not _compiles() else None


@contextmanager
def compiling_here() -> Iterator[None]:
    """Do nothing in NumPy in this thread: compile or load what is missing."""
    _here.compiles = True
    try:
        yield
    finally:
        _here.compiles = False


def end_helpers() -> None:
    """Wait for no helper any more: what they compile is there."""
    for code in list(_codes.values()):
        code.give_up()


def _compiles() -> bool:
    """Tell whether this thread compiles or loads, so that it must not do without."""
    return getattr(_here, "compiles", False)


def can_be_compiled_aside() -> bool:
    """Tell whether a helper has something to do, and can be started."""
    if os.environ.get(SWITCH) == "0" or numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return False
    # Where Python is part of another program, that would be started.
    if getattr(sys, "frozen", False) or not Path(sys.executable or "").name.startswith("python"):
        return False
    return not all(function.signatures or _is_kept(function) for function in FUNCTIONS)


def _is_kept(function: Any) -> bool:
    """Tell whether the cache has code of a function; so it is said where there is no cache to be filled."""
    try:
        return bool(function._cache._cache_file._load_index())
    except (AttributeError, OSError):
        return True


def _environment() -> dict[str, str]:
    folders = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    found = {**os.environ, SWITCH: "0", "PYTHONPATH": os.pathsep.join(filter(None, folders))}
    if numba.config.CACHE_DIR:  # type: ignore[attr-defined]
        found["NUMBA_CACHE_DIR"] = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    return found


def exercise(kind: str) -> None:
    """Choose and learn as an exact engine does, which compiles its code or loads it."""
    from quickdraw_bandits.interpolation.engines.tables.engine import TablesEngine  # which uses this module

    random = np.random.default_rng(0)
    with compiling_here():
        for metric, step in PLAYED:
            arms = Arms(random.random((64, 2)).astype(kind), metric=metric)
            seen = Observations(arms)
            engine = TablesEngine(arms, Kernel(1.0, 1.0, 1e-7, 1), 0.0, seen)
            for k in range(ROUNDS):
                seen.append(np.array([k * step]), random.integers(64, size=1), random.random(1))
                engine.extend()
                engine.choose((k + 1) * step, 2.0, 1.0, random)


def main() -> None:
    """Fill the cache: what the helper does, given a type of coordinates and the process that started it."""
    kind, parent = sys.argv[1:]
    threading.Thread(target=_watch, args=(int(parent),), daemon=True).start()
    exercise(kind)


def _watch(parent: int) -> None:
    """End this process when its parent has ended, or after a long time."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end and (os.name == "nt" or os.getppid() == parent):
        time.sleep(0.5)
    os._exit(1)


@atexit.register
def _stop() -> None:
    for code in list(_codes.values()):
        code.stop()


def _start_anew() -> None:
    """Forget helpers and threads in a forked process: they are those of the other."""
    global _asking, _turn, _loading
    for code in _codes.values():
        code.disown()
    _codes.clear()
    _asking, _turn, _loading = threading.Lock(), threading.Lock(), threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=lambda: _loading.acquire(), after_in_parent=lambda: _loading.release(), after_in_child=_start_anew
    )
