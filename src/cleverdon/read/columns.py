"""Which column is what: the names that people give to queries, documents, scores and grades."""

from __future__ import annotations

from collections.abc import Sequence

from cleverdon.errors import InputError

QUERY = ("query_id", "qid", "q_id", "query-id", "queryid", "query", "topic_id", "topic")
DOCUMENT = (
    *("doc_id", "docno", "docid", "did", "d_id", "doc-id", "document_id", "document", "doc"),
    *("corpus-id", "corpus_id", "pid", "passage_id"),
)
SCORE = ("score", "sim", "similarity")
RANK = ("rank", "position")
GRADE = ("relevance", "label", "grade", "rel", "judgment", "judgement", "qrel", "score")
"""BEIR calls the grade a score, so that name comes last."""


def split_columns(line: str, *, separator: str) -> list[str]:
    """The fields of a line of columns.

    >>> split_columns('"Doe, J.", d1 ,0.5', separator=",")
    ['Doe, J.', 'd1', '0.5']
    """
    text = line.encode()
    return [text[start:end].decode() for start, end in spans(text, separator=separator.encode())]


def spans(line: bytes, *, separator: bytes) -> list[tuple[int, int]]:
    """Where the fields of a line begin and end; the core's rule: see `delimited` in `layout.rs`.

    Quotes around a field are not part of it, and the separator may stand between them.
    """
    found = []
    at = 0
    while at <= len(line):
        closing = -1
        if line.startswith(b'"', at):
            closing = line.find(b'"' + separator, at + 1)
            if closing < 0 and line.endswith(b'"') and len(line) > at + 1:
                closing = len(line) - 1
        if closing >= 0:
            found.append((at + 1, closing))
            at = closing + 2
            continue
        end = line.find(separator, at)
        end = len(line) if end < 0 else end
        start = end - len(line[at:end].lstrip(b" "))
        found.append((start, start + len(line[start:end].rstrip(b" "))))
        at = end + 1
    return found


def is_header(fields: Sequence[str]) -> bool:
    """Whether a line's fields are names of columns: a query and a document are among them."""
    names = {_folded(field) for field in fields}
    return bool(names & set(QUERY)) and bool(names & set(DOCUMENT))


def choose(names: Sequence[str], *, kind: str, source: str) -> tuple[tuple[int, int, int], str]:
    """The positions of query, document and number, and what the number is.

    A run without scores may have ranks instead.
    """
    folded = [_folded(name) for name in names]
    wanted = [("query", QUERY), ("document", DOCUMENT)]
    if kind == "grade":
        wanted.append(("grade", GRADE))
    elif kind == "rank" or not set(folded) & set(SCORE):
        kind = "rank" if kind == "rank" or set(folded) & set(RANK) else kind
        wanted.append((kind, RANK if kind == "rank" else SCORE))
    else:
        wanted.append((kind, SCORE))
    positions = []
    for what, known in wanted:
        found = position(names, known)
        if found is None:
            raise InputError(
                f"no column for the {what}: expected one of {', '.join(known)}; "
                f"found {', '.join(map(str, names)) or 'none'}",
                source=source,
            )
        if [_folded(name) for name in names].count(_folded(names[found])) > 1:
            message = f"two columns are called {names[found]!r}; rename or drop one"
            raise InputError(message, source=source)
        positions.append(found)
    return (positions[0], positions[1], positions[2]), kind


def position(names: Sequence[str], known: Sequence[str]) -> int | None:
    """Where the first of the known names stands among a table's."""
    folded = [_folded(name) for name in names]
    return next((folded.index(name) for name in known if name in folded), None)


def _folded(name: str) -> str:
    return str(name).strip().strip('"').casefold()
