"""Load on an engine, from its start to the last answer."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from cleverdon.arrays import Ints
from cleverdon.engine.callables import as_engine
from cleverdon.engine.load.arrivals import check_length, check_seconds
from cleverdon.engine.load.generator import most_at_once
from cleverdon.engine.load.mix import Mix
from cleverdon.engine.load.records import ClosedLoop, Load, OpenLoop, Pattern
from cleverdon.engine.load.sending import Plan, Sending, SendingClosed, SendingOpen
from cleverdon.engine.looping import run_async
from cleverdon.engine.protocol import Engine
from cleverdon.errors import OptionError, check_count

Progress = Callable[[float], object]
"""Is told, a few times a second, which share of a load is over."""

_GRACE = 1.0
"""Seconds that a request is given to end once its time is over."""
_TELL_EVERY = 0.2


def load(engine: Any, mix: Mix, pattern: Pattern, **options: Any) -> Load:
    """`run_load` for callers that are not async: opens the engine, and closes it.

    >>> async def search(query, k):
    ...     return [("d1", 1.0)]
    >>> found = load(search, Mix.of(["solar power"]), OpenLoop(500, "constant"), requests=20)
    >>> len(found.response), found.errors()
    (20, {})
    """

    system = as_engine(engine)
    if isinstance(pattern, ClosedLoop):
        system.make_room(pattern.clients)

    async def opened() -> Load:
        async with system:
            return await run_load(system, mix, pattern, **options)

    return run_async(opened())


async def run_load(
    engine: Engine,
    mix: Mix,
    pattern: Pattern,
    *,
    seconds: float | None = None,
    requests: int | None = None,
    order: Ints | None = None,
    k: int = 10,
    timeout: float = 10.0,
    warmup: float = 0.0,
    keep_answers: bool = True,
    most_in_flight: int | None = None,
    partial: bool = False,
    progress: Progress | None = None,
) -> Load:
    """Ask an engine, which is open, for so many seconds or requests, whichever end first.

    In an open loop each request is sent at its time, and never waits for another. None is sent a
    second time: a failure counts. Requests of the `warmup` come first, without a pause after them,
    and are not in the result. `order` says which queries to ask, in place of those that are drawn
    from the mix. Once `most_in_flight` requests are under way the load is ended, and not valid,
    since what is not sent cannot be slow; by default as many as there can be connections. With
    `partial`, a load that is cancelled, as by Ctrl-C, sends no more and gives what was sent.
    """
    if order is not None:
        if requests is not None and requests > len(order):
            raise OptionError(f"requests={requests}: the order that was given has {len(order)}")
        requests = len(order) if requests is None else requests
    check_length(seconds, requests)
    check_seconds("timeout", timeout)
    check_seconds("warmup", warmup, zero=True)
    plan = Plan(
        engine=engine,
        mix=mix,
        pattern=pattern,
        seconds=seconds,
        requests=requests,
        order=order,
        k=check_count("k", k),
        timeout=timeout,
        warmup=warmup,
        keep_answers=keep_answers,
        most_in_flight=check_count("most_in_flight", most_in_flight or most_at_once(engine)),
    )
    with _collector_at_rest():
        sending: Sending = (
            SendingOpen(plan, pattern)
            if isinstance(pattern, OpenLoop)
            else SendingClosed(plan, pattern)
        )
        try:
            with _telling(progress, sending.share):
                sending.start()
                try:
                    await sending.over()
                except asyncio.CancelledError:
                    sending.end()
                    if not partial or sending.under.now() <= 0:
                        raise
                await sending.drained(timeout + _GRACE)
        finally:
            await sending.under.end()
    return sending.result()


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """A full collection takes longer than many a request, and all of them would wait for it.

    So what is there already is not looked at while the load lasts, whether or not it is garbage;
    what comes is collected as ever, so that a long load does not fill the memory.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def _telling(progress: Progress | None, share: Callable[[], float]) -> Iterator[None]:
    if progress is None:
        yield
        return

    async def tell() -> None:
        while True:
            progress(share())
            await asyncio.sleep(_TELL_EVERY)

    telling = asyncio.create_task(tell())
    try:
        yield
    finally:
        telling.cancel()
