"""Independent random streams from one seed, one per use."""

from typing import Literal, get_args

import numpy as np

from quickdraw_bandits.checks import integer

Use = Literal["field", "noise", "warm-up"]
_USES: tuple[str, ...] = get_args(Use)


def stream(seed: int, use: Use) -> np.random.SeedSequence:
    """Return the child of ``seed`` for one use.

    Children of one ``SeedSequence`` are independent of each other and of ``default_rng(seed)`` itself. So a field, its
    noise, its warm-up and a policy may all have the same seed.

    Examples
    --------
    >>> stream(7, "noise").spawn_key
    (1,)
    """
    return np.random.SeedSequence(integer("seed", seed, at_least=0), spawn_key=(_USES.index(use),))
