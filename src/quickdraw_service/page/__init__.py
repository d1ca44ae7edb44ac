"""The live page: one HTML file and its scripts, all from this package and from Plotly's; it asks the API for data."""

from functools import cache
from importlib import resources

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What the page may load: nothing from elsewhere. Plotly writes styles of its own, hence 'unsafe-inline' for them."""

FILES = {
    "/": ("quickdraw_service.page", "static/index.html", "text/html; charset=utf-8"),
    "/static/page.js": ("quickdraw_service.page", "static/page.js", "text/javascript; charset=utf-8"),
    "/static/charts.js": ("quickdraw_service.page", "static/charts.js", "text/javascript; charset=utf-8"),
    "/static/page.css": ("quickdraw_service.page", "static/page.css", "text/css; charset=utf-8"),
    "/static/plotly.js": ("plotly", "package_data/plotly.min.js", "text/javascript; charset=utf-8"),
}


@cache
def _content(path: str) -> bytes:
    package, name, _ = FILES[path]
    return resources.files(package).joinpath(name).read_bytes()


async def _file(request: Request) -> Response:
    path = request.url.path
    headers = {
        "content-security-policy": POLICY,
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "cache-control": "max-age=86400" if path.endswith("plotly.js") else "no-cache",
    }
    return Response(_content(path), media_type=FILES[path][2], headers=headers)


def routes() -> list[BaseRoute]:
    """Return the routes of the page. They hold no data and need no key; the page asks for one where the API does."""
    return [Route(path, _file, methods=["GET"]) for path in FILES]
