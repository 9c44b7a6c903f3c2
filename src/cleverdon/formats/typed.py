"""Rankings that are typed rather than read from files: grades or letters down the page.

    R R N N R N | R R          relevant, not relevant; relevant and not returned after the bar
    3 2 3 0 0 1 2 2 3 0        grades
    2 - (1 0) | 1 docs=100     `-` is unjudged, brackets have equal scores; size of the collection
    1 0 1; 0 1 0 | 1           two queries, q1 and q2
    RNRN, 1010                 without blanks, where nothing else can be meant

Documents get made-up ids. Several systems return the same documents: the i-th document of a grade
is the same one in all of them. What nobody judged is a document of its own in each.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from cleverdon import _core
from cleverdon._common.text import counted
from cleverdon.data import Annotations, Judgments, Nested, Run
from cleverdon.errors import InputError

_TOKEN = re.compile(r"[()|]|[^\s()|]+")
_NUMBER = re.compile(r"\d+(\.\d*)?|\.\d+")
_LETTERS = re.compile(r"[RNrn-]*[RNrn][RNrn-]*")
_NAMED = re.compile(r"\s*(?!(?:docs|max)\s*=)([^\s=|;()]+)\s*=(.*)", re.DOTALL)
_LOOKS_TYPED = re.compile(
    r"""[(|\s]* (?: \d+(?:\.\d*)? | \.\d+ | [RN-]+ | (?:docs|max)=\d+ )  # an entry,
        (?: [\s()|;,] | $ )                                               # no longer word
    """,
    re.VERBOSE | re.IGNORECASE,
)
_FACTS = {"docs": "the number of documents in the collection", "max": "the largest grade"}
ENTRIES = "R or N, a grade from 0 on, or - for a result that nobody judged"


@dataclass(frozen=True)
class TypedRankings:
    """Judgments and runs of typed rankings."""

    judgments: Judgments
    runs: dict[str, Run]
    tied: bool  # whether some results have equal scores

    @property
    def ties(self) -> str | None:
        """The order of tied results by default: as typed, since ids are made up."""
        return "input" if self.tied else None


class TypedRanking(str):
    """The text of a typed ranking, where the name of a file could stand.

    It is read together with the other systems' rankings, with which it shares documents.
    """

    rankings: TypedRankings
    name: str  # of its system

    @property
    def run(self) -> Run:
        return self.rankings.runs[self.name]


def together(texts: Sequence[str]) -> list[TypedRanking]:
    """Read rankings of several systems, and return each as something that a file can be.

    >>> from cleverdon import Run
    >>> _, b = together(["A=R N | R", "B=N R R"])
    >>> Run.read(b).ranking("q1")
    [('d2', 3.0), ('d1', 2.0), ('d3', 1.0)]
    """
    if len(texts) > 1 and all(re.fullmatch("[RrNn-]|[0-9]+", text.strip()) for text in texts):
        raise InputError(
            f"typed rankings: each of {counted(len(texts), 'ranking')} has one result; if they are "
            f"results of one, put it in quotes: '{' '.join(texts)}'"
        )
    rankings = read_typed(texts)
    found = []
    for text, name in zip(texts, rankings.runs, strict=True):
        one = TypedRanking(text)
        one.rankings, one.name = rankings, name
        found.append(one)
    return found


class _Query(NamedTuple):
    """One query of one system."""

    returned: list[tuple[float | None, int]]  # grades, None where unjudged, and tied groups
    unreturned: list[float]

    @property
    def relevant(self) -> Counter[float]:
        grades = [*(grade for grade, _ in self.returned), *self.unreturned]
        return Counter(grade for grade in grades if grade is not None and grade > 0)


def looks_typed(text: str) -> bool:
    """Tell whether a text is meant as a ranking, and not as the name of a file.

    >>> [looks_typed(text) for text in ("R N | R", "A=1 0", "1010", "R X", "runs/bm25.run", "2024")]
    [True, True, True, True, False, False]
    """
    _, ranking = _split_name(text)
    ranking = ranking.strip()
    if re.fullmatch(r"\d+", ranking) and len(ranking) > 1 and not re.fullmatch("[01]+", ranking):
        return False
    return _LOOKS_TYPED.match(ranking) is not None and not os.path.exists(text)


def _split_name(text: str) -> tuple[str, str]:
    """Split NAME=RANKING; the name is empty where none is given.

    >>> _split_name("A=1 0 docs=9"), _split_name("1 0 docs=9")
    (('A', '1 0 docs=9'), ('', '1 0 docs=9'))
    """
    named = _NAMED.fullmatch(text)
    return (named[1], named[2]) if named else ("", text)


def are_typed(data: Any) -> bool:
    """Tell whether Python objects are typed rankings: a text, a list of texts, or texts by name."""
    if isinstance(data, (TypedRankings, TypedRanking)):
        return True
    texts = [data] if isinstance(data, str) else data
    texts = list(texts.values()) if isinstance(texts, Mapping) else texts
    listed = isinstance(texts, (list, tuple)) and bool(texts)
    return listed and all(isinstance(text, str) and looks_typed(text) for text in texts)


def read_typed(data: TypedRankings | str | Sequence[str] | Mapping[str, str]) -> TypedRankings:
    """Read typed rankings: one, several, or several by name.

    What takes judgments and runs takes those of typed rankings.

    Args:
        data: A ranking, as "R N | R"; several as a list, which may be "NAME=R N | R"; or as a dict
            by name.

    Returns:
        Their `judgments`, and their `runs` by name.

    Raises:
        InputError: A text is no ranking, or the systems do not agree on what is relevant.

    >>> found = read_typed({"A": "R N | R", "B": "N R R"})
    >>> found.judgments.to_dict()
    {'q1': {'d1': 1.0, 'd2': 0.0, 'd3': 1.0}}
    >>> found.runs["B"].ranking("q1")
    [('d2', 3.0), ('d1', 2.0), ('d3', 1.0)]
    """
    if isinstance(data, TypedRankings):
        return data
    if isinstance(data, TypedRanking):
        return data.rankings
    named = (
        dict(data)
        if isinstance(data, Mapping)
        else _names([data] if isinstance(data, str) else data)
    )
    parsed = {name: _Parser(name, text, several=len(named) > 1) for name, text in named.items()}
    systems = {name: parser.queries for name, parser in parsed.items()}
    facts = _common_facts(parsed)
    first, count = next((name, len(queries)) for name, queries in systems.items())
    for name, queries in systems.items():
        if len(queries) != count:
            raise InputError(
                f"typed rankings: {first} has {counted(count, 'query')}, {name} has "
                f"{len(queries)}; queries are separated by ;"
            )
    grades: Nested = {}
    scores: dict[str, Nested] = {name: {} for name in systems}
    for number in range(count):
        query = f"q{number + 1}"
        of_query = {name: queries[number] for name, queries in systems.items()}
        _check_same_relevant(query, of_query)
        grades[query], results = _documents(of_query)
        if not grades[query]:
            raise InputError(
                f"typed rankings: no result of {query} is judged, so nothing can be measured; "
                f"write {ENTRIES}"
            )
        for name, found in results.items():
            scores[name][query] = found
    notes = Annotations(docs=facts.get("docs"), top_grade=facts.get("max"))
    table = _core.Table.from_dict(grades, Judgments.kind, "error")
    runs = {
        name: Run(
            _core.Table.from_dict({q: s for q, s in found.items() if s}, Run.kind, "error"),
            name=name,
            unlisted=[query for query, results in found.items() if not results],
        )
        for name, found in scores.items()
    }
    tied = any(parser.tied for parser in parsed.values())
    return TypedRankings(Judgments(table, name="typed", notes=notes), runs, tied)


def _names(texts: Sequence[str]) -> dict[str, str]:
    """Return rankings by name: their own, or a number."""
    named: dict[str, str] = {}
    for number, text in enumerate(texts, start=1):
        name, ranking = _split_name(text)
        name = name or ("run" if len(texts) == 1 else f"run {number}")
        if name in named:
            raise InputError(f"typed rankings: two are called {name!r}; give each its own NAME=")
        named[name] = ranking
    return named


def _common_facts(parsed: Mapping[str, _Parser]) -> dict[str, int]:
    """Return what the rankings say of the collection; an error where they disagree."""
    facts: dict[str, int] = {}
    for parser in parsed.values():
        for fact, value in parser.facts.items():
            if facts.setdefault(fact, value) != value:
                raise InputError(
                    f"typed rankings: {fact}={facts[fact]} and {fact}={value} contradict each "
                    f"other; {_FACTS[fact]} is one for all queries and systems"
                )
    largest = max(
        (grade for parser in parsed.values() for q in parser.queries for grade in q.relevant),
        default=0,
    )
    if facts.get("max", largest) < largest:
        raise InputError(
            f"typed rankings: max={facts['max']} is less than the grade {largest:g} that is typed"
        )
    return facts


def _check_same_relevant(query: str, systems: Mapping[str, _Query]) -> None:
    """Refuse systems that do not agree on the relevant documents."""
    (first, expected), *others = ((name, found.relevant) for name, found in systems.items())
    for name, relevant in others:
        for grade in sorted({*expected, *relevant}, reverse=True):
            if expected[grade] != relevant[grade]:
                graded = {*expected, *relevant} != {1.0}
                what = "document" if graded else "relevant document"
                one, other = counted(expected[grade], what), relevant[grade]
                one += f" of grade {grade:g}" if graded else ""
                fewer = name if other < expected[grade] else first
                raise InputError(
                    f"typed rankings: for {query}, {first} has {one} and {name} has "
                    f"{other}; write those that {fewer} did not return after |"
                )


def _documents(systems: Mapping[str, _Query]) -> tuple[dict[str, float], Nested]:
    """Name the documents of one query: return grades, and scores by system."""
    ids: dict[tuple[Any, ...], str] = {}
    grades: dict[str, float] = {}
    scores: Nested = {}
    for name, query in systems.items():
        seen: Counter[float] = Counter()
        found = scores[name] = {}
        for rank, (grade, group) in enumerate(query.returned, start=1):
            key = (name, rank) if grade is None else (grade, seen[grade])
            doc = ids.setdefault(key, f"d{len(ids) + 1}")
            found[doc] = float(len(query.returned) + 1 - group)
            if grade is not None:
                seen[grade] += 1
                grades[doc] = grade
        for grade in query.unreturned:
            grades[ids.setdefault((grade, seen[grade]), f"d{len(ids) + 1}")] = grade
            seen[grade] += 1
    return grades, scores


class _Parser:
    """Parses the rankings of one system."""

    def __init__(self, name: str, text: str, *, several: bool) -> None:
        self.name, self.several, self.tied = name, several, False
        self.facts: dict[str, int] = {}
        self.queries: list[_Query] = []
        start = 0
        parts = text.split(";")
        if len(parts) > 1 and not parts[-1].strip():
            parts.pop()  # a separator at the very end
        for part in parts:
            self.queries.append(self._query(part, start))
            start += len(part) + 1

    def fail(self, position: int, message: str) -> NoReturn:
        where = f"typed ranking {self.name}" if self.several else "typed ranking"
        raise InputError(f"{where}, position {position + 1}: {message}")

    def _query(self, text: str, start: int) -> _Query:
        tokens = [(found[0], start + found.start()) for found in _TOKEN.finditer(text)]
        tokens = [(token, at) for token, at in tokens if not self._is_fact(token, at)]
        if not tokens:
            self.fail(start, f"a query is missing here; write its results: {ENTRIES}")
        returned: list[tuple[float | None, int]] = []
        unreturned: list[float] = []
        opened: int | None = None  # where a bracket was opened
        group, bar = 0, False
        for token, at in self._one_by_one(tokens):
            if token == "|":
                if bar:
                    self.fail(at, "there is one | already; a ; separates queries")
                bar = True
            elif token == "(":
                if bar or opened is not None:
                    self.fail(
                        at, "brackets hold results with equal scores, one level deep, before |"
                    )
                opened, group = at, len(returned) + 1
            elif token == ")":
                if opened is None:
                    self.fail(at, "this bracket was not opened")
                self.tied |= len(returned) > group
                opened = None
            elif bar:
                grade = self._grade(token, at)
                if grade is None:
                    self.fail(at, "after | stand judged documents; leave out what nobody judged")
                unreturned.append(grade)
            else:
                place = len(returned) + 1 if opened is None else group
                returned.append((self._grade(token, at), place))
        if opened is not None:
            self.fail(opened, "this bracket is not closed")
        return _Query(returned, unreturned)

    def _is_fact(self, token: str, at: int) -> bool:
        fact, equals, value = token.partition("=")
        if not equals:
            return False
        if fact not in _FACTS:
            self.fail(
                at, f"{fact!r} is unknown; a ranking may have docs= and max=, and NAME= before it"
            )
        if not re.fullmatch("[0-9]{1,18}", value) or int(value) == 0:
            self.fail(at, f"{token!r}: {_FACTS[fact]} is a whole number from 1 on")
        if self.facts.setdefault(fact, int(value)) != int(value):
            self.fail(at, f"{token} contradicts {fact}={self.facts[fact]}")
        return True

    def _one_by_one(self, tokens: list[tuple[str, int]]) -> list[tuple[str, int]]:
        """Split what is written without blanks; ask where that is not the only way to read it."""
        entries = [token for token, _ in tokens if token not in ("|", "(", ")")]
        lettered = [bool(_LETTERS.fullmatch(token)) for token in entries]
        graded = [bool(_NUMBER.fullmatch(token)) for token in entries]
        binary = all(re.fullmatch("[01]+|-", token) for token in entries)
        # No grade is written 01, and hardly any has four digits, all of them 0 or 1.
        compact = [bool(re.fullmatch("0[01]+|[01]{4,}", token)) for token in entries]
        found: list[tuple[str, int]] = []
        for token, at in tokens:
            if any(lettered) and any(graded) and _NUMBER.fullmatch(token):
                self.fail(at, "write letters (R, N) or grades (1, 0), not both")
            split = bool(_LETTERS.fullmatch(token))
            if re.fullmatch("[01]{2,}", token):
                split = binary and any(compact)
                clear = split or (not binary and not re.fullmatch("0[01]+|[01]{4,}", token))
                if not clear:
                    self.fail(
                        at,
                        f"{token!r} is either {len(token)} results or one grade; write "
                        f"'{' '.join(token)}' or '{int(token)}.0'",
                    )
            found += [(one, at + i) for i, one in enumerate(token)] if split else [(token, at)]
        return found

    def _grade(self, token: str, at: int) -> float | None:
        if token == "-":
            return None
        if token in "RrNn":
            return float(token in "Rr")
        if "," in token:
            self.fail(
                at, f"{token!r} has a comma; separate results by blanks: 1 0 1, grades as 0.5"
            )
        if not _NUMBER.fullmatch(token):
            self.fail(at, f"{token!r} is none of {ENTRIES}")
        return float(token)
