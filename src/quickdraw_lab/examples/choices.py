"""F3 and F13: the arms that policies choose, on one field."""

from pathlib import Path

from quickdraw_bandits.evaluation import Trace, simulate
from quickdraw_bandits.policies import QuickDraw, Restless, SlidingEpsilonGreedy, SlidingGPUCB
from quickdraw_lab.bed import Bed, Setting
from quickdraw_lab.files import write_csv
from quickdraw_lab.play import round_rows
from quickdraw_lab.plots.choices import draw_panels
from quickdraw_lab.plots.style import save_both

FIELD = 0
"""The number of the field that is shown."""

FOUR = (SlidingGPUCB, SlidingEpsilonGreedy, Restless, QuickDraw)
"""F3's panels, in the paper's order."""

SMALL_SCALE = 0.1
"""l_x and l_t of F13."""


def make_choices(piece: str, bed: Bed, out: Path) -> list[str]:
    """Play on one field of the base setting, and write every round and the picture."""
    env = bed.environment(FIELD, Setting())
    if piece == "F3":
        players = [policy(env.arms, seed=env.seed) for policy in FOUR]
        titles: list[str | None] = [None] * len(players)
    else:
        players = [QuickDraw(env.arms, length_scale=SMALL_SCALE, time_scale=SMALL_SCALE, seed=env.seed)]
        titles = [f"$l_x = l_t = {SMALL_SCALE:g}$"]
    traces: list[Trace] = [simulate(player, env, bed.warmup, env.seed) for player in players]
    write_csv(out / f"{piece}.csv", round_rows(traces))
    return [f"{piece}.csv", *save_both(draw_panels(env, traces, titles), out, piece)]
