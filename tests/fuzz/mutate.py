"""Damage valid inputs at random, from a seed, until the time is up."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator

SECONDS = float(os.environ.get("CLEVERDON_FUZZ_SECONDS", "5"))
"""Seconds for all targets together; `make fuzz` gives more."""

SEED = int(os.environ.get("CLEVERDON_FUZZ_SEED", "1"))
"""The seed of all cases."""

TARGETS = 17
"""The number of tests that share the time."""

TOKENS = [
    *(b"\0", b"\n", b"\r", b"\r\n", b"\t", b" ", b"#", b"\n#", b",", b'"', b'""', b"\xef\xbb\xbf"),
    *(b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc2\xa0", b"\x0b", b"\x0c", b"\x85", b"\xe2\x80\xa8"),
    *(b"nan", b"-inf", b"Infinity", b"1e999", b"-0", b"1_0", b"0x1", b"1e", b".", b"-", b"1e-400"),
    *(b"9" * 400, b"0." + b"3" * 60, b"1" * 20, b"{", b"}", b":", b"[", b"null", b"true"),
    *(b"x" * 70, b" " * 70, b"q1 Q0 d1 1 1 t\n", b"q1 0 d1 1\n", b"q1,d1,1\n"),
]
"""Text that is likely to cause errors."""


def cases(target: str, corpus: list[bytes], *, least: int = 30) -> Iterator[tuple[str, bytes]]:
    """Yield damaged inputs with their names, at least `least`, until this target's time is up."""
    until = time.monotonic() + SECONDS / TARGETS
    number = 0
    while number < least or time.monotonic() < until:
        name = f"{target}-{SEED}-{number}"
        chance = random.Random(name)
        yield name, damaged(chance.choice(corpus), chance)
        number += 1


def damaged(text: bytes, chance: random.Random) -> bytes:
    """Damage a text in a few places."""
    for _ in range(chance.choice([0, 1, 1, 1, 2, 3, 8])):
        text = chance.choice(ACCIDENTS)(text, chance)
    return text


def _flip(text: bytes, chance: random.Random) -> bytes:
    if not text:
        return text
    at = chance.randrange(len(text))
    return text[:at] + bytes([text[at] ^ (1 << chance.randrange(8))]) + text[at + 1 :]


def _delete(text: bytes, chance: random.Random) -> bytes:
    start, end = _part(text, chance)
    return text[:start] + text[end:]


def _repeat(text: bytes, chance: random.Random) -> bytes:
    start, end = _part(text, chance)
    at = chance.randint(0, len(text))
    return text[:at] + text[start:end] + text[at:]


def _insert(text: bytes, chance: random.Random) -> bytes:
    at = chance.randint(0, len(text))
    return text[:at] + chance.choice(TOKENS) + text[at:]


def _replace(text: bytes, chance: random.Random) -> bytes:
    """Replace a field, or text that looks like one."""
    start, _ = _part(text, chance)
    end = start
    while end < len(text) and text[end : end + 1] not in b" \t\n,:}":
        end += 1
    return text[:start] + chance.choice(TOKENS) + text[end:]


def _noise(text: bytes, chance: random.Random) -> bytes:
    at = chance.randint(0, len(text))
    return text[:at] + chance.randbytes(chance.randint(1, 8)) + text[at:]


def _cut(text: bytes, chance: random.Random) -> bytes:
    return text[: chance.randint(0, len(text))]


def _shuffle(text: bytes, chance: random.Random) -> bytes:
    lines = text.split(b"\n")
    chance.shuffle(lines)
    return b"\n".join(lines)


def _part(text: bytes, chance: random.Random) -> tuple[int, int]:
    start = chance.randint(0, len(text))
    return start, min(len(text), start + chance.choice([1, 1, 2, 5, 20, 200]))


ACCIDENTS = [_flip, _delete, _repeat, _insert, _insert, _replace, _replace, _noise, _cut, _shuffle]
