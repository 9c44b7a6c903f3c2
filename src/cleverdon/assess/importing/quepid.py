"""Ratings and books that Quepid exports.

The forms are those of o19s/quepid at f80322f3 (August 2026): the CSV of ratings, which is
`query,docid,rating` (app/controllers/api/v1/export/ratings_controller.rb), the CSV of detailed
exports, with columns `Query Text`, `Doc ID` and `Rating` before fields of the documents, which may
be called the same (caseCSVSvc.js), the CSV of a book, a column a judge by their full names
(judgements_controller.rb), the JSON of cases, ratings and books (app/views/api/v1/export), that of
the Rated Ranking Evaluator, and the text for learning to rank. Books come in a zip archive.
Topics are query texts in all of them; only TREC's text has numbers, of Quepid's own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from cleverdon.assess.importing.rows import Content, Row, named, records, table
from cleverdon.errors import InputError

_QUERY = ("query text", "query")
_DOCUMENT = ("doc id", "docid", "doc_id")
_RATING = ("rating",)
_LEARNING = re.compile(r"(?P<rating>\S+) qid:\d+ # (?P<document>\S+) (?P<query>.*)")


def is_ratings_header(names: list[str]) -> bool:
    """Whether a table is one of ratings, or of snapshots."""
    folded = {name.strip().casefold() for name in names}
    return bool(folded & set(_QUERY) and folded & set(_DOCUMENT)) and (
        "rating" in folded or "snapshot name" in folded
    )


def is_book_header(names: list[str]) -> bool:
    """Whether a table is a book: a column a judge, behind those of query and document."""
    folded = [name.strip().casefold() for name in names]
    return len(folded) > 2 and folded[:2] == ["query", "docid"] and not is_ratings_header(names)


def is_learning(line: str) -> bool:
    """Whether a line is one for learning to rank."""
    return _LEARNING.match(line) is not None


def of_table(text: str, *, separator: str, source: str) -> Content:
    """Ratings, or a book, as a table."""

    def check(names: list[str], line: int) -> None:
        again = [name for name, times in Counter(names).items() if times > 1]
        if again and is_book_header(names):
            raise InputError(
                f"two columns are called {again[0]!r}: rename one of them, or export the book as "
                "JSON, which has the addresses of judges",
                source=source,
                line=line,
            )

    rows: list[Row] = []
    ungraded = 0
    for line, cells in table(text, separator=separator, source=source, check=check):
        names = list(cells)
        query, document = named(names, _QUERY), named(names, _DOCUMENT)
        rating = named(names, _RATING)
        if query is None or document is None or (rating is None and "Snapshot Name" in names):
            raise InputError(
                "has no ratings: in Quepid, export the ratings of the case, or the book",
                source=source,
            )
        judges = {rating: ""} if rating is not None else {name: name.strip() for name in names[2:]}
        for column, judge in judges.items():
            # What begins as a formula does has a space before it there.
            topic, doc, grade = cells[query].strip(), cells[document].strip(), cells[column].strip()
            if doc and grade:
                rows.append(Row(topic, doc, grade, judge, line))
            elif rating is not None:
                ungraded += 1
    return Content("Quepid's CSV", tuple(rows), ungraded, by_title=True)


def of_lines(text: str, *, source: str) -> Content:
    """The text for learning to rank."""
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        found = _LEARNING.match(line.strip())
        if found is None:
            raise InputError(
                "expected a rating, qid:, #, a document and a query", source=source, line=number
            )
        rows.append(Row(found["query"].strip(), found["document"], found["rating"], line=number))
    return Content("Quepid's text for learning to rank", tuple(rows), by_title=True)


def is_export(content: Any) -> bool:
    """Whether JSON is an export of Quepid."""
    if not isinstance(content, dict):
        return False
    return isinstance(content.get("query_doc_pairs", content.get("queries")), list)


def of_json(content: Mapping[str, Any], *, source: str) -> Content:
    """A case, its ratings, a book, or what the Rated Ranking Evaluator takes."""
    read = _pairs if "query_doc_pairs" in content else _queries
    found = list(read(content, source))
    graded = tuple(row for row in found if row.grade)
    return Content("Quepid's JSON", graded, len(found) - len(graded), by_title=True)


def _pairs(content: Mapping[str, Any], source: str) -> Iterator[Row]:
    for pair in records(content["query_doc_pairs"], "query_doc_pairs", source=source):
        for each in records(pair.get("judgements"), "judgements", source=source):
            yield Row(
                _text(pair.get("query_text")),
                _text(pair.get("doc_id")),
                "" if each.get("unrateable") else _text(each.get("rating")),
                _text(each.get("user_email")),
                note=_text(each.get("explanation")),
            )


def _queries(content: Mapping[str, Any], source: str) -> Iterator[Row]:
    for query in records(content["queries"], "queries", source=source):
        if "relevant_documents" in query:
            (holder,) = records([query.get("placeholders") or {}], "placeholders", source=source)
            what = "relevant_documents"
            (gains,) = records([query[what] or {}], what, source=source)
            for doc, each in zip(
                gains, records([*gains.values()], what, source=source), strict=True
            ):
                yield Row(_text(holder.get("$query")), doc, _text(each.get("gain")))
            continue
        topic = _text(query.get("query_text", query.get("query")))
        ratings = query.get("ratings")
        if isinstance(ratings, Mapping):
            yield from (Row(topic, doc, _text(rating)) for doc, rating in ratings.items())
            continue
        for each in records(ratings, "ratings", source=source):
            judge = _text(each.get("user_email"))
            yield Row(topic, _text(each.get("doc_id")), _text(each.get("rating")), judge)


def _text(value: Any) -> str:
    """A cell of JSON as text; a whole number without a point."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()
