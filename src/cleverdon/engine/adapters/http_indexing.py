"""Documents handed to an engine over HTTP: in batches, several at once; none is lost unasked."""

from __future__ import annotations

import asyncio
import json
import random
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import quote, unquote

from cleverdon.engine.adapters.http_failures import StatusFailure
from cleverdon.engine.adapters.http_library import URL, aiohttp
from cleverdon.engine.adapters.http_service import HttpService
from cleverdon.engine.asking import Patience
from cleverdon.engine.failures import SearchFailure
from cleverdon.engine.looping import run_async
from cleverdon.engine.protocol import Document
from cleverdon.engine.secrets import shown
from cleverdon.errors import InputError, OptionError

PATIENCE = Patience(timeout=300, tries=5, pause=0.5)
"""How long a batch may take, and how often it is sent where the engine is too busy for it."""

_BATCH_BYTES = 5_000_000
"""Of text, after which a batch is full, however few its documents are."""


@dataclass(frozen=True)
class Calls:
    """Requests other than searches, within one session."""

    service: HttpService
    session: aiohttp.ClientSession
    root: str  # what paths are added to

    async def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        content_type: str = "application/json",
        again: bool = True,
        absent: bool = False,
    ) -> Any:
        """The answer, as JSON; None for a 404, if something may be absent.

        What may be sent twice without harm is, where that may help.
        """
        url = URL(self.root + path, encoded=True)
        sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Type": content_type} if sent is not None else None
        try:
            return await patiently(
                lambda: self.service.exchange(self.session, method, url, sent, headers),
                tries=None if again else 1,
            )
        except StatusFailure as failure:
            if absent and failure.status == 404:
                return None
            raise


async def patiently(call: Callable[[], Awaitable[Any]], *, tries: int | None = None) -> Any:
    """What a call returns in the end."""
    patience, chance, tried = PATIENCE, random.Random(0), 0
    while True:
        tried += 1
        try:
            async with asyncio.timeout(patience.timeout):
                return await call()
        except TimeoutError:
            failure = SearchFailure("timeout", f"no answer within {patience.timeout:g} s")
        except SearchFailure as error:
            failure = error
        if not failure.passing or tried >= (tries or patience.tries):
            raise failure
        await asyncio.sleep(patience.before_next(tried, failure, chance))


@dataclass(kw_only=True, eq=False, repr=False)
class IndexedService(HttpService):
    """An engine over HTTP that takes documents."""

    at_once: ClassVar[int] = 4
    """How many batches are under way at the same time."""
    batch: ClassVar[int] = 1000
    """How many documents one has at most."""

    replace: bool = False  # whether documents that are there already may be deleted

    def end_of_place(self, what: str) -> tuple[str, str]:
        """The URL, taken apart: all but its last part, and that part."""
        base, _, name = self._place.rstrip("/").rpartition("/")
        if "?" in self._place or len(base) < len(self._origin):
            raise OptionError(
                f"url={shown(self.url)!r}: expected one that ends in the name of the {what}, "
                "without a question mark; options stand beside it"
            )
        return base, quote(unquote(name), safe="")

    @property
    @abstractmethod
    def root(self) -> str:
        """The URL that paths of calls are added to."""

    @abstractmethod
    async def held(self, call: Calls) -> int | None:
        """How many documents the index holds; None where there is no index yet."""

    @abstractmethod
    async def clear(self, call: Calls) -> None:
        """Take away the documents that are there."""

    async def create(self, call: Calls) -> None:
        """Make the index, where there is none; engines that cannot say why."""

    @abstractmethod
    async def put(self, call: Calls, batch: list[Document]) -> None:
        """Hand over a batch."""

    @abstractmethod
    async def finish(self, call: Calls) -> None:
        """Make all documents searchable."""

    async def measure(self, call: Calls) -> int | None:
        """How many bytes the index takes up."""
        return None

    def index(self, documents: Iterable[Document]) -> None:
        """Build the index anew, out of these documents."""
        with self._telling("the documents cannot be indexed"):
            run_async(self._indexed(documents))

    def size(self) -> int | None:
        """How many bytes the index takes up; None where that cannot be known."""
        with self._telling("the size of the index cannot be known"):
            return run_async(self._measured())

    async def _indexed(self, documents: Iterable[Document]) -> None:
        async with self.session() as session:
            call = Calls(self, session, self.root)
            held = await self.held(call)
            if held is None:
                await self.create(call)
            elif held and not self.replace:
                raise OptionError(
                    f"replace: {self.name} holds {held:,} documents already, which would be lost; "
                    "with replace = true they are deleted first (?replace=true in the short form); "
                    "or name another index"
                )
            elif held:
                await self.clear(call)
            batches = _batches(documents, self.batch)
            await _each(batches, lambda batch: self.put(call, batch), self.at_once)
            await self.finish(call)

    async def _measured(self) -> int | None:
        async with self.session() as session:
            return await self.measure(Calls(self, session, self.root))

    @contextmanager
    def _telling(self, what: str) -> Iterator[None]:
        try:
            yield
        except SearchFailure as failure:
            raise InputError(f"{self.name}: {what}: {failure}") from None
        except (AttributeError, LookupError, TypeError) as error:
            said = f"{type(error).__name__}: {error}"
            raise InputError(
                f"{self.name}: {what}: an answer of another shape than {self.kind} has ({said}); "
                f"is it {self.kind} that is at {self._origin}?"
            ) from error


def _batches(documents: Iterable[Document], most: int) -> Iterator[list[Document]]:
    batch: list[Document] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += document.bytes
        if len(batch) >= most or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


async def _each(
    batches: Iterator[list[Document]],
    work: Callable[[list[Document]], Awaitable[None]],
    at_once: int,
) -> None:
    """Do the work on every batch; the first failure ends it."""

    async def worker() -> None:
        for batch in batches:  # shared: each takes the next one that there is
            await work(batch)

    workers = [asyncio.create_task(worker()) for _ in range(at_once)]
    try:
        await asyncio.gather(*workers)
    finally:
        for task in workers:
            task.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
