"""How often one may try a password: failures are counted for a while, in memory that is bounded.

- By name and address together: after a few failures this name has to wait, from this address.
- By address, and by name: after many failures further attempts take turns, a few seconds apart.
  Nobody is locked out by that, and a password that many addresses try is not found out either.
- A device on which the person has signed in before is counted by itself, whatever others do.

Only passwords are counted. A sign-in link holds 256 random bits, which nobody guesses, and any page
on the web can make a browser open addresses: so neither wrong links nor valid ones count.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from math import ceil
from threading import Lock

from cleverdon.assess import clock
from cleverdon.errors import CleverdonError

WINDOW = 300.0
"""Seconds after which counting starts again."""

TRIES = 10
"""Failures of one name from one address, or on a known device, within the window."""

MANY = 100
"""Failures of an address, or of a name, after which attempts take turns; many share an address."""

PACE = 2.0
"""Seconds from one turn to the next."""

LONGEST_WAIT = 20.0
"""Seconds for which a request waits for its turn; where it would be longer, it is refused."""

_MOST = 30_000
"""Keys that are remembered."""


class TooOften(CleverdonError):
    """It was tried too often; `seconds` are how long to wait."""

    def __init__(self, seconds: int) -> None:
        minutes = ceil(seconds / 60)
        wait = f"{minutes} minute{'s' if minutes > 1 else ''}" if seconds > 60 else f"{seconds} s"
        super().__init__(
            f"too many failed attempts: wait {wait} and try again, or sign in by your personal "
            "link; an administrator can make a new one"
        )
        self.seconds = seconds


@dataclass
class Attempt:
    """One try; it counts as a failure unless it is said to be right."""

    right: bool = False


Key = tuple[str, str]
"""What is counted, `pair`, `device`, `change`, `address` or `name`; and which one."""

Tell = Callable[[str, str, str], None]
"""What is done when something reaches its bound: what is counted, the address, the name."""

_PACED = ("address", "name")


@dataclass
class Attempts:
    """What was tried of late: since when, and how often, by key; and when the next turn is."""

    tell: Tell = lambda *_: None
    counts: OrderedDict[Key, tuple[float, int]] = field(default_factory=OrderedDict)
    turns: dict[Key, float] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def turn(self, *, address: str, name: str, device: str = "") -> float:
        """Take a turn, and give the seconds until it comes; TooOften where that is too long."""
        now = clock.ticks()
        with self.lock:
            keys = self._keys(address, name, device, now)
            self._check(keys, now)
            paced = [key for key in keys if key[0] in _PACED and self._count(key, now)[1] >= MANY]
            turn = max([now, *(self.turns.get(key, now) for key in paced)])
            if turn - now > LONGEST_WAIT:
                raise TooOften(ceil(turn - now - LONGEST_WAIT))
            self.turns = {key: at for key, at in self.turns.items() if at > now}
            self.turns.update(dict.fromkeys(paced, turn + PACE))
        return turn - now

    @contextmanager
    def trying(self, *, address: str, name: str, device: str = "") -> Iterator[Attempt]:
        """Count an attempt to sign in, unless there were too many.

        `device` is the key of one on which this person has signed in before.
        """
        now = clock.ticks()
        with self.lock:
            keys = self._keys(address, name, device, now)
        with self._counted(keys, now, address, name) as attempt:
            yield attempt

    @contextmanager
    def changing(self, *, address: str, name: str) -> Iterator[Attempt]:
        """Count an attempt of somebody who is signed in to change the password.

        Strangers' failures to sign in do not count here, nor do these count there.
        """
        key = ("change", _pair(address, name))
        with self._counted([key], clock.ticks(), address, name) as attempt:
            yield attempt

    @contextmanager
    def _counted(
        self, keys: Sequence[Key], now: float, address: str, name: str
    ) -> Iterator[Attempt]:
        """Count it before it is known to fail, so that many at once are no way around."""
        reached: list[str] = []  # bounds that are reached, unless it is right
        with self.lock:
            self._check(keys, now)
            for key in keys:
                since, count = self._count(key, now)
                self._set(key, since, count + 1)
                reached += [key[0]] * (count + 1 == (MANY if key[0] in _PACED else TRIES))
        attempt = Attempt()
        try:
            yield attempt
        finally:
            if attempt.right:
                with self.lock:
                    for key in keys:
                        since, count = self._count(key, now)
                        self._set(key, since, max(count - 1, 0))
            else:
                for kind in reached:
                    self.tell(kind, address, name)

    def _keys(self, address: str, name: str, device: str, now: float) -> list[Key]:
        own = ("device", device)
        if device and self._count(own, now)[1] < TRIES:
            return [own]
        return [("pair", _pair(address, name)), ("address", network(address)), ("name", name)]

    def _check(self, keys: Sequence[Key], now: float) -> None:
        for key in keys:
            since, count = self._count(key, now)
            if key[0] not in _PACED and count >= TRIES:
                raise TooOften(ceil(since + WINDOW - now))

    def _count(self, key: Key, now: float) -> tuple[float, int]:
        since, count = self.counts.get(key, (now, 0))
        return (since, count) if now < since + WINDOW else (now, 0)

    def _set(self, key: Key, since: float, count: int) -> None:
        self.counts.pop(key, None)
        if count:
            self.counts[key] = (since, count)
        while len(self.counts) > _MOST:
            self.counts.popitem(last=False)


def _pair(address: str, name: str) -> str:
    return f"{network(address)} {name}"


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
