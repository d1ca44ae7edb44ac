"""The public interface has precise types: nothing in it is ``Any``."""

import ast
import inspect
import re
import textwrap
from typing import get_overloads

import quickdraw_bandits as qd

MODULES = [
    qd, qd.policies, qd.environments, qd.datasets, qd.evaluation, qd.evaluation.off_policy, qd.exploration, qd.plots,
    qd.theory,
]  # fmt: skip


def functions_of(thing):
    """Yield the public functions of a class, or the function itself; of overloaded ones, what type checkers see."""
    members = [thing]
    if inspect.isclass(thing):
        public = [value for name, value in inspect.getmembers(thing) if not name.startswith("_")]
        own = [thing.__init__, *public]
        properties = [value.fget for value in own if isinstance(value, property)]
        members = [value for value in [*own, *properties] if inspect.isroutine(value)]
    for member in members:
        function = getattr(member, "__func__", member)
        ours = getattr(function, "__module__", "").startswith("quickdraw_")
        if ours and function.__code__.co_filename != "<string>":  # which dataclasses write
            yield from get_overloads(function) or [function]


def public_functions():
    found = []
    for module in MODULES:
        for name in getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")]):
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                found += functions_of(thing)
    return found


def types_of(function):
    """Return the annotations as they are written: aliases such as ``NDArray`` have an ``Any`` of NumPy's inside."""
    (found,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    given = [node.annotation for node in ast.walk(found.args) if isinstance(node, ast.arg) and node.annotation]
    return " ".join(ast.unparse(annotation) for annotation in [*given, found.returns])


def test_no_public_signature_has_any():
    functions = public_functions()
    names = {function.__name__ for function in functions}
    assert {"select", "decide", "update", "resolved", "simulate", "belief", "open_bandit", "gamma"} <= names
    assert not [function for function in functions if re.search(r"\bAny\b", types_of(function))]
