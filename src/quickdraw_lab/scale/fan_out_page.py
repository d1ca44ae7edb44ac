"""What the page says of the simulated fan-out, from the rows of a measurement."""

from collections.abc import Sequence

from quickdraw_lab.scale.fan_out import TOLERANCE, FanOut

BEGIN, END = "<!-- fan-out: begin -->", "<!-- fan-out: end -->"


def fan_out_text(rows: Sequence[FanOut]) -> str:
    """Return a table, and a paragraph on whether the tolerance is kept.

    Examples
    --------
    >>> print(fan_out_text([FanOut("small", 2, 1.0, 2.0, 1.1, 3.0, 500)]))
    | work | shards | median | simulated | off | p99 | simulated | off |
    |---|---|---|---|---|---|---|---|
    | small | 2 | 1.00 | 1.10 | +10 % | 2.00 | 3.00 | **+50 %** |
    <BLANKLINE>
    500 questions of each kind; tolerance 20 %. **1 of 2 figures kept it:** 1 of 1 medians, the worst off by 10 %,
    and 0 of 1 99th percentiles, the worst off by 50 %. Missed: small work, 2 shards, p99.
    """
    lines = [
        "| work | shards | median | simulated | off | p99 | simulated | off |",
        "|---|---|---|---|---|---|---|---|",
    ]
    missed = []
    for row in rows:
        off = []
        for name, each in zip(("median", "p99"), row.off, strict=True):
            text = f"{100 * each:+.0f} %"
            if not kept(each):
                text = f"**{text}**"
                missed.append(f"{row.work} work, {row.shards} shard{'s' * (row.shards > 1)}, {name}")
            off.append(text)
        figures = f"{row.median:.2f} | {row.simulated_median:.2f} | {off[0]} | {row.p99:.2f} | {row.simulated_p99:.2f}"
        lines.append(f"| {row.work} | {row.shards} | {figures} | {off[1]} |")
    return "\n".join([*lines, "", *_verdict(rows, missed)])


def kept(off: float) -> bool:
    """Return whether a figure is within the tolerance."""
    return abs(off) <= TOLERANCE


def _verdict(rows: Sequence[FanOut], missed: list[str]) -> list[str]:
    n = len(rows)
    good = [sum(kept(row.off[k]) for row in rows) for k in (0, 1)]
    worst = [100 * max(abs(row.off[k]) for row in rows) for k in (0, 1)]
    medians = f"{good[0]} of {n} medians, the worst off by {worst[0]:.0f} %"
    tails = f"and {good[1]} of {n} 99th percentiles, the worst off by {worst[1]:.0f} %."
    rest = f" Missed: {'; '.join(missed)}." if missed else ""
    how = f"{rows[0].questions:,} questions of each kind; tolerance {100 * TOLERANCE:.0f} %."
    return [f"{how} **{sum(good)} of {2 * n} figures kept it:** {medians},", tails + rest]
