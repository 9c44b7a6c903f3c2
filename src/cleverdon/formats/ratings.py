"""Rating lists: judgments as Quepid, OpenSearch and Elasticsearch keep them.

| format | where it comes from |
|---|---|
| `quepid` | Quepid's export of a case, or of its ratings, as JSON; RRE's format is read as well |
| `opensearch` | `judgmentRatings` of OpenSearch's Search Relevance Workbench |
| `rank_eval` | the body of a request to `_rank_eval`, of Elasticsearch and OpenSearch |
| `ltr` | RankLib's and Quepid's text for learning to rank: `3 qid:1 # doc text` |

Quepid's CSV exports are tables like any other. Its books have several judges: a format such as
`quepid_majority` names the rule that makes one grade of several. In all of these a query may have
no ratings, which is kept. Where a query has a text and no id, the text is the id.
"""

from __future__ import annotations

import io
import json
import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cleverdon import _core
from cleverdon._common.digests import digest_of
from cleverdon._common.text import counted
from cleverdon.data import Judgments
from cleverdon.errors import InputError, InputNote
from cleverdon.formats.columns import (
    QUERY,
    book_question,
    column_position,
    document_column,
    first_line,
    is_book,
    likely_separator,
    split_columns,
    with_rows,
    without_separator_line,
)
from cleverdon.formats.mappings import note_unrated, parse_json
from cleverdon.formats.streams import csv_rows, decode_text

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
        rows, _, _ = _book_of_pairs(content["query_doc_pairs"], source=source)
        judges = list(dict.fromkeys(judge for judge, *_ in rows))
        if not judges:
            raise InputError("is a book of Quepid's without ratings", source=source)
        message = book_question(judges).partition("; or with --columns")[0]
        names = ("judge", "query", "document", "grade")
        message = message.replace("a column for each judge", "the ratings of several judges")
        raise InputError(with_rows(message, names, lambda: rows), source=source)
    return None


_BookRow = tuple[str, str, str, float]
"""Judge, query, document, grade."""

_Book = tuple[list[_BookRow], list[str], int]
"""The rows of a book, all its queries, and how many documents have no rating."""


def is_book_file(head: bytes) -> bool:
    """Tell whether a file that starts like this is a book of Quepid's, as CSV or JSON."""
    text = head.decode("utf-8", "replace").lstrip("\ufeff")
    if text.lstrip().startswith("{"):
        return '"query_doc_pairs"' in text
    named, text = without_separator_line(text)
    first = first_line(text, comments=False)
    return is_book(split_columns(first, separator=named or likely_separator(first)))


def book_rows(content: bytes, *, source: str) -> _Book:
    """Read the judgments of a book: see app/controllers/api/v1/judgements_controller.rb there."""
    if content.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        whole = parse_json(content, source=source)
        pairs = whole.get("query_doc_pairs") if isinstance(whole, dict) else None
        if not isinstance(pairs, list):
            raise InputError("is no book of Quepid's: it has no query_doc_pairs", source=source)
        return _book_of_pairs(pairs, source=source)
    text = decode_text(content, source=source, line=1, encoding="utf-8-sig")
    named, text = without_separator_line(text)
    separator = named or likely_separator(first_line(text, comments=False))
    rows = csv_rows(io.StringIO(text, newline=""), separator, source=source)
    names = [name.strip() for name in next(rows, (0, []))[1]]
    if not is_book(names):
        message = "is no book of Quepid's: expected the columns query, docid, and one for each "
        message += f"judge; found {', '.join(names) or 'none'}"
        raise InputError(message, source=source, line=1)
    judges = names[2:]
    if again := next((name for name in judges if judges.count(name) > 1), None):
        message = f"two columns are called {again!r}: rename one of them, or export the book as "
        message += "JSON, which has the addresses of judges"
        raise InputError(message, source=source, line=1)
    found: list[_BookRow] = []
    queries: dict[str, None] = {}
    unrated = 0
    for line, row in rows:
        cells = [cell.strip() for cell in row]
        if len(cells) != len(names):
            message = f"expected {len(names)} fields ({', '.join(names)}), found {len(cells)}"
            raise InputError(message, source=source, line=line)
        query, doc, *grades = cells
        if not query or not doc:
            what = "document" if query else "query"
            raise InputError(f"the {what} id is missing", source=source, line=line)
        queries[query] = None
        unrated += not any(grades)
        for judge, grade in zip(judges, grades, strict=True):
            if grade:
                number = _finite(grade, f"the grade of {judge}", source=source, line=line)
                found.append((judge, query, doc, number))
    return found, list(queries), unrated


def _book_of_pairs(pairs: list[Any], *, source: str) -> _Book:
    found: list[_BookRow] = []
    queries: dict[str, None] = {}
    unrated = 0
    for place, pair in enumerate(pairs):
        where = f"query_doc_pairs[{place}]"
        rated = pair.get("judgements") or [] if isinstance(pair, Mapping) else None
        ids = [pair.get(name) for name in ("query_text", "doc_id")] if rated is not None else []
        if not isinstance(rated, list) or not all(isinstance(id, (str, int)) for id in ids):
            message = f"{where}: expected an object with query_text, doc_id and judgements"
            raise InputError(message, source=source)
        query, doc = map(str, ids)
        queries[query] = None
        anonymous = 0
        before = len(found)
        for each in rated:
            if not isinstance(each, Mapping):
                raise InputError(f"{where}: expected objects as judgements", source=source)
            if each.get("rating") is None or each.get("unrateable"):
                continue
            judge = str(each.get("user_email") or "")
            if not judge:
                anonymous += 1
                judge = "Anonymous" if anonymous == 1 else f"Anonymous {anonymous}"
            number = _finite(each["rating"], f"{where}: the grade", source=source)
            found.append((judge, query, doc, number))
        unrated += len(found) == before
    return found, list(queries), unrated


def _finite(value: Any, what: str, *, source: str, line: int | None = None) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{what}, {str(value)[:40]!r}, is not a number", source=source, line=line)
    return number


def read_book(opened: _core.Source, *, rule: str, name: str) -> Judgments:
    """Read a book of Quepid's; a rule of `cleverdon agree` makes one grade of several judges'."""
    # Built on this package.
    from cleverdon.agreement.aggregation import AGGREGATION_METHODS, aggregate_labels
    from cleverdon.agreement.labels import Labels

    source = opened.name
    rows, queries, unrated = book_rows(opened.head(2**62), source=source)
    if not rows:
        raise InputError("is a book of Quepid's without ratings", source=source)
    note_unrated(unrated, source=source)
    combined = aggregate_labels(Labels.of_rows(rows), rule)
    several = int((combined.judges > 1).sum())
    judges = counted(len(combined.labels.judges), "judge")
    message = f"{source}: of {judges}, {rule} ({AGGREGATION_METHODS[rule]}) decides the grades of "
    message += f"{several:,} of {counted(len(combined.grades), 'document')}; others have one judge"
    if combined.tied.any():
        message += f"; of {counted(int(combined.tied.sum()), 'tie')}, the lower grade counts"
    warnings.warn(message, InputNote, stacklevel=2)
    table = combined.judgments._table
    return Judgments(table, name=name, source=source, digest=digest_of(opened), unlisted=queries)


def _by_query(entries: list[Any], key: str, *, source: str) -> _Nested | None:
    found: _Nested = {}
    unrated = 0
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
            if grade is None and key == "queries":  # Quepid's
                unrated += 1
            elif grade is None:
                message = f"{where}: the document {doc!r} has no grade"
                raise InputError(message, source=source)
            elif known.setdefault(doc, grade) != grade:
                message = f"{where}: document {doc!r} occurs twice for query {query!r}"
                raise InputError(message, source=source)
    note_unrated(unrated, source=source)
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
            else:
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


def _number(value: Any, where: str, source: str) -> float | None:
    """A grade; OpenSearch writes them as text: "3.000". None where there is none."""
    try:
        return None if value is None else float(value)
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
