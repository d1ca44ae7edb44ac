"""What others would have earned, against plain computations; and the log of an experiment as the library reads it."""

import csv
import warnings

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.evaluation.off_policy import WeakEvidenceWarning
from quickdraw_cli import main
from quickdraw_cli.commands import evaluate as command
from quickdraw_cli.parser import build_parser
from quickdraw_service.answers import LogRows
from quickdraw_service.errors import BadRequestError
from quickdraw_service.evaluation import baselines, evaluate
from quickdraw_service.logs import read_experiment
from quickdraw_service.requests import AddArms, Create, Decide, Definition, Reward
from quickdraw_service.service import Service

ARMS = qd.Arms.grid(0, 1, 4)


def rows(n, seed=0):
    """Decisions of a policy that prefers arm 2, with rewards of 0.2, 0.4, 0.9 and 0.3; every tenth has none yet."""
    random = np.random.default_rng(seed)
    weights = np.array([0.2, 0.2, 0.4, 0.2])
    arm = random.choice(4, size=n, p=weights)
    reward = np.array([0.2, 0.4, 0.9, 0.3])[arm] + 0.01 * random.normal(size=n)
    reward[::10] = np.nan
    ids = [str(k) for k in range(n)]
    return LogRows(ids, np.arange(n, dtype=float), arm, None, reward, weights[arm])


def test_estimates_agree_with_plain_sums():
    log = rows(2000)
    earned, random, fixed, other = evaluate(log, ARMS, ["Random"])
    kept = ~np.isnan(log.rewards)
    reward, weight = log.rewards[kept], 0.25 / log.propensities[kept]
    assert earned.value == pytest.approx(reward.mean())
    assert random.value == pytest.approx((weight * reward).sum() / weight.sum())
    assert fixed.arm == 2
    assert fixed.low < 0.9 < fixed.high
    # the truth of random arms, within four standard errors of a mean over 1,800 decisions
    assert abs(other.value - 0.45) < 4 * 0.3 / np.sqrt(1800)
    assert [each.weakness for each in (random, fixed)] == ["", ""]


def test_the_best_fixed_arm_is_not_judged_by_the_decisions_that_chose_it():
    log = rows(400, seed=1)
    found = [evaluate(LogRows(*log_of(log, seed)), ARMS, [])[2].value for seed in range(200)]
    # rewards that do not depend on the arm: the best of four looks better by about 0.1 if judged by what chose it
    assert abs(np.mean(found)) < 4 * np.std(found) / np.sqrt(200)


def log_of(log, seed):
    reward = np.random.default_rng([seed, 7]).normal(size=len(log.rewards))
    return log.ids, log.times, log.arms, None, reward, log.propensities


def test_too_few_rewards_and_unknown_policies_are_refused():
    with pytest.raises(BadRequestError, match="18 decisions have a reward; 20 are needed"):
        evaluate(rows(20), ARMS, [])
    with pytest.raises(BadRequestError, match="unknown name 'Os'"):
        evaluate(rows(100), ARMS, ["Os"])


@pytest.fixture
def filled(url):
    """A store with one experiment: arms were added, and every other decision has a reward."""
    definition = Definition(None, np.array([[0.0], [1.0]]), "euclidean", ["a", "b"], "QuickDraw", {}, 0.5, 0, None)
    with Service(url, warm_up=False) as service:
        service.ask(Create("prices", definition))
        service.ask(AddArms("prices", np.array([[2.0]]), ["c"]))
        for k in range(40):
            decision = service.ask(Decide("prices", id=f"d{k}", time=float(40 - k))).decisions[0]
            if k % 2:
                service.ask(Reward("prices", [decision.id], [0.1 * decision.arm]))
    return url


def test_the_log_of_an_experiment_is_read_from_its_store(filled):
    log = read_experiment(filled, "prices")
    assert len(log.arms) == 3
    assert log.arm_names == ("a", "b", "c")
    np.testing.assert_array_equal(log.time, np.arange(1.0, 41.0, 2.0))
    np.testing.assert_allclose(log.reward, 0.1 * log.arm)
    with pytest.raises(ValueError, match=r"one of the store's \(prices\), got 'colours'"):
        read_experiment(filled, "colours")


def test_the_command_evaluates_an_experiment_of_a_store(filled, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    options = ["--policies", "Random", "--learn-from", "logged", "--jobs", "1"]
    assert main(["evaluate", "--store", filled, "--experiment", "prices", *options]) == 0
    out = capsys.readouterr().out
    assert "experiment prices: Log(20 events, 3 arms" in out
    log = read_experiment(filled, "prices")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WeakEvidenceWarning)
        expected = baselines(log.arm, log.reward, log.propensity, log.arms)
    with (tmp_path / "results/evaluate/baselines.csv").open() as file:
        found = list(csv.DictReader(file))
    fixed = f"best fixed arm ({log.arm_names[expected[2].arm]})"
    assert [row["who"] for row in found] == ["this experiment", "random arms", fixed]
    assert [float(row["value"]) for row in found] == [each.value for each in expected]
    assert fixed in out
    assert main(["evaluate", "--store", filled]) == 2
    assert "give either a LOG, or --store with --experiment" in capsys.readouterr().err


def test_by_default_the_command_answers_what_others_would_have_earned(filled, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    asked = []
    monkeypatch.setattr(command, "evaluate", lambda arguments, log, builders, *_: asked.append(list(builders)) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        command.run(build_parser().parse_args(["evaluate", "--store", filled, "--experiment", "prices"]))
    assert {"QuickDraw", "Restless", "AdaptiveQuickDraw"} <= set(asked[0])
    assert "best fixed arm" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["keys", "list"], ["keys", "revoke", "x"], ["evaluate", "--experiment", "prices"]])
def test_commands_that_only_look_make_no_store(words, tmp_path, capsys):
    assert main([*words, "--store", f"sqlite:///{tmp_path}/typo.db"]) == 2
    assert "there is no store at" in capsys.readouterr().err
    assert not list(tmp_path.glob("typo*"))
