"""A PostgreSQL server for the tests, and empty stores of both kinds."""

import pytest

from benchmarks.reliability.postgres_server import running


@pytest.fixture(scope="session")
def postgres_server():
    """A server for all tests of a process; without the programs of PostgreSQL they fail."""
    with running() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """The address of an empty store."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/log.db"
    return request.getfixturevalue("postgres_server").new_database()
