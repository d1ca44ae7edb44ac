"""How functions are compiled, said once.

All divide by zero as NumPy does, and all but one release the GIL. They differ in what the compiler may do to
floating-point arithmetic:

==============  =====================================================================================================
``in_order``    nothing: for sums that lose digits, or leave the range of float64, when they are reordered
``compiled``    reorder and contract operations; infinities and NaN keep their meaning
``brief``       as ``compiled``, without releasing the GIL: for work of some microseconds
``finite``      also assume that every value is finite: for bounded input only
``scalar``      as ``compiled``, for functions that make no arrays and work on elements alone
``inner``       as ``scalar``, for functions that only compiled code calls
==============  =====================================================================================================

Functions that only compiled code calls need no entry point from Python and compile in half the time: ``inner`` ones are
compiled and cached with the function that calls them, those with ``inner=True`` by themselves. ``inner_inlined`` is for
short functions inside loops, which LLVM then makes part of every caller. An ``inlined`` function is copied into its
callers before they are compiled, and may do what they may. To run a loop on all cores, see ``threads``.
"""

import gc
import sys
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numba
from numba.core import event
from numba.extending import register_jitable

Function = Callable[..., Any]
"""Compiled functions accept any arguments, as far as mypy can tell."""

_REORDER = {"reassoc", "contract", "arcp", "nsz"}
_SCALAR = {"_nrt": False, "no_rewrites": True}
"""Without arrays made or combined, there are no references to count and no expressions of arrays to rewrite."""
_warned = False


def _leave_scipy_for_later() -> None:
    """Load Numba's functions of arrays without SciPy's linear algebra, which takes a sixth of a second.

    Numba only wants to know whether it is there, and imports it to see. Functions that need it, none of this package,
    import it when they are compiled.
    """
    from numba.np import linalg

    if "numba.np.arraymath" not in sys.modules and find_spec("scipy") and hasattr(linalg, "ensure_blas"):
        imports_scipy, linalg.ensure_blas = linalg.ensure_blas, lambda: None
        try:
            import numba.np.arraymath  # noqa: F401
        finally:
            linalg.ensure_blas = imports_scipy


_leave_scipy_for_later()


class _PauseCollection(event.Listener):
    """Pause the garbage collector while a function of this package is compiled, which saves a seventh of the time.

    The compiler makes millions of objects and keeps most of them, so that looking for cycles again and again is in
    vain. One function is compiled at a time, under Numba's lock; those that it calls are compiled meanwhile.
    """

    def __init__(self) -> None:
        self._depth = 0

    def on_start(self, event: event.Event) -> None:
        """Pause, unless somebody else has."""
        ours = event.data["dispatcher"].py_func.__module__.startswith("quickdraw_")
        if self._depth or (ours and gc.isenabled()):
            self._depth += 1
            gc.disable()

    def on_end(self, event: event.Event) -> None:
        """Go on where the outermost function is done, also if it failed."""
        if self._depth:
            self._depth -= 1
            if self._depth == 0:
                gc.enable()


event.register("numba:compile", _PauseCollection())  # type: ignore[no-untyped-call]


def _compile(function: Function, fastmath: bool | set[str], inner: bool, **options: Any) -> Function:
    options = {"nogil": True, **options, "error_model": "numpy", "fastmath": fastmath}
    # No function is called from C. Each entry point takes time to compile.
    options.update(no_cfunc_wrapper=True, no_cpython_wrapper=inner)
    result: Function
    try:
        result = numba.njit(cache=True, **options)(function)
        return result
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
    _warn_of_no_cache()
    result = numba.njit(**options)(function)
    return result


def _warn_of_no_cache() -> None:
    """Say once that compiled code cannot be kept."""
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            "compiled code cannot be kept on disk, so that every new process compiles it again: neither the package's "
            "folder nor the home folder can be written to. Set NUMBA_CACHE_DIR to a folder that can",
            RuntimeWarning,
            stacklevel=2,
        )


def in_order(function: Function, *, inner: bool = False) -> Function:
    """Compile without reordering. Said in full, since a function that says nothing inherits its caller's freedom."""
    return _compile(function, False, inner)


def compiled(function: Function, *, inner: bool = False) -> Function:
    """Compile with operations reordered and contracted."""
    return _compile(function, _REORDER, inner)


def brief(function: Function) -> Function:
    """Do as ``compiled``, but keep the GIL: to get it back from a busy thread takes milliseconds."""
    return _compile(function, _REORDER, False, nogil=False)


def scalar(function: Function) -> Function:
    """Do as ``compiled``, for functions that make no arrays and work on elements alone. They compile faster."""
    return _compile(function, _REORDER, False, **_SCALAR)


def finite(function: Function, *, inner: bool = False) -> Function:
    """Compile for finite values only, which makes reciprocals cheap."""
    return _compile(function, True, inner)


def inlined(function: Function) -> Function:
    """Copy a function into the functions that call it."""
    return numba.njit(inline="always")(function)


def inner(function: Function) -> Function:
    """Let compiled code call a function, compiled as ``scalar``; from Python it runs as it is written."""
    return _for_compiled_code(function)


def inner_inlined(function: Function) -> Function:
    """Do as ``inner``, for short functions inside loops: they become part of every caller."""
    return _for_compiled_code(function, forceinline=True)


def _for_compiled_code(function: Function, **options: Any) -> Function:
    # Ways in from Python and C take as long to compile as the function, and nobody uses them.
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **_SCALAR, **options}
    registered: Function = register_jitable(nogil=True, error_model="numpy", fastmath=_REORDER, **options)(function)
    return registered
