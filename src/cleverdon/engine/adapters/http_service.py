"""What all engines over HTTP share: one session, one compiled request, and answers as JSON."""

from __future__ import annotations

import base64
import dataclasses
import json
import re
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, ClassVar, Self
from urllib.parse import quote, unquote, urlsplit

from cleverdon.engine.adapters.http_failures import HTTP_ERRORS, StatusFailure, failure_of_error
from cleverdon.engine.adapters.http_library import URL, aiohttp
from cleverdon.engine.adapters.http_request import Request
from cleverdon.engine.adapters.option_types import check_types, texts_of
from cleverdon.engine.adapters.short import check_options, options_of
from cleverdon.engine.failures import SearchFailure
from cleverdon.engine.protocol import Engine, Results
from cleverdon.engine.secrets import masked_url, scrubbed, secrets_in, shown, words_of
from cleverdon.errors import OptionError, check_count

SECRET = {"secret": True}
"""Marks options whose values are told to nobody."""
_LARGE = 2**20
"""Bytes above which aiohttp sends a body in parts, and wants it as a file for that."""
_CONNECTING = 30.0
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
    connections: int = 0  # at most so many at once; 0 is no limit

    def __post_init__(self) -> None:
        check_types(type(self), self._options())
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
        """The request that a search is; made once."""

    def whole(self, answer: Any) -> Any:
        """The answer, if it is a whole one; a `SearchFailure` where an engine gave only a part."""
        return answer

    def make_room(self, at_once: int) -> int:
        """As many as there may be connections."""
        return min(at_once, self.connections or at_once)

    async def search(self, query: str, k: int) -> Results:
        """The first k results."""
        request = self._request
        url = self._url or URL(request.url.fill(query, k), encoded=True)
        body = request.body.fill(query, k).encode() if request.body else None
        session = self._session
        if session is None:
            raise OptionError(f"{self.name} is not open: search within `async with engine:`")
        return self.read(await self.exchange(session, request.method, url, body), k)

    def read(self, answer: Any, k: int) -> Results:
        """The first k results of an answer, whatever it is."""
        try:
            return self.results(self.whole(answer), k)
        except (AttributeError, LookupError, TypeError):
            raise self.hidden(
                SearchFailure("malformed", f"not what {self.kind} answers: {answer!r:.100}")
            ) from None

    def results(self, answer: Any, k: int) -> Results:
        """The first k results of a whole answer."""
        return self._request.results(answer, k)

    async def __aenter__(self) -> Self:
        self._session = self.session()
        return self

    async def __aexit__(self, *exception: object) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def session(self) -> aiohttp.ClientSession:
        """A new session."""
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
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECTING),
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
        """The answer to a request, read as JSON; a `SearchFailure` where there is none."""
        try:
            status, said, raw = await _send(session, method, url, body, headers)
        except HTTP_ERRORS as error:  # of the body
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
        """Send a request once.

        After a lost connection aiohttp would send a GET again by itself, and nobody would count
        it. It does so by the errors that it knows; a failure of ours passes through.
        """
        try:
            return await send(request)
        except HTTP_ERRORS as error:
            raise self._failure(error) from None

    def _failure(self, error: Exception) -> SearchFailure:
        return self.hidden(failure_of_error(error, self._origin))

    def hidden(self, failure: SearchFailure) -> SearchFailure:
        """The failure, without what only the engine and the user should know."""
        failure.message = masked_url(scrubbed(failure.message, self._hidden))
        failure.args = (f"{failure.kind}: {failure.message}",)
        return failure

    def authorization(self, user: str, password: str) -> str | None:
        """What the header of that name says; None where nobody in particular asks."""
        if not user and not password:
            return None
        return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode('ascii')}"

    @property
    def settings(self) -> Mapping[str, Any]:
        """What differs from the defaults, as it was written; of headers, their names."""
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
                said[option.name] = shown(value)
        return said

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} at {shown(self.url)}>"

    @classmethod
    def short(cls, text: str) -> Mapping[str, Any]:
        """The options of `KIND+http://HOST/INDEX?OPTION=VALUE&...`."""
        url, _, asked = text.removeprefix(f"{cls.kind}+").partition("?")
        options = options_of(asked, texts=texts_of(cls))
        check_options(cls.kind, options, (option.name for option in dataclasses.fields(cls)))
        return {**options, "url": url}

    def _options(self) -> dict[str, Any]:
        return {option.name: getattr(self, option.name) for option in dataclasses.fields(self)}

    def _check_headers(self) -> None:
        for name, value in self.headers.items():
            if not re.fullmatch(r"[\w!#$%&'*+.^`|~-]+", name, re.ASCII):
                raise OptionError(f"headers: {name!r} cannot be the name of one")
            if not isinstance(value, str) or re.search(r"[\r\n\0]", value):
                raise OptionError(f"headers: the value of {name} is no text in one line")

    def _access(self) -> tuple[str, str, dict[str, str]]:
        """Where the engine is, the URL without who asks, and the headers with it."""
        url, headers = str(self.url), {name: str(value) for name, value in self.headers.items()}
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise OptionError(f"url={shown(self.url)!r}: {error}") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise OptionError(f"url={shown(self.url)!r}: expected http:// or https:// and a host")
        user = str(self.user) or unquote(parts.username or "")
        password = str(self.password) or unquote(parts.password or "")
        said = self.authorization(user, password)
        if said is not None:
            if any(name.lower() == "authorization" for name in headers):
                raise OptionError("headers: Authorization, and a user or key; give one of the two")
            headers["Authorization"] = said
        self._hidden |= words_of(password).union(*map(words_of, headers.values()))
        if "{" in parts.netloc:
            raise OptionError(f"url={shown(self.url)!r}: nothing can be filled in for a host")
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
    """Status, headers and body of an answer.

    Redirections are not followed: they would double the time, and send headers to other hosts.
    """
    large = body is not None and len(body) > _LARGE
    data = BytesIO(body) if large else body  # type: ignore[arg-type]
    async with session.request(
        method, url, data=data, headers=headers, allow_redirects=False
    ) as response:
        return response.status, response.headers, await response.read()
