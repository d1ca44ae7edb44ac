"""What a figure or table of the paper consists of."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quickdraw_bandits.evaluation.off_policy.protocol import Build
from quickdraw_lab.figures.sweep import Sweep
from quickdraw_lab.result_tables import Row
from quickdraw_lab.testbed import TestBed

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

Example = Callable[[str, TestBed, Path], list[str]]
"""Makes the figure with this id from a test bed, writes its files into a folder and returns their names."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure or table of the paper.

    Attributes
    ----------
    title, caption
        For the report and the documentation.
    """

    title: str
    caption: str = ""


@dataclass(frozen=True, kw_only=True)
class SimulatedFigure(Figure):
    """A figure made from simulations.

    Attributes
    ----------
    sweep
        What is played on many fields; None if nothing is.
    example
        Makes the table and the picture of one example. None if the picture shows the sweep itself.
    behaviour
        Whether to write how the policies of the sweep behaved on each field (``ID_fields.csv``).
    """

    sweep: Sweep | None = None
    example: Example | None = None
    behaviour: bool = False


@dataclass(frozen=True, kw_only=True)
class LogFigure(Figure):
    """A figure or table made from off-policy estimates on a log.

    Attributes
    ----------
    builders
        Returns what builds each policy, given the policies that the user named.
    table
        Makes the table from the summary of the estimates.
    shown
        Makes what is printed from the table.
    draw
        Draws the table; None if there is no picture.
    """

    builders: Callable[[Sequence[str]], Mapping[str, Build]]
    table: Callable[[Sequence[Row]], list[Row]]
    shown: Callable[[list[Row]], list[Row]] = lambda table: table
    draw: "Callable[[Sequence[Row], str], Picture] | None" = None
