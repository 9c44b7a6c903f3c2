"""cleverdon eval: score runs against judgments."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from cleverdon import _core
from cleverdon.errors import InputError
from cleverdon.profiles import PROFILES
from cleverdon.settings import AVERAGES, CHOICES

Command = TypeVar("Command", bound=Callable[..., Any])

# A quantile needs a number beside the word.
_AVERAGES = {word: meaning for word, meaning in AVERAGES.items() if word != "quantile"}


def _setting(name: str) -> Callable[[Command], Command]:
    """An option for one of the choices on which tools disagree."""
    words = list(CHOICES[name])
    meanings = "; ".join(f"{word}: {meaning}" for word, meaning in CHOICES[name].items())
    return click.option(
        f"--{name.replace('_', '-')}", name, type=click.Choice(words), help=f"{meanings}."
    )


def _complete_measure(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from cleverdon.measures import measures

    return [cls.__name__ for cls in measures() if cls.__name__.startswith(incomplete)]


def _opened(runs: tuple[str, ...]) -> dict[str, _core.Source]:
    """The runs' files by name, opened: as NAME=FILE says, or by the files' own names.

    Opened before anything else, so that they can be hashed while numpy is imported.
    """
    from cleverdon.read import distinct_names, open_source

    named = [_name_and_file(run) for run in runs]
    own = distinct_names([file for name, file in named if not name])
    opened: dict[str, _core.Source] = {}
    for given, file in named:
        name = given or own[file]
        if name in opened:
            raise InputError(f"two runs are called {name!r}; give them names: NAME=FILE")
        opened[name] = open_source(file)
        opened[name].hash_ahead()
    return opened


def _name_and_file(run: str) -> tuple[str, str]:
    name, equals, file = run.partition("=")
    return (name, file) if equals and not os.path.exists(run) else ("", run)


@click.command()
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("runs", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    shell_complete=_complete_measure,
    help="A measure, such as nDCG@10 or 'P(rel=2)@5'; again for more. Names of trec_eval and "
    "ir_measures are understood.  [default: those of the profile, nDCG@10 AP RR P@10 R@100]",
)
@click.option(
    "--average",
    type=click.Choice(list(_AVERAGES)),
    default="mean",
    show_default=True,
    help="; ".join(f"{word}: {meaning}" for word, meaning in _AVERAGES.items()) + ".",
)
@click.option("-q", "--per-query", is_flag=True, help="Show the value for each query.")
@click.option(
    "-f",
    "--format",
    "format_",
    type=click.Choice(["table", "tsv", "csv", "json", "markdown", "latex", "html"]),
    default="table",
    show_default=True,
    help="How to print. csv, tsv and json have all digits.",
)
@click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    default="cleverdon",
    show_default=True,
    help="Choose as another tool does, to get its numbers.",
)
@_setting("ties")
@_setting("order_by")
@_setting("precision")
@_setting("missing")
@_setting("undefined")
@_setting("duplicates")
@_setting("own_document")
@_setting("no_relevant")
@click.option(
    "--risk",
    "alpha",
    type=click.FloatRange(min=0),
    metavar="ALPHA",
    help="Show, instead of averages, gains and losses against the --baseline, each loss counting "
    "1 + ALPHA times: URisk, TRisk, ZRisk and GeoRisk.",
)
@click.option("--baseline", metavar="NAME", help="The run that --risk compares with.")
@click.option(
    "--bounds",
    is_flag=True,
    help="Show beside each average the lowest and highest that it could be, whatever the order of "
    "tied results and the grades of unjudged ones.",
)
@click.option(
    "--rest",
    is_flag=True,
    help="With --bounds: and however the rankings went on through the collection of --docs.",
)
@click.option("--docs", type=int, metavar="N", help="How many documents the collection has.")
@click.option(
    "--second",
    metavar="QRELS",
    type=click.Path(),
    help="Judgments of another kind, as of credibility, for measures of two grades.",
)
@click.option(
    "--weights",
    metavar="FILE",
    type=click.Path(),
    help="How much each subtopic of a query counts: query, subtopic, number.",
)
@click.option(
    "--qrels-format",
    metavar="FORMAT",
    help="The judgments' format, if not to be guessed; subtopics, "
    "strata and sampled are never guessed.",
)
@click.option("--run-format", metavar="FORMAT", help="The runs' format, if not to be guessed.")
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    average: str,
    per_query: bool,
    format_: str,
    profile: str,
    alpha: float | None,
    baseline: str | None,
    bounds: bool,
    rest: bool,
    docs: int | None,
    second: str | None,
    weights: str | None,
    qrels_format: str | None,
    run_format: str | None,
    **settings: Any,
) -> None:
    """Score RUNS against the judgments in QRELS.

    A run is named after its file, or as you say: NAME=FILE. Both may be TREC text, CSV or TSV with
    a header, BEIR, MS MARCO, JSON, Parquet or Arrow, packed by gzip, zstd, bzip2 or xz, or - for
    standard input.

    \b
    Examples:
      cleverdon eval qrels.txt bm25.run dense.run
      cleverdon eval qrels.txt bm25.run -m nDCG@10 -m 'AP(rel=2)' --per-query
      cleverdon eval qrels.txt old=a/out.run new=b/out.run --format latex
      zcat bm25.run.gz | cleverdon eval qrels.txt -
    """
    if [qrels, *runs].count("-") > 1:
        raise click.UsageError("only one of QRELS and RUNS can be standard input")
    if (alpha is None) != (baseline is None):
        raise click.UsageError("--risk and --baseline go together")
    if bounds and (average != "mean" or alpha is not None):
        raise click.UsageError("--bounds are those of means, and go with no other --average")
    if rest and not bounds:
        raise click.UsageError("--rest goes with --bounds")
    opened = _opened(runs)

    from cleverdon.cli.progress import bar
    from cleverdon.evaluation import evaluate
    from cleverdon.show.table import render

    with bar("evaluating") as update:
        scores = evaluate(
            qrels,
            opened,
            measures or None,
            profile=profile,
            docs=docs,
            second=second,
            weights=weights,
            qrels_format=qrels_format,
            run_format=run_format,
            bounds=bounds,
            rest=rest,
            progress=lambda name, done, total: update(done, total),
            **settings,
        )
    for warning in scores.warnings:
        click.echo(f"cleverdon: warning: {warning}", err=True)
    if alpha is not None and baseline is not None:
        from cleverdon.risk import risk
        from cleverdon.show.risk import render as render_risk

        risks = [risk(scores, m, baseline=baseline, alpha=alpha) for m in scores.measures]
        click.echo(render_risk([found for of_one in risks for found in of_one], format_))
        return
    click.echo(render(scores, format_, per_query=per_query, average=average))
