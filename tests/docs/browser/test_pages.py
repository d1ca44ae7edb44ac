"""Pages in a browser, at the width of a desktop and of a phone; collected only where there is a Chromium."""

import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import sync_playwright

pytestmark = pytest.mark.slow

WITH_FORMULAS = ["quick-draw", "adaptive", "theory", "gaussian-processes", "engines/tables", "engines/tree"]
SET = "document.querySelectorAll('.katex-html').length"
"""Formulas that were set, in JavaScript."""
WIDTHS = (1280, 400)
PAGES = [*WITH_FORMULAS, "index", "gymnasium", "api/policies", "results/simulated", "contributing", "tutorials/prices"]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def address(site):
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def browser():
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def opened(browser, address):
    """Return a function that opens a page, and what went wrong there: errors, and requests to other addresses."""
    page, wrong = browser.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda request: wrong.append(request.url))
    page.on("request", lambda request: request.url.startswith((address, "blob:", "data:")) or wrong.append(request.url))

    def show(name):
        page.set_viewport_size({"width": WIDTHS[0], "height": 800})
        page.goto(f"{address}{name}.html", wait_until="load")
        page.wait_for_function(f"{SET} == document.querySelectorAll('.arithmatex').length")
        page.evaluate("document.fonts.ready")  # playwright waits for the promise
        return page

    yield show, wrong
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_its_width_sets_its_formulas_and_has_no_errors(opened, name):
    show, wrong = opened
    page = show(name)
    if name in WITH_FORMULAS:
        assert page.locator(".katex-html").count() >= 2
        assert page.locator(".katex-html").count() == page.locator(".arithmatex").count()
        fonts = page.evaluate("[...document.fonts].filter(font => font.status == 'loaded').map(font => font.family)")
        assert "KaTeX_Main" in fonts
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("innerWidth") == width
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("h1").first.is_visible()
    assert wrong == []


def test_the_search_answers(opened):
    show, wrong = opened
    page = show("index")
    search = page.locator("input.md-search__input")
    search.click()
    page.locator(".md-search-result__meta", has_text="Type to start searching").wait_for()  # the index is loaded
    search.press_sequentially("propensity")  # keys, because that is what the search listens to
    page.locator(".md-search-result__item").first.wait_for()
    assert wrong == []
