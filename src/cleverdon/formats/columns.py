"""Column names: which column of a table is the query, the document, the number, the text.

All readers of tables use the names in this module: those of CSV, Excel, JSON, Parquet and data
frames, and those of texts. Names are compared without case, blanks, hyphens and underscores, so
that `Query ID` is `query_id`.

A role has groups of names. The first group that occurs in a table decides. Two names of one group
in a table are a question to the user, who answers with `--columns doc=sku`, in Python
`columns={"doc": "sku"}`. Nothing is guessed. A table may hold the judgments and a run, as lists:
judgments are read from columns such as `gold_ids`, runs from columns such as `retrieved_ids`, and
`gold=` and `retrieved=` name them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from cleverdon.errors import InputError, OptionError, suggest

_QUERY_IDS = ("query_id", "qid", "topic_id", "question_id", "query_no", "query_number")
_QUERY_TEXTS = (
    *("query_text", "query_txt", "query_string", "question", "search_term", "search_terms"),
    *("search_query", "search_phrase", "user_query", "user_input", "keyword", "keywords"),
)


def _compounds(words: Sequence[str], things: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{word}_{thing}" for word in words for thing in things)


_GOLD = ("gold", "golden", "relevant", "positive", "expected", "reference")
_RETRIEVED = ("retrieved", "predicted", "returned", "ranked")
_ID_LISTS = (
    *("ids", "doc_ids", "docids", "document_ids", "chunk_ids", "passage_ids", "context_ids"),
    *("node_ids", "item_ids", "product_ids", "pids"),
)
_LISTS = ("docs", "documents", "passages", "chunks", "items", "products")

_DOC_LISTS = {
    "grade": (
        (*_compounds(_GOLD, _ID_LISTS), *_compounds(("ground_truth",), _ID_LISTS)),
        ("gold", "positives", "expected", *_compounds(_GOLD, _LISTS)),
    ),
    "score": (
        _compounds(_RETRIEVED, _ID_LISTS),
        (
            *("retrieved", "predicted", "predictions", "ranking", "results", "hits"),
            *("search_results", "ranked_list", *_compounds(_RETRIEVED, _LISTS)),
        ),
    ),
}
"""Names of columns that hold lists of documents: relevant ones, and those that a system found."""
_ANY_DOC_LISTS = (
    "doc_ids",
    "docids",
    "document_ids",
    "docs",
    "documents",
    "chunk_ids",
    "passage_ids",
)
_RATED_LISTS = ("results", "hits")  # may be rated results
_ALL_DOC_LISTS = (
    *_ANY_DOC_LISTS,
    "relevant",
    *(name for groups in _DOC_LISTS.values() for group in groups for name in group),
)

_GROUPS: dict[str, tuple[tuple[str, ...], ...]] = {
    "query": (_QUERY_IDS, ("query",), _QUERY_TEXTS, ("topic",)),
    "document": (
        (
            *("doc_id", "docno", "did", "document_id", "corpus_id", "pid", "passage_id"),
            *("chunk_id",),
        ),
        ("document", "doc"),
        (
            *("product_id", "product", "sku", "asin", "item_id", "item", "article_id", "page_id"),
            *("result_id", "node_id", "file_id", "record_id", "content_id"),
        ),
        ("url", "uri", "link", "doc_url", "document_url", "page_url"),
        _ALL_DOC_LISTS,
        ("id",),
    ),
    "grade": (
        (
            *("relevance", "label", "grade", "rel", "judgment", "judgement", "qrel", "rating"),
            *("relevance_grade", "relevance_label", "relevance_rating", "relevance_judgment"),
            *("relevance_level", "relevance_score"),
        ),
        ("is_relevant", "relevant", "gain", "ratings", "grades"),
        ("score",),  # as BEIR calls it
    ),
    "score": (
        ("score",),
        ("sim", "similarity", "similarity_score", "search_score", "relevance_score", "scores"),
    ),
    "rank": (("rank", "position", "doc_position", "doc_rank", "result_position", "result_rank"),),
}
"""The names of each role, in groups, the usual ones first."""

QUERY, DOCUMENT, GRADE, SCORE, RANK = (
    tuple(name for group in _GROUPS[role] for name in group)
    for role in ("query", "document", "grade", "score", "rank")
)
IDS = (
    *("_id", "docno", "pid", "passage_id", "chunk_id", "doc_id", "did", "document_id"),
    *(*_QUERY_IDS, "topic", "number", "num", "corpus_id"),
    *("product_id", "sku", "asin", "item_id", "article_id", "page_id"),
)
"""Names of the ids of texts. A passage of MS MARCO has an id of its own and its document's."""
TITLES = ("title", "headline")
TEXTS = (
    *("text", "contents", "content", "body", "passage", "segment", "abstract", "query", "question"),
    *("query_text", "query_txt", "description", "desc", "html"),
    *(name for name in _QUERY_TEXTS if name not in ("query_text", "query_txt", "question")),
)
QUERY_IDS = ("_id", *_QUERY_IDS, "topic", "number", "num")
QUERY_TEXTS = ("query", *_QUERY_TEXTS)
"""Names of texts that are queries, and serve as their ids where there are no others."""
URLS = ("url", "uri", "link", "href")  # names of a document's address
DESCRIPTIONS = ("description", "desc", "question", "information_need")
NARRATIVES = ("narrative", "narr", "background", "summary")
"""Names of a query's description in one sentence, and of what makes a document relevant."""

SEPARATORS = "\t,;|"
"""What may separate columns under a header."""

_SEPARATOR_LINE = re.compile(r"""\A\s*"?sep=(\\t|\t|[^\w\s"])"?\1*[ \r]*(?=\n|\Z)""", re.IGNORECASE)

_RATINGS = (["query", "docid", "rating"],)
_DETAILED = (
    ["Team Name", "Case Name", "Case ID", "Query Text"],
    ["Snapshot Name", "Snapshot Time", "Case ID", "Query Text"],
)
"""The names of the columns of Quepid's CSV, and the first names of its detailed CSV."""

_OWN_DOCUMENTS = {"grade": "gold", "score": "retrieved", "rank": "retrieved"}
"""The roles of documents in judgments and in runs, where one table has both."""
_ROLES = ("query", "doc", "gold", "retrieved", "grade", "score", "rank", "text", "title")
_ROLE_NAMES = {"document": "doc", "relevance": "grade", "rating": "grade", "label": "grade"}
"""The roles that `--columns` names, and other words for them."""

_Sample = Callable[[], Sequence[Sequence[Any]]]
"""Returns the first rows of a table, for messages."""


def fold(name: object) -> str:
    """A column's name as it is compared: without case, blanks, hyphens and underscores.

    >>> fold(" Query ID"), fold("query-id"), fold("@search.score")
    ('queryid', 'queryid', 'searchscore')
    """
    return "".join(filter(str.isalnum, str(name).casefold()))


class NamedColumns:
    """The columns that a user names, by role.

    `strict` says that all of them must be there: several files may have different ones.
    """

    def __init__(self, names: Mapping[str, str], *, strict: bool) -> None:
        self.names, self.strict = dict(names), strict
        self.found: set[str] = set()

    def option(self, role: str, kind: str | None = None) -> str:
        """The option that names the column of a role; `kind` tells judgments from runs."""
        if role != "document":
            return role
        own = (_OWN_DOCUMENTS[kind],) if kind else ()
        return next((option for option in own if option in self.names), "doc")

    def position(self, role: str, names: Sequence[str], kind: str | None = None) -> int | None:
        """Find the column that is named for a role: by its name, or by its number from 1 on."""
        option = self.option(role, kind)
        wanted = self.names.get(option)
        if wanted is None:
            return None
        listed = [str(name).strip() for name in names]
        places = [at for at, name in enumerate(listed) if name == wanted]
        places = places or [at for at, name in enumerate(listed) if fold(name) == fold(wanted)]
        if not places and wanted.isdigit() and 0 < int(wanted) <= len(names):
            places = [int(wanted) - 1]
        if places:
            self.found.add(option)
        return places[0] if places else None

    @property
    def numbered(self) -> bool:
        """Tell whether columns are named by numbers only, as where there is no header."""
        return bool(self.names) and all(name.isdigit() for name in self.names.values())

    def unused(self) -> list[str]:
        """The names that no file has, as `doc=sku`."""
        return [f"{role}={name}" for role, name in self.names.items() if role not in self.found]


_NOTHING_NAMED = NamedColumns({}, strict=False)
_named: ContextVar[NamedColumns] = ContextVar("columns", default=_NOTHING_NAMED)


@contextmanager
def naming_columns(
    columns: Mapping[str, str] | str | None, *, strict: bool = False
) -> Iterator[NamedColumns]:
    """Use these names for all tables that are read meanwhile; None changes nothing."""
    if columns is None:
        yield _named.get()
        return
    named = NamedColumns(_parse_columns(columns), strict=strict)
    token = _named.set(named)
    try:
        yield named
    finally:
        _named.reset(token)


def named_columns() -> NamedColumns:
    """The names that hold now."""
    return _named.get()


def _parse_columns(columns: Mapping[str, str] | str) -> dict[str, str]:
    """Columns by role, from a dict or from the text of `--columns`.

    >>> _parse_columns('query=Query Text, doc=sku,grade="Rating, 0-3"')
    {'query': 'Query Text', 'doc': 'sku', 'grade': 'Rating, 0-3'}
    """
    if isinstance(columns, str):
        # A comma within a name does not end it, unless another role follows.
        parts = re.split(r"(?:^|,)\s*(\w+)\s*=", columns)
        if parts[0].strip() or len(parts) < 3:
            raise OptionError(
                f"--columns: expected query=NAME,doc=NAME,grade=NAME; found {columns!r}"
            )
        pairs = list(zip(parts[1::2], parts[2::2], strict=True))
    else:
        pairs = [(str(role), str(name)) for role, name in columns.items()]
    found: dict[str, str] = {}
    for word, name in pairs:
        role = _ROLE_NAMES.get(word.casefold(), word.casefold())
        name = name.strip()
        if len(name) > 1 and name[0] == name[-1] and name[0] in "\"'":
            name = name[1:-1]
        if role not in _ROLES:
            raise OptionError(f"columns: there is no role {word!r}{suggest(word, _ROLES)}")
        if not name:
            raise OptionError(f"columns: {word}= names no column")
        if found.setdefault(role, name) != name:
            raise OptionError(f"columns: {role} is both {found[role]!r} and {name!r}")
    return found


def column_position(names: Sequence[str], known: Sequence[str]) -> int | None:
    """Find the first of the known names among a table's names."""
    folded = [fold(name) for name in names]
    return next((folded.index(name) for name in map(fold, known) if name in folded), None)


def first_known(names: Sequence[str], wanted: Sequence[str]) -> str | None:
    """Return the name that comes first among the wanted ones."""
    position = column_position(names, wanted)
    return None if position is None else names[position]


def is_column_header(fields: Sequence[str]) -> bool:
    """Tell whether fields are column names: a query and a document are among them."""
    named = named_columns()
    if named.names and all(
        named.position(role, fields) is not None for role in ("query", "document")
    ):
        return not named.numbered
    query, doc = column_position(fields, QUERY), column_position(fields, DOCUMENT)
    return query is not None and doc is not None and not any(map(_is_number, fields))


def _is_number(field: str) -> bool:
    try:
        float(field)
    except (TypeError, ValueError):
        return False
    return True


def split_columns(line: str, *, separator: str) -> list[str]:
    """The fields of a line of columns.

    >>> split_columns('"Doe, J.", d1 ,0.5', separator=",")
    ['Doe, J.', 'd1', '0.5']
    """
    text = line.encode()
    return [
        text[start:end].decode() for start, end in field_spans(text, separator=separator.encode())
    ]


def field_spans(line: bytes, *, separator: bytes) -> list[tuple[int, int]]:
    """Find the fields of a line by the core's rule: see `delimited` in `layout.rs`.

    Quotes around a field, and blanks before them, are not part of it, and the separator may stand
    between them.
    """
    found = []
    at = 0
    while at <= len(line):
        closing = -1
        opening = len(line) - len(line[at:].lstrip(b" "))
        if line.startswith(b'"', opening):
            closing = line.find(b'"' + separator, opening + 1)
            if closing < 0 and line.endswith(b'"') and len(line) > opening + 1:
                closing = len(line) - 1
        if closing >= 0:
            found.append((opening + 1, closing))
            at = closing + 2
            continue
        end = line.find(separator, at)
        end = len(line) if end < 0 else end
        start = end - len(line[at:end].lstrip(b" "))
        found.append((start, start + len(line[start:end].rstrip(b" "))))
        at = end + 1
    return found


def without_separator_line(text: str) -> tuple[str | None, str]:
    """Find the separator that Excel's first line `sep=;` names; return the text without that line.

    An empty line takes its place, so that the numbers of the other lines stay.

    >>> without_separator_line("sep=;" + chr(10) + "query;doc")
    (';', '\\nquery;doc')
    """
    found = _SEPARATOR_LINE.match(text)
    if found is None:
        return None, text
    return ("\t" if found[1] == "\\t" else found[1]), text[found.end() :]


def is_quepid_table(names: Sequence[str]) -> bool:
    """Tell whether these are the columns of Quepid's ratings, in which a rating may be empty."""
    plain = [name.strip() for name in names]
    return plain in _RATINGS or is_quepid_detailed(names) or is_book(names)


def is_book(names: Sequence[str]) -> bool:
    """Tell whether these are the columns of a book of Quepid's: query, docid, and the judges."""
    plain = [name.strip() for name in names]
    known = column_position(plain[2:], (*GRADE, *SCORE, *RANK))
    return plain[:2] == ["query", "docid"] and len(plain) > 2 and known is None


def is_quepid_detailed(names: Sequence[str]) -> bool:
    """Tell whether these are Quepid's detailed columns, where a row may end behind the query."""
    return [name.strip() for name in names[:4]] in _DETAILED


def first_line(text: str, *, comments: bool) -> str:
    """The first line that is not blank, nor, where there may be such, a comment."""
    # Not `splitlines`, which also cuts at characters that may stand in an id.
    lines = (line.rstrip("\r") for line in text.split("\n") if line.strip(" \t\r"))
    return next((line for line in lines if not (comments and line.startswith("#"))), "")


def header_separator(header: str) -> str | None:
    """What separates the columns of a header; None where the line is none."""
    for separator in SEPARATORS:
        if separator in header and is_column_header(split_columns(header, separator=separator)):
            return separator
    return None


def likely_separator(header: str) -> str:
    """What separates the columns of a line in a .csv file, whatever it says."""
    outside = re.sub(r'"[^"]*"', "", header)
    return header_separator(header) or max(",;|\t", key=outside.count)


HEAD = 1 << 16  # bytes to read of a file; more where they are not a whole line
TSV = (".tsv", ".tab")
_PACKINGS = (".gz", ".zst", ".bz2", ".xz")
# Expressions are compiled where they are needed.
FLOAT = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
_FIELD = r"[^ \t\r]+"


def ending_of(name: str) -> str:
    """The ending of a file's name, without that of its packing.

    >>> ending_of("runs/a.b.CSV.gz"), ending_of("run")
    ('.csv', '')
    """
    stem, ending = os.path.splitext(name.casefold())
    if ending in _PACKINGS:
        ending = os.path.splitext(stem)[1] or ending
    return ending


def split_line(line: str, tabs: bool) -> list[str]:
    """The fields of a line without a header: between tabs, or between blanks and tabs."""
    return line.split("\t") if tabs else re.findall(_FIELD, line)


def splits_at_tabs(text: str, *, kind: str, source: str) -> bool:
    """Tell whether tabs alone separate the fields of lines without a header.

    In TREC's formats, blanks and tabs do. A file called .tsv is split at tabs, and so is one with
    blanks within its fields if all lines have the same number of fields by tabs.

    Raises:
        InputError: Blanks and tabs make another number of fields than tabs, and neither fits.
    """
    if "\t" not in text:
        return False
    if ending_of(source) in TSV:
        return "\t" in first_line(text, comments=True)
    if " " not in text:
        return False
    lines = text.split("\n")
    if len(text.encode()) >= HEAD:
        lines.pop()  # it may be cut
    by_tabs, by_blanks, numbers, odd = [], [], [], []
    for number, line in enumerate(lines, start=1):
        if line.strip(" \t\r") and not line.startswith("#"):
            by_tabs.append([field.strip(" ") for field in line.rstrip("\r").split("\t")])
            by_blanks.append(re.findall(_FIELD, line))
            numbers.append(number)
            # Behind the last field, blanks and tabs are nothing.
            within = any(" " in field for field in by_tabs[-1])
            odd.append(within and "\t" in line.strip(" \t\r"))
    if not any(odd):
        return False
    width = len(by_tabs[0])
    uneven = next((at for at, fields in enumerate(by_tabs) if len(fields) != width), None)
    # A query with its iteration, as "q1 0", is two fields that a blank separates.
    iterated = all(re.search(_ITERATED, fields[0]) for fields in by_tabs)
    if kind == "grade":
        mixed = _fits(by_blanks[0], kind) and len(set(map(len, by_blanks))) == 1
    else:
        mixed = all(_fits(fields, kind) for fields in by_blanks)
    if uneven is None and _fits(by_tabs[0], kind) and not (iterated and mixed):
        return True
    if mixed:
        return False
    at = odd.index(True) if uneven is None else uneven
    tabs, blanks = len(by_tabs[at]), len(by_blanks[at])
    message = (
        f"the line has {tabs} {'field' if tabs == 1 else 'fields'} by tabs, and {blanks} by blanks "
        f"and tabs; expected {_EXPECTED[kind == 'grade']}"
    )
    if uneven is not None:
        message += f", by tabs in every line, as the {width} fields of line {numbers[0]}"
    raise InputError(message, source=source, line=numbers[at])


_ITERATED = r"\S +Q?0$"
_EXPECTED = (
    "query, Q0, document, rank, score, tag or query, document, rank",
    "query, iteration, document, grade or query, document, grade",
)


def _fits(fields: list[str], kind: str) -> bool:
    """Tell whether a line may be one of a run or of judgments: so many fields, a rank or grade."""
    fits = len(fields) == 3 or (len(fields) == 4 if kind == "grade" else len(fields) >= 6)
    return fits and re.fullmatch(FLOAT, fields[min(3, len(fields) - 1)]) is not None


def choose_columns(
    names: Sequence[str], *, kind: str, source: str, sample: _Sample | None = None
) -> tuple[tuple[int, int, int], str]:
    """The positions of query, document and number, and what the number is.

    A run without scores may have ranks instead. `sample` returns the first rows, for questions.
    """
    if kind != "grade":
        kind = _score_or_rank(names, kind)
    roles = ("query", "document", kind)
    places: list[int | list[int]] = [_position(names, role, kind) for role in roles]
    if isinstance(places[1], int) and places[1] == places[0]:
        places[1] = []
    for role, place in zip(roles, places, strict=True):
        if not isinstance(place, int):
            raise InputError(_question(names, role, place, roles, places, sample), source=source)
        if [fold(name) for name in names].count(fold(names[place])) > 1 and fold(names[place]):
            message = f"two columns are called {str(names[place])!r}; rename or drop one"
            raise InputError(message, source=source)
    query, doc, number = (place for place in places if isinstance(place, int))
    scored = fold(names[number]) in map(fold, SCORE) and "grade" not in named_columns().names
    if kind == "grade" and scored and column_position(names, RANK) is not None:
        raise InputError(
            "has ranks and scores, as a run has; are judgments and run exchanged? If the column "
            f"{str(names[number])!r} has grades, answer with --columns "
            f"grade={_shell(str(names[number]))}, in Python columns={{'grade': "
            f"{str(names[number])!r}}}",
            source=source,
        )
    return (query, doc, number), kind


def hint_for_duplicates(names: Sequence[str]) -> str:
    """What may be the reason that a document occurs twice for a query, by the columns there are."""
    judge = first_known(names, ("judge", "assessor", "annotator", "rater", "judge_id", "worker"))
    if judge is not None:
        return f"; the column {judge!r} names judges: cleverdon agree compares and combines them"
    system = first_known(names, ("system", "run", "run_id", "tag", "engine", "model", "variant"))
    if system is not None:
        return f"; the column {system!r} names several systems: write a file for each"
    return ""


def misplaced_header(
    rows: Sequence[Sequence[Any]], lines: Sequence[int] = (), *, source: str
) -> None:
    """Refuse a table with a title above its header. `rows` are those below the first one.

    Raises:
        InputError: One of the first rows names columns.
    """
    for at, row in enumerate(rows[:10]):
        if is_column_header([str(cell) for cell in row if cell is not None]):
            line = lines[at] if lines else at + 2
            message = f"is the header in row {line}? Delete what is above it"
            raise InputError(message, source=source, line=1)


def _score_or_rank(names: Sequence[str], kind: str) -> str:
    named = named_columns().names
    if kind == "rank" or ("rank" in named and "score" not in named):
        return "rank"
    has_score = "score" in named or column_position(names, SCORE) is not None
    return "rank" if not has_score and column_position(names, RANK) is not None else "score"


def _position(names: Sequence[str], role: str, kind: str | None = None) -> int | list[int]:
    """The column of a role; where that is a question, all that it may be.

    `kind` tells judgments, which read columns such as `gold_ids`, from runs, which read
    `retrieved_ids`.
    """
    named = named_columns()
    place = named.position(role, names, kind)
    if place is not None:
        return place
    if named.strict and named.option(role, kind) in named.names:
        return []
    return _known_position(names, _groups(role, kind))


def _groups(role: str, kind: str | None) -> Sequence[Sequence[str]]:
    groups = _GROUPS[role]
    if role != "document" or kind is None:
        return groups
    at = groups.index(_ALL_DOC_LISTS)
    lists: tuple[tuple[str, ...], ...]
    if kind == "grade":
        lists = (*_DOC_LISTS["grade"], (*_ANY_DOC_LISTS, "relevant"), _RATED_LISTS)
    else:
        lists = (*_DOC_LISTS["score"], _ANY_DOC_LISTS)
    return (*groups[:at], *lists, *groups[at + 1 :])


def _known_position(names: Sequence[str], groups: Sequence[Sequence[str]]) -> int | list[int]:
    folded = [fold(name) for name in names]
    for group in groups:
        known = set(map(fold, group))
        found = [at for at, name in enumerate(folded) if name in known]
        if len({folded[at] for at in found}) > 1:
            return found
        if found:
            return found[0]
    return []


def field_position(names: Sequence[str], role: str) -> int | list[int]:
    """The field of a role in a dict that stands for one document, as in a list of results.

    Where that is a question, all that it may be.
    """
    place = named_columns().position(role, names)
    if place is not None:
        return place
    return _known_position(names, [group for group in _GROUPS[role] if group is not _ALL_DOC_LISTS])


def _question(
    names: Sequence[str],
    role: str,
    place: int | list[int],
    roles: Sequence[str],
    places: Sequence[int | list[int]],
    sample: _Sample | None,
    kind: str | None = None,
) -> str:
    """Ask which column is meant, with the option that answers, and the first rows.

    `kind` is given where judgments and runs may be lists in one table.
    """
    option = "doc" if role == "document" else role
    if option == "doc" and kind is not None:
        option = _OWN_DOCUMENTS[kind]
    named = named_columns().names.get(named_columns().option(role, kind))
    listed = ", ".join(str(name) for name in names) or "none"
    candidates = place if isinstance(place, list) else []
    if candidates:
        either = " or ".join(repr(str(names[at])) for at in candidates)
        asked = f"which column has the {role}, {either}?"
        answer = str(names[candidates[0]])
    else:
        known = ", ".join(name for group in _GROUPS[role][:2] for name in group)
        lacking = f"no column {named!r}" if named else f"no column for the {role}"
        asked = f"{lacking}: expected one of {known}; found {listed}"
        answer = "NAME"
        asked += f". Which one has the {role}?"
    if role == "grade" and is_book(names) and not named:
        return with_rows(book_question([str(name) for name in names[2:]]), names, sample)
    if (
        role in ("score", "rank")
        and column_position(names, ("distance", "cosine_distance")) is not None
    ):
        asked += " A distance falls where a score rises: negate it first."
    message = f"{asked} Answer with --columns {option}={_shell(answer)}, in Python columns="
    message += f"{{{option!r}: {answer!r}}}"
    marks = ["" for _ in names]
    for other, at in zip(roles, places, strict=True):
        for column in [at] if isinstance(at, int) else at:
            marks[column] = other if isinstance(at, int) else f"{other}?"
    return with_rows(message, names, sample, marks)


def with_rows(
    message: str, names: Sequence[str], sample: _Sample | None, *marks: Sequence[str]
) -> str:
    """Add the first three rows of a table to a question, and what its columns are taken for."""
    rows = [list(row) for row in sample()[:3]] if sample is not None else []
    if not rows:
        return message
    return f"{message}. The first rows:\n{_grid([list(map(str, names)), *marks, *rows])}"


def book_question(judges: Sequence[str]) -> str:
    """Ask whose grades of a book of Quepid's count, with the options that answer."""
    many = len(judges) > 1
    asked = f"is a book of Quepid's, with a column for each judge: {', '.join(judges)}"
    asked += ". Whose grades count? Answer with --qrels-format quepid_majority, quepid_median or "
    asked += "quepid_mean to combine them (convert: --from), in Python format='quepid_majority'; "
    asked += f"or with --columns grade={_shell(judges[0])} for one judge"
    return asked if many else asked.replace("with a column for each judge", "of one judge")


def _shell(name: str) -> str:
    return name if re.fullmatch(r"[\w.-]+", name) else f'"{name}"'


def _grid(rows: Sequence[Sequence[Any]]) -> str:
    """Rows as lines of cells, for messages: short and printable."""
    shown = [[_cell(cell) for cell in row] for row in rows]
    wide = max(map(len, shown))
    shown = [row + [""] * (wide - len(row)) for row in shown]
    widths = [max(len(row[at]) for row in shown) for at in range(wide)]
    lines = (
        " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in shown
    )
    return "\n".join(f"    {line.rstrip()}" for line in lines)


def _cell(cell: Any) -> str:
    text = "" if cell is None else " ".join(str(cell).split())
    text = "".join(character if character.isprintable() else "�" for character in text)
    return text if len(text) <= 24 else text[:23] + "…"


_list_column: ContextVar[str | None] = ContextVar("list_column", default=None)


def take_list_column() -> str | None:
    """The column of lists without numbers that was read last, once; None where it was none."""
    found = _list_column.get()
    _list_column.set(None)
    return found


def choose_list_columns(
    names: Sequence[str],
    *,
    kind: str,
    source: str,
    holds_lists: Callable[[int], bool],
    sample: _Sample | None = None,
) -> tuple[tuple[int, int, int | None], str]:
    """The positions of a query, its list of documents, and where there are any, their numbers."""
    lists = [name if holds_lists(at) else "" for at, name in enumerate(names)]
    if kind != "grade":
        kind = _score_or_rank(lists, kind)
    roles = ("query", "document")
    places = [_position(names, role, kind) for role in roles]
    for role, place in zip(roles, places, strict=True):
        if not isinstance(place, int):
            asked = _question(names, role, place, roles, places, sample, kind)
            raise InputError(asked, source=source)
    query, doc = (place for place in places if isinstance(place, int))
    number = named_columns().position(kind, names)
    if number is None:
        lists[doc] = ""  # `relevant` may be both
        found = _known_position(lists, _GROUPS[kind])
        if isinstance(found, list) and found:
            asked = _question(names, kind, found, (*roles, kind), [*places, found], sample)
            raise InputError(asked, source=source)
        number = found if isinstance(found, int) else None
    _list_column.set(str(names[doc]) if number is None else None)
    return (query, doc, number), kind


def has_query_column(names: Sequence[str]) -> bool:
    """Tell whether a column is known, or named, as the query."""
    return _position(names, "query") != []


def query_column(names: Sequence[str]) -> int | None:
    """The column of the query, where that is no question."""
    place = _position(names, "query")
    return place if isinstance(place, int) else None


def document_column(names: Sequence[str]) -> int | None:
    """The column of the document, where that is no question."""
    place = _position(names, "document")
    return place if isinstance(place, int) else None


def document_columns(names: Sequence[str], *, kind: str) -> list[int]:
    """The columns that may be the documents of judgments or of a run."""
    place = _position(names, "document", kind)
    return [place] if isinstance(place, int) else place


def has_own_documents(names: Sequence[str], *, kind: str) -> bool:
    """Tell whether a column is named as the documents of judgments, or of a run, and not both."""
    own = [name for group in _DOC_LISTS[kind] for name in group]
    return column_position(names, own) is not None


def grade_column(names: Sequence[str]) -> int | None:
    """The column of the grade, where that is no question."""
    place = _position(names, "grade")
    return place if isinstance(place, int) else None


def query_index(columns: Sequence[str], levels: Sequence[str]) -> bool:
    """Tell whether the query is among the levels of a frame's index, and not its columns.

    The names decide by the usual order, ids first; where it is a draw, both are to be asked about.
    """
    named = named_columns()
    if "query" in named.names and named.position("query", columns) is not None:
        return False
    if "query" in named.names and named.position("query", levels) is not None:
        return True
    for group in _GROUPS["query"]:
        known = set(map(fold, group))
        if any(fold(name) in known for name in levels):
            return True
        if any(fold(name) in known for name in columns):
            return False
    return False
