"""What local engines find."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from cleverdon.engines.protocol import Document, Engine, Results


def found(engine: Engine, *queries: str, k: int = 10) -> list[Results]:
    """The answers to all queries, which are asked at once."""

    async def ask() -> list[Results]:
        async with engine:
            return list(await asyncio.gather(*(engine.search(query, k) for query in queries)))

    return asyncio.run(ask())


def check_that_half_an_index_leaves_the_old_one(engine: Engine) -> None:
    """Indexing that is broken off changes nothing, and can be done again."""

    def broken() -> Iterator[Document]:
        yield Document("d2", "", "new")
        raise KeyboardInterrupt

    engine.index([Document("d1", "", "old")])
    with pytest.raises(KeyboardInterrupt):
        engine.index(broken())
    assert [id for id, _ in found(engine, "old new")[0]] == ["d1"]
    engine.index([Document("d2", "", "new")])
    assert [id for id, _ in found(engine, "old new")[0]] == ["d2"]
