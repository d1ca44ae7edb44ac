"""The documentation site builds strictly, is complete, and loads nothing from other addresses."""

import re
import zlib
from html.parser import HTMLParser

import pytest

import quickdraw_bandits as qd
import quickdraw_bandits.gym
import quickdraw_bandits.river
import quickdraw_lab

pytestmark = pytest.mark.slow  # the build takes some seconds

PARTS = [qd, qd.policies, qd.environments, qd.datasets, qd.evaluation, qd.plots, qd.gym, quickdraw_lab]
PUBLIC = {name: part for part in PARTS for name in part.__all__ if not isinstance(getattr(part, name), type(qd))}


class Loaded(HTMLParser):
    """Collects what a page loads, in contrast to what it links to."""

    def __init__(self):
        super().__init__()
        self.addresses = []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "link" and values.get("rel") not in ("canonical", "next", "prev"):
            self.addresses.append(values.get("href"))
        if "src" in values:
            self.addresses.append(values["src"])


def test_no_page_loads_anything_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        loaded = Loaded()
        loaded.feed(page.read_text(encoding="utf-8"))
        assert loaded.addresses
        for address in loaded.addresses:
            assert not re.match(r"(?:\w+:)?//", address), f"{page.name} loads {address}"
    for sheet in (site / "assets").rglob("*.css"):
        for address in re.findall(r"url\(([^)]*)\)", sheet.read_text(encoding="utf-8")):
            assert not re.match(r"[\"']?(?:\w+:)?//", address), f"{sheet.name} loads {address}"


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_in_the_reference(site, name):
    inventory = zlib.decompress((site / "objects.inv").read_bytes().split(b"zlib.\n", 1)[1]).decode()
    assert re.search(rf"^quickdraw_\w+\.(?:\w+\.)*{name} py:", inventory, re.MULTILINE)


def test_parameters_that_share_a_text_have_their_own_types(site):
    page = (site / "api" / "policies.html").read_text(encoding="utf-8")
    entry = re.search(r"<b><code>seed</code></b>(.*?)–", page, re.DOTALL)[1]
    assert re.sub(r"<[^>]*>|\s", "", entry) == "(Seed,default:None)"


def test_the_front_page_is_the_readme_with_links_that_lead_into_the_site(site):
    page = (site / "index.html").read_text(encoding="utf-8")
    assert 'href="adaptive.html"' in page
    assert 'href="contributing.html"' in page
    assert 'href="docs/' not in page
    assert 'src="docs/' not in page


def test_links_of_tutorials_lead_into_the_site(site):
    links = [
        (page.parent / link.split("#")[0])
        for page in (site / "tutorials").glob("*.html")
        for link in re.findall(r'href="([^":#]+)', page.read_text(encoding="utf-8"))
    ]
    assert len(links) > 100
    assert [link for link in links if link.suffix in (".md", ".py") or not link.exists()] == []


def test_the_search_finds_what_pages_say(site):
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    for word in ("propensity", "AdaptiveQuickDraw", "gymnasium"):
        assert word in index


def test_no_table_is_left_as_plain_text(site):
    """Docstrings are Markdown on the site, where a table in the style of reStructuredText is a row of equals signs."""
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    assert [page.name for page in pages if "=====" in page.read_text(encoding="utf-8")] == []
