"""The page on the architecture names packages, folders and files that exist, where it says they are."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PACKAGES = sorted(path.name for path in SRC.glob("quickdraw_*") if (path / "__init__.py").exists())


def tree():
    """Yield the paths of the tree at the head of the page."""
    package = ""
    for line in PAGE.split("```")[1].splitlines():
        names = re.match(r"( +)((?:[\w./]+ )+)", line)
        if names is None:
            continue
        if len(names[1]) == 2:
            package = names[2].strip()
            yield package
        else:
            yield from (package + name for name in names[2].split())


def paragraphs():
    """Yield blocks of the walk-throughs: each has the folder that its files are in."""
    walk = PAGE.split("## One observation")[1].split("## Rules")[0]
    yield from re.split(r"\n(?=\*\*|#+ )", walk)


def files():
    """Yield every file that a block names, with the folders in which it may be."""
    for block in paragraphs():
        quoted = re.findall(r"`([\w./]+)`", block)
        folders = {"."} | {name for name in quoted if name.endswith("/")}
        folders |= {str(Path(name).parent) for name in quoted if name.endswith(".py") and "/" in name}
        folders |= {str(Path(folder).parent) for folder in folders}
        yield from ((name, tuple(sorted(folders))) for name in quoted if name.endswith((".py", "/")))


def test_the_tree_has_every_package():
    assert len(PACKAGES) == 4
    assert "four packages" in PAGE
    assert [path for path in tree() if path.rstrip("/") in PACKAGES] == [
        "quickdraw_cli/",
        "quickdraw_service/",
        "quickdraw_lab/",
        "quickdraw_bandits/",
    ]


@pytest.mark.parametrize("path", list(tree()))
def test_every_path_of_the_tree_exists(path):
    assert (SRC / path).exists()


def test_every_folder_of_the_library_is_in_the_tree():
    shown = set(tree())
    inside = [path for path in (SRC / "quickdraw_bandits").iterdir() if not path.name.startswith("_")]
    named = {
        f"quickdraw_bandits/{path.name}{'/' if path.is_dir() else ''}" for path in inside if path.suffix != ".typed"
    }
    assert named <= shown


@pytest.mark.parametrize(("name", "folders"), dict.fromkeys(files()))
def test_every_file_of_the_walk_throughs_exists(name, folders):
    assert any((SRC / package / folder / name).exists() for package in PACKAGES for folder in (*folders, "."))


def test_the_table_of_where_to_add_what_names_files_that_exist():
    table = PAGE.split("## Where to add what")[1].split("## One observation")[0]
    for line in table.splitlines():
        if line.startswith("| a"):
            folders = [name for name in re.findall(r"`([\w./]+)`", line) if "/" in name]
            for name in re.findall(r"`([\w./]+)`", line):
                above = [parent for folder in folders for parent in (SRC / folder, *(SRC / folder).parents)]
                places = [SRC / "quickdraw_bandits", *(place for place in above if place.is_relative_to(SRC))]
                assert any((place / name).exists() for place in places), name
