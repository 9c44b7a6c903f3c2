"""The report of an evaluation as one HTML page: claims, tables, plots and method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted
from cleverdon.charts.theme import short_names
from cleverdon.comparison.differences import Comparison, compare
from cleverdon.comparison.doubts import Doubt, find_doubts
from cleverdon.comparison.tradeoffs import Tradeoffs, find_tradeoffs
from cleverdon.errors import OptionError
from cleverdon.formats.texts import texts_of
from cleverdon.pages.page import Figure, Page
from cleverdon.reports.content import Finding, report_content, shown_documents
from cleverdon.scores import Scores

_TITLE = "Search evaluation"


@dataclass(frozen=True, eq=False, repr=False)
class Report(Page):
    """A report that is ready to be shown or written.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q": {"d": 1}}, {"a": {"q": {"d": 1}}}, "AP", keep=10)
    >>> report(scores, title="A first look")
    <Report 'A first look': 1 system, 1 measure, 1 query>
    """

    content: dict[str, Any]  # everything that the page shows, ready for `json.dumps`
    scores: Scores
    comparisons: tuple[Comparison, ...]
    """The one that the page opens with; then one for each baseline that can be picked."""
    tradeoffs: tuple[Tradeoffs, ...] = ()
    """Quality and cost, by each measure; none where no costs are known."""

    scripts = (
        "state",
        "claims",
        "plots",
        "rows",
        "worst",
        "queries",
        "rankings",
        "method",
        "picks",
    )

    def figures(self) -> list[Figure]:
        from cleverdon.reports.figures import report_figures  # altair loads slowly

        return report_figures(self.scores, self.comparisons, self.tradeoffs)

    def script_data(self) -> dict[str, Any]:
        names = list(short_names(self.content["systems"]).values())
        content = {**self.content, "short_names": names}
        rankings = content.pop("rankings")
        return {"content": content, "ranking-data": rankings}

    def without_script(self) -> str:
        if not self.comparisons:
            return "<p>This report needs JavaScript.</p>"
        first = self.content["comparisons"][0]
        claims = "".join(f"<li>{escape(claim['text'])}</li>" for claim in first["claims"])
        return f"<p>The plots of this report need JavaScript.</p><ul>{claims}</ul>{first['table']}"

    def __repr__(self) -> str:
        counts = (
            counted(len(self.content[key]), what)
            for key, what in (("systems", "system"), ("measures", "measure"), ("queries", "query"))
        )
        return f"<Report {self.content['title']!r}: {', '.join(counts)}>"


@shows_progress("writing the report")
def report(
    given: Scores | Comparison,
    *,
    baseline: str | None = None,
    title: str = _TITLE,
    queries: Any = None,
    documents: Any = None,
    doubts: Iterable[Doubt] | None = None,
    doubting: Mapping[str, Any] | None = None,
    findings: Iterable[Finding] = (),
    costs: Any = None,
    progress: Progress | bool | None = None,
) -> Report:
    """Make a report of scores or of a comparison: one HTML page with claims, tables and plots.

    Args:
        given: Scores, or a comparison, whose test the report then uses. Scores of an evaluation
            with `keep=k` let a reader look at the first k results of each query.
        baseline: The system that the report opens with as the baseline; a reader can pick another.
        title: The heading.
        queries: Texts of queries: a file, a dict by id, `Topics`.
        documents: Texts of documents: a file, a folder, a dict by id.
        doubts: Doubts about the comparison that it opens with; by default those that
            `cleverdon.comparison.find_doubts` finds.
        doubting: Options of `find_doubts`, such as `silence`, where `doubts` is not given;
            `tuned_on` fills in the checklist, too.
        findings: What the linter found in the files.
        costs: The costs of systems: files of benches and of indexing, or a dict of them by name.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The report; `save` writes it.

    >>> from cleverdon import evaluate
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> runs = {name: {query: {name: 1.0} for query in qrels} for name in "ab"}
    >>> report(evaluate(qrels, runs, ["RR", "P@1"], keep=10), baseline="b")
    <Report 'Search evaluation': 2 systems, 2 measures, 6 queries>
    """
    progress = as_callback(progress)
    progress("writing the report")
    scores = given.scores if isinstance(given, Comparison) else given
    if not isinstance(scores, Scores):
        raise OptionError(f"a report needs Scores or a Comparison, not {type(given).__name__!r}")
    if all(measure.text for measure in scores.measures):
        raise OptionError("a report needs a measure that gives numbers")
    comparisons = _comparisons(given, baseline)
    if doubts is None:
        # Other baselines make other families, whose verdicts are qualified by themselves.
        how = dict(doubting or {})
        raised = [find_doubts(one, **how, serious=at > 0) for at, one in enumerate(comparisons)]
    else:
        raised = [list(doubts)] * len(comparisons)
    numeric = [measure for measure in scores.measures if not measure.text]
    of_costs = tuple(find_tradeoffs(scores, costs, measure) for measure in numeric) if costs else ()
    said = report_content(
        scores,
        comparisons,
        title=title,
        doubts=raised,
        findings=findings,
        queries=texts_of(queries, lambda: scores.queries, kind="queries"),
        documents=texts_of(documents, lambda: shown_documents(scores), kind="documents"),
        tradeoffs=of_costs,
        tuned_on=(doubting or {}).get("tuned_on"),
    )
    return Report(said, scores, comparisons, of_costs)


def _comparisons(given: Scores | Comparison, baseline: str | None) -> tuple[Comparison, ...]:
    """Return the comparison to open with, then all others that a reader can pick."""
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
        raise OptionError("the comparison has its own baseline: pass it to compare()")
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
    """Compare every pair by the same test."""
    return compare(
        comparison.scores,
        measures=[sample.measure for sample in comparison.samples],
        systems=comparison.samples[0].systems,
        test=comparison.test,
        correction=comparison.correction,
        level=comparison.level,
        primary="all" if comparison.primary is None else comparison.primary,
        interval=comparison.method,
        confidence=comparison.confidence,
        seed=comparison.seed,
        options=comparison.options,
    )
