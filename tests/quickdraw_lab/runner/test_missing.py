from quickdraw_lab.figures.field_run import FieldRun
from quickdraw_lab.players.contestant import Contestant
from quickdraw_lab.runner.missing import failures, play_missing
from quickdraw_lab.runner.store import open_store
from quickdraw_lab.testbed import FieldSetting

RUNS = [FieldRun(FieldSetting(), Contestant(policy), field) for field in range(3) for policy in ("Random", "Restless")]


class FakeRunner:
    """Yields one record per run, and raises an error after some of them."""

    def __init__(self, stop_after=None):
        self.played = []
        self.stop_after = stop_after

    def __call__(self, tasks):
        for task in tasks:
            for run in task:
                if len(self.played) == self.stop_after:
                    raise RuntimeError("pulled the plug")
                self.played.append(run)
                failed = run.field == 1 and run.contestant.policy == "Restless"
                yield {"run": run.to_json()} | ({"error": "E: no"} if failed else {"regret_per_round": 0.0})


def test_goes_on_where_it_was(tmp_path):
    first, second, third = FakeRunner(stop_after=2), FakeRunner(), FakeRunner()
    with open_store(tmp_path / "s", {}, FieldRun) as store:
        try:
            play_missing(store, RUNS, first)
        except RuntimeError:
            pass
        else:
            raise AssertionError("the error must be raised")
    reports = []
    with open_store(tmp_path / "s", {}, FieldRun) as store:
        play_missing(store, RUNS, second, lambda done, total: reports.append((done, total)))
        assert [row["message"] for row in failures(store, RUNS)] == ["E: no"]
        # Only what failed is tried again.
        play_missing(store, RUNS, third)
    assert sorted(map(str, first.played + second.played)) == sorted(map(str, RUNS))
    assert reports == [(done, 4) for done in range(5)]
    assert third.played == [RUNS[3]]
