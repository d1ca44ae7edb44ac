"""A few of the random sequences that ``python -m benchmarks.reliability.sequences`` runs by the thousand."""

from benchmarks.reliability.sequences import on_postgres, on_sqlite, run


def test_random_sequences_on_sqlite_agree_with_the_model(tmp_path):
    assert run(on_sqlite(tmp_path), sequences=40) >= 40


def test_random_sequences_on_postgres_agree_with_the_model(postgres_server):
    assert run(on_postgres(postgres_server.new_database()), sequences=25) >= 25
