"""A report: one HTML file with the claims, the tables, the plots and the method, and no network.

>>> from cleverdon import evaluate
>>> from cleverdon.show.report import report
>>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
>>> runs = {name: {query: {name: 1.0} for query in qrels} for name in "ab"}
>>> report(evaluate(qrels, runs, ["RR", "P@1"], keep=10), baseline="b")
<Report 'Search evaluation': 2 systems, 2 measures, 6 topics>
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cleverdon.compare.doubts import Doubt
from cleverdon.compare.doubts import doubts as all_doubts
from cleverdon.compare.paired import Comparison, compare
from cleverdon.compare.standings import Standings, standings
from cleverdon.costs import Costs
from cleverdon.errors import OptionError
from cleverdon.read.texts import Text
from cleverdon.scores import Scores
from cleverdon.show.grid import counted
from cleverdon.show.page.written import Written
from cleverdon.show.report.content import Finding, content
from cleverdon.show.report.rankings import shown_documents

__all__ = ["Finding", "Report", "report", "shown_documents"]

TITLE = "Search evaluation"


@dataclass(frozen=True, eq=False, repr=False)
class Report(Written):
    """A report that is ready to be shown or written."""

    content: dict[str, Any]
    """All that it says, ready for `json.dumps`."""
    scores: Scores
    comparisons: tuple[Comparison, ...]
    """The first is the one that the page opens with; then each baseline that can be picked."""
    standings: tuple[Standings, ...] = ()
    """Quality and cost, by each measure; none where no costs are known."""

    @cached_property
    def html(self) -> str:
        """The page."""
        from cleverdon.show.report.figures import figures
        from cleverdon.show.report.page import page

        return page(self.content, figures(self.scores, self.comparisons, self.standings))

    def __repr__(self) -> str:
        counts = (
            counted(len(self.content[what]), what.removesuffix("s"))
            for what in ("systems", "measures", "topics")
        )
        return f"<Report {self.content['title']!r}: {', '.join(counts)}>"


def report(
    given: Scores | Comparison,
    *,
    baseline: str | None = None,
    title: str = TITLE,
    queries: Mapping[str, Text] | None = None,
    documents: Mapping[str, Text] | None = None,
    doubts: Iterable[Doubt] | None = None,
    findings: Iterable[Finding] = (),
    costs: Mapping[str, Costs] | None = None,
) -> Report:
    """A report of scores, or of a comparison, whose test and baseline it then has.

    Where that is one of every pair, `baseline` is what the report opens with, as it is of scores.
    Scores made with `evaluate(..., keep=k)` let a reader look at each topic's rankings, k results
    deep. `queries` and `documents` are texts by id, as `read_texts` gives them; `doubts` are those
    of `cleverdon.compare.doubts`, by default what it finds without being told more; `findings` are
    what a linter said of the files; `costs` are those of systems, by name.
    """
    scores = given.scores if isinstance(given, Comparison) else given
    if not isinstance(scores, Scores):
        raise OptionError(f"a report is of Scores or a Comparison, not of {type(given).__name__!r}")
    if all(measure.text for measure in scores.measures):
        raise OptionError("a report needs a measure that gives numbers")
    comparisons = _comparisons(given, baseline)
    if doubts is None:
        doubts = all_doubts(comparisons[0]) if comparisons else ()
    numeric = [measure for measure in scores.measures if not measure.text]
    standing = tuple(standings(scores, costs, measure) for measure in numeric) if costs else ()
    said = content(
        scores,
        comparisons,
        title=title,
        doubts=doubts,
        findings=findings,
        queries=queries or {},
        documents=documents or {},
        standings=standing,
    )
    return Report(said, scores, comparisons, standing)


def _comparisons(given: Scores | Comparison, baseline: str | None) -> tuple[Comparison, ...]:
    """The comparison to open with, then all others that a reader can pick."""
    if isinstance(given, Scores):
        measures = [measure for measure in given.measures if not measure.text]
        if len(given.systems) < 2:
            if baseline is not None:
                raise OptionError(
                    "there is only one system, and nothing to compare with a baseline"
                )
            return ()
        pairs = compare(given, measures=measures)
    elif given.alternative == "two-sided" and given.baseline is None:
        pairs = given
    elif baseline not in (None, given.baseline):
        raise OptionError("the comparison has a baseline of its own: say it there")
    elif given.alternative != "two-sided":
        return (given,)
    else:
        baseline, pairs = given.baseline, _all_pairs(given)
    others = [pairs.against(name) for name in pairs.samples[0].systems if name != baseline]
    if baseline is None:
        return (pairs, *others)
    if isinstance(given, Comparison) and given.baseline is not None:
        return (given, *others, pairs)
    return (pairs.against(baseline), *others, pairs)


def _all_pairs(comparison: Comparison) -> Comparison:
    """The same of every pair, by the same test."""
    interval = comparison.differences[0].interval
    return compare(
        comparison.scores,
        measures=[sample.measure for sample in comparison.samples],
        systems=comparison.samples[0].systems,
        test=comparison.test,
        correction=comparison.correction,
        level=comparison.level,
        interval=interval.method,
        confidence=interval.confidence,
        seed=comparison.seed,
        options=comparison.options,
    )
