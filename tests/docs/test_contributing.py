"""The guide for contributors names folders, files, targets and links that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def tree():
    """Yield the paths of the tree in "Where things go"."""
    block = GUIDE.split("## Where things go")[1].split("```")[1]
    parent = ""
    for line in block.strip().splitlines():
        names = re.match(r"\s*((?:[\w./]+, )*[\w./]+)  ", line)[1]
        if not line.startswith(" "):
            parent = names
        for name in names.split(", "):
            yield name if name == parent else f"{parent}{name}"


def named():
    """Yield what looks like a path in the text; ``my_policy`` stands for the reader's own."""
    for text in re.findall(r"`([\w./-]+/[\w./-]*)`", GUIDE):
        if "my_policy" not in text and not text.startswith(".venv"):
            yield text


@pytest.mark.parametrize("path", dict.fromkeys([*tree(), *named()]))
def test_every_path_exists(path):
    places = (ROOT, *(ROOT / "src").glob("quickdraw_*"))
    assert any((place / path).exists() for place in places)


def test_every_package_and_every_folder_of_the_library_is_in_the_tree():
    shown = set(tree())
    packages = [path for path in (ROOT / "src").glob("quickdraw_*") if (path / "__init__.py").exists()]
    library = ROOT / "src" / "quickdraw_bandits"
    folders = [*packages, *(path.parent for path in library.glob("*/__init__.py"))]
    assert {f"{path.relative_to(ROOT)}/" for path in folders} <= shown


def test_every_target_of_make_exists():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)\b", "\n".join(re.findall(r"`[^`]+`", GUIDE)))) <= targets


def test_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)#]+)", GUIDE)
    assert targets
    for target in targets:
        assert "://" in target or (ROOT / target).exists(), target
