"""The type of a policy's arms: a set where arms are positions, a box where they are coordinates."""

from typing import TYPE_CHECKING, Any, overload

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.checks import Floats

if TYPE_CHECKING:
    from quickdraw_bandits.policies.decision import ArmT
    from quickdraw_bandits.policies.policy import Policy


class HeldArms:
    """What type checkers take ``policy.arms`` for; in a running program it is a plain attribute."""

    @overload
    def __get__(self, policy: "Policy[int]", owner: object) -> Arms: ...

    @overload
    def __get__(self, policy: "Policy[Floats]", owner: object) -> Box: ...

    @overload
    def __get__(self, policy: "Policy[ArmT]", owner: object) -> Arms | Box: ...

    def __get__(self, policy: Any, owner: object) -> Any:
        """Return an ``Arms`` set or a ``Box``."""
        return policy.__dict__["arms"]

    def __set__(self, policy: object, arms: Arms | Box) -> None:
        """Replace the arms, by a set that begins with them."""
