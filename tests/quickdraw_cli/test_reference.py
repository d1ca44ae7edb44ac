from pathlib import Path

from quickdraw_cli.reference import reference


def test_the_page_of_commands_is_up_to_date():
    """If not: python -m quickdraw_cli.reference > docs/commands.md."""
    page = Path(__file__).parents[2] / "docs" / "commands.md"
    assert page.read_text(encoding="utf-8") == reference()


def test_every_command_and_option_is_there():
    page = reference()
    for expected in ("## quickdraw play", "## quickdraw tune", "`--data FILE`", "`POLICY`", "`--policies NAME …`"):
        assert expected in page
