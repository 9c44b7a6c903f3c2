"""How large a difference is, beside whether it is chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cleverdon.hits import Floats


@dataclass(frozen=True)
class Sizes:
    """How far two systems are apart, by one measure."""

    up: int  # topics on which the system's value is higher
    even: int
    down: int


def sizes(ours: Floats, theirs: Floats) -> Sizes:
    """The sizes of the differences between two systems' values, topic by topic."""
    difference = ours - theirs
    return Sizes(
        up=int(np.sum(difference > 0)),
        even=int(np.sum(difference == 0)),
        down=int(np.sum(difference < 0)),
    )
