"""What sets and boxes of arms have in common."""

from typing import Generic, TypeVar

ArmT_co = TypeVar("ArmT_co", covariant=True)


class ArmSet(Generic[ArmT_co]):
    """Arms of a kind: positions, ints, in ``Arms``; coordinates, arrays, in a ``Box``."""

    __slots__ = ()
