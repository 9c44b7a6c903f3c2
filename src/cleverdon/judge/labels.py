"""What several judges said of the same documents: a row an item, a column a judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cleverdon.arrays import Bools, Floats, Ints
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError, suggest

MOST_GRADES = 100
"""Tables of grades by grades are held; a scale without end would fill the memory."""

Levels = NDArray[np.signedinteger[Any]]
"""Places on a scale; as few bytes each as the scale needs."""

Row = tuple[str, str, str, float]
"""A judge, a query, a document, a grade."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Judgments of several judges; an item is a document for a query.

    A grade below 0 means that a document was pooled and not judged: it is missing here.

    >>> labels = Labels.of({"ann": {"q1": {"d1": 1, "d2": 0}}, "bob": {"q1": {"d1": 2}}})
    >>> labels.judges, labels.grades.tolist(), labels.level.tolist()
    (('ann', 'bob'), [0.0, 1.0, 2.0], [[1, 2], [0, -1]])
    """

    judges: tuple[str, ...]
    topics: tuple[str, ...]
    topic: Ints  # of each item, an index into the topics; in rising order
    docs: NDArray[np.object_]  # of each item, the document's id
    grades: Floats  # the scale: every grade that occurs, rising
    level: Levels  # items x judges: an index into the grades, -1 where it is missing

    @classmethod
    def of(cls, judged: Mapping[str, Any], *, format: str | None = None) -> Labels:
        """Labels of several judgments by the judges' names: files, dicts, frames, `Judgments`."""
        return cls.of_rows(
            row
            for name, given in judged.items()
            for row in judgment_rows(name, Judgments.read(given, format=format))
        )

    @classmethod
    def of_rows(cls, rows: Iterable[Row]) -> Labels:
        """Labels of rows: judge, query, document, grade.

        >>> Labels.of_rows([("ann", "q1", "d1", 1), ("bob", "q1", "d1", -1)]).level.tolist()
        [[0, -1]]
        """
        judges: dict[str, int] = {}
        items: dict[str, dict[str, int]] = {}
        places: list[tuple[int, int]] = []
        given: list[float] = []
        count = 0
        for judge, query, doc, grade in rows:
            column = judges.setdefault(judge, len(judges))
            of_query = items.setdefault(query, {})
            item = of_query.setdefault(doc, count)
            count += item == count
            places.append((item, column))
            given.append(grade)
        if not given:
            raise InputError("there are no judgments")
        where, values = np.array(places), np.array(given, dtype=float)
        _check_distinct(where, judges, items)
        known = values >= 0
        grades = np.unique(values[known])
        if len(grades) == 0:
            raise InputError("no judge gave a grade of 0 or above: nothing is judged")
        level = np.full((count, len(judges)), -1, dtype=_places(grades))
        at = where[known]
        level[at[:, 0], at[:, 1]] = np.searchsorted(grades, values[known])
        # Items of a topic stand together, in the order of the input.
        order = np.concatenate([list(of_query.values()) for of_query in items.values()])
        sizes = [len(of_query) for of_query in items.values()]
        docs = np.array([doc for of_query in items.values() for doc in of_query], dtype=object)
        topic = np.repeat(np.arange(len(items)), sizes)
        return cls(tuple(judges), tuple(items), topic, docs, grades, level[order])

    def __len__(self) -> int:
        """How many items there are."""
        return len(self.docs)

    @cached_property
    def judged(self) -> Bools:
        """Items x judges: whether the judge gave a grade."""
        found: Bools = self.level >= 0
        return found

    @cached_property
    def shared(self) -> Bools:
        """Of each item, whether two judges at least gave it a grade."""
        found: Bools = self.judged.sum(axis=1) >= 2
        return found

    @cached_property
    def grade(self) -> Floats:
        """Items x judges: the grades; NaN where one is missing."""
        found: Floats = np.append(self.grades, np.nan)[self.level]
        return found

    def column(self, judge: str) -> int:
        """Where a judge's column is."""
        if judge not in self.judges:
            raise OptionError(f"there is no judge {judge!r}{suggest(judge, self.judges)}")
        return self.judges.index(judge)

    def only(self, judges: Sequence[str]) -> Labels:
        """The labels of some of the judges; the scale and the items stay what they are."""
        columns = [self.column(judge) for judge in judges]
        return replace(self, judges=tuple(judges), level=self.level[:, columns])

    def among(self, rows: Bools | Ints) -> Labels:
        """The labels of some of the items; judges, topics and the scale stay what they are."""
        return replace(self, topic=self.topic[rows], docs=self.docs[rows], level=self.level[rows])

    def binary(self, rel: float) -> Labels:
        """The same with two grades: 1 from `rel` on, 0 below.

        >>> Labels.of({"ann": {"q1": {"d1": 3, "d2": 1}}}).binary(2).grade.tolist()
        [[1.0], [0.0]]
        """
        return self._graded((self.grades >= rel).astype(float), scale=np.array([0.0, 1.0]))

    def merged(self, into: Mapping[float, float]) -> Labels:
        """The same with some grades replaced by others, as {3: 2} makes 2 of every 3.

        A grade that becomes negative counts as not judged.
        """
        for old in into:
            if old not in self.grades:
                known = ", ".join(f"{grade:g}" for grade in self.grades)
                raise OptionError(f"no judge gave the grade {old:g}; there are {known}")
        return self._graded(np.array([into.get(grade, grade) for grade in self.grades.tolist()]))

    def _graded(self, becomes: Floats, *, scale: Floats | None = None) -> Labels:
        """The same on another scale; `becomes` says what each grade is on it."""
        kept = np.unique(becomes[becomes >= 0]) if scale is None else scale
        if len(kept) == 0:
            raise OptionError("no grade of 0 or above would be left")
        places = np.where(becomes < 0, -1, np.searchsorted(kept, becomes))
        level = np.append(places, -1)[self.level].astype(_places(kept))
        return replace(self, grades=kept, level=level)

    def check_scale(self) -> None:
        """Raise an InputError where there are more grades than tables of them can be held of."""
        if len(self.grades) > MOST_GRADES:
            raise InputError(
                f"there are {len(self.grades)} different grades, and agreement is counted for at "
                f"most {MOST_GRADES}: make two of them (--rel G, labels.binary), or merge some "
                "(--merge OLD=NEW, labels.merged)"
            )


def patterns(level: Levels) -> NDArray[np.void]:
    """Each row as one thing that can be compared."""
    rows = np.ascontiguousarray(level)
    return rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).ravel()


def judgment_rows(judge: str, judgments: Judgments) -> Iterator[Row]:
    """One judge's judgments as rows."""
    if judgments.notes.subtopics is not None:
        raise InputError(
            f"{judge} judged subtopics, and agreement is of documents: give a file of one grade a "
            "document, or one file for each subtopic"
        )
    for query, doc, grade in judgments.rows():
        yield judge, query, doc, grade


def made_judgments(labels: Labels, items: Ints, grades: Floats, *, name: str) -> Judgments:
    """Judgments of some of the items, with the grades given."""
    nested: dict[str, dict[str, float]] = {}
    topics = labels.topic[items].tolist()
    for topic, doc, grade in zip(topics, labels.docs[items], grades.tolist(), strict=True):
        nested.setdefault(labels.topics[topic], {})[doc] = grade
    if not nested:
        raise InputError(f"{name} judged nothing that could be used here")
    return Judgments.read(nested, name=name)


def _check_distinct(where: Ints, judges: dict[str, int], items: dict[str, dict[str, int]]) -> None:
    cells = where[:, 0] * len(judges) + where[:, 1]
    distinct, times = np.unique(cells, return_counts=True)
    if len(distinct) == len(cells):
        return
    item, column = divmod(int(distinct[times > 1][0]), len(judges))
    judge = list(judges)[column]
    query, doc = next(
        (query, doc)
        for query, of_query in items.items()
        for doc, at in of_query.items()
        if at == item
    )
    raise InputError(f"judge {judge!r} judged document {doc!r} twice for query {query!r}")


def _places(grades: Floats) -> type[np.signedinteger[Any]]:
    """What holds a place on a scale."""
    return np.int8 if len(grades) < np.iinfo(np.int8).max else np.int32
