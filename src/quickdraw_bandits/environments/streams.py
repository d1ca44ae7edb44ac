"""Independent random numbers from one seed, one stream for each use."""

from typing import Literal, get_args

import numpy as np

from quickdraw_bandits.checks import integer

Use = Literal["field", "noise", "warm-up"]
_USES: tuple[str, ...] = get_args(Use)


def stream(seed: int, use: Use) -> np.random.SeedSequence:
    """Return the child of ``seed`` that belongs to one use.

    Children of one ``SeedSequence`` are independent of each other and of ``default_rng(seed)`` itself, so that a
    field, its noise, the warm-up on it and a policy may all be given the same seed.

    Examples
    --------
    >>> stream(7, "noise").spawn_key
    (1,)
    """
    return np.random.SeedSequence(integer("seed", seed, at_least=0), spawn_key=(_USES.index(use),))
