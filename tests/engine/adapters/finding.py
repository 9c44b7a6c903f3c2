"""What local engines find."""

from __future__ import annotations

import asyncio

from cleverdon.engine.protocol import Engine, Results


def found(engine: Engine, *queries: str, k: int = 10) -> list[Results]:
    """The answers to all queries, which are asked at once."""

    async def ask() -> list[Results]:
        async with engine:
            return list(await asyncio.gather(*(engine.search(query, k) for query in queries)))

    return asyncio.run(ask())
