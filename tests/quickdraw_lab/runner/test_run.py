from dataclasses import dataclass

from quickdraw_lab.runner.run import tasks_of


@dataclass(frozen=True)
class Run:
    order: int
    shares: str
    policy: str = ""


def test_runs_that_share_an_environment_are_one_task_and_tasks_are_sorted_by_order():
    a0, a0_other, b0, a1 = Run(0, "a"), Run(0, "a", "other"), Run(0, "b"), Run(1, "a")
    assert tasks_of([a1, a0, b0, a0_other, a0]) == [[a0, a0_other], [b0], [a1]]
