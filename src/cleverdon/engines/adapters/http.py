"""Search services over HTTP: their base, their indexing, and any service by its options.

    kind = "http"
    url = "https://search.example.org/find?q={query}&size={k}"
    ids = "$.results[*].id"
    scores = "$.results[*].score"

`{query}` and `{k}` are filled in, in `url`, `params` and `body`, and encoded as each needs it.
Documents are indexed in batches, several at once, and none is lost without notice.
"""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import errno
import json
import os
import random
import re
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from io import BytesIO
from typing import Any, ClassVar, Self
from urllib.parse import quote, unquote, urlsplit

from cleverdon._common.extras import importing
from cleverdon.engines.adapters import (
    check_option_names,
    check_option_types,
    hide_secrets,
    masked_url,
    parse_options,
    secret_words,
    secrets_in,
    text_options,
    without_secrets,
)
from cleverdon.engines.adapters.http_request import (
    Request,
    Template,
    compile_path,
    guess_content_type,
    json_template,
    text_template,
    url_template,
)
from cleverdon.engines.client import Patience, run_async
from cleverdon.engines.protocol import Document, Engine, Results, SearchFailure
from cleverdon.errors import InputError, OptionError, check_count, check_word

with importing("an engine over HTTP", package="aiohttp", extra="engine"):
    import aiohttp as aiohttp  # re-exported, for http_indexing
    from yarl import URL as URL


_LONGEST_REASON = 200  # characters of an engine's own words that a message has
_TAGS = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_OVERLOADED = (429, 503)


class StatusFailure(SearchFailure):
    """A failure that the HTTP status tells."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        said = _failure_reason(body)
        message = f"{status}: {said}" if said else f"{status}, without a reason"
        if 300 <= status < 400:
            place = headers.get("Location", "another place")
            message = f"{status}: moved to {place}; give that as the url"
        kind = "server" if status >= 500 else "refused"
        kind = "overloaded" if status in _OVERLOADED else kind
        wait = _parse_retry_after(headers.get("Retry-After")) if status in _OVERLOADED else None
        super().__init__(kind, message, retry_after=wait)
        self.status = status


def _failure_of_error(error: Exception, where: str) -> SearchFailure:
    if isinstance(error, TimeoutError):
        return SearchFailure("timeout", f"no answer of {where} in time")
    if isinstance(error, aiohttp.ClientPayloadError):
        # aiohttp says so as well where the connection broke off, which may go better next time.
        said = getattr(error.__cause__, "message", "") or str(error)
        if "decode" in said.lower() or "encoding: " in said.lower():
            return SearchFailure("malformed", f"the body cannot be decoded: {_shorten(said)}")
        return SearchFailure("connection", f"lost within an answer of {where}")
    if isinstance(error, aiohttp.ClientResponseError):
        return SearchFailure("malformed", f"this is not HTTP: {_shorten(error.message)}")
    if isinstance(error, aiohttp.ClientConnectorError):
        return SearchFailure("connection", f"none to {where}: {_system_error(error.os_error)}")
    if isinstance(error, (aiohttp.ClientConnectionError, OSError)):
        said = _system_error(error) if isinstance(error, OSError) else _shorten(str(error))
        return SearchFailure("connection", f"lost to {where}: {said}")
    return SearchFailure("server", f"{type(error).__name__}: {_shorten(str(error))}")


_HTTP_ERRORS = (aiohttp.ClientError, OSError)
"""The exceptions of a request; a `TimeoutError` is an OSError too."""


def _parse_retry_after(value: str | None) -> float | None:
    """Return the seconds to wait, given as a number or a date; None for anything else."""
    text = (value or "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", text):
        return float(text)
    try:
        then = parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    return max(0.0, (then - datetime.now(UTC)).total_seconds())


def _failure_reason(body: bytes) -> str:
    """Find the reason of a refusal in an answer, in the engine's own words."""
    text = body.decode("utf-8", errors="replace")
    try:
        said = _find_reason(json.loads(text))
    except (ValueError, RecursionError):
        said = None
    return _shorten(said or _TAGS.sub(" ", text))


_REASON_KEYS = ("error", "root_cause", "caused_by", "root", "errors", "reason", "msg", "message")
_MORE_REASON_KEYS = ("detail", "summary", "title", "description")


def _find_reason(value: Any) -> str | None:
    """Find the first text where Elasticsearch, Solr, Vespa and others put reasons."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, list):
        return next((said for said in map(_find_reason, value) if said), None)
    if not isinstance(value, dict):
        return None
    # What an engine says at last is of more use than the outermost "all shards failed".
    places = [value[name] for name in (*_REASON_KEYS, *_MORE_REASON_KEYS) if name in value]
    return next((said for said in map(_find_reason, places) if said), None)


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_REASON else f"{text[: _LONGEST_REASON - 3]}..."


def _system_error(error: OSError) -> str:
    said = error.strerror or str(error) or type(error).__name__
    if isinstance(error, ConnectionError) and error.errno:
        return os.strerror(error.errno)
    if error.errno == errno.EMFILE:
        return f"{said}: this process may open no more; limit `connections`, or raise ulimit -n"
    return _shorten(said)


SECRET = {"secret": True}  # marks options whose values are never shown
_LARGE_BODY = 2**20
"""Bytes above which aiohttp sends a body in parts, and wants it as a file for that."""
_CONNECT_TIMEOUT = 30.0
"""Seconds for a connection to come about; how long an answer may take is up to who asks."""


@dataclass(kw_only=True, eq=False, repr=False)
class HttpService(Engine):
    """An engine over HTTP. Its fields are its options."""

    kind: ClassVar[str] = "http"

    url: str
    name: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    user: str = ""
    password: str = field(default="", metadata=SECRET)
    ca_file: str = ""  # certificates to trust, where those of the system do not do
    connections: int = 0  # the most at a time; 0 is no limit

    def __post_init__(self) -> None:
        check_option_types(type(self), self._options())
        self._check_headers()
        check_count("connections", self.connections, least=0)
        self.name = self.name or self.kind
        self._hidden = secrets_in(self._options())
        self._origin, self._place, self._headers = self._access()
        known = {secret for secret in self._hidden if secret not in self._origin}
        self._hidden = known | {quote(secret, safe="") for secret in known}
        self._session: aiohttp.ClientSession | None = None
        self._request = self.request()
        fixed = self._request.url.fixed
        self._url = URL(self._request.url.fill("", 1), encoded=True) if fixed else None

    @abstractmethod
    def request(self) -> Request:
        """Return the request of a search; called once."""

    def check_complete(self, answer: Any) -> Any:
        """Return the answer; raise a `SearchFailure` if it is only a part."""
        return answer

    def set_concurrency(self, queries: int) -> int:
        return min(queries, self.connections or queries)

    async def search(self, query: str, k: int) -> Results:
        request = self._request
        url = self._url or URL(request.url.fill(query, k), encoded=True)
        body = request.body.fill(query, k).encode() if request.body else None
        session = self._session
        if session is None:
            raise OptionError(f"{self.name} is not open: search within `async with engine:`")
        return self.read(await self.exchange(session, request.method, url, body), k)

    def read(self, answer: Any, k: int) -> Results:
        try:
            return self.results(self.check_complete(answer), k)
        except (AttributeError, LookupError, TypeError):
            raise self.hidden(
                SearchFailure("malformed", f"not what {self.kind} answers: {answer!r:.100}")
            ) from None

    def results(self, answer: Any, k: int) -> Results:
        return self._request.results(answer, k)

    async def __aenter__(self) -> Self:
        self._session = self.session()
        return self

    async def __aexit__(self, *exception: object) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def session(self) -> aiohttp.ClientSession:
        headers = dict(self._headers)
        if self._request.body is not None and "content-type" not in map(str.lower, headers):
            headers["Content-Type"] = self._request.content_type
        connector = aiohttp.TCPConnector(
            limit=self.connections, ttl_dns_cache=300, ssl=self._trusted()
        )
        return aiohttp.ClientSession(
            connector=connector,
            # Answers are asked for as they are: unpacking them would take this process's time.
            skip_auto_headers=("Accept-Encoding",),
            headers=headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_TIMEOUT),
            middlewares=(self._once,),
        )

    async def exchange(
        self,
        session: aiohttp.ClientSession,
        method: str,
        url: URL,
        body: bytes | None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Send a request and return its answer as JSON; raise a `SearchFailure` without one."""
        try:
            status, said, raw = await _send(session, method, url, body, headers)
        except _HTTP_ERRORS as error:  # of the body
            raise self._failure(error) from None
        if status >= 300:
            raise self.hidden(StatusFailure(status, said, raw))
        try:
            return json.loads(raw)
        except (ValueError, RecursionError) as error:
            found = f"not JSON ({error}): {raw[:80].decode('utf-8', 'replace')!r}"
            raise self.hidden(SearchFailure("malformed", found)) from None

    async def _once(
        self, request: aiohttp.ClientRequest, send: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        # After a lost connection aiohttp would send a GET again, and nobody would count it. It does
        # so by the errors that it knows; a failure of ours passes through.
        try:
            return await send(request)
        except _HTTP_ERRORS as error:
            raise self._failure(error) from None

    def _failure(self, error: Exception) -> SearchFailure:
        return self.hidden(_failure_of_error(error, self._origin))

    def hidden(self, failure: SearchFailure) -> SearchFailure:
        failure.message = masked_url(hide_secrets(failure.message, self._hidden))
        failure.args = (f"{failure.kind}: {failure.message}",)
        return failure

    def authorization(self, user: str, password: str) -> str | None:
        """Return the Authorization header; None without credentials."""
        if not user and not password:
            return None
        return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode('ascii')}"

    @property
    def settings(self) -> Mapping[str, Any]:
        """The options that differ from the defaults, as they were written; headers by name."""
        said: dict[str, Any] = {"kind": self.kind}
        for option in dataclasses.fields(self):
            value = getattr(self, option.name)
            if (
                option.metadata.get("secret")
                or option.name == "name"
                or value in ("", option.default)
            ):
                continue
            if option.name == "headers":
                value = sorted(value)
            if value not in ({}, [], ()):
                said[option.name] = without_secrets(value)
        return said

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} at {without_secrets(self.url)}>"

    @classmethod
    def short(cls, text: str) -> Mapping[str, Any]:
        """The options of `KIND+http://HOST/INDEX?OPTION=VALUE&...`."""
        url, _, asked = text.removeprefix(f"{cls.kind}+").partition("?")
        options = parse_options(asked, texts=text_options(cls))
        check_option_names(cls.kind, options, (option.name for option in dataclasses.fields(cls)))
        return {**options, "url": url}

    def _options(self) -> dict[str, Any]:
        return {option.name: getattr(self, option.name) for option in dataclasses.fields(self)}

    def _check_headers(self) -> None:
        for name, value in self.headers.items():
            if not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", name, re.ASCII):
                raise OptionError(f"headers: {name!r} cannot be the name of one")
            if not isinstance(value, str) or re.search(r"[\r\n\0]", value):
                raise OptionError(f"headers: the value of {name} is not a text on one line")

    def _access(self) -> tuple[str, str, dict[str, str]]:
        """Return the origin, the URL without credentials, and the headers with them."""
        url, headers = str(self.url), {name: str(value) for name, value in self.headers.items()}
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise OptionError(f"url={without_secrets(self.url)!r}: {error}") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise OptionError(
                f"url={without_secrets(self.url)!r}: expected http:// or https:// and a host"
            )
        user = str(self.user) or unquote(parts.username or "")
        password = str(self.password) or unquote(parts.password or "")
        said = self.authorization(user, password)
        if said is not None:
            if any(name.lower() == "authorization" for name in headers):
                raise OptionError("headers: Authorization, and a user or key; give one of the two")
            headers["Authorization"] = said
        self._hidden |= secret_words(password).union(*map(secret_words, headers.values()))
        if "{" in parts.netloc:
            raise OptionError(
                f"url={without_secrets(self.url)!r}: nothing can be filled in for a host"
            )
        origin = str(URL.build(scheme=parts.scheme, host=parts.hostname, port=port))
        rest = url.partition("://")[2].partition("#")[0][len(parts.netloc) :]
        return origin, origin + (rest or "/"), headers

    def _trusted(self) -> Any:
        if not self.ca_file:
            return True
        import ssl

        try:
            return ssl.create_default_context(cafile=self.ca_file)
        except OSError as error:
            raise OptionError(f"ca_file={self.ca_file!r} cannot be read: {error}") from None


async def _send(
    session: aiohttp.ClientSession,
    method: str,
    url: URL,
    body: bytes | None,
    headers: Mapping[str, str] | None = None,
) -> tuple[int, Mapping[str, str], bytes]:
    # Redirections are not followed: they would double the time, and send headers to other hosts.
    large = body is not None and len(body) > _LARGE_BODY
    data = BytesIO(body) if large else body  # type: ignore[arg-type]
    async with session.request(
        method, url, data=data, headers=headers, allow_redirects=False
    ) as response:
        return response.status, response.headers, await response.read()


@dataclass(kw_only=True, eq=False, repr=False)
class Http(HttpService):
    """Any search service over HTTP.

    >>> engine = Http(url="http://localhost:8000/find?q={query}&size={k}", ids="$.results[*].id")
    >>> engine
    <Http http at http://localhost:8000/find?q={query}&size={k}>
    """

    ids: str  # JSONPath to the ids of documents, the best first
    scores: str = ""  # JSONPath to their scores; without it, scores fall from rank to rank
    method: str = ""  # GET, or POST where there is a body
    params: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None  # a structure, which is sent as JSON, or a text

    def request(self) -> Request:
        method = (self.method or ("GET" if self.body is None else "POST")).upper()
        check_word("method", method, ("GET", "POST"))
        url = url_template(self._place, self.params)
        content_type, body = self._described_body()
        if not url.asks and not (body is not None and body.asks):
            raise OptionError(
                "url: nothing says where the query goes; write {query} there, in params or in body"
            )
        return Request(
            url=url,
            method=method,
            body=body,
            content_type=content_type,
            ids=compile_path("ids", self.ids),
            scores=compile_path("scores", self.scores) if self.scores != "" else None,
        )

    def _described_body(self) -> tuple[str, Template | None]:
        if self.body is None:
            return "", None
        if not isinstance(self.body, str):
            return "application/json", json_template(self.body)
        said = [value for name, value in self.headers.items() if name.lower() == "content-type"]
        content_type = said[0] if said else guess_content_type(self.body)
        return content_type, text_template(self.body, content_type)

    @classmethod
    def short(cls, text: str) -> Mapping[str, Any]:
        """Refuse: a URL does not say where results are in an answer."""
        raise OptionError(
            f"{text!r}: a URL does not say where the results are in an answer; write a "
            'configuration file, engine.toml, with kind = "http", url, and ids such as '
            '"$.hits[*].id"; or name the engine, as in elasticsearch+http://HOST:9200/INDEX'
        )


_PATIENCE = Patience(timeout=300, tries=5, pause=0.5)
"""The time limit of a batch, and its retries if the engine is too busy."""

_BATCH_BYTES = 5_000_000  # bytes of text after which a batch is full


@dataclass(frozen=True)
class HttpCalls:
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
        """Return the answer as JSON; None for a 404 if `absent`; try again unless it does harm."""
        url = URL(self.root + path, encoded=True)
        sent = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Type": content_type} if sent is not None else None
        try:
            return await call_with_retries(
                lambda: self.service.exchange(self.session, method, url, sent, headers),
                tries=None if again else 1,
            )
        except StatusFailure as failure:
            if absent and failure.status == 404:
                return None
            raise


async def call_with_retries(call: Callable[[], Awaitable[Any]], *, tries: int | None = None) -> Any:
    patience, chance, tried = _PATIENCE, random.Random(0), 0
    while True:
        tried += 1
        try:
            async with asyncio.timeout(patience.timeout):
                return await call()
        except TimeoutError:
            failure = SearchFailure("timeout", f"no answer within {patience.timeout:g} s")
        except SearchFailure as error:
            failure = error
        if not failure.retryable or tried >= (tries or patience.tries):
            raise failure
        await asyncio.sleep(patience.next_pause(tried, failure, chance))


@dataclass(kw_only=True, eq=False, repr=False)
class IndexedService(HttpService):
    """An engine over HTTP that takes documents."""

    concurrency: ClassVar[int] = 4  # batches in flight at a time
    batch: ClassVar[int] = 1000  # the most documents of a batch

    replace: bool = False  # whether documents that are there already may be deleted

    def split_place(self, what: str) -> str:
        """Split the URL into the service's address and the index's name, and return the name."""
        base, _, name = self._place.rstrip("/").rpartition("/")
        if "?" in self._place or len(base) < len(self._origin):
            raise OptionError(
                f"url={without_secrets(self.url)!r}: expected one that ends in the name of the "
                f"{what}, without a question mark; options stand beside it"
            )
        self._base = base
        return quote(unquote(name), safe="")

    @abstractmethod
    async def count_documents(self, call: HttpCalls) -> int | None:
        """Return the number of documents in the index; None if there is no index yet."""

    @abstractmethod
    async def clear(self, call: HttpCalls) -> None:
        """Delete the documents in the index."""

    async def create(self, call: HttpCalls) -> None:
        """Create the index; engines that cannot raise an error."""

    @abstractmethod
    async def put(self, call: HttpCalls, batch: list[Document]) -> None: ...

    @abstractmethod
    async def finish(self, call: HttpCalls) -> None:
        """Make all documents searchable."""

    async def measure(self, call: HttpCalls) -> int | None:
        return None

    def index(self, documents: Iterable[Document]) -> None:
        with self._telling("the documents cannot be indexed"):
            run_async(self._indexed(documents))

    def size(self) -> int | None:
        with self._telling("the size of the index cannot be known"):
            return run_async(self._measured())

    async def _indexed(self, documents: Iterable[Document]) -> None:
        async with self.session() as session:
            call = HttpCalls(self, session, self._base)
            held = await self.count_documents(call)
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
            await _send_batches(batches, lambda batch: self.put(call, batch), self.concurrency)
            await self.finish(call)

    async def _measured(self) -> int | None:
        async with self.session() as session:
            return await self.measure(HttpCalls(self, session, self._base))

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


async def _send_batches(
    batches: Iterator[list[Document]],
    work: Callable[[list[Document]], Awaitable[None]],
    concurrency: int,
) -> None:
    """Do the work on every batch; the first failure ends it."""

    async def worker() -> None:
        for batch in batches:  # shared: each takes the next one that there is
            await work(batch)

    workers = [asyncio.create_task(worker()) for _ in range(concurrency)]
    try:
        await asyncio.gather(*workers)
    finally:
        for task in workers:
            task.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
