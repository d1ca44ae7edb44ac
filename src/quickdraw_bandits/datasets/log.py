"""A log: the choices of another policy, their probabilities and their rewards."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers, arm_positions, numbers_array, refuse_first

if TYPE_CHECKING:
    from quickdraw_bandits.tables import Frame


@dataclass(frozen=True, eq=False)
class Log:
    """Logged events in time order, one array per column.

    Parameters
    ----------
    time
        Time of each event, never decreasing, in any unit. Readers turn dates into seconds since 1970.
    arm
        Position in ``arms`` of the arm that the logging policy chose.
    reward
        Reward of the choice.
    propensity
        Probability with which the logging policy chose that arm at that event: above 0, at most 1.
    group
        Position in ``group_names`` of the event's group. Groups are evaluated separately.
    arms
        The choices of the logging policy.
    arm_names, group_names
        Names of arms and groups in the source, by position; numbers by default.
    source
        Where the log comes from, for error messages and tables.
    left_out
        What the source contains and this log does not: a description and a count.
    affinity
        One number per event and arm, if a reader was asked to keep them; None by default.

    Examples
    --------
    >>> arms = Arms.grid(-1, 1, 2)
    >>> log = Log(time=[0, 1, 2], arm=[0, 1, 1], reward=[1, 0, 1], propensity=[0.5] * 3, group=[0, 0, 0], arms=arms)
    >>> log
    Log(3 events, 2 arms, 1 group, mean reward 0.666667)
    """

    time: Floats
    arm: Integers
    reward: Floats
    propensity: Floats
    group: Integers
    arms: Arms
    arm_names: tuple[str, ...] = ()
    group_names: tuple[str, ...] = ()
    source: str = ""
    left_out: dict[str, int] = field(default_factory=dict)
    affinity: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.arms, Arms):
            raise ValueError(f"arms must be an Arms set, got {type(self.arms).__name__}")
        last = numbers_array("group", self.group).max(initial=0.0)
        n_groups = len(self.group_names) or int(last) + 1
        columns: dict[str, Floats | Integers] = {
            "time": numbers_array("time", self.time),
            "arm": arm_positions("arm", self.arm, len(self.arms)),
            "reward": numbers_array("reward", self.reward),
            "propensity": numbers_array("propensity", self.propensity),
            "group": arm_positions("group", self.group, n_groups),
        }
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) > 1 or lengths["time"] == 0:
            raise ValueError(f"the columns of a log must have the same length of at least 1, got {lengths}")
        time, propensity = columns["time"], columns["propensity"]
        refuse_first("time", time, np.diff(time, prepend=time[0]) < 0, "never decrease")
        refuse_first("propensity", propensity, (propensity <= 0) | (propensity > 1), "be above 0 and at most 1")
        for name, column in columns.items():
            object.__setattr__(self, name, column)
        if not self.arm_names:
            object.__setattr__(self, "arm_names", tuple(str(arm) for arm in range(len(self.arms))))
        if not self.group_names:
            object.__setattr__(self, "group_names", tuple(str(group) for group in range(n_groups)))
        if len(self.arm_names) != len(self.arms):
            raise ValueError(f"arm_names must name all {len(self.arms)} arms, got {len(self.arm_names)} names")

    @classmethod
    def from_frame(
        cls,
        frame: "Frame",
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
    ) -> "Log":
        """Return the log in a data frame of pandas, Polars or Arrow, or in a dictionary of columns.

        Parameters are those of ``read_log``. Times may be numbers, datetimes or ISO dates. Datetimes become seconds
        since 1970; those without a time zone are taken to be in UTC. Rows in errors count from 0.

        Examples
        --------
        >>> import pandas
        >>> frame = pandas.DataFrame({
        ...     "day": pandas.to_datetime(["2026-07-01", "2026-07-02"]), "price": [4.99, 5.99], "sold": [1, 0],
        ...     "probability": [0.5, 0.5],
        ... })
        >>> log = Log.from_frame(frame, time="day", arm="price", reward="sold", propensity="probability")
        >>> log, log.arm_names
        (Log(2 events, 2 arms, 1 group, mean reward 0.5), ('4.99', '5.99'))
        """
        from quickdraw_bandits.datasets.log_of_table import Columns, log_of_table
        from quickdraw_bandits.tables import FrameTable

        columns = Columns(time, arm, reward, propensity, group, coordinate)
        return log_of_table(FrameTable(frame), columns, arms, fill, sort)

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        counts = {"event": len(self), "arm": len(self.arms), "group": len(self.group_names)}
        shown = ", ".join(f"{number:,} {name}{'s' * (number != 1)}" for name, number in counts.items())
        return f"Log({shown}, mean reward {self.reward.mean():.6g})"

    def scaled_time(self) -> Floats:
        """Return the times scaled to [0, 1] over the whole log; all 0 if all events have the same time.

        Examples
        --------
        >>> log = Log(time=[10, 15, 30], arm=[0, 0, 0], reward=[1, 0, 1], propensity=[1.0] * 3, group=[0, 0, 0],
        ...           arms=Arms.grid(-1, 1, 1))
        >>> log.scaled_time()
        array([0.  , 0.25, 1.  ])
        """
        start, span = self.time[0], self.time[-1] - self.time[0]
        scaled: Floats = (self.time - start) / (span if span > 0 else 1.0)
        return scaled

    def rows_by_group(self) -> list[Integers]:
        """Return the rows of each group's events in time order, in the order of ``group_names``."""
        order = np.argsort(self.group, kind="stable")
        ends = np.cumsum(np.bincount(self.group, minlength=len(self.group_names)))
        return np.split(order, ends[:-1])


def arms_on_a_line(coordinates: Floats) -> Arms:
    """Return one arm per coordinate, scaled to [-1, 1]; arms with the same coordinate stay different arms.

    Examples
    --------
    >>> arms_on_a_line(np.array([3.0, 7.0, 5.0, 3.0])).points[:, 0]
    array([-1.,  1.,  0., -1.])
    """
    low, high = coordinates.min(), coordinates.max()
    if low == high:
        return Arms(np.zeros(len(coordinates)))
    return Arms(2 * (coordinates - low) / (high - low) - 1)
