"""The commands compare, claim, slices and power, which compare runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import options
from cleverdon.cli.declarations import Options, argument, command, excludes, flag, option, requires
from cleverdon.comparison.cli.options import FamilyOptions, ProcedureOptions, TestingOptions
from cleverdon.settings import AVERAGES
from cleverdon.stats.intervals import METHODS
from cleverdon.stats.multiple_comparisons import CORRECTIONS

if TYPE_CHECKING:
    from cleverdon.comparison.checklist import Checklist
    from cleverdon.comparison.claims import Claims
    from cleverdon.comparison.slices import Slices
    from cleverdon.scores import Scores
    from cleverdon.tables.result import Result


def evaluate_tied(
    qrels: str, scores: Scores, evaluate: Callable[[str], Scores]
) -> tuple[Scores, Scores] | None:
    """Evaluate with the worst and the best order of ties; None where there are no ties.

    Judgments from standard input cannot be read again.
    """
    if (
        qrels == "-"
        or scores.about.settings.order_by == "rank"
        or not any(run.tie_rate for run in scores.about.runs.values())
    ):
        return None
    return evaluate("worst"), evaluate("best")


_RENAMED_DOUBTS = {"few-topics": "few-queries", "undefined-topics": "undefined-queries"}
"""Old names of doubts; they work for one release, with a note."""


class DoubtOptions(Options):
    """The options of doubts."""

    silence: tuple[str, ...] = option(
        "NAME", "A doubt to leave out; repeat for more.", multiple=True
    )
    pooled: tuple[str, ...] = option(
        "NAME",
        "A run that was pooled when judging; repeat for more.",
        multiple=True,
    )
    tuned_on: str | None = option(
        options.FILE,
        "The queries that parameters were chosen on. A file with one id per line, or one that "
        "cleverdon splits wrote. With folds, runs are taken to be of held-out queries.",
    )

    @property
    def doubting(self) -> dict[str, Any]:
        """The keywords of `find_doubts`."""
        from cleverdon.comparison.splits import read_training_queries  # loads numpy

        tuned_on = None if self.tuned_on is None else read_training_queries(self.tuned_on)
        silence = [options.current_name(name, _RENAMED_DOUBTS, "doubt") for name in self.silence]
        known = {} if tuned_on is None else {"tuned_on": tuned_on}
        return {"silence": silence, "pooled": self.pooled or None, **known}


class CompareOptions(
    ProcedureOptions,
    options.LayoutOptions,
    options.RepeatsOptions,
    shown=("primary", "test", "correction", "level", "sort"),
):
    """The options of `cleverdon compare`."""

    measures: tuple[str, ...] = options.measures
    format_: str = options.formats(
        "How to print. csv, tsv and json have every difference, with all digits."
    )


@command(CompareOptions)
def compare_command(given: CompareOptions) -> str:
    """Compare RUNS query by query: with a baseline, or every one with every other.

    A dagger marks what differs significantly from the baseline. Without one, every run has a
    letter, and a value has the letters of the runs that it is significantly better than. The best
    value of a measure is bold, and the second underlined.

    \b
    Examples:
      cleverdon compare qrels.txt bm25.run dense.run --baseline bm25
      cleverdon compare qrels.txt *.run -m nDCG@10 -m AP --test randomised-tukey
      cleverdon compare qrels.txt bm25.run dense.run --baseline bm25 --format latex
      cleverdon compare qrels.txt *.run -m nDCG@10 -m AP --sort nDCG@10 --systems columns
      cleverdon compare qrels.txt bm25.run dense.run --format csv > differences.csv
      cleverdon compare qrels.txt bm25.run --repeats 'dense=dense-*.run' --baseline bm25
    """
    runs = given.open_runs()

    from cleverdon._common.progress_bar import bar

    with bar("comparing"):
        from cleverdon.comparison.differences import compare
        from cleverdon.score_tables import check_layout, sort_measure

        check_layout(given.format_, **given.layout, records=True)  # before anything takes long
        scores = given.evaluate(runs)
        sort_measure(given.sort, scores, scores.measures)
        found = compare(scores, **given.comparing)
    return found.render(given.format_, **given.layout, **options.terminal())


class ClaimOptions(
    ProcedureOptions,
    DoubtOptions,
    options.RepeatsOptions,
    shown=("primary", "test", "correction", "level"),
):
    """The options of `cleverdon claim`."""

    measures: tuple[str, ...] = options.measures
    margin: float | None = option(
        options.Number(min=0, min_open=True),
        "A difference that would matter: test equivalence as well. Also say whether runs are "
        "equivalent within it, or not worse by more.",
        metavar="M",
    )
    bounds: bool = flag(
        "Compute the lowest and highest possible averages, too. Over all orders of tied results "
        "and all grades of unjudged ones."
    )
    checklist: bool = flag(
        "Print what a paper should report of them, filled in; with --format latex, as a paragraph "
        "to paste."
    )
    format_: str = options.formats("How to print.", ("text", "markdown", "latex", "json"))


@command(ClaimOptions)
@excludes("--repeats", "--bounds", because="bounds are of single runs")
@excludes(
    "--checklist",
    "--margin",
    "--silence",
    "--pooled",
    because="a checklist has neither claims nor doubts",
)
@requires("--format latex", "--checklist", because="claims are not a table")
def claim_command(given: ClaimOptions) -> Claims | Checklist:
    """Say in words what the data supports, what it does not, and what speaks against believing it.

    A sentence for each pair of runs and each measure; below, doubts about the evaluation, each with
    its name, by which it can be silenced, and a reference.

    \b
    Examples:
      cleverdon claim qrels.txt bm25.run dense.run --baseline bm25 -m nDCG@10
      cleverdon claim qrels.txt bm25.run dense.run --baseline bm25 --pooled bm25 --bounds
      cleverdon claim qrels.txt old.run new.run --baseline old -m nDCG@10 --margin 0.01
      cleverdon claim qrels.txt bm25.run dense.run --silence few-queries --silence mean-rr
      cleverdon claim qrels.txt bm25.run dense.run --checklist --format latex
    """
    runs = given.open_runs()

    from cleverdon._common.progress_bar import bar

    with bar("comparing"):
        from cleverdon.comparison.checklist import reporting_checklist
        from cleverdon.comparison.claims import claim
        from cleverdon.comparison.differences import compare
        from cleverdon.comparison.doubts import find_doubts

        scores = given.evaluate(runs, bounds=given.bounds, warn=False)
        if given.checklist:
            tuned = given.doubting.get("tuned_on")
            return reporting_checklist(compare(scores, **given.comparing), tuned_on=tuned)
        ordered = evaluate_tied(
            given.qrels, scores, lambda ties: given.changed(ties=ties).evaluate(runs, warn=False)
        )
        found = compare(scores, **given.comparing)
        raised = find_doubts(found, tied=ordered, margin=given.margin, **given.doubting)
        return claim(found, doubts=raised, margin=given.margin)


class SlicesOptions(FamilyOptions, options.EvaluationOptions):
    """The options of `cleverdon slices`."""

    attributes: str = options.attributes(
        "A table of attributes of queries. CSV or TSV with a header; the first column is the "
        "query's id.",
        required=True,
    )
    by: str | None = option("NAME", "The attribute (column) to slice by.  [default: the only one]")
    measures: tuple[str, ...] = options.measures
    average: str = option(
        click.Choice([word for word in AVERAGES if word != "quantile"]),
        "How to average over queries: see `cleverdon eval --help`. Comparisons are of means.",
        default="mean",
    )
    bins: int = option(
        options.Count(min=0),
        "Into how many slices to cut a numeric attribute. One with more different numbers is cut "
        "at its quantiles; 0: a slice for each number.",
        default=4,
    )
    interval: str | None = option(
        click.Choice(list(METHODS)),
        "The method of intervals.  [default: Student's t]",
    )
    confidence: float | None = options.confidence_of_level
    correction: str | None = option(
        click.Choice(list(CORRECTIONS)),
        "How to correct for many comparisons. Of p-values and intervals, over all comparisons of "
        "a family.  [default: holm]",
    )
    few: int = option(options.Count(min=0), "Mark slices with fewer queries.", default=10)
    format_: str = options.formats("How to print. csv, tsv and json have all digits.")


@command(SlicesOptions)
def slices_command(given: SlicesOptions) -> Slices:
    """Score and compare RUNS on each kind of query: by language, length, type.

    p-values are corrected over systems x slices by the primary measure, and over those by the other
    measures as a second family. A warning tells where one run beats another over all queries, and
    is behind on every kind of them.

    \b
    Examples:
      cleverdon slices qrels.txt bm25.run dense.run --attributes topics.csv --by language
      cleverdon slices qrels.txt bm25.run dense.run --attributes topics.tsv --by length --bins 2 \\
          --baseline bm25 -m nDCG@10
    """
    runs = given.open_runs()

    from cleverdon._common.progress_bar import bar
    from cleverdon.comparison.slices import slice_by
    from cleverdon.formats.attributes import read_attributes

    table = read_attributes(given.attributes)  # before anything takes long
    table.column(given.by)
    scores = given.evaluate(runs)
    with bar("comparing"):
        return slice_by(
            scores,
            table,
            by=given.by,
            average=given.average,
            bins=given.bins,
            few=given.few,
            interval=given.interval,
            confidence=given.confidence,
            **given.comparing,
        )


class PowerOptions(FamilyOptions, options.SettingsOptions):
    """The options of `cleverdon power`."""

    qrels: str | None = argument(options.QRELS, required=False)
    runs: tuple[str, ...] = argument(options.RUN, nargs=-1)
    difference: float | None = option(
        options.Number(min=0, min_open=True),
        "The mean difference that must not be missed.  [default: the one that was seen]",
        metavar="D",
    )
    target: float = option(options.SHARE, "The power to reach.", default=0.8)
    method: str | None = option(
        click.Choice(["resampling", "t"]),
        "How power is computed. resampling: the comparison's own test, on queries drawn from "
        "those at hand; t: the formula of the paired t-test.  [default: t with --test t, else "
        "resampling]",
    )
    deviation: float | None = option(
        options.Number(min=0),
        "Without files: the standard deviation of differences over queries; with --system-count, "
        "of one system's scores.",
        metavar="SD",
    )
    systems: int | None = option(
        options.Count(min=2),
        "Without files: how many systems are to be compared at once.",
        flags="--system-count",
        metavar="M",
    )
    confidence: float | None = option(
        options.SHARE,
        "Without files: the confidence to plan the queries for.  [default: 1 - level]",
    )
    measures: tuple[str, ...] = options.measures
    format_: str = options.formats("How to print. csv, tsv and json have all digits.")


@command(PowerOptions)
@requires("QRELS", "RUNS", because="it takes at least two runs to compare")
@excludes(
    "QRELS",
    "--deviation",
    "--system-count",
    "--confidence",
    because="they are for use without files",
)
@requires("--format", "QRELS", because="without files, the answer is a sentence")
def power_command(given: PowerOptions) -> Result | str:
    """Say what the queries at hand can show, and how many it would take.

    For every comparison of RUNS: how likely a difference of that size is found, the smallest
    difference that is likely to be, and the queries needed. A p-value has to reach --level, divided
    by the number of comparisons in its family (--primary) where they are corrected for.

    Without files, it is how many queries to make: from the --difference that must not be missed and
    the standard --deviation in an earlier collection.

    \b
    Examples:
      cleverdon power qrels.txt bm25.run dense.run --baseline bm25 -m nDCG@10
      cleverdon power qrels.txt bm25.run dense.run --baseline bm25 --difference 0.02
      cleverdon power --difference 0.05 --deviation 0.2
      cleverdon power --difference 0.1 --deviation 0.25 --system-count 10
    """
    if given.qrels is None:
        return _plan(given)
    options.check_one_stdin(given.qrels, *given.runs)
    runs = options.opened(given.runs)

    from cleverdon._common.progress_bar import bar
    from cleverdon.comparison.differences import compare
    from cleverdon.comparison.power_analysis import power

    scores = options.evaluated(given.qrels, runs, given.measures, **given.evaluation)
    with bar("comparing"):
        return power(
            compare(scores, **given.comparing),
            difference=given.difference,
            target=given.target,
            method=given.method,
            seed=given.seed,
        )


def _plan(given: PowerOptions) -> str:
    if given.difference is None or given.deviation is None:
        raise click.UsageError("give QRELS and RUNS, or --difference and --deviation")
    testing = (name for name in TestingOptions.fields if name != "level")
    of_files = ("method", "measures", "baseline", "primary", *testing, *given.evaluation)
    options.check_of_use(False, of_files, "QRELS and RUNS")

    from cleverdon.comparison.power_analysis import plan_queries

    return plan_queries(
        given.difference,
        given.deviation,
        systems=given.systems,
        level=given.level,
        confidence=given.confidence,
        target=given.target,
    ).to_text()
