"""Judged samples: estimates of how many relevant documents the pool missed.

A document that was drawn with probability 1/4 stands for four (Horvitz & Thompson 1952,
doi:10.1080/01621459.1952.10483446). The usual interval, the estimate plus or minus some standard
errors, fails where relevant documents are rare: where none was drawn from a large stratum, its
variance is estimated as 0. In simulations such 95% intervals hold the truth in 40% to 65% of the
samples (docs/recall.md has the numbers). So the interval here is the gamma interval in
stats/count_intervals.py.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any

import numpy as np

from cleverdon._common.text import counted
from cleverdon.data import Grades, Judgments, Nested
from cleverdon.errors import InputError, OptionError
from cleverdon.formats.sheets import merged_sheets, read_sheet
from cleverdon.formats.streams import name_of_stream
from cleverdon.pooling.choices import UNPOOLED
from cleverdon.pooling.files import read_pool
from cleverdon.pooling.pools import Pool
from cleverdon.pooling.recall.estimates import CountEstimate, MethodEstimates
from cleverdon.stats.proportions import gamma_interval, hypergeometric_interval


@dataclass(frozen=True)
class SampledStratum:
    """Documents of a query that were drawn with one probability, and how many are relevant."""

    query: str
    stratum: str
    drawn: int  # and judged
    relevant: int
    probability: float  # with which each of them was drawn
    size: int | None = None  # of the stratum they were drawn from; None: known by probability only

    def __post_init__(self) -> None:
        if not 0 <= self.relevant <= self.drawn or not 0 <= self.probability <= 1:
            raise OptionError(
                f"stratum {self.stratum!r} of query {self.query!r}: {self.relevant} relevant of "
                f"{self.drawn} drawn with probability {self.probability:g} cannot be"
            )
        if self.drawn > (self.drawn if self.size is None else self.size):
            raise OptionError(
                f"stratum {self.stratum!r} of query {self.query!r} has {self.size} documents, and "
                f"{self.drawn} of it were drawn"
            )

    @property
    def unknown(self) -> bool:
        """True if there are documents, and nothing is known about them."""
        return self.drawn == 0 and self.size != 0

    @property
    def total(self) -> float:
        """The number of relevant documents that the drawn ones stand for."""
        if not self.relevant:
            return 0.0
        if self.size is not None:  # the same, without a division that rounds
            return self.relevant * self.size / self.drawn
        return self.relevant / self.probability


def _weighted_interval(
    parts: Sequence[SampledStratum], *, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the interval of the number of relevant documents in all parts together.

    >>> returned = SampledStratum("q1", "returned", 100, 8, 0.1, 1000)
    >>> rest = SampledStratum("q1", "rest", 100, 0, 0.01, 10_000)
    >>> low, high = _weighted_interval([returned, rest])
    >>> round(low), round(high)
    (38, 430)
    """
    drawn = [part for part in parts if part.drawn]
    if not drawn:
        return 0.0, 0.0
    seen = np.array([part.relevant for part in drawn], dtype=float)
    low, high = gamma_interval(
        seen[None],
        np.array([part.drawn for part in drawn], dtype=float),
        np.array([part.probability for part in drawn]),
        np.array([part.size is not None for part in drawn]),
        confidence=confidence,
    )
    most = sum(np.inf if part.size is None else part.size - part.drawn for part in drawn)
    found = float(seen.sum())
    return max(float(low[0]), found), max(min(float(high[0]), found + float(most)), found)


@dataclass(frozen=True)
class SheetFit:
    """The fit of a sheet that was filled in to the sample."""

    drawn: int
    judged: int  # of those that were drawn
    strange: int  # judged documents that were not drawn, nor are they of the pool

    @property
    def graded(self) -> int:
        """The number of graded documents, without those of the pool."""
        return self.judged + self.strange


def _compare_sheet(
    pool: Pool, grades: Grades, known: Grades | None = None, *, source: str = "the sheet"
) -> SheetFit:
    """Compare a sheet with its sample; refuse it if most of its documents were not drawn.

    >>> from cleverdon.pooling.recall.sampling import SampleDesign, draw_sample
    >>> sample = draw_sample(lambda: iter("abcd"), {"q": {"a"}}, SampleDesign(size=2))
    >>> _compare_sheet(sample, {"q": dict.fromkeys(sample.docs, 0.0)})
    SheetFit(drawn=2, judged=2, strange=0)
    """
    drawn = set(pool.sheet())
    graded = {
        (query, doc)
        for query, of_query in grades.items()
        for doc, grade in of_query.items()
        if grade >= 0
    }
    pooled = {
        (query, doc)
        for query, doc in graded - drawn
        if known is not None and query in known and known[query].get(doc, -1.0) >= 0
    }
    filled = SheetFit(len(drawn), len(graded & drawn), len(graded - drawn - pooled))
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


def strata_of_pool(
    pool: Pool, grades: Grades, *, rel: float = 1, source: str = "the pool"
) -> list[SampledStratum]:
    """Count the judged documents of a sample by stratum; those not judged count as not drawn."""
    _check_sample(pool, source)
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
    for query, at in pool.rows():
        grade = grades.get(query, {}).get(pool.docs[at], -1.0)
        stratum = names[0 if pool.stratum is None else int(pool.stratum[at]) - 1]
        judged[query, stratum] += grade >= 0
        relevant[query, stratum] += grade >= max(rel, 0)
    return [
        _sampled_stratum(query, name, size, judged[query, name], relevant[query, name])
        for query, of_query in sizes.items()
        for name, size in of_query.items()
    ]


def _check_sample(pool: Pool, source: str) -> None:
    if pool.contributors:  # documents that runs returned
        raise InputError(
            "is not a sample of documents outside the pool, and tells nothing about what the pool "
            "missed; `cleverdon pool sample` draws one",
            source=source,
        )
    lacking = [name for name in ("method", "sizes", "stratum_names") if not pool.how.get(name)]
    if lacking:
        raise InputError(
            f"its first line lacks {' and '.join(lacking)}, without which nobody knows how the "
            "sample was drawn: give the file as `cleverdon pool sample` wrote it",
            source=source,
        )
    if pool.how["method"] != UNPOOLED:
        raise InputError(
            f"its first line has the method {pool.how['method']!r}, which is not known here: "
            f"`cleverdon pool sample` writes {UNPOOLED!r}",
            source=source,
        )


def _sampled_stratum(
    query: str, name: str, size: int, judged: int, relevant: int
) -> SampledStratum:
    return SampledStratum(query, name, judged, relevant, judged / size if size else 1.0, size)


def _strata_of_judgments(
    sample: Judgments,
    *,
    rel: float = 1,
    docs: int | None = None,
    pooled: Mapping[str, int] | None = None,
) -> list[SampledStratum]:
    """Count a sample by probabilities, by strata, or as a random one of the rest of `docs`."""
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
    for query in sample.queries:
        grades = sample[query].values()
        judged = sum(grade >= 0 for grade in grades)
        left = docs - (pooled or {}).get(query, 0)
        if left < judged:
            raise OptionError(
                f"docs={docs}: query {query!r} has {docs - left} documents in its pool and "
                f"{judged} in the sample, which is more"
            )
        parts.append(_sampled_stratum(query, "all", left, judged, sum(g >= rel for g in grades)))
    return parts


def _by_probability(sample: Judgments, probability: Grades, rel: float) -> Iterator[SampledStratum]:
    for query in sample.queries:
        groups: dict[float, list[float]] = {}
        for doc, grade in sample[query].items():
            share = probability.get(query, {}).get(doc, float("nan"))
            if grade >= 0 and not isnan(share):
                if share == 0:
                    raise InputError(
                        f"document {doc!r} of query {query!r} was drawn with probability 0, which "
                        "cannot be"
                    )
                groups.setdefault(share, []).append(grade)
        for share, grades in sorted(groups.items()):
            found = sum(grade >= rel for grade in grades)
            yield SampledStratum(query, f"{share:g}", len(grades), found, share)


def _by_stratum(sample: Judgments, stratum: Grades, rel: float) -> Iterator[SampledStratum]:
    for query in sample.queries:
        groups: dict[float, list[float]] = {}
        for doc, grade in sample[query].items():
            groups.setdefault(stratum[query][doc], []).append(grade)
        for number, grades in sorted(groups.items()):
            judged = sum(grade >= 0 for grade in grades)
            found = sum(grade >= max(rel, 0) for grade in grades)
            yield _sampled_stratum(query, f"{number:g}", len(grades), judged, found)


@dataclass(frozen=True, eq=False)
class JudgedSample:
    """A judged sample of the documents that are not in the pool.

    Attributes:
        strata: The numbers of drawn and relevant documents of each stratum.
        documents: The documents of each query. If the judgments have them too, they do not count as
            pooled.
        fit: The fit of the sheet to what was drawn, where that is known.
        docs: The number of documents of the collection, where that is known.
        notes: Warnings on the sample.

    >>> part = SampledStratum("q1", "all", drawn=20, relevant=1, probability=0.2, size=100)
    >>> JudgedSample([part]).strata[0].total
    5.0
    """

    strata: Sequence[SampledStratum]
    documents: Mapping[str, Collection[str]] = field(default_factory=dict)
    fit: SheetFit | None = None
    docs: int | None = None
    notes: tuple[str, ...] = ()


def read_sample(
    path: str | os.PathLike[str],
    qrels: Any,
    *,
    drawn: str | os.PathLike[str] | None = None,
    format: str | None = None,
    docs: int | None = None,
    rel: float = 1,
) -> JudgedSample:
    """Read the judgments of a sample, and check them against those of the pool.

    Args:
        path: The sheet that was filled in, or any judgments.
        qrels: The judgments of the pool.
        drawn: The file that `cleverdon pool sample` wrote, which says how the sample was drawn.
        format: Without `drawn`, how the sample was drawn: `sampled` for judgments with
            probabilities, `strata` with strata, `plain` (the default) for a simple random sample.
        docs: The number of documents of the collection; a plain sample needs it.
        rel: The lowest grade that is relevant.

    Returns:
        The sample, for `estimate_recall`.

    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> file = Path(mkdtemp()) / "sample.txt"
    >>> _ = file.write_text("q1 0 d3 1\\nq1 0 d4 0\\n")
    >>> read_sample(file, {"q1": {"d1": 1, "d2": 0}}, docs=10).strata
    [SampledStratum(query='q1', stratum='all', drawn=2, relevant=1, probability=0.25, size=8)]
    """
    path = os.fspath(path)
    pool_judgments = Judgments.read(qrels)
    known_source = name_of_stream(pool_judgments.source)
    if drawn is not None:
        drawn = os.fspath(drawn)
        pool, grades = read_pool(drawn), read_sheet(path)
        strata = strata_of_pool(pool, grades, rel=rel, source=drawn)
        known = _grades_of(pool_judgments, grades)
        fit = _compare_sheet(pool, grades, known, source=path)
        merged_sheets({known_source: known, path: grades})  # an error where they contradict
        listed: dict[str, list[str]] = {}
        for query, doc in pool.sheet():
            listed.setdefault(query, []).append(doc)
        return JudgedSample(strata, listed, fit, _collection_size(docs, pool, drawn))
    if format in (None, "plain"):
        sample = Judgments.read(read_sheet(path), name=path)
    else:
        sample = Judgments.read(path, format=format)
    given = {query: sample[query] for query in sample.queries}
    known = _grades_of(pool_judgments, given)
    warning = _repeated_warning(given, known, source=path, known_source=known_source)
    merged_sheets({known_source: known, path: given})  # an error where they contradict
    pooled = {
        query: sum(
            grade >= 0 and doc not in given.get(query, ())
            for doc, grade in pool_judgments[query].items()
        )
        for query in pool_judgments.queries
    }
    strata = _strata_of_judgments(sample, rel=rel, docs=docs, pooled=pooled)
    notes = (warning,) if warning else ()
    return JudgedSample(strata, {query: list(of) for query, of in given.items()}, None, docs, notes)


def _grades_of(judgments: Judgments, queries: Collection[str]) -> Nested:
    return {query: judgments[query] for query in judgments.queries if query in queries}


def _repeated_warning(sample: Grades, known: Grades, *, source: str, known_source: str) -> str:
    """Warn of judgments that the pool has too, and refuse a sample of which these are most."""
    both = [
        (query, doc)
        for query, of_query in sample.items()
        for doc in of_query
        if query in known and known[query].get(doc, -1.0) >= 0
    ]
    judged = sum(grade >= 0 for of_query in sample.values() for grade in of_query.values())
    twice = sum(sample[query][doc] >= 0 for query, doc in both)
    if 2 * twice > judged:
        raise InputError(
            f"{twice:,} of {judged:,} judgments of the sample are of documents that are judged in "
            "QRELS too: is it the right sheet? Give that of a sample of what is not in the pool, "
            "and QRELS without it",
            source=source,
        )
    if not both:
        return ""
    emptied = sum(
        all(doc in sample[query] for doc in known[query]) for query in {query for query, _ in both}
    )
    left = ""
    if emptied:
        verb = "is" if emptied == 1 else "are"
        left = f"; {counted(emptied, 'query')} {verb} left without judgments"
    return (
        f"warning: {source}: {counted(len(both), 'document')} of the sample "
        f"{'is' if len(both) == 1 else 'are'} judged in {known_source} too, and taken out of the "
        f"pool{left}"
    )


def _collection_size(docs: int | None, pool: Pool, drawn: str) -> int | None:
    size: int | None = pool.how.get("docs")
    if docs is not None and size is not None and docs != size:
        raise OptionError(
            f"docs={docs}: {drawn} was drawn from a collection of {size:,} documents; leave it out"
        )
    return docs if size is None else size


def estimate_from_sample(
    found: Mapping[str, int], parts: Sequence[SampledStratum], *, confidence: float = 0.95
) -> MethodEstimates:
    """Add the relevant documents of the pool and those that a sample shows, by query.

    >>> parts = [SampledStratum("q1", "all", drawn=200, relevant=3, probability=0.2, size=1000)]
    >>> estimate_from_sample({"q1": 30}, parts).all
    CountEstimate(found=30, value=45.0, low=34.0, high=70.0, confidence=0.95, interval='exact')
    """
    by_query: dict[str, list[SampledStratum]] = {}
    for part in parts:
        by_query.setdefault(part.query, []).append(part)
    queries: dict[str, CountEstimate] = {}
    used: list[SampledStratum] = []
    for query, count in found.items():
        of_query = by_query.get(query, [])
        if of_query and not any(part.unknown for part in of_query):
            queries[query] = _count_estimate(count, of_query, confidence)
            used += of_query
    if not queries:
        raise InputError(
            "no query has a sample of which something was judged in every stratum: nothing can be "
            "estimated from it"
        )
    total = sum(found[query] for query in queries)
    left_out = tuple(query for query in found if query not in queries)
    return MethodEstimates("sample", _count_estimate(total, used, confidence), queries, left_out)


def _count_estimate(
    found: int, parts: Sequence[SampledStratum], confidence: float
) -> CountEstimate:
    missing = sum(part.total for part in parts)
    drawn = [part for part in parts if part.drawn]
    low: float
    high: float
    interval = "exact"
    if len(drawn) == 1 and drawn[0].size is not None:
        only = drawn[0]
        low, high = hypergeometric_interval(
            drawn[0].size, only.drawn, only.relevant, confidence=confidence
        )
    else:
        low, high = _weighted_interval(parts, confidence=confidence)
        interval = "gamma" if drawn else "exact"
    # A sum of fractions may miss the end of its interval by the last bit.
    missing = min(max(missing, float(low)), float(high))
    low, high = found + float(low), found + float(high)
    return CountEstimate(found, found + missing, low, high, confidence, interval)
