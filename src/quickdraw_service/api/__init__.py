"""The HTTP API: one table of operations, from which routes and the OpenAPI description are made."""

from quickdraw_service.api.app import create_app

__all__ = ["create_app"]
