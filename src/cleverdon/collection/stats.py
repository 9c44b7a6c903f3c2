"""Statistics of a whole collection, and the concerns that they raise."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted
from cleverdon.collection.description import (
    DEPTH,
    KS,
    Coverage,
    Description,
    Difficulty,
    coverage_of,
    describe,
    query_difficulty,
)
from cleverdon.collection.tables import (
    hole_counts,
    hole_table,
    query_table,
    stats_json,
    stats_notes,
    stats_sections,
)
from cleverdon.comparison.slice_tables import UNKNOWN
from cleverdon.data import Judgments
from cleverdon.errors import OptionError
from cleverdon.evaluation import score
from cleverdon.formats.attributes import read_attributes
from cleverdon.formats.texts import check_file_exists, read_texts
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse_all
from cleverdon.pooling.recall.judged_results import find_judged_results, ranked_runs
from cleverdon.pooling.recall.reuse import Reuse, reuse_of
from cleverdon.settings import Settings
from cleverdon.tables.result import Result
from cleverdon.tables.result_lists import OneTable
from cleverdon.tables.sections import Section

_LONGEST = 60  # characters of the text of a query, in tables
_FEW_QUERIES = 25
"""Buckley & Voorhees 2000, doi:10.1145/345508.345543: at least 25 queries, and better 50."""
_FEW_RELEVANT = 5
"""With fewer relevant documents, one rank of one document decides on a query's score."""
_HOLES_AT = 10
"""The cut-off above which holes are looked at, or the nearest one that was counted."""
_UNEVEN = 2.0
"""How many times the other systems' share of holes is much larger."""
_NOTABLE = 0.1
"""The share of holes from which on there is a concern."""
_ALIKE = 0.1
"""The same of relevant documents that are relevant to several queries."""
_NAMED = 5


@dataclass(frozen=True)
class Concern:
    """A reason for caution, and its remedy."""

    kind: str
    text: str
    remedy: str
    command: str = ""  # the command to run next


@dataclass(frozen=True)
class FileNames:
    """The names of judgments and runs in suggested commands."""

    qrels: str = "QRELS"
    runs: tuple[tuple[str, str], ...] = ()  # name and file

    def all_runs(self) -> str:
        files = [file for _, file in self.runs]
        return shlex.join(files) if files and all(files) and len(files) <= 5 else "RUNS"

    def run(self, system: str) -> str:
        return shlex.quote(dict(self.runs).get(system) or system)


def concerns(
    described: Description, coverage: Coverage | None = None, *, files: FileNames | None = None
) -> tuple[Concern, ...]:
    """List reasons for caution: first of the judgments, then of the runs."""
    called = files or FileNames()
    found = list(_of_judgments(described, called))
    if coverage is not None:
        found += _of_queries(coverage)
        found += _of_holes(coverage, called)
        found += _of_pool(coverage, described, called)
    return tuple(found)


def _of_judgments(described: Description, files: FileNames) -> Iterator[Concern]:
    count = len(described.queries)
    if count < _FEW_QUERIES:
        yield Concern(
            "few queries",
            f"{counted(count, 'query')} {'is' if count == 1 else 'are'} few: with fewer than "
            f"{_FEW_QUERIES}, which system is better depends on which queries were chosen",
            "add queries, and ask what those at hand can show",
            f"cleverdon power {shlex.quote(files.qrels)} {files.all_runs()}",
        )
    without = described.without_relevant
    if not described.relevant:
        highest = max(described.grades)
        yield Concern(
            "no relevant documents",
            f"no judgment has a grade of {described.rel:g} or more; the highest is {highest:g}: "
            "most measures are undefined, and count as 0",
            "take a lower grade for relevant (--rel), or judge more"
            if highest > 0
            else "judge more",
        )
    elif without:
        yield Concern(
            "no relevant documents",
            f"{counted(len(without), 'query')} of {count:,} without a relevant document "
            f"({_first_names(without)}): most measures are undefined there, and count as 0",
            "judge more for them, or leave them out",
            f"cleverdon collection filter {shlex.quote(files.qrels)} --min-relevant 1"
            f"{_rel(described)} -o FILE",
        )
    few = [one.query for one in described.queries if 0 < one.relevant < _FEW_RELEVANT]
    if few:
        yield Concern(
            "few relevant documents",
            f"{counted(len(few), 'query')} of {count:,} with fewer than {_FEW_RELEVANT} relevant "
            f"documents ({_first_names(few)}): the rank of one document decides there",
            "take measures that do not rest on all relevant documents being known (RR, nDCG@10), "
            "or judge more",
        )
    if all(one.judged == one.relevant for one in described.queries):
        yield Concern(
            "only relevant documents",
            "every judged document is relevant: what is judged not relevant cannot be told from "
            "what nobody looked at",
            "do not use bpref, Judged or condensed lists; judge what systems return",
        )
    if described.relevant_to_several > _ALIKE * described.relevant_documents:
        doc, times = described.most_shared[0]
        yield Concern(
            "documents of several queries",
            f"{described.relevant_to_several:,} of {described.relevant_documents:,} relevant "
            f"documents are so to several queries ({doc!r} is judged for {times:,}): queries that "
            "share documents are alike, and tell less than so many queries do",
            "look whether queries repeat each other",
        )


def _of_queries(coverage: Coverage) -> Iterator[Concern]:
    if coverage.in_no_run:
        yield Concern(
            "judged, in no run",
            f"{counted(len(coverage.in_no_run), 'judged query')} in no run "
            f"({_first_names(coverage.in_no_run)}): every system has 0 there",
            "run the systems on them, or look whether ids differ in how they are written",
        )
    if coverage.not_judged:
        yield Concern(
            "in runs, not judged",
            f"{counted(coverage.not_judged, 'query')} of a run not judged "
            f"({_first_names(coverage.not_judged_names, coverage.not_judged)}): they are passed "
            "over",
            "judge them, or leave them out of the runs",
        )
    lacking = [each for each in coverage.systems if len(each.missing) > len(coverage.in_no_run)]
    if lacking:
        each = lacking[0]
        yield Concern(
            "queries missing from runs",
            f"{counted(len(lacking), 'system')} without results for judged queries that others "
            f"have, such as {each.system} ({_first_names(each.missing)}): they count as empty",
            "run the systems on all queries",
        )


def _of_holes(coverage: Coverage, files: FileNames) -> Iterator[Concern]:
    at = min(range(len(coverage.ks)), key=lambda row: abs(coverage.ks[row] - _HOLES_AT))
    k = coverage.ks[at]
    shares = {each.system: each.shares[at] for each in coverage.systems}
    for each in coverage.systems:
        others = [share for system, share in shares.items() if system != each.system]
        usual = median(others) if others else 0.0
        share = shares[each.system]
        if share >= _NOTABLE and others and share > _UNEVEN * usual:
            qrels, run = shlex.quote(files.qrels), files.run(each.system)
            yield Concern(
                "uneven holes",
                f"{share:.0%} of the first {k} results of {each.system} are not judged, and "
                f"{usual:.0%} of the other systems' (median): it is underrated, as what nobody "
                "judged counts as not relevant",
                f"judge its first {k} results, or look at measures that pass over what is not "
                "judged (bpref, judged_only=true for condensed lists, infAP where a pool was "
                "sampled)",
                f"cleverdon eval {qrels} {files.all_runs()} -m bpref -m "
                f"'nDCG(judged_only=true)@{k}' -m Judged@{k}; cleverdon pool make {run} -k {k} "
                f"--judged {qrels} -o pool.tsv",
            )
    usual = median(shares.values()) if shares else 0.0
    if usual >= _NOTABLE:
        yield Concern(
            "holes",
            f"{usual:.0%} of systems' first {k} results are not judged (median)",
            f"judge the first {k} of all, and look how far scores could move till then",
            f"cleverdon pool make {files.all_runs()} -k {k} --judged {shlex.quote(files.qrels)} -o "
            f"pool.tsv; cleverdon eval {shlex.quote(files.qrels)} {files.all_runs()} --bounds",
        )


def _of_pool(coverage: Coverage, described: Description, files: FileNames) -> Iterator[Concern]:
    most = max(coverage.systems, key=lambda each: each.unique, default=None)
    found = sum(each.unique for each in coverage.systems)
    if most is None or len(coverage.systems) < 2 or not described.relevant:
        return
    if most.unique / described.relevant >= _NOTABLE:
        yield Concern(
            "one system's relevant documents",
            f"{most.unique:,} of {described.relevant:,} relevant documents were returned by "
            f"{most.system} alone (by one system alone: {found:,}): a system like it that was not "
            "pooled would be underrated",
            "see how many relevant documents were likely missed",
            f"cleverdon recall {shlex.quote(files.qrels)} {files.all_runs()}{_rel(described)}",
        )


def _rel(described: Description) -> str:
    """Return the option --rel, where it is not the default."""
    return "" if described.rel == 1 else f" --rel {described.rel:.15g}"


def _first_names(ids: Sequence[str], count: int | None = None) -> str:
    """Return the first few of so many."""
    more = (len(ids) if count is None else count) - len(ids[:_NAMED])
    return ", ".join(ids[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")


@dataclass(frozen=True)
class QueryGroup:
    """The queries that have one value of an attribute."""

    value: str
    queries: int
    judged: int
    relevant: int


@dataclass(frozen=True, eq=False)
class CollectionStats(Result):
    """Statistics of a collection, and the concerns that they raise.

    >>> print(collection_stats({"q1": {"a": 2, "b": 0}}).by_query())
    query  judged  relevant  not judged  grade 0  grade 2
    ─────  ──────  ────────  ──────────  ───────  ───────
    q1          2         1           0        1        1
    """

    name: str
    described: Description
    texts: dict[str, str]  # of queries, one line each
    not_judged: tuple[str, ...]  # queries with attributes or texts, and without judgments
    not_described: tuple[str, ...]  # judged queries without attributes and texts
    attribute: str | None
    kinds: tuple[QueryGroup, ...]
    coverage: Coverage | None
    difficulty: Difficulty | None
    reuse: Reuse | None
    concerns: tuple[Concern, ...]

    def sections(self, *, exact: bool = False) -> Sequence[Section]:
        return stats_sections(self, exact=exact)

    def closing(self) -> Sequence[str]:
        return stats_notes(self)

    def to_dict(self) -> dict[str, Any]:
        return stats_json(self)

    def by_query(self) -> OneTable:
        """Return the same statistics with a row for each query."""
        record = self.to_dict
        return OneTable(
            "queries", partial(query_table, self), lambda: {"queries": record()["queries"]}
        )

    def holes(self, k: int) -> OneTable:
        """Return how many of each system's first k results nobody judged, query by query."""
        return OneTable(
            "holes",
            lambda exact: hole_table(self, k),
            lambda: {"k": k, "holes": hole_counts(self, k)},
        )


@shows_progress("describing")
def collection_stats(
    judgments: Any,
    runs: Any = None,
    *,
    attributes: Any = None,
    by: str | None = None,
    texts: str | Mapping[str, str] | None = None,
    measure: str | Measure | None = None,
    ks: Sequence[int] = KS,
    depth: int = DEPTH,
    rel: float = 1,
    reusable: bool = True,
    qrels_format: str | None = None,
    run_format: str | None = None,
    order_by: str = "score",
    progress: Progress | bool | None = None,
) -> CollectionStats:
    """Describe judgments; with runs, also holes, pool depth, reusability and hard queries.

    Args:
        judgments: The judgments: a file, a dict or a data frame.
        runs: Runs by name, or files.
        attributes: Attributes of queries (see `cleverdon.formats.attributes`).
        by: The attribute to count queries by.
        texts: The text of each query, shown beside its id; or a file that has them.
        measure: Queries are hard where its mean over systems is low. By default nDCG@10 where
            relevant documents have several grades and `rel` is 1, else AP from `rel` on.
        ks: Cut-offs above which unjudged results are counted.
        depth: How many results of each run to look at for the depth of the pool, for unique
            relevant documents and for reusability.
        rel: The lowest grade that is relevant.
        reusable: Leave each system out of the pool once, to see what it would lose.
        qrels_format: The format of the judgments, if it should not be guessed.
        run_format: The format of the runs, if it should not be guessed.
        order_by: "score", or "rank" to order runs by their rank column.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The statistics, with concerns and remedies.

    >>> found = collection_stats({"q1": {"a": 2, "b": 0}, "q2": {"c": 0}})
    >>> found.described.relevant, [concern.kind for concern in found.concerns]
    (1, ['few queries', 'no relevant documents', 'few relevant documents'])
    """
    progress = as_callback(progress)
    given = Judgments.read(judgments, format=qrels_format)
    described = describe(given, rel=rel)
    attribute, column, listed = _attribute(attributes, by)
    lines = _lines(texts) if isinstance(texts, str) else dict(texts or {})
    known = dict.fromkeys([*listed, *lines])
    cover = hard = lost = None
    files = FileNames(given.source if os.path.exists(given.source) else "QRELS")
    if runs is not None:
        # Every run is read once, and all that follows looks at what is kept of it.
        ranked = ranked_runs(
            given, runs, run_format=run_format, order_by=order_by, progress=progress
        )
        wanted = _measure(measure, described)
        scores = score(given, ranked, (wanted,), settings=Settings(order_by=order_by))
        # Where nothing is relevant, which is a concern, no query is harder than another.
        if measure is not None or not scores.unknowns():
            hard = query_difficulty(scores)
        cover = coverage_of(given, ranked, ks=ks, depth=depth, rel=rel)
        sources = ((run.name, run.source) for run in ranked)
        files = FileNames(files.qrels, tuple(sources))
        if reusable and len(ranked) > 1:
            lost = reuse_of(
                ranked,
                find_judged_results(given, ranked, rel=rel, depth=cover.depth or None),
                wanted,
                progress=progress,
            )
    return CollectionStats(
        name=given.source or given.name,
        described=described,
        texts=lines,
        not_judged=tuple(query for query in known if query not in given),
        not_described=tuple(q for q in given.queries if q not in known) if known else (),
        attribute=attribute,
        kinds=_query_groups(described, column) if attribute else (),
        coverage=cover,
        difficulty=hard,
        reuse=lost,
        concerns=concerns(described, cover, files=files),
    )


def _lines(file: str) -> dict[str, str]:
    """Return the text of every query of the file, on one line, judged or not."""
    check_file_exists(file)
    found = read_texts(file, kind="queries", limit=_LONGEST)
    return {query: text.line for query, text in found.items()}


def _measure(measure: str | Measure | None, described: Description) -> Measure:
    """Return the measure by which queries are hard."""
    if measure is None:
        # nDCG knows no lowest grade that is relevant: only AP can follow one that was chosen.
        by_grades = described.graded and described.rel == 1
        measure = "nDCG@10" if by_grades else f"AP(rel={described.rel:.15g})"
    wanted = parse_all(measure)
    if len(wanted) > 1:
        raise OptionError("hard queries are by one measure only: name one")
    if wanted[0].better == "neither":
        raise OptionError(f"{wanted[0]} does not say which queries are hard")
    return wanted[0]


def _attribute(attributes: Any, by: str | None) -> tuple[str | None, dict[str, str], list[str]]:
    """Return the attribute to count queries by, its values, and all queries of the table."""
    if attributes is None:
        if by is not None:
            raise OptionError(f"by={by!r} names an attribute of queries, and none are given")
        return None, {}, []
    table = read_attributes(attributes)
    if by is None and len(table.names) > 1:
        return None, {}, list(table.values)
    name, column = table.column(by)
    return name, column, list(table.values)


def _query_groups(described: Description, column: Mapping[str, str]) -> tuple[QueryGroup, ...]:
    found: dict[str, list[int]] = {}
    for one in described.queries:
        sums = found.setdefault(column.get(one.query, UNKNOWN), [0, 0, 0])
        for at, number in enumerate((1, one.judged, one.relevant)):
            sums[at] += number
    return tuple(QueryGroup(value, *sums) for value, sums in found.items())
