"""An old name of ``reference``."""

from quickdraw_bandits.interpolation.reference import upper_bound

__all__ = ["upper_bound"]
