"""Run the benchmarks with ``python -m benchmarks``; ``--write`` also writes the table to docs/benchmarks.md.

``python -m benchmarks compile_time --write`` runs one, or several by name, and leaves all other rows as they are.
"""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

# One thread per library, for a fair comparison. BLAS reads these variables when it is imported.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from benchmarks import (  # noqa: E402
    adaptive_choice,
    compile_time,
    live,
    many_arms,
    policies,
    random_field,
    reading,
    sliding_gp,
    start_up,
    stationary,
    time_varying_gp,
    whole_run,
)
from benchmarks.machine import machine  # noqa: E402
from benchmarks.row import Row  # noqa: E402

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"


MODULES = (
    whole_run,
    sliding_gp,
    adaptive_choice,
    time_varying_gp,
    stationary,
    start_up,
    compile_time,
    many_arms,
    live,
    random_field,
    reading,
    policies,
)


def main() -> int:
    modules = {module.__name__.split(".")[1]: module for module in MODULES}
    wanted = [name for name in sys.argv[1:] if name != "--write"]
    unknown = [name for name in wanted if name not in modules]
    if unknown:
        sys.exit(f"benchmarks are {', '.join(modules)}, got {', '.join(unknown)}")
    rows: list[Row] = []
    # One process per benchmark: memory and caches used by one must not affect the next.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        for name in wanted or modules:
            print(f"{name} …", file=sys.stderr, flush=True)
            rows += pool.submit(modules[name].run).result()
    print(table(rows))
    if "--write" in sys.argv[1:]:
        head, rest = PAGE.read_text().split(BEGIN)
        old, rest = rest.split(END)
        text = replaced(old.strip(), rows) if wanted else table(rows)
        temporary = PAGE.with_suffix(".tmp")
        temporary.write_text(f"{head}{BEGIN}\n{text}\n{END}{rest}")
        temporary.replace(PAGE)
    return 0 if all(row.met for row in rows) else 1


def replaced(text: str, rows: list[Row]) -> str:
    """Return a table with some rows measured again; new ones come behind the last that was there."""
    lines, place = text.splitlines(), len(text.splitlines())
    for row, line in zip(rows, table(rows).splitlines()[-len(rows) :], strict=True):
        found = [number for number, old in enumerate(lines) if old.startswith(f"| {row.what} |")]
        if found:
            lines[found[0]], place = line, found[0] + 1
        else:
            lines.insert(place, line)
            place += 1
    return "\n".join(lines)


def table(rows: list[Row]) -> str:
    lines = [f"On {machine()}:", "", "| what | ours | other | ratio | target | met |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {row.what} | {row.ours} | {row.other} | {row.ratio:.3g} | {row.target} | {'yes' if row.met else 'no'} |"
        for row in rows
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
