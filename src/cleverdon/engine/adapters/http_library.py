"""aiohttp, or a word on how to install it."""

from __future__ import annotations

from cleverdon.errors import MissingExtra

try:
    import aiohttp
    from yarl import URL
except ImportError:
    raise MissingExtra("an engine over HTTP", package="aiohttp", extra="engine") from None

__all__ = ["URL", "aiohttp"]
