"""Where logs are kept: SQLite in one file, or PostgreSQL."""

from quickdraw_service.stores.open import open_store
from quickdraw_service.stores.store import Event, Store, StoredExperiment

__all__ = ["Event", "Store", "StoredExperiment", "open_store"]
