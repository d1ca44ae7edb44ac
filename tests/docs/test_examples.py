"""Every example in the pages of the documentation gives what it says."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
PAGES = sorted([*ROOT.glob("docs/**/*.md"), ROOT / "README.md"])


WITH_EXAMPLES = [page for page in PAGES if ">>>" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.name)
def test_examples(page):
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS)
    assert tried > 0
    assert failed == 0


def test_the_five_lines_of_the_readme_run():
    """Kept without prompts, so that they can be copied."""
    readme = (ROOT / "README.md").read_text()
    code = readme.split("```python\n")[1].split("```")[0]
    names: dict[str, object] = {}
    exec(code, names)
    assert names["policy"].n_observations == 1
    assert names["arm"] in range(1000)


def test_the_loop_of_the_page_on_live_systems_runs():
    """Kept without prompts, block after block of one program; its assertions are the test."""
    page = (ROOT / "docs" / "live.md").read_text()
    blocks = [part.split("```")[0] for part in page.split("```python\n")[1:]]
    assert len(blocks) >= 7
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)
    assert names["policy"].n_observations == 102


def test_links_within_the_documentation_lead_somewhere():
    for page in PAGES:
        for target in (part.split(")")[0] for part in page.read_text().split("](")[1:]):
            if "://" not in target:
                assert (page.parent / target.split("#")[0]).exists(), f"{page.name}: {target}"
