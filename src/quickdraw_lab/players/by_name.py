"""Any policy by name: a built-in class, or ``module:Class`` for one from elsewhere."""

import importlib
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

from quickdraw_bandits.evaluation.simulate import Player
from quickdraw_bandits.policies import Policy
from quickdraw_lab.players.built_in import find_policies


def load_policy(name: str) -> Callable[..., Player[int]]:
    """Return the class of a policy.

    Examples
    --------
    >>> load_policy("QuickDraw").__name__
    'QuickDraw'
    >>> load_policy("quickdraw_bandits.policies:Random").__name__
    'Random'
    """
    module_name, colon, class_name = name.partition(":")
    if not colon:
        return _built_in(name)
    if not module_name or not class_name:
        raise ValueError(f"policy must be module:Class, got {name!r}")
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # importing a script may end the process
        why = "it exits" if isinstance(error, SystemExit) else error
        raise ValueError(f"policy {name!r}: importing {module_name} failed: {why}") from error
    found = getattr(module, class_name, None)
    if found is None:
        raise ValueError(f"policy {name!r}: {module_name} has no {class_name}")
    if not callable(found) or not all(callable(getattr(found, method, None)) for method in ("select", "update")):
        raise ValueError(f"policy {name!r} must be a class with the methods select and update")
    return found  # type: ignore[no-any-return]


def _built_in(name: str) -> type[Policy[int]]:
    found = find_policies([name])
    if len(found) != 1:
        raise ValueError(f"policy must be one name, got {name!r}; repeat --policy for several")
    return found[0]


def full_name(name: str) -> str:
    """Return the name under which runs are stored: for a built-in policy that of its class.

    Examples
    --------
    >>> full_name("quickdraw"), full_name("mine:Policy")
    ('QuickDraw', 'mine:Policy')
    """
    return name if ":" in name else _built_in(name).__name__


def source_of(name: str) -> str:
    """Return a checksum of the file of a policy from elsewhere, so that its runs are repeated when it changes.

    Empty for a built-in policy.
    """
    load_policy(name)
    if ":" not in name:
        return ""
    path = getattr(sys.modules[name.partition(":")[0]], "__file__", None)
    return "" if path is None else f"{zlib.crc32(Path(path).read_bytes()):08x}"
