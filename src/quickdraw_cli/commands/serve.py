"""``quickdraw serve``: decisions over HTTP."""

import argparse
import logging
import sys
from contextlib import suppress

HELP = "serve decisions over HTTP"
DESCRIPTION = (
    "Serve experiments over HTTP: create, decide, reward. Every answer to a write is sent after the write is on disk. "
    "Without keys (quickdraw keys) the server listens on this machine only. SIGTERM ends it after the running "
    "requests. docs/service.md shows the requests."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_store(parser)
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="HOST",
        help="address to listen on (default 127.0.0.1: this machine only)",
    )
    parser.add_argument(
        "--port", type=int, default=8000, metavar="N", help="port to listen on; 0 for any free one (default 8000)"
    )
    parser.add_argument(
        "--limit",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=N",
        help="limits of this server, for example waiting=20000 body=1000000 count=100; docs/service.md lists them",
    )

    parser.add_argument(
        "--demo",
        action="store_true",
        help="create the experiment 'demo', fill it, and go on playing it: a look at the live page",
    )


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add the address of the store."""
    parser.add_argument(
        "--store",
        required=True,
        metavar="URL",
        help="where the log is: sqlite:///file.db (made where there is none) or postgresql://user@host/database",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal comes."""
    try:
        import uvicorn  # noqa: F401 - to name the extra before anything else fails
    except ImportError:
        raise ImportError('the service needs: pip install "quickdraw-bandits[service]"') from None
    from quickdraw_service.api import create_app
    from quickdraw_service.demo import play_in_background
    from quickdraw_service.limits import limits_from
    from quickdraw_service.page import routes
    from quickdraw_service.server import Server, allow_many_connections, bind, is_loopback, url_of
    from quickdraw_service.service import Service

    if not 0 <= arguments.port <= 65535:
        raise ValueError(f"--port must be from 0 to 65535, got {arguments.port}")
    limits = limits_from(arguments.limit)
    loopback = is_loopback(arguments.host)
    _check_keys(arguments.store, arguments.host, loopback)
    listener = bind(arguments.host, arguments.port)
    url = url_of(listener)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    for chatty in ("uvicorn", "httpx"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    allow_many_connections()
    app = create_app(
        lambda deliver: Service(arguments.store, deliver=deliver, capacity=limits.waiting, most_arms=limits.all_arms),
        limits=limits,
        loopback=loopback,
        page=routes(),
    )
    _say(f"starting on {url}")

    def announce() -> None:
        _say(f"ready on {url}")
        if arguments.demo:
            play_in_background(url)
            _say(f"open {url} in a browser; Ctrl-C stops")

    Server(app, on_ready=announce).serve_on(listener)
    _say("stopped")
    return 0


def _say(text: str) -> None:
    """Print a line; a server goes on where nobody reads it any more."""
    with suppress(OSError):
        print(text, flush=True)


def _check_keys(store_url: str, host: str, loopback: bool) -> None:
    """Raise ValueError if the store cannot be used, or if a server without keys could be reached from elsewhere."""
    from quickdraw_service.errors import UnavailableError
    from quickdraw_service.stores import open_store

    try:
        with open_store(store_url) as store:
            any_keys = bool(store.keys())
    except UnavailableError as error:
        if loopback:
            return  # the service goes on trying
        raise ValueError(f"the keys cannot be read: {error.message}") from None
    if not any_keys and not loopback:
        raise ValueError(
            f"without keys the server listens on this machine only, and --host {host} can be reached from elsewhere; "
            "make a key first: quickdraw keys add --store URL --role admin"
        )
