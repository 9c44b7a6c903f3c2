"""Solr's `select` handler, for one collection or core."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cleverdon.engines.adapters import split_names
from cleverdon.engines.adapters.http import HttpCalls, IndexedService
from cleverdon.engines.adapters.http_request import Request, compile_path, url_template
from cleverdon.engines.protocol import Document, Results, SearchFailure
from cleverdon.errors import InputError, check_word

_SYNTAX = re.compile(r'[+\-!(){}\[\]^"~*?:\\/&|]')
_OPERATOR_WORDS = re.compile(r"\b(AND|OR|NOT)\b")


@dataclass(kw_only=True, eq=False, repr=False)
class Solr(IndexedService):
    """Solr's `select` handler, of one collection or core.

    >>> Solr(url="http://localhost:8983/solr/docs", fields="title^2,text")
    <Solr solr at http://localhost:8983/solr/docs>
    """

    kind = "solr"

    fields: Sequence[str] = ()  # to be searched (qf), perhaps with weights; else Solr's default
    parser: str = "edismax"  # or dismax; lucene has every sign of syntax in a query escaped
    id: str = "id"  # the field of documents' ids
    params: Mapping[str, Any] = field(default_factory=dict)  # further ones, such as mm or fq

    def request(self) -> Request:
        # The query is a parameter, so that no sign in it can break the request.
        check_word("parser", self.parser, ("edismax", "dismax", "lucene"))
        self._core = self.split_place("collection")
        asked = {"q": "{query}", "rows": "{k}", "fl": f"{self.id},score", "wt": "json"}
        asked |= {"defType": self.parser, "omitHeader": "false"}
        if self.fields:
            asked["qf"] = " ".join(split_names(self.fields))
        hits = "$.response.docs[*]"
        return Request(
            url=url_template(f"{self._base}/{self._core}/select", {**asked, **self.params}),
            method="GET",
            ids=compile_path("id", f"{hits}.'{self.id}'"),
            scores=compile_path("scores", f"{hits}.score"),
        )

    async def search(self, query: str, k: int) -> Results:
        if self.parser == "lucene":
            query = _escape_query(query)
        return await super().search(query, k)

    def check_complete(self, answer: Any) -> Any:
        # Solr answers with what it has when time is up, or a shard is gone, and says so.
        header = answer.get("responseHeader", {}) if isinstance(answer, dict) else {}
        partial = header.get("partialResults")
        # With `maxHitsAllowed` among the params, no more than that many was wanted of a shard.
        if partial and not (partial is True and header.get("maxHitsTerminatedEarly")):
            why = header.get("partialResultsDetails") or "time was up, or a shard did not answer"
            raise self.hidden(SearchFailure("server", f"a partial answer: {why!s:.200}"))
        return answer

    async def count_documents(self, call: HttpCalls) -> int | None:
        path = f"/{self._core}/select?q=*:*&rows=0&wt=json"
        found = await call("GET", path, absent=True)
        return None if found is None else int(found["response"]["numFound"])

    async def create(self, call: HttpCalls) -> None:
        # Solr needs a schema for it, which is the user's to choose.
        raise InputError(
            f"{self.name}: Solr has no collection or core {self._core!r}; create it first, as by "
            f"solr create -c {self._core}"
        )

    async def clear(self, call: HttpCalls) -> None:
        await self._update(call, {"delete": {"query": "*:*"}}, "?commit=true")

    async def put(self, call: HttpCalls, batch: list[Document]) -> None:
        # Documents with the same ids replace each other, so that a second time does no harm.
        rows = [{self.id: doc.id, "title": doc.title, "text": doc.text} for doc in batch]
        await self._update(call, rows)

    async def finish(self, call: HttpCalls) -> None:
        await self._update(call, {}, "?commit=true&openSearcher=true&waitSearcher=true")

    async def _update(self, call: HttpCalls, body: Any, how: str = "") -> None:
        await call("POST", f"/{self._core}/update{how}", body)

    async def measure(self, call: HttpCalls) -> int | None:
        """Return one replica of each shard, if this node has them all; else None."""
        cores = (await call("GET", "/admin/cores?action=STATUS&wt=json"))["status"]
        if self._core in cores:
            return int(cores[self._core]["index"]["sizeInBytes"])
        sizes = {
            core["cloud"]["shard"]: int(core["index"]["sizeInBytes"])
            for core in cores.values()
            if core.get("cloud", {}).get("collection") == self._core
        }
        path = f"/admin/collections?action=CLUSTERSTATUS&collection={self._core}&wt=json"
        cluster = (await call("GET", path))["cluster"]["collections"][self._core]
        return sum(sizes.values()) if set(sizes) == set(cluster["shards"]) else None


def _escape_query(query: str) -> str:
    """Escape a query for Lucene's parser, so that no word or sign is syntax."""
    return _OPERATOR_WORDS.sub(lambda word: word[0].lower(), _SYNTAX.sub(r"\\\g<0>", query))
