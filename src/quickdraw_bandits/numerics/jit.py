"""How functions are compiled, said once.

All are cached on disk, release the GIL, and divide by zero as NumPy does. They differ in what the compiler may do to
floating-point arithmetic:

==============  =====================================================================================================
``in_order``    nothing: for sums that lose digits, or leave the range of float64, when they are reordered
``compiled``    reorder and contract operations; infinities and NaN keep their meaning
``finite``      also assume that every value is finite: for bounded input only
==============  =====================================================================================================

``inner=True`` is for functions that only compiled code calls: without an entry from Python they compile twice as fast.
An ``inlined`` function becomes part of each of its callers, and may do what they may: the fastest where there is one
call. To run a loop on all cores, see ``threads``.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numba

Function = Callable[..., Any]
"""Compiled functions accept any arguments, as far as mypy can tell."""

_REORDER = {"reassoc", "contract", "arcp", "nsz"}
_warned = False


def _compile(function: Function, fastmath: bool | set[str], inner: bool) -> Function:
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
    # No function is called from C. Each way in takes time to compile.
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


def finite(function: Function, *, inner: bool = False) -> Function:
    """Compile for finite values only, which makes reciprocals cheap."""
    return _compile(function, True, inner)


def inlined(function: Function) -> Function:
    """Compile as a part of the functions that call this one."""
    return numba.njit(inline="always")(function)
