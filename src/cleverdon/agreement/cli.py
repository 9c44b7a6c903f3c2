"""The command `cleverdon agree`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon._common.progress_bar import bar, say
from cleverdon._common.text import counted
from cleverdon.agreement.aggregation import AGGREGATION_METHODS, TIE_RULES, confidence_file
from cleverdon.agreement.estimates import INTERVALS, TOLERANCE
from cleverdon.cli import options
from cleverdon.cli.declarations import (
    argument,
    command,
    excludes,
    flag,
    one_stdin,
    option,
    requires,
    together,
    writes,
)
from cleverdon.comparison.cli.options import ComparisonOptions
from cleverdon.formats.inputs import is_judging_project
from cleverdon.stats.resampling import FEWER_RESAMPLES, RESCORED_RESAMPLES

if TYPE_CHECKING:
    from cleverdon._common.progress import Progress
    from cleverdon.agreement.agreement import Agreement
    from cleverdon.agreement.labels import Labels
    from cleverdon.agreement.noise import JudgingNoise


def _expand_patterns(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    from glob import glob
    from os.path import exists

    files: list[str] = []
    for given in value:
        matching = [] if exists(given) or "=" in given else sorted(glob(given))
        files += matching or [given]
    return tuple(files)


class _JudgeFile(click.Path):
    """The qrels of a judge, NAME=FILE, or a judging project, whose judges have names already."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        given = super().convert(value, param, ctx)
        name, file = options.name_and_file(str(given))
        if name and is_judging_project(file):
            self.fail(
                f"{file} is a project, whose judges have names: leave {name}= out", param, ctx
            )
        return given


_JUDGE_FILE = _JudgeFile(allow_dash=True)


def _print_coefficients(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Print the list of coefficients, or the description of one."""
    if not value:
        return
    from cleverdon.agreement.tables import coefficient_text, coefficients_text

    click.echo(coefficients_text() if value is True else coefficient_text(value))
    ctx.exit()


_OF_AGREEMENT = (
    *("--coefficient", "--per-query", "--confusion", "--disagreements", "--interval"),
    *("--smoothing", "--output", "--plot"),
)
"""Options of agreement, which is not printed where systems are compared with judging noise."""


class AgreeOptions(
    options.ReadingOptions,
    ComparisonOptions,
    rare=("vote_ties", "smoothing", "primary", "tolerance", "resamples", "interval", "confidence"),
):
    qrels: tuple[str, ...] = argument(_JUDGE_FILE, nargs=-1, required=True)
    listed: None = flag(
        "List the coefficients.",
        flags="--list",
        is_eager=True,
        expose_value=False,
        callback=_print_coefficients,
    )
    explained: None = option(
        "NAME",
        "Say what a coefficient is.",
        flags="--explain",
        is_eager=True,
        expose_value=False,
        callback=_print_coefficients,
    )
    coefficients: tuple[str, ...] = option(
        "NAME",
        "A coefficient, or all; again for more.  [default: those that suit the scale]",
        flags="-c --coefficient",
        multiple=True,
    )
    judge_column: bool = flag("The second column of TREC's qrels is who judged.")
    rel: float | None = option(
        options.Number(), "Make two grades of all: relevant from G on, and not.", metavar="G"
    )
    grades: tuple[str, ...] = options.grade_map("Take one grade for another, as 3=2")
    per_query: bool = flag("Show each query, the worst first.")
    confusion: bool = flag("Show the grades of each pair of judges.")
    disagreements: int = option(
        options.Count(0, 1_000_000),
        "Show N documents whose grades are furthest apart.",
        metavar="N",
        default=0,
        show_default=False,
    )
    aggregation: str | None = option(
        click.Choice(list(AGGREGATION_METHODS)),
        "Make one judgment of several; with --runs, that by which they are compared: "
        + "; ".join(f"{method}: {meaning}" for method, meaning in AGGREGATION_METHODS.items())
        + ".",
        flags="--aggregate",
    )
    vote_ties: str | None = option(
        click.Choice(list(TIE_RULES)),
        "How to break ties of votes. With --aggregate, and with --runs, where no grade "
        "has most votes, "
        + "; ".join(f"{word}: {meaning}" for word, meaning in TIE_RULES.items())
        + ".  [default: lower]",
    )
    smoothing: float | None = option(
        options.Number(min=0),
        "Smoothing of --aggregate dawid-skene. As if each judge had given N more documents of "
        "every grade each grade, so that nothing is ruled out.  [default: 0]",
        metavar="N",
    )
    output: Path | None = option(
        options.OUTPUT,
        "Where --aggregate writes qrels; how sure each grade is goes to NAME.confidence.tsv.",
        short="-o",
    )
    models: tuple[str, ...] = option(
        _JUDGE_FILE,
        "A model's qrels: one more judge, held against people; again for more.",
        flags="--model",
        metavar="NAME=FILE",
        multiple=True,
    )
    runs: tuple[str, ...] = option(
        "FILE",
        "A run; again for more, or a pattern in quotes. Systems are compared with judging noise "
        "included: would other judges show the same? With --model: which systems it favours (an "
        "experimental test).",
        multiple=True,
        callback=_expand_patterns,
    )
    measures: tuple[str, ...] = options.measures_named(
        "With --runs: a measure; again for more.", default="nDCG@10"
    )
    primary: str | None = option(
        "MEASURE",
        "With --runs, without --model: the measure that decides; its comparisons are one family. "
        "`all` makes one family of all.  [default: the first measure]",
    )
    tolerance: float | None = option(
        options.SHARE,
        "The share of resamples that flips a claim. With --runs, without --model: a claim flips "
        "if more than this share of resampled judgments does not show it.  [default: ",
    )
    resamples: int | None = option(
        options.REPEATS,
        f"How often the bootstrap draws.  [default: {FEWER_RESAMPLES}; of judging noise "
        f"{RESCORED_RESAMPLES}]",
    )
    interval: str = option(
        click.Choice(list(INTERVALS)),
        "The method of intervals of agreement. t leaves out one query at a time, percentile is a "
        "bootstrap, which covers too rarely with few queries.",
        default="t",
    )
    confidence: float | None = option(
        options.SHARE,
        "Of all intervals.  [default: 1 - level]",
    )
    plot: Path | None = options.plot("the grades of each pair of judges")
    format_: str = options.formats(
        "How to print. csv and tsv have every coefficient, json everything, with all digits."
    )


@command(AgreeOptions)
@together("--aggregate", "--output", unless="--runs")
@requires(["--primary", "--tolerance"], "--runs")
@excludes("--model", "--primary", "--tolerance", because="they are of judging noise")
@excludes(
    "--runs",
    *_OF_AGREEMENT,
    unless="--model",
    because="without --model, systems are compared, and agreement is not printed",
)
@excludes(
    "--runs",
    "--aggregate dawid-skene",
    unless="--model",
    because="it would be estimated anew in each resample; take majority, median or mean",
)
@excludes("--aggregate", "--model", unless="--output", because="it needs --output")
@requires("--output", "--aggregate")
@requires("--vote-ties", "--aggregate majority", "--aggregate median", "--runs")
@requires(["--measure", *ComparisonOptions.flags("seed")], "--runs")
@requires(["--run-format", "--order-by"], "--runs")
@requires("--smoothing", "--aggregate dawid-skene")
@requires(["--disagreements", "--confusion"], "-f table", "-f markdown", "-f json")
@one_stdin("QRELS")
@writes("--output", "--plot")
def agree_command(given: AgreeOptions) -> Agreement | JudgingNoise:
    """Say how far judges agree, on the documents that two of them at least have judged.

    QRELS are a file for each judge (NAME=FILE names them), tables with a column `judge`, or the
    folder of a judging project, which stands for its people, and behind --model for its models;
    its gold documents, which somebody chose, are left out of agreement.
    Grades below 0 and empty ones are not judged. Every coefficient has an interval over
    queries, or over documents where there is one query only.

    With --runs, systems are compared by one judgment made of several, with intervals over other
    queries and other judges; claims that would flip are listed.

    \b
    Examples:
      cleverdon agree ann=first.qrels bob=second.qrels
      cleverdon agree labels.csv --per-query --disagreements 20
      cleverdon agree judging --model judging
      cleverdon agree ann.qrels bob.qrels eve.qrels --aggregate dawid-skene -o qrels.txt
      cleverdon agree labels.csv --runs '*.run' -m nDCG@10 --baseline bm25
      cleverdon agree ann.qrels bob.qrels --model gpt=gpt.qrels --runs '*.run' -m nDCG@10
      cleverdon agree --explain kappa
    """
    if given.output is not None:
        read = (*given.qrels, *given.models, *given.runs)
        files = (options.name_and_file(each)[1] for each in read)
        options.check_output(confidence_file(given.output), *files)
    runs = options.opened(given.runs) if given.runs else None

    with bar("reading judgments") as update:
        from cleverdon.agreement.agreement import agree
        from cleverdon.agreement.labels import read_judges

        options.check_plot(given.plot)
        judged = read_judges(
            _by_name(given.qrels),
            _by_name(given.models),
            judge_column=given.judge_column,
            format=given.qrels_format,
            grades=options.parse_grade_map(given.grades),
            rel=given.rel,
        )
        for warning in judged.warnings:
            say(f"cleverdon: warning: {warning}")
        if given.runs and not given.models:
            return _judging_noise(given, judged.labels, runs, update)
        found = agree(
            judged.labels,
            models=judged.models,
            exclude=judged.gold,
            coefficients=given.coefficients or None,
            per_query=given.per_query,
            disputed=given.disagreements,
            runs=runs,
            measures=given.measures,
            run_format=given.run_format,
            order_by=given.order_by,
            aggregation=given.aggregation,
            vote_ties=given.vote_ties or "lower",
            smoothing=given.smoothing or 0.0,
            interval=given.interval,
            confidence=given.confidence or 1 - given.level,
            resamples=given.resamples or FEWER_RESAMPLES,
            progress=update,
            **given.comparing,
        )
        if found.excluded:
            documents = counted(found.excluded, "gold document")
            say(f"cleverdon: left out of agreement, since somebody chose them: {documents}")
        if given.output is not None:
            _write_aggregation(found, given.output)
        options.save_plot(found, given.plot)
    return found


def _judging_noise(
    given: AgreeOptions, labels: Labels, runs: Any, update: Progress
) -> JudgingNoise:
    from cleverdon.agreement.noise import judging_noise

    return judging_noise(
        labels,
        runs,
        given.measures,
        aggregation=given.aggregation or "majority",
        vote_ties=given.vote_ties or "lower",
        primary=given.primary,
        confidence=given.confidence,
        tolerance=TOLERANCE if given.tolerance is None else given.tolerance,
        resamples=given.resamples or RESCORED_RESAMPLES,
        run_format=given.run_format,
        order_by=given.order_by,
        progress=update,
        **given.comparing,
    )


def _by_name(files: tuple[str, ...]) -> dict[str, str]:
    """Return files by the judge's name, and projects by their own path."""
    from cleverdon.agreement.labels import judge_names

    folders = {each: each for each in files if is_judging_project(each)}
    others = tuple(each for each in files if each not in folders)
    return options.named_files(others, what="judges", naming=judge_names) | folders


def _write_aggregation(found: Agreement, output: Path) -> None:
    from cleverdon.agreement.aggregation import write_aggregation
    from cleverdon.formats.writers import fractional_grades

    assert found.aggregation is not None
    confidences = write_aggregation(found.aggregation, output)
    say(f"cleverdon: wrote {output} and {confidences}")
    for line in fractional_grades(found.aggregation.judgments, str(output)):
        say(f"cleverdon: {line}")
