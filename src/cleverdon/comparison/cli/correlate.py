"""The command correlate: rank correlation of orders of systems or of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cleverdon.cli import options
from cleverdon.cli.declarations import argument, command, excludes, flag, no_stdin, option, requires
from cleverdon.comparison.orderings import COEFFICIENTS, DEFAULT_RUN_COEFFICIENTS, RUN_COEFFICIENTS
from cleverdon.stats.resampling import FEWER_RESAMPLES

if TYPE_CHECKING:
    from cleverdon.comparison.orderings import RunCorrelations
    from cleverdon.tables.result import Result


_TWO_RUNS = "it compares two rankings, without judgments and measures"


class CorrelateOptions(options.SettingsOptions):
    """The options of `cleverdon correlate`."""

    qrels: str | None = argument(options.QRELS, required=False)
    runs: tuple[str, ...] = argument(options.RUN, nargs=-1)
    measures: tuple[str, ...] = options.measures
    other: str | None = option(
        options.FILE,
        "Other judgments: compare the orders that both give. By each measure, those that the two "
        "give.",
        flags="--qrels2",
    )
    attributes: str | None = options.attributes(
        "A table of attributes of queries. CSV or TSV with a header: compare, by each measure, "
        "the orders on each kind of query."
    )
    by: str | None = options.by
    two_runs: tuple[str, str] | None = option(
        options.RUN,
        "Instead: compare how two runs rank the documents of each query.",
        flags="--runs",
        metavar="A B",
        nargs=2,
    )
    ways: tuple[str, ...] = option(
        click.Choice(list(RUN_COEFFICIENTS)),
        "With --runs: the coefficient; repeat for more.  "
        f"[default: {', '.join(DEFAULT_RUN_COEFFICIENTS)}]",
        flags="--how",
        multiple=True,
    )
    k: int | None = option(options.COUNT, "With --runs: the first K results only.", metavar="K")
    matrix: str | None = option(
        click.Choice(list(COEFFICIENTS)), "Print a matrix of one coefficient, without intervals."
    )
    first_is_truth: bool = flag(
        "tau-AP takes the first order for the truth.  [default: the mean of both directions]"
    )
    persistence: float = option(
        options.SHARE,
        "The persistence of rank-biased overlap. How likely a user reads on after a rank.",
        short="-p",
        default=0.9,
    )
    resamples: int = option(
        options.REPEATS, "How often the bootstrap draws queries.", default=FEWER_RESAMPLES
    )
    confidence: float = options.confidence
    seed: int = options.seed("intervals")
    format_: str = options.formats("How to print. csv, tsv and json have all digits.")


@command(CorrelateOptions)
@requires("--how", "--runs")
@requires("-k", "--runs")
@excludes("--runs", "QRELS", "-m", "--qrels2", "--attributes", "--matrix", because=_TWO_RUNS)
@excludes("--qrels2", "--attributes")
@no_stdin("QRELS", "RUNS", where="--qrels2", because="it is read twice")
@requires("--by", "--attributes")
@excludes("--matrix", "--resamples", "--confidence", "--seed", because="a matrix has no intervals")
@excludes("-p", *(f"--matrix {name}" for name in COEFFICIENTS if name != "rbo"))
@excludes("--first-is-truth", *(f"--matrix {name}" for name in COEFFICIENTS if name != "tau_ap"))
def correlate_command(given: CorrelateOptions) -> Result:
    """Say how alike the orders are that measures give to RUNS, or two judgments, or queries.

    Kendall's tau-b, tau-AP, Spearman's rho and rank-biased overlap, each with a bootstrap interval
    over queries. Or, with --runs, how alike two runs rank documents.

    \b
    Examples:
      cleverdon correlate qrels.txt *.run -m nDCG@10 -m AP -m RR
      cleverdon correlate qrels.txt *.run -m nDCG@10 --qrels2 crowd.txt
      cleverdon correlate qrels.txt *.run -m AP --attributes topics.csv --by language
      cleverdon correlate --runs bm25.run dense.run --how rbo -k 10
    """
    if given.two_runs:
        return _compare_two_runs(given, given.two_runs)
    if given.qrels is None or len(given.runs) < 2:
        raise click.UsageError("give QRELS and at least two RUNS, or --runs A B")
    options.check_one_stdin(given.qrels, *given.runs)
    runs = options.opened(given.runs)

    from cleverdon._common.progress_bar import bar
    from cleverdon.comparison.orderings import correlate, group_queries
    from cleverdon.formats.attributes import read_attributes

    kinds = read_attributes(given.attributes).column(given.by)[1] if given.attributes else None
    scores = options.evaluated(given.qrels, runs, given.measures, **given.evaluation)
    again = None
    if given.other:
        runs = options.opened(given.runs)
        again = options.evaluated(given.other, runs, given.measures, **given.evaluation)
    sets = None
    if kinds is not None:
        sets, without = group_queries(scores, kinds)
        if without:
            note = f"cleverdon: warning: {without} queries are of no kind, and left out"
            click.echo(note, err=True)
    with bar("comparing"):
        return correlate(
            scores,
            other=again,
            query_sets=sets,
            p=given.persistence,
            symmetric=not given.first_is_truth,
            confidence=given.confidence,
            resamples=given.resamples,
            seed=given.seed,
        )


def _compare_two_runs(given: CorrelateOptions, files: tuple[str, str]) -> RunCorrelations:
    options.check_of_use(not given.ways or "rbo" in given.ways, ("persistence",), "--how rbo")
    reading = {"run_format": "format", "order_by": "order_by", "duplicates": "duplicates"}
    own = ("by", "first_is_truth", "resamples", "confidence", "seed")
    others = (*own, *(given.evaluation.keys() - reading))
    options.check_of_use(False, others, "QRELS and RUNS")

    from cleverdon.comparison.orderings import compare_runs
    from cleverdon.data import Run

    chosen = {reading[name]: given.evaluation[name] for name in reading}
    how = {name: value for name, value in chosen.items() if value is not None}
    first, second = (Run.read(file, **how) for file in files)
    ways = given.ways or DEFAULT_RUN_COEFFICIENTS
    return compare_runs(first, second, coefficients=ways, k=given.k, p=given.persistence)
