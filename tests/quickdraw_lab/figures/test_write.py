"""What the commands do not show of writing figures; tests/quickdraw_cli runs them."""

import os

from quickdraw_lab.figures.write import in_one_thread, runs_behind
from quickdraw_lab.testbed import TestBed


def threads_and_process(figure_id, test_bed, out):
    return [os.environ["OMP_NUM_THREADS"], os.environ["NUMBA_NUM_THREADS"], str(os.getpid())]


def test_an_example_is_made_in_a_process_of_one_thread(tmp_path):
    *threads, process = in_one_thread(threads_and_process, "F2", TestBed(), tmp_path)
    assert threads == ["1", "1"]
    assert process != str(os.getpid())


def test_figures_without_a_sweep_need_no_runs_and_those_that_share_runs_play_them_once():
    assert runs_behind(["F1", "F2", "F10", "F11"], fields=3) == []
    assert len(runs_behind(["F3", "F4"], fields=1)) == len(set(runs_behind(["F4", "F3"], fields=1))) == 6 * 5 + 2
