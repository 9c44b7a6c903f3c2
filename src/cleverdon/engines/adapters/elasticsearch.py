"""Elasticsearch and OpenSearch, which have the same search interface."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cleverdon.engines.adapters import split_names
from cleverdon.engines.adapters.http import SECRET, HttpCalls, IndexedService, call_with_retries
from cleverdon.engines.adapters.http_request import (
    Request,
    compile_path,
    json_template,
    url_template,
)
from cleverdon.engines.protocol import Document, SearchFailure
from cleverdon.errors import InputError, OptionError, check_word

_FIXED_SETTINGS = {"uuid", "creation_date", "provided_name", "version", "resize", "routing"}
"""Settings that an index has been given, and that no new one can be created with."""


@dataclass(kw_only=True, eq=False, repr=False)
class Elasticsearch(IndexedService):
    """Elasticsearch's `_search`, of one index.

    >>> Elasticsearch(url="http://localhost:9200/docs", fields=["title^2", "text"])
    <Elasticsearch elasticsearch at http://localhost:9200/docs>
    """

    kind = "elasticsearch"

    fields: Sequence[str] = ()  # to be searched, perhaps with weights; else those of the index
    operator: str = "or"  # whether one of the words or all of them (and) must be found
    type: str = "best_fields"  # how scores of several fields become one
    body: Mapping[str, Any] = field(default_factory=dict)  # in the place of these three
    params: Mapping[str, Any] = field(default_factory=dict)  # such as routing or preference
    ids: str = "$.hits.hits[*]._id"
    scores: str = "$.hits.hits[*]._score"
    api_key: str = field(default="", metadata=SECRET)
    create_with: Mapping[str, Any] = field(default_factory=dict)  # settings and mappings

    def authorization(self, user: str, password: str) -> str | None:
        if not self.api_key:
            return super().authorization(user, password)
        if user:
            raise OptionError("api_key: and a user; give one of the two")
        return f"ApiKey {self.api_key}"

    def request(self) -> Request:
        check_word("operator", self.operator, ("or", "and"))
        self._index = self.split_place("index")
        match: dict[str, Any] = {"query": "{query}", "operator": self.operator, "type": self.type}
        if self.fields:
            match["fields"] = split_names(self.fields)
        body = dict(self.body) or {"query": {"multi_match": match}}
        # Neither the documents nor their number is needed, and both take time.
        wanted = {"size": "{k}", "_source": False, "track_total_hits": False}
        template = json_template({**wanted, **body})
        if not template.asks:
            raise OptionError("body: nothing says where the query goes; write {query} there")
        return Request(
            url=url_template(f"{self._base}/{self._index}/_search", self.params),
            body=template,
            ids=compile_path("ids", self.ids),
            scores=compile_path("scores", self.scores) if self.scores else None,
        )

    def check_complete(self, answer: Any) -> Any:
        # Elasticsearch answers with what it has when time is up, or a shard is missing.
        if not isinstance(answer, dict):
            return answer
        if answer.get("timed_out"):
            raise SearchFailure("server", "a partial answer: the search timed out")
        for parts in ("shards", "clusters"):  # other clusters', if the index is on one
            asked = answer.get(f"_{parts}") or {}
            # Not what `failed` says: a shard that no node holds has not failed either.
            missing = asked.get("total", 0) - asked.get("successful", asked.get("total", 0))
            if missing > 0:
                said = f"{missing} of {asked['total']} {parts} did not answer"
                why = _shard_failure_reason(asked.get("failures"))
                raise self.hidden(SearchFailure("server", f"a partial answer: {said}{why}"))
        return answer

    async def count_documents(self, call: HttpCalls) -> int | None:
        counted = await call("GET", f"/{self._index}/_count", absent=True)
        return None if counted is None else int(self.check_complete(counted)["count"])

    async def clear(self, call: HttpCalls) -> None:
        """Delete the index and create it anew: single deleted documents would keep their space."""
        described = (await call("GET", f"/{self._index}")).get(self._index)
        if described is None:
            raise InputError(
                f"{self._index} is the alias of another index; name that one, to have it replaced"
            )
        settings = described.get("settings", {}).get("index", {})
        kept = {name: held for name, held in settings.items() if name not in _FIXED_SETTINGS}
        again = {**described, "settings": {"index": kept}}
        await call("DELETE", f"/{self._index}", again=False)
        await self.create(call, again)

    async def create(self, call: HttpCalls, like: Mapping[str, Any] | None = None) -> None:
        """Create it as configured, like the one before, or with two fields of text."""
        text = {"type": "text"}
        plain = {"mappings": {"properties": {"title": text, "text": text}}}
        await call("PUT", f"/{self._index}", self.create_with or like or plain, again=False)

    async def put(self, call: HttpCalls, batch: list[Document]) -> None:
        # By `_bulk`. Each document has an id, so that sending it twice does no harm.
        lines = b"".join(
            json.dumps({"index": {"_id": document.id}}).encode()
            + b"\n"
            + json.dumps({"title": document.title, "text": document.text}).encode()
            + b"\n"
            for document in batch
        )

        async def send() -> None:
            path, ndjson = f"/{self._index}/_bulk", "application/x-ndjson"
            answer = await call("POST", path, lines, content_type=ndjson, again=False)
            if answer.get("errors"):
                raise self.hidden(_bulk_failure(answer))

        await call_with_retries(send)

    async def finish(self, call: HttpCalls) -> None:
        await call("POST", f"/{self._index}/_refresh")

    async def measure(self, call: HttpCalls) -> int | None:
        """Return the size of the primary shards; that of `_stats` may be ten seconds old."""
        answer = await call("GET", f"/{self._index}/_segments")
        return sum(
            int(segment["size_in_bytes"])
            for index in answer["indices"].values()
            for copies in index["shards"].values()
            for shard in copies
            if shard["routing"]["primary"]
            for segment in shard["segments"].values()
        )


@dataclass(kw_only=True, eq=False, repr=False)
class OpenSearch(Elasticsearch):
    """OpenSearch's `_search`, of one index."""

    kind = "opensearch"


def _shard_failure_reason(failures: Any) -> str:
    try:
        return f": {failures[0]['reason']['reason']}"
    except (TypeError, KeyError, IndexError):
        return ""


def _bulk_failure(answer: Mapping[str, Any]) -> SearchFailure:
    items = [next(iter(item.values())) for item in answer["items"]]
    failed = [item for item in items if "error" in item]
    busy = all(item.get("status") in (429, 503) for item in failed)
    first = failed[0]
    error = first["error"]
    why = error.get("reason", error.get("type")) if isinstance(error, dict) else error
    kind = "overloaded" if busy else "refused"
    return SearchFailure(
        kind, f"{len(failed)} of {len(items)} documents, the first of them {first['_id']}: {why}"
    )
