"""What the figures show, in words."""

from collections.abc import Iterable

TITLES = {
    "F1": "Quick-Draw and Gaussian processes on a known function",
    "F2": "random fields",
    "F3": "what four policies choose",
    "F4": "regret against noise",
    "F5": "regret against the sharpness of the field",
    "F6": "regret against the correlation length over arms",
    "F7": "regret against the correlation length over time",
    "F8": "regret against Quick-Draw’s length scale",
    "F9": "regret against Quick-Draw’s time scale",
    "F10": "SW-GP-UCB when it fits well",
    "F11": "SW-GP-UCB when it fails",
    "F12": "click-through rate against Quick-Draw’s time scale",
    "F13": "what Quick-Draw chooses with small scales",
    "TAB1": "click-through rates on logged data",
}

_SWEEP = "Regret per round after the warm-up: mean over fields, and its 95 % interval."

CAPTIONS = {
    "F1": "Top and middle: what Quick-Draw and GP-UCB believe after 15 rounds. Bottom: cumulative time of the rounds, "
    "one thread each, the shortest of three runs.",
    "F2": "Mean (left) and noisy rewards (right) of one field, raised to two powers.",
    "F3": "Dots are chosen arms, small grey ones those of the random warm-up, on the mean reward.",
    **dict.fromkeys(("F4", "F5", "F6", "F7", "F8", "F9"), _SWEEP),
    "F10": "Samples in the window coloured by their round, the upper bound that the policy maximises, and the true "
    "mean.",
    "F11": "As F10, in a later round of the same field, which was chosen to show both: here the bound lies below "
    "the truth for some arms and the choice is a bad one, though not at the edge. How often the bound is too low, "
    "and the edge played, is measured over many fields.",
    "F12": "Estimates by inverse propensity scoring with 95 % intervals.",
    "F13": "As F3, for Quick-Draw with l_x = l_t = 0.1.",
}


def order(pieces: Iterable[str]) -> list[str]:
    """Return F1 to F13 in the order of their numbers, then the others.

    Examples
    --------
    >>> order(["TAB1", "F10", "F2"])
    ['F2', 'F10', 'TAB1']
    """
    known = list(TITLES)
    return sorted(pieces, key=lambda piece: (known.index(piece) if piece in known else len(known), piece))
