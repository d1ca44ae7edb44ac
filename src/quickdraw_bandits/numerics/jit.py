"""How functions are compiled, said once.

All release the GIL and divide by zero as NumPy does. They differ in what the compiler may do to floating-point
arithmetic:

==============  =====================================================================================================
``in_order``    nothing: for sums that lose digits, or leave the range of float64, when they are reordered
``compiled``    reorder and contract operations; infinities and NaN keep their meaning
``finite``      also assume that every value is finite: for bounded input only
``parallel``    as ``compiled``, with ``prange`` on all cores
``inner``       as ``compiled``, for functions that compiled code calls
``inlined``     as ``inner``, for short ones that become part of every function that calls them
==============  =====================================================================================================

Compiled code is cached on disk, that of ``inner`` and ``inlined`` functions with the function that calls them.
"""

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.extending import register_jitable

_Function = TypeVar("_Function", bound=Callable[..., Any])

_REORDER = {"reassoc", "contract", "arcp", "nsz"}
_warned = False


def _compile(function: _Function, **options: Any) -> _Function:
    options = {"nogil": True, "error_model": "numpy", **options}
    try:
        return numba.njit(cache=True, **options)(function)  # type: ignore[no-any-return]
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
    _warn_of_no_cache()
    return numba.njit(**options)(function)  # type: ignore[no-any-return]


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


def in_order(function: _Function) -> _Function:
    """Compile without reordering. Said in full, since a function that says nothing inherits its caller's freedom."""
    return _compile(function, fastmath=False)


def compiled(function: _Function) -> _Function:
    """Compile with operations reordered and contracted."""
    return _compile(function, fastmath=_REORDER)


def finite(function: _Function) -> _Function:
    """Compile for finite values only, which makes reciprocals cheap."""
    return _compile(function, fastmath=True)


def parallel(function: _Function) -> _Function:
    """Compile with operations reordered, and ``prange`` on all cores."""
    return _compile(function, fastmath=_REORDER, parallel=True)


def inner(function: _Function) -> _Function:
    """Let compiled code call a function, compiled as ``compiled``; from Python it runs as it is written."""
    return _for_compiled_code(function)


def inlined(function: _Function) -> _Function:
    """Do as ``inner``, for short functions inside loops: they become part of every caller."""
    return _for_compiled_code(function, forceinline=True)


def _for_compiled_code(function: _Function, **options: Any) -> _Function:
    # Ways in from Python and C take as long to compile as the function, and nobody uses them.
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **options}
    return register_jitable(nogil=True, error_model="numpy", fastmath=_REORDER, **options)(function)
