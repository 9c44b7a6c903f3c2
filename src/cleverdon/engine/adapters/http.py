"""Any search service over HTTP, by a configuration.

    kind = "http"
    url = "https://search.example.org/find?q={query}&size={k}"
    ids = "$.results[*].id"
    scores = "$.results[*].score"

`{query}` and `{k}` are filled in, in `url`, `params` and `body`, and encoded as each needs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cleverdon.engine.adapters.http_request import Request
from cleverdon.engine.adapters.http_service import HttpService
from cleverdon.engine.adapters.jsonpath import compile_path
from cleverdon.engine.adapters.templates import (
    Template,
    guessed_type,
    json_template,
    text_template,
    url_template,
)
from cleverdon.errors import OptionError, check_word


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
        """The request that the options describe."""
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
        content_type = said[0] if said else guessed_type(self.body)
        return content_type, text_template(self.body, content_type)

    @classmethod
    def short(cls, text: str) -> Mapping[str, Any]:
        """There is none: a URL does not say where results are in an answer."""
        raise OptionError(
            f"{text!r}: a URL does not say where the results are in an answer; write a "
            'configuration file, engine.toml, with kind = "http", url, and ids such as '
            '"$.hits[*].id"; or name the engine, as in elasticsearch+http://HOST:9200/INDEX'
        )
