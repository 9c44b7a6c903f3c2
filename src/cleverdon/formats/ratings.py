"""Rating lists: judgments as Quepid, OpenSearch and Elasticsearch keep them.

| format | where it comes from |
|---|---|
| `quepid` | Quepid's export of a case, or of its ratings, as JSON; RRE's format is read as well |
| `opensearch` | `judgmentRatings` of OpenSearch's Search Relevance Workbench |
| `rank_eval` | the body of a request to `_rank_eval`, of Elasticsearch and OpenSearch |
| `ltr` | RankLib's and Quepid's text for learning to rank: `3 qid:1 # doc text` |

Quepid's CSV exports are tables like any other. In all of these a query may have no ratings, which
is kept. Where a query has a text and no id, the text is the id.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cleverdon.errors import InputError
from cleverdon.formats.columns import QUERY, column_position, document_column

_Nested = dict[str, dict[str, Any]]


def as_nested(content: Mapping[str, Any], *, source: str) -> _Nested | None:
    """Judgments of a JSON object, query to document to grade; None where it has no rating list."""
    if isinstance(content.get("judgmentRatings"), list):
        return _by_query(content["judgmentRatings"], "judgmentRatings", source=source)
    if isinstance(content.get("_source"), Mapping):  # one hit of OpenSearch's index of judgments
        return as_nested(content["_source"], source=source)
    for key in ("requests", "queries"):
        if isinstance(content.get(key), list):
            return _by_query(content[key], key, source=source)
    if isinstance(content.get("query_doc_pairs"), list):
        message = (
            "is a book of Quepid's, with the ratings of several judges; export it as CSV, and "
            "combine the judges: cleverdon agree"
        )
        raise InputError(message, source=source)
    return None


def _by_query(entries: list[Any], key: str, *, source: str) -> _Nested | None:
    found: _Nested = {}
    for place, entry in enumerate(entries, start=1):
        where = f"{key}[{place - 1}]"
        if not isinstance(entry, Mapping):
            raise InputError(f"{where}: expected an object, found {entry!r:.40}", source=source)
        query = _query_of(entry)
        if query is None:
            named = ", ".join(map(str, entry))
            message = f"{where}: no field for the query: expected id, query or query_text; found "
            raise InputError(f"{message}{named or 'none'}", source=source)
        grades = _grades_of(entry, where=where, source=source)
        known = found.setdefault(query, {})
        for doc, grade in grades.items():
            if known.setdefault(doc, grade) != grade:
                message = f"{where}: document {doc!r} occurs twice for query {query!r}"
                raise InputError(message, source=source)
    return found


def _query_of(entry: Mapping[str, Any]) -> str | None:
    placeholders = entry.get("placeholders")  # RRE's
    if isinstance(placeholders, Mapping):
        text = placeholders.get("$query", next(iter(placeholders.values()), None))
        return None if text is None else str(text)
    names = list(entry)
    at = column_position(names, ("id", *QUERY))
    if at is None or not isinstance(entry[names[at]], (str, int)):
        return None
    return str(entry[names[at]])


def queries_of(entries: list[Any]) -> Iterator[Any]:
    """The queries of a rating list as objects with id and text; anything else stays as it is."""
    for entry in entries:
        query = _query_of(entry) if isinstance(entry, Mapping) else None
        if query is None:
            yield entry
            continue
        text = next((entry[name] for name in ("query_text", "query") if name in entry), query)
        fields = {"id": query, "text": text}
        if entry.get("information_need"):
            fields["information_need"] = entry["information_need"]
        yield fields


def _grades_of(entry: Mapping[str, Any], *, where: str, source: str) -> dict[str, Any]:
    ratings = entry.get("ratings", entry.get("relevant_documents"))
    if ratings is None:
        return {}
    found: dict[str, Any] = {}
    if isinstance(ratings, Mapping):
        for doc, grade in ratings.items():
            if isinstance(grade, list):  # RRE groups documents by their grade
                found |= {str(one): _number(doc, where, source) for one in grade}
            elif isinstance(grade, Mapping):
                found[str(doc)] = _number(grade.get("gain"), where, source)
            elif grade is not None:
                found[str(doc)] = _number(grade, where, source)
        return found
    if not isinstance(ratings, list):
        raise InputError(f"{where}: expected a list of ratings", source=source)
    for rating in ratings:
        names = list(rating) if isinstance(rating, Mapping) else []
        at = document_column(names)
        if at is None or "rating" not in rating:
            message = f"{where}: expected a document and its rating, found {str(rating)[:60]}"
            raise InputError(message, source=source)
        doc = str(rating[names[at]])
        if doc in found:
            message = f"{where}: document {doc!r} occurs twice for one query"
            raise InputError(message, source=source)
        found[doc] = _number(rating["rating"], where, source)
    return found


def _number(value: Any, where: str, source: str) -> float:
    """A grade; OpenSearch writes them as text: "3.000"."""
    try:
        return float(value)
    except (TypeError, ValueError):
        message = f"{where}: the grade {value!r:.40} is not a number"
        raise InputError(message, source=source) from None


_LTR = re.compile(r"([^\s#]+)\s+qid:(\S+)\s*([^#]*)(?:#\s*(\S+)?.*)?")


def from_ltr(text: str, *, source: str) -> Iterator[tuple[str, str, float]]:
    """Rows of learning to rank's text, whose documents are named in comments."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = _LTR.fullmatch(line.strip())
        if parts is None or parts[4] is None:
            message = "expected 'grade qid:query # document', with the document behind #"
            raise InputError(message, source=source, line=number)
        try:
            grade = float(parts[1])
        except ValueError:
            message = f"the grade {parts[1]!r} is not a number"
            raise InputError(message, source=source, line=number) from None
        yield parts[2], parts[4].removeprefix("docid=").removeprefix("docid:"), grade


_Ratings = Iterator[tuple[str, dict[str, float]]]  # query, and its documents with grades


def _whole(grade: float) -> float | int:
    return int(grade) if grade.is_integer() else grade


def _quepid(queries: _Ratings, name: str) -> Any:
    rated = [
        {"query": query, "ratings": {doc: _whole(grade) for doc, grade in grades.items()}}
        for query, grades in queries
    ]
    return {"case_name": name, "queries": rated}


def _opensearch(queries: _Ratings, name: str) -> Any:
    rated = [
        {
            "query": query,
            "ratings": [{"docId": doc, "rating": f"{grade:.17g}"} for doc, grade in grades.items()],
        }
        for query, grades in queries
    ]
    return {
        "name": name,
        "description": "",
        "type": "IMPORT_JUDGMENT",
        "judgmentRatings": rated,
    }


def _rank_eval(queries: _Ratings, name: str) -> Any:
    """A request whose template and index are to be filled in; ratings there are whole numbers."""
    requests = []
    for query, grades in queries:
        for doc, grade in grades.items():
            if not grade.is_integer() or grade < 0:
                message = f"the grade {grade:g} of {doc!r} for query {query!r} cannot be written: "
                message += "_rank_eval has whole ratings from 0 on"
                raise InputError(message)
        ratings = [
            {"_index": "INDEX", "_id": doc, "rating": int(grade)} for doc, grade in grades.items()
        ]
        requests.append(
            {"id": query, "template_id": "query", "params": {"query": query}, "ratings": ratings}
        )
    template = {"query": {"match": {"FIELD": {"query": "{{query}}"}}}}
    return {
        "templates": [{"id": "query", "template": {"source": template}}],
        "requests": requests,
        "metric": {"dcg": {"k": 10, "normalize": True}},
    }


_BODIES: dict[str, Callable[[_Ratings, str], Any]] = {
    "quepid": _quepid,
    "opensearch": _opensearch,
    "rank_eval": _rank_eval,
}


def rating_lines(queries: _Ratings, name: str, *, format: str) -> Iterator[str]:
    """The text of judgments in one of the formats of this module."""
    if format != "ltr":
        yield json.dumps(_BODIES[format](queries, name), ensure_ascii=False, indent=1) + "\n"
        return
    for query, grades in queries:
        for doc, grade in grades.items():
            yield f"{_whole(grade)} qid:{query} # {doc}\n"
