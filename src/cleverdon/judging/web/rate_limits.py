"""Rate limits on passwords: failures are counted for a while, in bounded memory.

- By name and address together: after a few failures this name must wait, at this address.
- By address, and by name: after many failures, attempts are throttled to one every few seconds.
  Nobody is locked out by that, and many addresses together cannot guess a password.
- A device on which the person has signed in before is counted separately.

Sign-in links are not counted: nobody guesses 256 random bits, and any page on the web can make a
browser open a wrong link.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from math import ceil
from threading import Lock

from cleverdon._common.text import counted
from cleverdon.errors import CleverdonError
from cleverdon.judging import clock

_WINDOW = 300.0
"""Seconds after which counting starts again."""

_MAX_FAILURES = 10
"""Failures of one name at one address, or on a known device, within the window."""

_THROTTLE_AFTER = 100
"""Failures of an address, or of a name, before throttling: many people may share an address."""

_THROTTLE_INTERVAL = 2.0
"""Seconds between throttled attempts."""

_MAX_WAIT = 20.0
"""Seconds that a throttled request waits at most; it is refused if it would be longer."""

_MAX_KEYS = 30_000
"""Counters that are kept."""


class TooManyAttempts(CleverdonError):
    """Too many failed attempts; `seconds` is the time to wait."""

    def __init__(self, seconds: int) -> None:
        minutes = ceil(seconds / 60)
        wait = counted(minutes, "minute") if seconds > 60 else f"{seconds} s"
        super().__init__(
            f"too many failed attempts: wait {wait} and try again, or sign in by your personal "
            "link; an administrator can make a new one"
        )
        self.seconds = seconds


@dataclass
class Attempt:
    """One attempt; it counts as a failure unless it succeeded."""

    succeeded: bool = False


_Key = tuple[str, str]
"""The kind of a counter (pair, device, change, address or name), and what it counts."""

_THROTTLED = ("address", "name")


@dataclass
class AttemptLimiter:
    """Counters of failed attempts: when counting began, and how many, by key."""

    on_limit: Callable[[str, str, str], None] = lambda *_: None
    """Called when a limit is reached, with the kind of counter, the address and the name."""

    counts: OrderedDict[_Key, tuple[float, int]] = field(default_factory=OrderedDict)
    next_slots: dict[_Key, float] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def reserve_slot(self, *, address: str, name: str, device: str = "") -> float:
        """Reserve a time for a throttled attempt, and return the seconds until then.

        Raises:
            TooManyAttempts: If the wait would be too long.
        """
        now = clock.ticks()
        with self.lock:
            keys = self._keys(address, name, device, now)
            self._check(keys, now)
            throttled = [
                key
                for key in keys
                if key[0] in _THROTTLED and self._count(key, now)[1] >= _THROTTLE_AFTER
            ]
            slot = max([now, *(self.next_slots.get(key, now) for key in throttled)])
            if slot - now > _MAX_WAIT:
                raise TooManyAttempts(ceil(slot - now - _MAX_WAIT))
            self.next_slots = {key: at for key, at in self.next_slots.items() if at > now}
            self.next_slots.update(dict.fromkeys(throttled, slot + _THROTTLE_INTERVAL))
        return slot - now

    def sign_in_attempt(
        self, *, address: str, name: str, device: str = ""
    ) -> AbstractContextManager[Attempt]:
        """Count an attempt to sign in, or raise TooManyAttempts.

        `device` is the key of a device on which this person has signed in before.
        """
        now = clock.ticks()
        with self.lock:
            keys = self._keys(address, name, device, now)
        return self._counted(keys, now, address, name)

    def password_change(self, *, address: str, name: str) -> AbstractContextManager[Attempt]:
        """Count an attempt of a person who is signed in to change the password.

        It is counted separately from attempts to sign in, which strangers can make.
        """
        keys = [("change", _pair(address, name))]
        return self._counted(keys, clock.ticks(), address, name)

    @contextmanager
    def _counted(
        self, keys: Sequence[_Key], now: float, address: str, name: str
    ) -> Iterator[Attempt]:
        """Count a failure first, so that many attempts at once cannot pass the limit."""
        reached: list[str] = []  # limits that are reached if it fails
        with self.lock:
            self._check(keys, now)
            for key in keys:
                since, count = self._count(key, now)
                self._set(key, since, count + 1)
                limit = _THROTTLE_AFTER if key[0] in _THROTTLED else _MAX_FAILURES
                reached += [key[0]] * (count + 1 == limit)
        attempt = Attempt()
        try:
            yield attempt
        finally:
            if attempt.succeeded:
                with self.lock:
                    for key in keys:
                        since, count = self._count(key, now)
                        self._set(key, since, max(count - 1, 0))
            else:
                for kind in reached:
                    self.on_limit(kind, address, name)

    def _keys(self, address: str, name: str, device: str, now: float) -> list[_Key]:
        own = ("device", device)
        if device and self._count(own, now)[1] < _MAX_FAILURES:
            return [own]
        return [("pair", _pair(address, name)), ("address", network(address)), ("name", name)]

    def _check(self, keys: Sequence[_Key], now: float) -> None:
        for key in keys:
            since, count = self._count(key, now)
            if key[0] not in _THROTTLED and count >= _MAX_FAILURES:
                raise TooManyAttempts(ceil(since + _WINDOW - now))

    def _count(self, key: _Key, now: float) -> tuple[float, int]:
        since, count = self.counts.get(key, (now, 0))
        return (since, count) if now < since + _WINDOW else (now, 0)

    def _set(self, key: _Key, since: float, count: int) -> None:
        self.counts.pop(key, None)
        if count:
            self.counts[key] = (since, count)
        while len(self.counts) > _MAX_KEYS:
            self.counts.popitem(last=False)


def _pair(address: str, name: str) -> str:
    return f"{network(address)} {name}"


def network(address: str) -> str:
    """Return what counts as one address: for IPv6 the /64 network, which is what a subscriber gets.

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
