"""Expansion of queries by judged documents: expanded queries, new documents, rounds of judging."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon.errors import OptionError
from cleverdon.formats.sheets import merged_sheets, read_sheet
from cleverdon.pooling.choices import ORIGINAL, PROBE_DEPTH, PROBE_ROUNDS, TERMS
from cleverdon.pooling.files import read_grades
from cleverdon.pooling.pools import Pool
from cleverdon.pooling.probes import (
    NewDocuments,
    ProbeRounds,
    new_documents,
    read_probe,
    simulate_probe,
    with_pooled,
    yield_by_round,
)
from cleverdon.pooling.query_expansion import ExpandedQueries
from cleverdon.tables.result import Result
from cleverdon.tables.sections import Section

if TYPE_CHECKING:
    from cleverdon.charts.base import Chart


@dataclass(frozen=True)
class Expansion(Result):
    """Expanded queries, or the yield of rounds of judging; both print as they do alone.

    Attributes:
        rounds: The yield of the rounds so far, or of a simulation.
        queries: The expanded queries; None where no texts of queries are given.
        new: The documents that were found and are not judged yet; None without a search.
        notes: Warnings on texts and runs.

    >>> documents = {"d1": "bees and honey", "d2": "honey", "d3": "ice"}
    >>> found = expand({"q1": {"d1": 1}}, queries={"q1": "bees"}, documents=documents, search=True)
    >>> found.new.documents, found.rounds.rounds[0].found
    ({'q1': ['d2']}, 1)
    """

    rounds: ProbeRounds
    queries: ExpandedQueries | None = None
    new: NewDocuments | None = None
    notes: tuple[str, ...] = ()

    @property
    def shown(self) -> ExpandedQueries | ProbeRounds:
        """The part that is printed: the queries, unless they were searched for."""
        return self.rounds if self.queries is None or self.new is not None else self.queries

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return one table: of expanded queries, or of rounds."""
        return self.shown.sections(exact=exact)

    def to_dict(self) -> dict[str, Any]:
        return self.shown.to_dict()

    def render(self, format: str | None = None, **how: Any) -> str:
        """Write it in a format; by default `lucene` for queries, and `table` for rounds."""
        shown = self.shown
        default = "lucene" if isinstance(shown, ExpandedQueries) else "table"
        return shown.render(format or default, **how)

    def plot(self) -> Chart:
        """Draw the yield of the rounds."""
        return self.rounds.plot()


@shows_progress("expanding")
def expand(
    qrels: Any,
    sheets: Sequence[str | os.PathLike[str]] = (),
    *,
    queries: Any = None,
    documents: Any = None,
    runs: Any = None,
    search: bool = False,
    simulate: bool = False,
    rephrasings: str | os.PathLike[str] | None = None,
    stop_words: str | os.PathLike[str] | None = None,
    common: float | None = None,
    terms: int = TERMS,
    original: float = ORIGINAL,
    depth: int = PROBE_DEPTH,
    rounds: int = PROBE_ROUNDS,
    pool: str | os.PathLike[str] | Pool | None = None,
    rel: float = 1,
    qrels_format: str | None = None,
    run_format: str | None = None,
    order_by: str = "score",
    progress: Progress | bool | None = None,
) -> Expansion:
    """Expand queries by relevant documents (RM3), and find documents that are not judged yet.

    Args:
        qrels: The judgments so far: a file, or grades by query and document.
        sheets: Sheets that judges filled in since, a round each.
        queries: The texts of queries, as a file or a dict.
        documents: The texts of documents, as a file, a folder or a dict: of relevant ones, and of
            all where they are searched.
        runs: The results of another engine for the expanded queries, instead of a search.
        search: Search the documents with the expanded queries.
        simulate: Search, judge by `qrels`, expand, and repeat.
        rephrasings: A file of other words for queries, which are searched for as well.
        stop_words: A file of words that expand no query; by default English ones.
        common: Words that more than this share of the documents have expand no query either.
        terms: The number of words of relevant documents that expand a query.
        original: The weight of the query's own words together.
        depth: The number of results of each search or run to look at.
        rounds: The largest number of rounds of a simulation.
        pool: A pool that is being judged: its documents are not new either.
        rel: The lowest grade that is relevant.
        qrels_format: The format of `qrels`, if not to be guessed.
        run_format: The format of the runs, if not to be guessed.
        order_by: The order of results: by `score` or by `rank`.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The expanded queries, the new documents, and the yield of the rounds so far.

    Raises:
        InputError: If a sheet changes a grade of an earlier one.

    >>> documents = {"d1": "bees and honey", "d2": "honey", "d3": "ice"}
    >>> print(expand({"q1": {"d1": 1}}, queries={"q1": "bees"}, documents=documents))
    q1	bees^0.750000 honey^0.250000
    """
    progress = as_callback(progress)
    if (queries is None) != (documents is None):
        raise OptionError("queries are expanded by the texts of documents: give both, or neither")
    if (search or simulate) and queries is None and runs is None:
        raise OptionError("a search needs the texts of queries and documents, or runs")
    name = os.fspath(qrels) if isinstance(qrels, (str, os.PathLike)) else "qrels"
    judged = {name: read_grades(qrels, format=qrels_format)}
    judged |= {os.fspath(sheet): read_sheet(sheet) for sheet in sheets}
    known = merged_sheets(judged)
    so_far = yield_by_round(judged.values(), rel=rel)
    if queries is None:
        if runs is None:
            return Expansion(so_far)
        known = known if pool is None else with_pooled(known, pool)
        new = new_documents(
            runs, known, depth=depth, run_format=run_format, order_by=order_by, progress=progress
        )
        return Expansion(so_far, new=new, notes=new.notes)
    probe = read_probe(
        known,
        queries,
        documents,
        rephrasings=rephrasings,
        stop_words=stop_words,
        common=common,
        terms=terms,
        original=original,
        rel=rel,
        search=search or simulate,
        progress=progress,
    )
    if simulate:
        found = simulate_probe(probe, known, depth=depth, rounds=rounds, progress=progress)
        return Expansion(found, notes=probe.notes)
    expanded = probe.all_expanded(known)
    known = known if pool is None else with_pooled(known, pool)
    new_found = probe.search(known, depth=depth) if search else None
    return Expansion(so_far, expanded, new_found, probe.notes)
