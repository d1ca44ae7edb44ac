"""The laboratory: everything that runs experiments with the library, draws them and reports on them.

figures
    The paper's figures and table, one module each. ``catalogue.py`` lists them; add a new one there.
claims
    What the paper says about its experiments, and how each statement is tested on the tables.
contest
    The comparison of policies on environments (``quickdraw compare``; from Python, ``quickdraw_lab.compare``).
scale
    How fast choices are with very many arms and observations (``quickdraw bench``).
demo
    The adaptive policy against the paper's, with pictures (``quickdraw demo``).
play
    Several policies on one environment (``quickdraw play``).
pages
    HTML pages from templates.
report
    The HTML page of a results folder, and the results page of the documentation.
runner
    Runs in parallel, on local processes or a Ray cluster, and the file that stores them.
players
    Policies by name, how one is prepared and timed, and the oracle.
pictures
    Figures in files.
"""

from quickdraw_lab.contest.compare import Contest, compare
from quickdraw_lab.testbed import TestBed

__all__ = ["Contest", "TestBed", "compare"]
