"""A few of the random sequences that ``python -m benchmarks.reliability.sequences`` runs by the thousand."""

import tempfile
from pathlib import Path

from benchmarks.reliability.sequences import on_postgres, on_sqlite, run


def test_random_sequences_on_sqlite_agree_with_the_model():
    in_memory = "/dev/shm" if Path("/dev/shm").is_dir() else None  # a disk takes four times as long
    with tempfile.TemporaryDirectory(dir=in_memory) as folder:
        assert run(on_sqlite(folder), sequences=40) >= 40


def test_random_sequences_on_postgres_agree_with_the_model(postgres_server):
    assert run(on_postgres(postgres_server.new_database()), sequences=25) >= 25
