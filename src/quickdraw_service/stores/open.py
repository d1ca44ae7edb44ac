"""A store by its address."""

from urllib.parse import unquote, urlsplit

from quickdraw_service.errors import UnusableStoreError
from quickdraw_service.stores.store import Store


def open_store(url: str) -> Store:
    """Open a store, and bring its tables to this version's format.

    Parameters
    ----------
    url
        ``sqlite:///relative/path``, ``sqlite:////absolute/path`` or ``postgresql://user@host:port/database``. The file
        is made where there is none; its folder must exist.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, open_store(f"sqlite:///{folder}/log.db") as store:
    ...     store.experiments()
    []
    """
    scheme = urlsplit(url).scheme
    if scheme == "sqlite":
        from quickdraw_service.stores.sqlite import SQLiteStore

        path = unquote(url.removeprefix("sqlite://").removeprefix("/"))
        if not url.startswith("sqlite:///") or not path:
            raise UnusableStoreError(f"store must be sqlite:///path, got {url!r}")
        return SQLiteStore(path)
    if scheme in ("postgresql", "postgres"):
        from quickdraw_service.stores.postgres import PostgresStore

        return PostgresStore(url)
    raise UnusableStoreError(f"store must begin with sqlite:/// or postgresql://, got {url.partition(':')[0]!r}")
