"""One set of judgments out of several, and where they contradict each other.

Two files contradict each other where they give one document different grades. A grade below 0
says that a document was pooled and not judged: it gives way to any that was given by a judge.
On which line of its file a judgment stands is looked for only where something is wrong with it.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from cleverdon import _core
from cleverdon._common.files import write_file
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted, printable
from cleverdon.collection.filters import MOST_NAMED
from cleverdon.data import Annotations, Judgments, Nested
from cleverdon.errors import InputError, OptionError, check_word
from cleverdon.formats.inputs import open_source
from cleverdon.settings import CONTRADICTIONS

_DOC = {"subtopics": 2, "stratum": 2, "probability": 1}
"""By what stands beside grades: the field of the document on a line."""


def _locate_judgment(
    label: str, judgments: Judgments, query: str, doc: str, subtopic: str | None = None
) -> str:
    """Return the file of a judgment and its line, as compilers write it; else the label."""
    if not judgments.source or not os.path.isfile(judgments.source):
        return label
    try:
        opened = open_source(judgments.source)
        text = opened.head(2**62)
    except InputError:
        return label
    if opened.digest() != judgments.digest:
        return label  # the file has changed since
    # The place of the document on a line; None where it depends on the fields.
    places = (at for name, at in _DOC.items() if getattr(judgments.notes, name) is not None)
    wanted = [(0, query.encode()), (next(places, None), doc.encode())]
    if subtopic is not None:
        wanted.append((1, subtopic.encode()))
    for number, line in enumerate(text.split(b"\n"), start=1):
        if wanted[1][1] in line and _has(line, wanted):
            return f"{judgments.source}:{number}"
    return label


def _has(line: bytes, wanted: list[tuple[int | None, bytes]]) -> bool:
    """Tell whether a line has these fields, whatever separates them."""
    for separator in (None, b"\t", b","):
        fields = [field.strip(b' "\r') for field in line.split(separator)]
        if all(text in _candidates(fields, at, separator) for at, text in wanted):
            return True
    return False


def _candidates(fields: list[bytes], at: int | None, separator: bytes | None) -> list[bytes]:
    """Return the fields that may be the one at a place."""
    if at is None and separator != b"," and len(fields) == 4:
        at = 2  # TREC's lines have the iteration between query and document
    return fields[1:-1] if at is None else fields[at : at + 1]


_SHOWN = 2
"""The number of contradictions in one error."""

Key = TypeVar("Key", bound=Hashable)
"""A document, or a document and a subtopic of its query."""


def _majority(grades: Sequence[float]) -> float:
    times = Counter(grades)
    most = max(times.values())
    # The lowest of several, as where the labels of judges are aggregated.
    return min(grade for grade, count in times.items() if count == most)


_RULES: dict[str, Callable[[Sequence[float]], float]] = {
    "first": lambda grades: grades[0],
    "last": lambda grades: grades[-1],
    "max": max,
    "min": min,
    "mean": lambda grades: math.fsum(grades) / len(grades),
    "majority": _majority,
}
"""The rules that make one grade of several; the grade of the first file is first."""


@dataclass(frozen=True)
class Contradiction:
    """A document to which files give different grades."""

    query: str
    doc: str
    subtopic: str | None
    grades: tuple[tuple[str, float], ...]  # the file and its grade
    taken: float | None  # None where they stop the merge


@dataclass(frozen=True)
class MergeInput:
    """The contribution of one of the files."""

    name: str
    judgments: int
    queries: int
    new: int  # judgments that no file before it has


@dataclass(frozen=True, eq=False)
class MergeResult:
    """Judgments merged from several sources, with what each contributed.

    >>> found = merge({"a": {"q1": {"d1": 1}}, "b": {"q1": {"d2": 0}}})
    >>> [one.new for one in found.inputs]
    [1, 1]
    """

    judgments: Judgments
    inputs: tuple[MergeInput, ...]
    policy: str
    repeated: int  # documents that several files judge
    contradictions: tuple[Contradiction, ...]


class ContradictionError(InputError):
    """Judgments contradict each other, and nothing says which grade to take."""

    def __init__(self, message: str, contradictions: tuple[Contradiction, ...]) -> None:
        super().__init__(message)
        self.contradictions = contradictions


@shows_progress("merging")
def merge(
    several: Mapping[str, Any] | Iterable[Any],
    *,
    policy: str = "error",
    name: str = "merged",
    contradictions_file: str | None = None,
    progress: Progress | bool | None = None,
) -> MergeResult:
    """Merge several sets of judgments into one.

    All of them must have the same annotations: strata, probabilities, subtopics, or none. Subtopics
    are merged one by one; a document must have the same stratum or probability everywhere.

    Args:
        several: Judgments by name, or files.
        policy: The grade of a document that has different ones: one of `CONTRADICTIONS`.
        name: The name of the merged judgments.
        contradictions_file: A CSV file that lists all contradictions, also those that stop the
            merge.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The judgments, what each source contributed, and the contradictions.

    Raises:
        ContradictionError: With policy="error", where sources contradict each other; it lists them.

    >>> found = merge({"a": {"q1": {"d1": 1}}, "b": {"q1": {"d1": 2, "d2": 0}}}, policy="max")
    >>> found.judgments.to_dict(), len(found.contradictions)
    ({'q1': {'d1': 2.0, 'd2': 0.0}}, 1)
    """
    progress = as_callback(progress)
    check_word("policy", policy, CONTRADICTIONS)
    named = _named(several)
    _check_alike(named)
    work = _Merge(named, _RULES.get(policy, _RULES["first"]))
    queries = list(dict.fromkeys(query for of in named.values() for query in of.queries))
    for at, query in enumerate(queries):
        work.merge(query)
        if progress is not None:
            progress("merging", at + 1, len(queries))
    contradictions = tuple(work.contradictions)
    if contradictions and policy == "error":
        contradictions = tuple(replace(each, taken=None) for each in contradictions)
    if contradictions_file is not None:
        content = _contradictions_csv(contradictions, tuple(named))
        write_file(contradictions_file, content.encode())
    if contradictions and policy == "error":
        listed = f"; {contradictions_file} lists all" if contradictions_file else ""
        raise ContradictionError(_told(contradictions, named) + listed, contradictions)
    return MergeResult(
        judgments=work.judgments(name),
        inputs=tuple(
            MergeInput(label, len(of), len(of.queries), work.new[label])
            for label, of in named.items()
        ),
        policy=policy,
        repeated=work.repeated,
        contradictions=contradictions,
    )


@dataclass(eq=False)
class _Merge:
    """The state of a merge, query by query."""

    named: Mapping[str, Judgments]
    rule: Callable[[Sequence[float]], float]
    plain: Nested = field(default_factory=dict)
    covered: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    new: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    contradictions: list[Contradiction] = field(default_factory=list)

    def merge(self, query: str) -> None:
        held = {label: of[query] for label, of in self.named.items() if query in of}
        seen: set[str] = set()
        again: set[str] = set()
        for label, grades in held.items():
            again |= seen & grades.keys()
            self.new[label] += len(grades.keys() - seen)
            seen |= grades.keys()
        self.repeated += len(again)
        if not self.by_subtopic:
            self.plain[query], differing = _united(held, self.rule)
            for doc, given in differing:
                taken = self.plain[query][doc]
                self.contradictions.append(Contradiction(query, doc, None, given, taken))
            return
        of_pairs, apart = _united({label: self._pairs(label, query) for label in held}, self.rule)
        for (doc, subtopic), given in apart:
            taken = of_pairs[doc, subtopic]
            self.contradictions.append(Contradiction(query, doc, subtopic, given, taken))
        covered = self.covered.setdefault(query, {})
        for (doc, subtopic), grade in of_pairs.items():
            covered.setdefault(doc, {})[subtopic] = grade
        # A document is as relevant as it is to the subtopic that it serves best.
        self.plain[query] = {doc: max(grades.values()) for doc, grades in covered.items()}

    @property
    def by_subtopic(self) -> bool:
        return next(iter(self.named.values())).notes.subtopics is not None

    def _pairs(self, label: str, query: str) -> dict[tuple[str, str], float]:
        covered = self.named[label].notes.subtopics or {}
        return {
            (doc, subtopic): grade
            for doc, grades in covered[query].items()
            for subtopic, grade in grades.items()
        }

    def judgments(self, name: str) -> Judgments:
        notes = Annotations(
            docs=_one_size(self.named),
            second=_noted(self.named, "second"),
            subtopics=self.covered if self.by_subtopic else None,
            weights=_noted(self.named, "weights"),
            stratum=_noted(self.named, "stratum"),
            probability=_noted(self.named, "probability"),
        )
        table = _core.Table.from_dict(self.plain, Judgments.kind, "unchecked")
        return Judgments(table, name=name, notes=notes)


_GivenGrades = tuple[tuple[str, float], ...]
"""The files, and the grade that each gives."""


def _united(
    held: Mapping[str, Mapping[Key, float]], rule: Callable[[Sequence[float]], float]
) -> tuple[dict[Key, float], list[tuple[Key, _GivenGrades]]]:
    """Return the grades of all files, and their contradictions, with the grades that each gives."""
    first, *others = held.values()
    united = dict(first)
    differing: set[Key] = set()
    for grades in others:
        for key, grade in grades.items():
            if united.setdefault(key, grade) != grade:
                differing.add(key)
    apart = []
    for key in [key for key in united if key in differing] if differing else ():
        given = tuple((label, grades[key]) for label, grades in held.items() if key in grades)
        by_judges = [grade for _, grade in given if grade >= 0] or [grade for _, grade in given]
        if len(set(by_judges)) == 1:
            united[key] = by_judges[0]
            continue
        united[key] = float(rule(by_judges))
        apart.append((key, given))
    return united, apart


def _named(several: Mapping[str, Any] | Iterable[Any]) -> dict[str, Judgments]:
    if isinstance(several, Mapping):
        named = {str(label): Judgments.read(given) for label, given in several.items()}
    else:
        named = {}
        for at, given in enumerate(several, start=1):
            judgments = Judgments.read(given)
            label = judgments.source or judgments.name
            named[label if label not in named else f"{label} ({at})"] = judgments
    if len(named) < 2:
        raise OptionError("merging takes two judgments at least")
    return named


def _check_alike(named: Mapping[str, Judgments]) -> None:
    for what in ("subtopics", "stratum", "probability"):
        have = [label for label, of in named.items() if getattr(of.notes, what) is not None]
        lack = [label for label in named if label not in have]
        if have and lack:
            raise InputError(
                f"{have[0]} has a {what} beside each grade, and {lack[0]} has none: both have to "
                "be of one format"
            )


def _told(contradictions: Sequence[Contradiction], named: Mapping[str, Judgments]) -> str:
    shown = "; ".join(_one(found, named) for found in contradictions[:_SHOWN])
    more = len(contradictions) - _SHOWN
    rest = f"; and {more:,} more contradictions" if more > 0 else ""
    policies = ", ".join(_RULES)
    return f"{shown}{rest}; say which to take (--on-contradiction, or policy=): {policies}"


def _one(found: Contradiction, named: Mapping[str, Judgments]) -> str:
    of = "" if found.subtopic is None else f"subtopic {found.subtopic!r} of "
    grades = " and ".join(
        f"{grade:g} in "
        f"{_locate_judgment(label, named[label], found.query, found.doc, found.subtopic)}"
        for label, grade in found.grades
    )
    return f"document {found.doc!r} of {of}query {found.query!r} has grade {grades}"


def _one_size(named: Mapping[str, Judgments]) -> int | None:
    sizes = {of.notes.docs for of in named.values() if of.notes.docs is not None}
    if len(sizes) > 1:
        raise InputError(f"the collection has {' and '.join(f'{n:,}' for n in sizes)} documents")
    return next(iter(sizes), None)


def _noted(named: Mapping[str, Judgments], what: str) -> Nested | None:
    """Return the annotations of all files, which must not contradict each other."""
    found: Nested | None = None
    for label, of in named.items():
        nested: Nested | None = getattr(of.notes, what)
        for query, numbers in (nested or {}).items():
            found = found or {}
            held = found.setdefault(query, {})
            for key, number in numbers.items():
                before = held.setdefault(key, number)
                if before != number and not (math.isnan(before) and math.isnan(number)):
                    raise InputError(
                        f"{key!r} of query {query!r} has {what} {number:g} in {label}, and "
                        f"{before:g} in a file before it: no policy can make one of them"
                    )
    return found


def merge_notes(found: MergeResult) -> Iterator[str]:
    """Write the contribution of each file, and where files contradict each other."""
    for each in found.inputs:
        yield (
            f"{printable(each.name)}: {counted(each.judgments, 'judgment')} of "
            f"{counted(each.queries, 'query')}, {each.new:,} new"
        )
    if found.repeated:
        yield f"{counted(found.repeated, 'document')} judged in several files"
    if found.contradictions:
        yield f"{counted(len(found.contradictions), 'contradiction')}, settled by {found.policy}:"
        for one in found.contradictions[:MOST_NAMED]:
            grades = ", ".join(f"{grade:g} in {printable(name)}" for name, grade in one.grades)
            of = f" (subtopic {printable(one.subtopic)})" if one.subtopic is not None else ""
            yield (
                f"    {printable(one.query)} {printable(one.doc)}{of}: {grades}; "
                f"taken: {_taken(one)}"
            )
        more = len(found.contradictions) - MOST_NAMED
        if more > 0:
            yield f"    and {more:,} more (--contradictions FILE lists all)"


def _contradictions_csv(contradictions: Sequence[Contradiction], names: Sequence[str]) -> str:
    """Write all contradictions as CSV, with a column for each file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["query_id", "doc_id", "subtopic", *names, "taken"])
    for one in contradictions:
        grades = dict(one.grades)
        cells = [f"{grades[name]:g}" if name in grades else "" for name in names]
        writer.writerow([one.query, one.doc, one.subtopic or "", *cells, _taken(one)])
    return text.getvalue()


def _taken(one: Contradiction) -> str:
    return "" if one.taken is None else f"{one.taken:g}"
