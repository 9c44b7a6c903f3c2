"""Chance that is the same on every machine: numbers made of a seed and a query's id.

They come out of a hash (BLAKE2b, in counter mode) and no random number generator, since those of
libraries may change from one release to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

_BYTES = 8


class Chance:
    """The random numbers of one query, one after the other.

    >>> Chance(7, "q1").number() == Chance(7, "q1").number() != Chance(7, "q2").number()
    True
    """

    def __init__(self, seed: int, *names: str) -> None:
        # Each name is hashed with its length, so that no two lists of names are one text.
        named = b"".join(b"%d:%b," % (len(name), name) for name in map(_encoded, names))
        self._key = b"%d;%b" % (seed, named)
        self._block = 0
        self._left = b""

    def number(self) -> float:
        """A number from 0 up to 1, 1 not included, each of 53 bits as likely."""
        if not self._left:
            self._left = blake2b(b"%d;%b" % (self._block, self._key)).digest()
            self._block += 1
        taken, self._left = self._left[:_BYTES], self._left[_BYTES:]
        return (int.from_bytes(taken, "big") >> 11) * 2.0**-53

    def coin(self) -> bool:
        """True as often as not."""
        return self.number() < 0.5

    def pick(self, weights: Sequence[float]) -> int:
        """Which of the weights: each as often as it is heavy."""
        point = self.number() * sum(weights)
        for place, weight in enumerate(weights):
            point -= weight
            if point < 0:
                return place
        # Rounding may leave a crumb of the sum behind the last weight.
        return max(place for place, weight in enumerate(weights) if weight > 0)


def _encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")
