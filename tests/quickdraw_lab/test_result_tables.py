import gzip

import pytest

from quickdraw_lab.result_tables import Tables

TEXT = "value,policy,field,regret_per_round\n0.1,P,0,1.5\n0.10,P,1,2.5\n1.0,P,0,\n"


def test_reads_plain_and_compressed(tmp_path):
    (tmp_path / "A.csv").write_text(TEXT)
    (tmp_path / "B_more.csv.gz").write_bytes(gzip.compress(TEXT.encode()))
    (tmp_path / "C.png").touch()
    tables = Tables(tmp_path)
    assert tables.names == ["A", "B_more"]
    assert tables.rows("A") == tables.rows("B_more")
    assert tables.by_field("A", "P", 0.1) == {"0": 1.5, "1": 2.5}
    for name, policy, value in [("C", "P", 0.1), ("A", "Q", 0.1), ("A", "P", 1.0)]:
        with pytest.raises(KeyError):
            tables.by_field(name, policy, value)
