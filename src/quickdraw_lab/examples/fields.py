"""F2: what random fields look like."""

from pathlib import Path

from quickdraw_lab.bed import Bed, Setting
from quickdraw_lab.files import write_csv
from quickdraw_lab.plots.fields import draw_fields
from quickdraw_lab.plots.style import reduce_colours, save_both

FIELD, POWERS, NOISE = 0, (1.0, 3.0), 0.1
LARGEST_TABLE = 50
"""The table has at most about this many rounds and arms, evenly spaced; the picture has all."""

DPI = 120
"""Fewer dots an inch than elsewhere, and fewer colours: noise cannot be compressed."""


def make_fields(piece: str, bed: Bed, out: Path) -> list[str]:
    """Write the mean and the noisy field for two powers, and their picture."""
    field = bed.environment(FIELD, Setting())
    environments = [field.vary(power=power, noise=NOISE) for power in POWERS]
    every_round, every_arm = (max(1, n // LARGEST_TABLE) for n in field.mean.shape)
    write_csv(
        out / f"{piece}.csv",
        (
            {
                "alpha": env.power,
                "time": float(env.times[round]),
                "arm": float(env.arms.points[arm, 0]),
                "mean": float(env.mean[round, arm]),
                "noisy": float(env.rewards[round, arm]),
            }
            for env in environments
            for round in range(0, env.n_rounds, every_round)
            for arm in range(0, len(env.arms), every_arm)
        ),
    )
    pictures = save_both(draw_fields(environments), out, piece, DPI)
    reduce_colours(out / f"{piece}.png")
    return [f"{piece}.csv", *pictures]
