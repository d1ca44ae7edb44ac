"""Questions to 1 to 4 shards, measured, and simulated from parts that are measured apart.

``python -m benchmarks.fan_out`` prints a table; ``--write`` puts it on the page and its rows into
docs/results/shards.json. It takes about four minutes, and needs a machine on which nothing else runs. It fails if a
figure misses the tolerance.
"""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from quickdraw_lab.files import replacing
from quickdraw_lab.scale.fan_out import FanOut
from quickdraw_lab.scale.fan_out_measured import fan_out
from quickdraw_lab.scale.fan_out_page import BEGIN, END, fan_out_text, kept
from quickdraw_lab.scale.shard_run import FAN_OUT

DOCS = Path(__file__).parent.parent / "docs"
ARMS_OF_A_SHARD = 10_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=2000, help="of each kind")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    rows = fan_out(given.questions, ARMS_OF_A_SHARD)
    print(fan_out_text(rows))
    if given.write:
        write(rows)
    return 0 if all(kept(off) for row in rows for off in row.off) else 1


def write(rows: list[FanOut]) -> None:
    """Put rows into the file of all measurements of shards, and what they say on the page."""
    path, page = DOCS / "results" / "shards.json", DOCS / "beyond-one-machine.md"
    content = json.loads(path.read_text(encoding="utf-8")) | {FAN_OUT: [asdict(row) for row in rows]}
    head, rest = page.read_text(encoding="utf-8").split(BEGIN)
    text = f"{head}{BEGIN}\n{fan_out_text(rows)}\n{END}{rest.split(END)[1]}"
    for where, what in ((path, json.dumps(content, indent=1, ensure_ascii=False) + "\n"), (page, text)):
        with replacing(where) as temporary:
            temporary.write_text(what, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
