"""The page "Which policy?" is what its tables make it, and they are what the runs behind them make them."""

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from quickdraw_lab.contest.page import page
from quickdraw_lab.result_tables import Tables

FOLDER = Path(__file__).parents[2] / "docs" / "results" / "contest"


def test_the_page_is_up_to_date():
    """If not: python -m quickdraw_lab.contest.publish docs/results/contest."""
    text = (FOLDER.parents[1] / "which-policy.md").read_text(encoding="utf-8")
    assert text == page(FOLDER, "results/contest")


@pytest.mark.parametrize("contest", sorted(path.name for path in FOLDER.iterdir()))
def test_means_and_chosen_settings_come_from_the_runs(contest):
    tables = Tables(FOLDER / contest)
    regrets = defaultdict(list)
    for row in tables.rows("contest_runs"):
        regrets[row["environment"], row["policy"]].append(float(row["regret_per_round"]))
    tried = defaultdict(dict)
    for row in tables.rows("contest_tuning") if "contest_tuning" in tables.names else []:  # none where nobody was tuned
        regret = float(row["tuning_regret"] or "inf")  # empty where a setting cannot play the environment
        tried[row["environment"], row["policy"]][row["parameters"]] = regret
    for row in tables.rows("contest"):
        entry = row["environment"], row["policy"]
        assert float(row["regret_per_round"]) == pytest.approx(np.mean(regrets[entry]))
        assert int(row["fields"]) == len(regrets[entry])
        if tried[entry]:
            assert len(tried[entry]) == int(row["settings_tried"])
            assert tried[entry][row["parameters"]] == min(tried[entry].values())
