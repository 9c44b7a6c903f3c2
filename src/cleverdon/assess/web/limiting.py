"""How often one may try to sign in: failures are counted by address and by name, for a while.

Whoever tries too often waits, and cannot find out a password by trying; somebody else's failures
keep nobody from signing in by a link. What is counted is kept in memory and is bounded.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from math import ceil
from threading import Lock
from typing import Literal

from cleverdon.assess import clock
from cleverdon.errors import CleverdonError

WINDOW = 300.0
"""Seconds after which counting starts again."""

BY_ADDRESS, BY_NAME = 30, 10
"""Failures within the window; many people may share an address."""

_MOST = 10_000
"""Addresses and names that are remembered."""


class TooOften(CleverdonError):
    """It was tried too often; `seconds` are how long to wait."""

    def __init__(self, seconds: int) -> None:
        minutes = ceil(seconds / 60)
        super().__init__(
            f"too many failed attempts: wait {minutes} minute{'s' if minutes > 1 else ''} and try "
            "again, or ask an administrator for a new sign-in link"
        )
        self.seconds = seconds


@dataclass
class Attempt:
    """One try to sign in; it counts as a failure unless it is said to be right."""

    right: bool = False


Kind = Literal["address", "name"]
Key = tuple[Kind, str]
Tell = Callable[[Kind, str, str], None]
"""What is done when a name or an address is held off: which of the two, the address, the name."""


@dataclass
class Attempts:
    """What was tried of late: since when, and how often, by key."""

    tell: Tell = lambda *_: None
    counts: OrderedDict[Key, tuple[float, int]] = field(default_factory=OrderedDict)
    lock: Lock = field(default_factory=Lock)

    @contextmanager
    def trying(self, *, address: str, name: str | None = None) -> Iterator[Attempt]:
        """Count an attempt, unless there were too many; it is taken back where it was right.

        It is counted before it is known to fail, so that many at once are no way around.
        """
        keys: dict[Key, int] = {("address", network(address)): BY_ADDRESS}
        if name is not None:
            keys["name", name] = BY_NAME
        now = clock.ticks()
        full: list[Kind] = []  # what is held off from now on, unless it is right
        with self.lock:
            waits = [self._wait(key, most, now) for key, most in keys.items()]
            if max(waits) > 0:
                raise TooOften(ceil(max(waits)))
            for key, most in keys.items():
                since, count = self._count(key, now)
                self._set(key, since, count + 1)
                full += [key[0]] * (count + 1 == most)
        attempt = Attempt()
        try:
            yield attempt
        finally:
            if attempt.right:
                self._take_back(keys, now)
            else:
                for kind in full:
                    self.tell(kind, address, name or "")

    def _take_back(self, keys: Collection[Key], now: float) -> None:
        with self.lock:
            for key in keys:
                since, count = self._count(key, now)
                self._set(key, since, max(count - 1, 0))

    def _count(self, key: Key, now: float) -> tuple[float, int]:
        since, count = self.counts.get(key, (now, 0))
        return (since, count) if now < since + WINDOW else (now, 0)

    def _wait(self, key: Key, most: int, now: float) -> float:
        since, count = self._count(key, now)
        return since + WINDOW - now if count >= most else 0.0

    def _set(self, key: Key, since: float, count: int) -> None:
        self.counts.pop(key, None)
        if count:
            self.counts[key] = (since, count)
        while len(self.counts) > _MOST:
            self.counts.popitem(last=False)


def network(address: str) -> str:
    """What counts as one address: of IPv6 a /64, which is what one subscriber gets.

    >>> network("2001:db8:1:2:3:4:5:6"), network("192.0.2.7")
    ('2001:db8:1:2::', '192.0.2.7')
    """
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is None:
        return str(IPv6Address(int(parsed) >> 64 << 64))
    return str(parsed)
