"""Pages from templates (``templates/``), which Jinja2 fills in. Everything that is filled in is escaped."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Self

from quickdraw_bandits.extras import missing_extra
from quickdraw_lab.files import replacing

if TYPE_CHECKING:
    from jinja2 import Environment

_KINDS = {".png": "image/png", ".svg": "image/svg+xml"}


@dataclass(frozen=True)
class Picture:
    """A picture inside a page.

    Attributes
    ----------
    name, caption
        What it is called and what stands below it.
    source
        The picture itself, as the address of an ``img``.
    narrow
        The same for the width of a phone; empty if there is none, and the picture is then scrolled sideways.
    """

    name: str
    caption: str
    source: str
    narrow: str = ""

    @classmethod
    def read(cls, files: Sequence[Path], caption: str = "", narrow: Path | None = None) -> Self:
        """Return the lightest of several files of one picture: lines are smaller as SVG, fields as PNG."""
        lightest = min(files, key=lambda path: path.stat().st_size)
        return cls(lightest.stem, caption, _address(lightest), "" if narrow is None else _address(narrow))


def _address(file: Path) -> str:
    """Return an address that holds the file itself."""
    return f"data:{_KINDS[file.suffix]};base64,{base64.b64encode(file.read_bytes()).decode()}"


def render(template: str, **values: object) -> str:
    """Return a page as text.

    Parameters
    ----------
    template
        Name of a file in ``templates/``.
    values
        What the template asks for.
    """
    return _templates().get_template(template).render(values)


def write_page(path: Path, template: str, **values: object) -> None:
    """Write a page; the file is complete or not there at all."""
    page = render(template, **values)
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def require_templates() -> None:
    """Raise an error that says what to install if Jinja2 cannot be imported."""
    _templates()


@cache
def _templates() -> "Environment":
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise missing_extra("pages", "jinja2", "lab") from None
    found = Environment(
        loader=PackageLoader("quickdraw_lab.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["cell"] = cell
    found.filters["columns"] = columns
    return found


def cell(value: object) -> str:
    """Return a value as the text of a cell: long numbers with five digits.

    Examples
    --------
    >>> cell("0.123456789"), cell("QuickDraw"), cell(12)
    ('0.12346', 'QuickDraw', '12')
    """
    text = str(value)
    try:
        number = float(text)
    except ValueError:
        return text
    return text if len(text) <= 8 else f"{number:.5g}"


def columns(rows: Sequence[Mapping[str, object]]) -> list[str]:
    """Return the names of the columns of flat records."""
    return list(rows[0]) if rows else []
