"""A store by its address."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from quickdraw_service.errors import UnavailableError, UnusableStoreError
from quickdraw_service.stores.store import Store


def open_store(url: str, create: bool = True) -> Store:
    """Open a store, and bring its tables to this version's format.

    Parameters
    ----------
    url
        ``sqlite:///relative/path``, ``sqlite:////absolute/path`` or ``postgresql://user@host:port/database``. The file
        is made where there is none; its folder must exist.
    create
        Whether a file is made where there is none; default True. With False, that is an error.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, open_store(f"sqlite:///{folder}/log.db") as store:
    ...     store.experiments()
    []
    """
    scheme = urlsplit(url).scheme
    if scheme == "sqlite":
        import apsw

        from quickdraw_service.stores.sqlite import SQLiteStore

        path = unquote(url.removeprefix("sqlite://").removeprefix("/"))
        if not url.startswith("sqlite:///") or not path:
            raise UnusableStoreError(f"store must be sqlite:///path, got {url!r}")
        if not create and not Path(path).is_file():
            raise UnusableStoreError(f"there is no store at {path}; check the address, or start a server to make one")
        try:
            return SQLiteStore(path)
        except UnavailableError as error:
            if isinstance(error.__cause__, apsw.CorruptError):  # no waiting mends it
                raise UnusableStoreError(
                    f"the store {path} is damaged or incomplete: {error.__cause__}; restore it from a back-up"
                ) from error
            raise
    if scheme in ("postgresql", "postgres"):
        from quickdraw_service.stores.postgres import PostgresStore

        return PostgresStore(url)
    raise UnusableStoreError(f"store must begin with sqlite:/// or postgresql://, got {url.partition(':')[0]!r}")
