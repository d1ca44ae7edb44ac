"""Every tutorial runs as a notebook, from first to last; cells with the tag "check" hold what must be true."""

from pathlib import Path

import jupytext
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "docs" / "tutorials"
TUTORIALS = sorted(FOLDER.glob("*.py"))


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of the client and the kernel; those of the tutorial are looked for below
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_runs_and_says_what_it_shows(path, tmp_path):
    notebook = jupytext.read(path)
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    shown = [output for cell in code for output in cell.outputs]
    assert len(shown) >= 5
    for cell in code:
        if "plots." in cell.source or "plt.subplots" in cell.source:
            assert any("image/png" in output.get("data", {}) for output in cell.outputs), cell.source
    assert not [output["text"] for output in shown if output.get("name") == "stderr"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_checks_itself_and_is_listed(path):
    cells = jupytext.read(path).cells
    checks = [cell for cell in cells if "check" in cell.metadata.get("tags", [])]
    assert any("assert" in cell.source for cell in checks)
    assert f"({path.name})" in (FOLDER / "index.md").read_text(encoding="utf-8")


def test_the_four_tutorials_are_there():
    assert {path.stem for path in TUTORIALS} >= {"prices", "beams", "clicks", "live_loop"}
