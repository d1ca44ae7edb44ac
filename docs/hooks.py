"""What MkDocs does beyond its settings: the pages outside this folder, and links to them.

The front page is the README, so that both say the same; the guide for contributors and the changelog are pages too.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Files of the repository, and where the site has them."""
REPOSITORY = "https://github.com/quickdraw-bandits/quickdraw-bandits/blob/main/"
"""Where files are that the site does not have."""

_ALONE = "---\nhide: [navigation]\n---\n\n"
"""The front page has nothing beside it."""

_ADDRESS = re.compile(r'(?<=href=")(?!\w+:|#)([^"#]+\.(?:md|py))((?:#[^"]*)?)(?=")')
_log = get_plugin_logger("hooks")
_LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)#\s]*)((?:#[^)\s]*)?)(?=\))")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the repository."""
    for name, page in PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        text = _LINK.sub(lambda link: _from_root(*link.groups()), text)
        files.append(File.generated(config, page, content=text if page != "index.md" else f"{_ALONE}{text}"))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links that leave this folder to the site's page, or to the repository."""
    folder = posixpath.dirname(page.file.src_uri)

    def target(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join("docs", folder, link[1])) if link[1] else ""
        if not path or path.startswith("docs/") or page.file.generated_by:
            return link[0]
        site = _from_root(path, link[2])
        return site if "://" in site else posixpath.relpath(site, folder or ".")

    return _LINK.sub(target, markdown)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead the links of a tutorial to pages of the site; MkDocs does so for Markdown alone."""
    if not page.file.src_uri.endswith(".py"):
        return html
    folder = posixpath.dirname(page.file.src_uri)

    def target(link: re.Match[str]) -> str:
        file = files.get_file_from_path(posixpath.normpath(posixpath.join(folder, link[1])))
        if file is None:
            _log.warning(
                "The tutorial '%s' contains a link '%s', but there is no such page.", page.file.src_uri, link[1]
            )
            return link[0]
        return file.url_relative_to(page.file) + link[2]

    return _ADDRESS.sub(target, html)


def _from_root(path: str, anchor: str) -> str:
    """Return where a link from the top folder of the repository leads, seen from the top of the site."""
    if path in PAGES:
        return PAGES[path] + anchor
    if path.startswith("docs/") and not (ROOT / path).is_dir():
        return path.removeprefix("docs/") + anchor
    return f"{REPOSITORY}{path}{anchor}" if path else anchor
