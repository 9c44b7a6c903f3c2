"""What tests of engines over HTTP ask, and how."""

from __future__ import annotations

import asyncio
import random

from cleverdon.engines.client import Answer, Patience, ask
from cleverdon.engines.protocol import Engine


def asked(engine: Engine, query: str = "heat pumps", k: int = 10, *, tries: int = 3) -> Answer:
    """What comes of a question, with retries."""
    patience = Patience(pause=0.01, timeout=5, tries=tries)

    async def once() -> Answer:
        async with engine:
            return await ask(engine, query, k, patience=patience, chance=random.Random(0))

    return asyncio.run(once())


def failed(engine: Engine, *, query: str = "heat pumps", tries: int = 1) -> str:
    """The failure of a question that is not answered, in words."""
    failure = asked(engine, query, tries=tries).failure
    assert failure is not None
    return str(failure)
