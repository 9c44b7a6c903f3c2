"""Vespa's query interface, for one type of documents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from cleverdon.engines.adapters.http import HttpCalls, IndexedService
from cleverdon.engines.adapters.http_request import (
    Request,
    compile_path,
    json_template,
    url_template,
)
from cleverdon.engines.protocol import Document, Results, SearchFailure
from cleverdon.errors import OptionError

_DOCUMENT_ID = re.compile(r"id:[^:]*:[^:]*:[^:]*:(.*)", re.DOTALL)


@dataclass(kw_only=True, eq=False, repr=False)
class Vespa(IndexedService):
    """Vespa's query interface, for one type of documents.

    >>> Vespa(url="http://localhost:8080/doc", ranking="bm25")
    <Vespa vespa at http://localhost:8080/doc>
    """

    kind = "vespa"
    concurrency = 64  # documents go one by one
    batch = 1

    ranking: str = ""  # the rank profile; Vespa's default without
    id: str = ""  # the field of ids; without it, the last part of Vespa's own ids
    yql: str = ""  # in the place of "select ... from TYPE where userQuery()"
    params: Mapping[str, Any] = field(default_factory=dict)  # further ones, such as timeout
    namespace: str = ""  # of documents that are indexed; as their type without
    cluster: str = ""  # the content cluster, which is needed to delete documents

    def request(self) -> Request:
        # The query is a parameter of its own, and no part of YQL.
        self._type = self.split_place("document type")
        yql = f"select {self.id or 'documentid'} from {self._type} where userQuery()"
        asked = {"yql": self.yql or yql, "query": "{query}", "hits": "{k}", **self.params}
        if self.ranking:
            asked["ranking"] = self.ranking
        where = f"fields.'{self.id}'" if self.id else "id"
        return Request(
            url=url_template(f"{self._base}/search/", {}),
            body=json_template(asked),
            ids=compile_path("id", f"$.root.children[*].{where}"),
            scores=compile_path("scores", "$.root.children[*].relevance"),
        )

    def results(self, answer: Any, k: int) -> Results:
        found = super().results(answer, k)
        return found if self.id else [(_own_id(doc), score) for doc, score in found]

    def check_complete(self, answer: Any) -> Any:
        # Vespa answers with what it has when time is up, or a node is down, and says so.
        root = answer.get("root") if isinstance(answer, dict) else None
        if not isinstance(root, dict):
            return answer
        if root.get("errors"):
            first = root["errors"][0]
            said = first.get("message") or first.get("summary") or first
            raise self.hidden(SearchFailure("server", f"{said!s:.200}"))
        coverage = root.get("coverage") or {}
        degraded = {why for why, so in (coverage.get("degraded") or {}).items() if so}
        # `full` is true as well while documents are on their way from one node to another.
        whole = coverage.get("full", True) and not degraded
        # A match phase limits what is ranked because the rank profile says so.
        if not whole and degraded != {"match-phase"}:
            why = ", ".join(sorted(degraded)) or "not all nodes answered"
            share = coverage.get("coverage")
            raise SearchFailure("server", f"a partial answer: {share}% of documents ({why})")
        if "children" not in root and root.get("fields", {}).get("totalCount") == 0:
            root["children"] = []  # how Vespa says that nothing was found
        return answer

    async def count_documents(self, call: HttpCalls) -> int | None:
        asked = {"yql": f"select documentid from {self._type} where true", "hits": 0}
        found = self.check_complete(await call("POST", "/search/", asked))
        return int(found["root"]["fields"]["totalCount"])

    async def clear(self, call: HttpCalls) -> None:
        """Delete a part at a time, as long as Vespa says that there is more."""
        if not self.cluster:
            raise OptionError(
                "cluster: Vespa deletes documents only where the content cluster is named"
            )
        path = f"{self._documents()}?selection=true&cluster={quote(self.cluster, safe='')}"
        token = (await call("DELETE", path)).get("continuation")
        while token:
            more = f"{path}&continuation={quote(token, safe='')}"
            token = (await call("DELETE", more)).get("continuation")

    async def put(self, call: HttpCalls, batch: list[Document]) -> None:
        for document in batch:
            fields = {"title": document.title, "text": document.text}
            if self.id:
                fields[self.id] = document.id
            path = f"{self._documents()}/{quote(document.id, safe='')}"
            await call("POST", path, {"fields": fields})

    async def finish(self, call: HttpCalls) -> None:
        """Do nothing: documents can be found as soon as Vespa has taken them."""

    def _documents(self) -> str:
        return f"/document/v1/{quote(self.namespace or self._type, safe='')}/{self._type}/docid"


def _own_id(found: str) -> str:
    """Return the part of Vespa's id that the user chose: d17 of id:news:doc::d17."""
    match = _DOCUMENT_ID.fullmatch(found)
    if match is None:
        raise SearchFailure(
            "malformed",
            f"{found!r} is not the id of a document; name the field that has it: id = ...",
        )
    return match[1]
