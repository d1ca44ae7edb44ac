import numpy as np
import pytest
from scipy import stats

from quickdraw_lab.contest.environments import ENVIRONMENTS
from quickdraw_lab.contest.plan import Plan
from quickdraw_lab.contest.runs import ContestRun
from quickdraw_lab.contest.tables import mean_ranks, result_rows, summary_rows, tuning_rows, verdict
from quickdraw_lab.testbed import TestBed

POLICIES = ["Random", "QuickDraw", "Restless", "SlidingEpsilonGreedy"]
FIELDS = 12


@pytest.fixture
def contest():
    """A contest whose regrets are drawn: a value to an environment that all share, and one to each run."""
    random = np.random.default_rng(5)
    plan = Plan.of(
        POLICIES, {"base": ENVIRONMENTS["base"]}, TestBed(n_arms=5, n_rounds=20, warmup=2), FIELDS, 2, budget=1
    )
    shared = random.uniform(size=FIELDS)
    regrets = {
        "Random": shared + 0.5 + 0.01 * random.normal(size=FIELDS),
        "QuickDraw": shared + 0.1 * random.normal(size=FIELDS),
        "Restless": shared - 0.5 + 0.1 * random.normal(size=FIELDS),
        "SlidingEpsilonGreedy": shared + 0.1 * random.normal(size=FIELDS),
    }
    records = {
        run: {
            "regret_per_round": float(regrets[run.contestant.policy][run.number]),
            "seconds_per_choice": 1e-3 * (run.number + 1),
            "cpu_seconds": 1.0,
        }
        for run in plan.result_runs({})
    }
    return plan, records, regrets


def test_differences_are_paired(contest):
    plan, records, regrets = contest
    rows = {row["policy"]: row for row in summary_rows(plan, result_rows(plan, records), records)}
    for policy in POLICIES:
        row = rows[policy]
        assert row["regret_per_round"] == pytest.approx(regrets[policy].mean())
        assert row["seconds_per_choice"] == pytest.approx(1e-3 * np.median(np.arange(1, FIELDS + 1)))
        if policy != "QuickDraw":
            expected = stats.ttest_rel(regrets[policy], regrets["QuickDraw"]).confidence_interval(0.95)
            assert (row["difference_low"], row["difference_high"]) == pytest.approx((expected.low, expected.high))
    assert [rows[policy]["verdict"] for policy in POLICIES] == ["worse", "reference", "better", "open"]
    assert list(rows) == sorted(POLICIES, key=lambda policy: regrets[policy].mean())


def test_ranks_equal_scipys(contest):
    plan, records, regrets = contest
    results = result_rows(plan, records)
    values = np.array([regrets[policy] for policy in POLICIES])
    expected = stats.rankdata(values, axis=0).mean(axis=1)
    assert mean_ranks(results, unranked=set()) == pytest.approx(dict(zip(POLICIES, expected, strict=True)))
    without = stats.rankdata(values[1:], axis=0).mean(axis=1)
    assert mean_ranks(results, unranked={"Random"}) == pytest.approx(dict(zip(POLICIES[1:], without, strict=True)))


def test_equal_regrets_share_their_ranks():
    rows = [{"policy": p, "number": 0, "regret_per_round": r} for p, r in [("a", 1.0), ("b", 0.5), ("c", 1.0)]]
    assert mean_ranks(rows, set()) == {"a": 2.5, "b": 1.0, "c": 2.5}


def test_pairs_are_those_that_both_have_played(contest):
    plan, records, regrets = contest
    [failed] = [run for run in records if run.contestant.policy == "QuickDraw" and run.number == 3]
    records[failed] = {"error": "E: no"}
    rows = {row["policy"]: row for row in summary_rows(plan, result_rows(plan, records), records)}
    both = np.arange(FIELDS) != 3
    assert rows["Random"]["difference"] == pytest.approx((regrets["Random"] - regrets["QuickDraw"])[both].mean())
    assert (rows["Random"]["fields"], rows["QuickDraw"]["fields"]) == (FIELDS, FIELDS - 1)


def test_without_quick_draw_the_first_policy_is_the_reference():
    plan = Plan.of(
        ["Restless", "Random"], {"base": ENVIRONMENTS["base"]}, TestBed(n_arms=5, n_rounds=20, warmup=2), 2, 2, 1
    )
    records = {
        run: {"regret_per_round": 0.1 * run.number + len(run.contestant.policy), "seconds_per_choice": 1.0,
              "cpu_seconds": 1.0}
        for run in plan.result_runs({})
    }  # fmt: skip
    rows = summary_rows(plan, result_rows(plan, records), records)
    assert [(row["policy"], row["verdict"]) for row in rows] == [("Random", "better"), ("Restless", "reference")]


def test_what_was_tried_is_listed_and_what_was_chosen():
    plan = Plan.of(
        ["Restless"], {"base": ENVIRONMENTS["base"]}, TestBed(n_arms=5, n_rounds=20, warmup=2), 1, 1, budget=2
    )
    one, two = plan.entries[0].settings
    records = {
        ContestRun(ENVIRONMENTS["base"], one, "tuning", 0): {"regret_per_round": 0.2},
        ContestRun(ENVIRONMENTS["base"], two, "tuning", 0): {"regret_per_round": 0.1},
    }
    assert [(row["parameters"], row["tuning_regret"], row["chosen"]) for row in tuning_rows(plan, records)] == [
        ("defaults", 0.2, "no"), ("volatility=0.1", 0.1, "yes"),
    ]  # fmt: skip


def test_one_field_leaves_everything_open():
    assert verdict(False, -0.1, -0.1, n=1) == "open"
