from dataclasses import dataclass

from quickdraw_lab.any_run import tasks_of


@dataclass(frozen=True)
class Run:
    turn: int
    place: str
    policy: str = ""


def test_runs_of_one_turn_and_place_are_a_task_and_turns_follow_each_other():
    a0, a0_other, b0, a1 = Run(0, "a"), Run(0, "a", "other"), Run(0, "b"), Run(1, "a")
    assert tasks_of([a1, a0, b0, a0_other, a0]) == [[a0, a0_other], [b0], [a1]]
