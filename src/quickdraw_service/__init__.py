"""Decisions over HTTP: an append-only log of decisions and rewards, policies that learn from it, an API, a client."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quickdraw_service.async_client import AsyncClient
    from quickdraw_service.client import Client

__all__ = ["AsyncClient", "Client"]


def __getattr__(name: str) -> object:
    """Import a client when it is first asked for: the server needs none, and httpx takes a while."""
    if name == "Client":
        from quickdraw_service.client import Client

        return Client
    if name == "AsyncClient":
        from quickdraw_service.async_client import AsyncClient

        return AsyncClient
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
