"""Limits that keep the code readable: the length of a file, and the number of parameters of a function."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LONGEST_FILE = 350
MOST_PARAMETERS = 12

SOURCES = sorted((ROOT / "src").rglob("*.py"))


def parameters(function, is_method):
    """Return the names of the parameters that a caller gives: all but the object or the class of a method."""
    given = function.args
    names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    names += [each.arg for each in (given.vararg, given.kwarg) if each is not None]
    return names[1:] if is_method and names[:1] in (["self"], ["cls"]) else names


def functions(tree):
    """Yield every function of a module, and whether it is a method."""
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                yield child, isinstance(node, ast.ClassDef)


def test_parameters_are_counted_as_a_caller_sees_them():
    tree = ast.parse("class A:\n    def f(self, a, /, b, *c, d, **e): ...\n\ndef g(self, a): lambda x: x")
    assert [parameters(*each) for each in functions(tree)] == [["self", "a"], ["a", "b", "d", "c", "e"], ["x"]]


def test_all_files_are_read():
    assert {path.relative_to(ROOT / "src").parts[0] for path in SOURCES} == {
        "quickdraw_bandits",
        "quickdraw_cli",
        "quickdraw_lab",
        "quickdraw_service",
    }


def test_no_function_has_too_many_parameters():
    found = [
        (str(path.relative_to(ROOT)), getattr(function, "name", "lambda"), len(parameters(function, is_method)))
        for path in SOURCES
        for function, is_method in functions(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert len(found) > 1000
    assert [each for each in found if each[2] > MOST_PARAMETERS] == []


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks", "examples"])
def test_no_file_is_too_long(folder):
    lengths = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n")
        for path in (ROOT / folder).rglob("*.py")
    }
    assert lengths
    assert {path: length for path, length in lengths.items() if length > LONGEST_FILE} == {}
