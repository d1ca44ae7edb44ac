"""Policies by the name of a built-in class, or from elsewhere as ``module:Class``."""

import importlib
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

from quickdraw_bandits.evaluation.simulate import Player
from quickdraw_bandits.experiments.known_policies import find_policies


def load_policy(name: str) -> Callable[..., Player]:
    """Return a policy's class.

    Examples
    --------
    >>> load_policy("QuickDraw").__name__
    'QuickDraw'
    >>> load_policy("quickdraw_bandits.policies:Random").__name__
    'Random'
    """
    module_name, colon, class_name = name.partition(":")
    if not colon:
        return find_policies([name])[0]
    if not module_name or not class_name:
        raise ValueError(f"policy must be given as module:Class, got {name!r}")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        raise ValueError(f"policy {name!r}: importing {module_name} failed: {error}") from error
    found = getattr(module, class_name, None)
    if found is None:
        raise ValueError(f"policy {name!r}: {module_name} has no {class_name}")
    if not callable(found) or not all(callable(getattr(found, method, None)) for method in ("select", "update")):
        raise ValueError(f"policy {name!r} must be a class with the methods select and update")
    return found  # type: ignore[no-any-return]


def source_of(name: str) -> str:
    """Return what changes when the file of a policy from elsewhere does: runs of another source are other runs.

    Empty for a built-in one.
    """
    load_policy(name)
    if ":" not in name:
        return ""
    path = getattr(sys.modules[name.partition(":")[0]], "__file__", None)
    return "" if path is None else f"{zlib.crc32(Path(path).read_bytes()):08x}"
