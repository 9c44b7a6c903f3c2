"""Judged samples, brought into the parts that estimates are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan

from cleverdon.annotations import Grades
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError
from cleverdon.pool.pooled import Pool
from cleverdon.pool.recall.drawing import METHOD
from cleverdon.pool.recall.weighted import Part
from cleverdon.read.sheet import merged_sheets


@dataclass(frozen=True)
class Filled:
    """How a sheet that was filled in fits the sample that it is of."""

    drawn: int
    judged: int  # of those that were drawn
    strange: int  # judged documents that were not drawn, nor are they of the pool

    @property
    def graded(self) -> int:
        """How many documents the sheet has a grade of, those of the pool aside."""
        return self.judged + self.strange


def compared(
    pool: Pool, grades: Grades, known: Grades | None = None, *, source: str = "the sheet"
) -> Filled:
    """Hold a sheet against the sample; `known` are the judgments of the pool, which it may repeat.

    Judgments of something else are no judgments of the sample: where most of them are of documents
    that were not drawn, it is the wrong sheet.

    >>> from cleverdon.pool.recall import Design, draw_sample
    >>> sample = draw_sample(lambda: iter("abcd"), {"q": {"a"}}, Design(size=2))
    >>> compared(sample, {"q": dict.fromkeys(sample.docs, 0.0)})
    Filled(drawn=2, judged=2, strange=0)
    """
    drawn = set(pool.sheet())
    graded = {
        (topic, doc)
        for topic, of_topic in grades.items()
        for doc, grade in of_topic.items()
        if grade >= 0
    }
    pooled = {
        (topic, doc)
        for topic, doc in graded - drawn
        if known is not None and topic in known and known[topic].get(doc, -1.0) >= 0
    }
    filled = Filled(len(drawn), len(graded & drawn), len(graded - drawn - pooled))
    if not filled.judged:
        raise InputError(
            "none of the documents that were drawn is judged: give the sheet that was filled in",
            source=source,
        )
    if filled.strange > filled.judged:
        raise InputError(
            f"{filled.strange:,} of {filled.graded:,} judged documents were not drawn: is it the "
            "right sheet? Give the one that was written with this sample",
            source=source,
        )
    return filled


@dataclass(frozen=True)
class Repeated:
    """What the judgments of a pool and of a sample have in common, which counts as the sample's."""

    docs: int  # documents of the sample that are judged in the pool
    emptied: int  # queries of the pool that have no judgments without them


def repeated(sample: Grades, known: Grades, *, source: str = "the sample") -> Repeated:
    """Hold a sample against the judgments of the pool, of which it has none if it is one.

    Where most of its judgments are of the pool, it is the wrong sheet.

    >>> repeated({"q": {"a": 0.0, "b": 1.0}}, {"q": {"b": 1.0}})
    Repeated(docs=1, emptied=1)
    """
    both = [
        (topic, doc)
        for topic, of_topic in sample.items()
        if topic in known
        for doc in of_topic
        if known[topic].get(doc, -1.0) >= 0
    ]
    judged = sum(grade >= 0 for of_topic in sample.values() for grade in of_topic.values())
    twice = sum(sample[topic][doc] >= 0 for topic, doc in both)
    if 2 * twice > judged:
        raise InputError(
            f"{twice:,} of {judged:,} judgments of the sample are of documents that are judged in "
            "QRELS too: is it the right sheet? Give that of a sample of what is not in the pool, "
            "and QRELS without it",
            source=source,
        )
    emptied = sum(
        all(doc in sample[topic] for doc in known[topic]) for topic in {topic for topic, _ in both}
    )
    return Repeated(len(both), emptied)


def check_agreeing(sample: Grades, known: Grades, *, source: str, known_source: str) -> None:
    """Raise an InputError where a sample and the judgments of the pool contradict each other."""
    of_topics = {
        topic: {doc: known[topic][doc] for doc in of_topic if doc in known[topic]}
        for topic, of_topic in sample.items()
        if topic in known
    }
    merged_sheets(
        {known_source: of_topics, source: {topic: dict(sample[topic]) for topic in of_topics}}
    )


def parts_of_pool(
    pool: Pool, grades: Grades, *, rel: float = 1, source: str = "the pool"
) -> list[Part]:
    """A sample that `draw_sample` drew, and the grades that its documents got.

    Documents that are not judged yet are taken for not drawn: what was judged is then a smaller
    sample, as long as nobody chose which to judge. `compared` says how many these are.
    """
    _check_header(pool, source)
    sizes: Mapping[str, Mapping[str, int]] = pool.how["sizes"]
    names: list[str] = pool.how["stratum_names"]
    if pool.stratum is not None and int(pool.stratum.max(initial=1)) > len(names):
        raise InputError(
            f"has a document of stratum {int(pool.stratum.max())}, and its first line names "
            f"{len(names)}: leave it as it was written",
            source=source,
        )
    judged: Counter[tuple[str, str]] = Counter()
    relevant: Counter[tuple[str, str]] = Counter()
    for topic, at in pool.rows():
        grade = grades.get(topic, {}).get(pool.docs[at], -1.0)
        stratum = names[0 if pool.stratum is None else int(pool.stratum[at]) - 1]
        judged[topic, stratum] += grade >= 0
        relevant[topic, stratum] += grade >= max(rel, 0)
    return [
        _of_stratum(topic, name, size, judged[topic, name], relevant[topic, name])
        for topic, of_topic in sizes.items()
        for name, size in of_topic.items()
    ]


def _check_header(pool: Pool, source: str) -> None:
    """Raise an InputError where a file does not say how a sample was drawn."""
    if pool.contributors:  # documents that runs returned
        raise InputError(
            "is no sample of what no pool holds, and so tells nothing of what the pool missed; "
            "`cleverdon pool sample` draws one",
            source=source,
        )
    lacking = [name for name in ("method", "sizes", "stratum_names") if not pool.how.get(name)]
    if lacking:
        raise InputError(
            f"its first line lacks {' and '.join(lacking)}, without which nobody knows how the "
            "sample was drawn: give the file as `cleverdon pool sample` wrote it",
            source=source,
        )
    if pool.how["method"] != METHOD:
        raise InputError(
            f"its first line has the method {pool.how['method']!r}, which is not known here: "
            f"`cleverdon pool sample` writes {METHOD!r}",
            source=source,
        )


def _of_stratum(topic: str, name: str, size: int, judged: int, relevant: int) -> Part:
    return Part(topic, name, judged, relevant, judged / size if size else 1.0, size)


def parts_of_judgments(
    sample: Judgments,
    *,
    rel: float = 1,
    docs: int | None = None,
    pooled: Mapping[str, int] | None = None,
) -> list[Part]:
    """Judgments of a sample that say how it was drawn, or of a simple random one.

    With probabilities (qrels_format="sampled"), documents of one probability are a part. With
    strata, a stratum is all documents that stand in it; grades below 0 are of those not drawn.
    With neither, the sample is taken for a random one of the `docs` documents of the collection
    less those `pooled` of each topic.
    """
    if sample.notes.probability is not None:
        return list(_by_probability(sample, sample.notes.probability, rel))
    if sample.notes.stratum is not None:
        return list(_by_stratum(sample, sample.notes.stratum, rel))
    if docs is None:
        raise OptionError(
            "a random sample tells how much was missed only with docs, the number of documents of "
            "the collection"
        )
    parts = []
    for topic in sample.queries:
        grades = sample[topic].values()
        judged = sum(grade >= 0 for grade in grades)
        left = docs - (pooled or {}).get(topic, 0)
        if left < judged:
            raise OptionError(
                f"docs={docs}: topic {topic!r} has {docs - left} documents in its pool and "
                f"{judged} in the sample, which is more"
            )
        parts.append(_of_stratum(topic, "all", left, judged, sum(g >= rel for g in grades)))
    return parts


def _by_probability(sample: Judgments, probability: Grades, rel: float) -> Iterator[Part]:
    for topic in sample.queries:
        groups: dict[float, list[float]] = {}
        for doc, grade in sample[topic].items():
            share = probability.get(topic, {}).get(doc, float("nan"))
            if grade >= 0 and not isnan(share):
                if share == 0:
                    raise InputError(
                        f"document {doc!r} of query {topic!r} was drawn with probability 0, which "
                        "cannot be"
                    )
                groups.setdefault(share, []).append(grade)
        for share, grades in sorted(groups.items()):
            found = sum(grade >= rel for grade in grades)
            yield Part(topic, f"{share:g}", len(grades), found, share)


def _by_stratum(sample: Judgments, stratum: Grades, rel: float) -> Iterator[Part]:
    for topic in sample.queries:
        groups: dict[float, list[float]] = {}
        for doc, grade in sample[topic].items():
            groups.setdefault(stratum[topic][doc], []).append(grade)
        for number, grades in sorted(groups.items()):
            judged = sum(grade >= 0 for grade in grades)
            found = sum(grade >= max(rel, 0) for grade in grades)
            yield _of_stratum(topic, f"{number:g}", len(grades), judged, found)
