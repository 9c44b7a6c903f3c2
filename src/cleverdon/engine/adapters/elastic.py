"""Elasticsearch and OpenSearch, which have the same interface as far as searching goes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cleverdon.engine.adapters.http_indexing import Calls, IndexedService, patiently
from cleverdon.engine.adapters.http_request import Request
from cleverdon.engine.adapters.http_service import SECRET
from cleverdon.engine.adapters.jsonpath import compile_path
from cleverdon.engine.adapters.option_types import names_of
from cleverdon.engine.adapters.templates import json_template, url_template
from cleverdon.engine.failures import SearchFailure
from cleverdon.engine.protocol import Document
from cleverdon.errors import InputError, OptionError, check_word

_OF_ONE_INDEX = {"uuid", "creation_date", "provided_name", "version", "resize", "routing"}
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
        """By the key, where there is one."""
        if not self.api_key:
            return super().authorization(user, password)
        if user:
            raise OptionError("api_key: and a user; give one of the two")
        return f"ApiKey {self.api_key}"

    def request(self) -> Request:
        """A search: by the configuration's body, or over fields."""
        check_word("operator", self.operator, ("or", "and"))
        self._base, self._index = self.end_of_place("index")
        body = dict(self.body) or {"query": {"multi_match": self._match()}}
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

    def _match(self) -> dict[str, Any]:
        match = {"query": "{query}", "operator": self.operator, "type": self.type}
        return {**match, "fields": names_of(self.fields)} if self.fields else match

    def whole(self, answer: Any) -> Any:
        """Elasticsearch answers with what it has when time is up, or a shard is missing."""
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
                why = _reason(asked.get("failures"))
                raise self.hidden(SearchFailure("server", f"a partial answer: {said}{why}"))
        return answer

    @property
    def root(self) -> str:
        """Of the cluster."""
        return self._base

    async def held(self, call: Calls) -> int | None:
        """By a count, which an index that is not there does not have."""
        counted = await call("GET", f"/{self._index}/_count", absent=True)
        return None if counted is None else int(self.whole(counted)["count"])

    async def clear(self, call: Calls) -> None:
        """Deleted and created anew with the same settings and mappings.

        Documents that are deleted one by one would go on taking up space.
        """
        described = (await call("GET", f"/{self._index}")).get(self._index)
        if described is None:
            raise InputError(
                f"{self._index} is the alias of another index; name that one, to have it replaced"
            )
        settings = described.get("settings", {}).get("index", {})
        kept = {name: held for name, held in settings.items() if name not in _OF_ONE_INDEX}
        again = {**described, "settings": {"index": kept}}
        await call("DELETE", f"/{self._index}", again=False)
        await self.create(call, again)

    async def create(self, call: Calls, like: Mapping[str, Any] | None = None) -> None:
        """With the configuration's settings, those that it had, or two fields of text."""
        text = {"type": "text"}
        plain = {"mappings": {"properties": {"title": text, "text": text}}}
        await call("PUT", f"/{self._index}", self.create_with or like or plain, again=False)

    async def put(self, call: Calls, batch: list[Document]) -> None:
        """By `_bulk`. Each document has an id, so that sending it twice does no harm."""
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
                raise self.hidden(_refused(answer))

        await patiently(send)

    async def finish(self, call: Calls) -> None:
        """By a refresh."""
        await call("POST", f"/{self._index}/_refresh")

    async def measure(self, call: Calls) -> int | None:
        """The segments of primary shards: one copy of the index, however many replicas it has.

        Not what `_stats` says, which may be ten seconds old.
        """
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


def _reason(failures: Any) -> str:
    """Why the first shard failed."""
    try:
        return f": {failures[0]['reason']['reason']}"
    except (TypeError, KeyError, IndexError):
        return ""


def _refused(answer: Mapping[str, Any]) -> SearchFailure:
    """Of a bulk request some of whose documents were not taken."""
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
