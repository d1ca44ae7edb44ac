"""Run the benchmarks with ``python -m benchmarks``; ``--write`` also writes the table to docs/benchmarks.md."""

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


def main() -> int:
    rows: list[Row] = []
    modules = (
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
        policies,
    )
    # One process per benchmark: memory and caches used by one must not affect the next.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        for module in modules:
            print(f"{module.__name__.split('.')[1]} …", file=sys.stderr, flush=True)
            rows += pool.submit(module.run).result()
    text = table(rows)
    print(text)
    if "--write" in sys.argv[1:]:
        head, rest = PAGE.read_text().split(BEGIN)
        page = f"{head}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}"
        temporary = PAGE.with_suffix(".tmp")
        temporary.write_text(page)
        temporary.replace(PAGE)
    return 0 if all(row.met for row in rows) else 1


def table(rows: list[Row]) -> str:
    lines = [f"On {machine()}:", "", "| what | ours | other | ratio | target | met |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {row.what} | {row.ours} | {row.other} | {row.ratio:.3g} | {row.target} | {'yes' if row.met else 'no'} |"
        for row in rows
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
