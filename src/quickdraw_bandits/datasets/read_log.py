"""Logs with named columns, from CSV or Parquet."""

from os import PathLike
from typing import Literal

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.datasets.log import Log
from quickdraw_bandits.datasets.log_of_table import Columns, log_of_table
from quickdraw_bandits.tables import FileTable


def read_log(
    path: str | PathLike[str],
    *,
    time: str = "time",
    arm: str = "arm",
    reward: str = "reward",
    propensity: str = "propensity",
    group: str | None = None,
    coordinate: str | None = None,
    arms: Arms | None = None,
    fill: float | None = None,
    sort: bool = False,
    separator: str | None = None,
    decimal: Literal[".", ","] = ".",
) -> Log:
    r"""Read a log from a file: CSV, plain or gzip, or Parquet (``.parquet``, ``.pq``). Needs the extra ``tables``.

    Every row is read; a bad value raises ValueError with file, column and row. Other columns are not read and are
    listed in ``left_out``.

    Parameters
    ----------
    path
        The file.
    time, arm, reward, propensity
        Names of the columns; by default as the parameters. Times are numbers or ISO dates (in UTC unless they name a
        zone). Propensities are the probabilities with which the logged arms were chosen.
    group
        Column of the groups, which are evaluated separately; None (default) for a single group.
    coordinate
        Column with the coordinate of the arm on a line, which is scaled to [-1, 1]. With None (default), arms with
        numeric labels lie at these numbers, and other arms are all at the same distance from each other.
    arms
        The arms, if the log should be on these: the column ``arm`` then holds their labels, or their positions if they
        have none. By default the arms are those that occur in the log.
    fill
        The reward where the log has none, for example 0 if only clicks were recorded. None (default) refuses gaps.
        Gaps in other columns are always refused.
    sort
        Sort the rows by time, keeping the order of equal times. By default, rows out of order raise ValueError.
    separator
        The character between fields of a CSV file. None (default) finds it: tab, semicolon, bar, comma or space.
    decimal
        The decimal mark in a CSV file: ``"."`` (default) or ``","``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "log.csv"
    >>> _ = path.write_text("time,arm,reward,propensity\n0,red,1,0.5\n1,blue,0,0.25\n")
    >>> log = read_log(path)
    >>> log, log.arm_names
    (Log(2 events, 2 arms, 1 group, mean reward 0.5), ('blue', 'red'))
    """
    columns = Columns(time, arm, reward, propensity, group, coordinate)
    columns.kinds()  # named twice is an error that needs no file
    return log_of_table(FileTable(path, separator=separator, decimal=decimal), columns, arms, fill, sort)
