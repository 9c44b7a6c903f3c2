"""Numbers as C reads them: the longest prefix that is one, and 0 where there is none."""

from __future__ import annotations

import re

_WHOLE = re.compile(r"\s*([+-]?\d+)")
_DECIMAL = re.compile(
    r"\s*([+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan))", re.IGNORECASE
)
_HEXADECIMAL = re.compile(
    r"\s*([+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?\d+)?)", re.IGNORECASE
)
_LARGEST = 2**63 - 1


def whole(text: str) -> int:
    """A whole number.

    >>> whole("23.4"), whole("-7x"), whole("abc")
    (23, -7, 0)
    """
    found = _WHOLE.match(text)
    return max(-_LARGEST - 1, min(int(found[1]), _LARGEST)) if found else 0


def decimal(text: str) -> float:
    """A real number.

    >>> decimal(".25abc"), decimal("1e3"), decimal("0x1p4"), decimal("abc")
    (0.25, 1000.0, 16.0, 0.0)
    """
    found = _HEXADECIMAL.match(text)
    if found:
        return float.fromhex(found[1])
    found = _DECIMAL.match(text)
    return float(found[1]) if found else 0.0
