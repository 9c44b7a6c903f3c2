"""cleverdon recall: how many relevant documents there are, and how many were found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import options
from cleverdon.show.sections import FORMATS

if TYPE_CHECKING:
    from cleverdon.data import Judgments
    from cleverdon.pool.recall.parts import Repeated

_SAMPLES = ("plain", "sampled", "strata")
_SHARE = options.SHARE


@click.command()
@options.inputs
@click.option(
    "--docs",
    type=options.COUNT,
    metavar="N",
    help="How many documents the collection has.  [default: as --drawn says]",
)
@click.option(
    "--sample",
    metavar="FILE",
    type=click.Path(),
    help="Judgments of a sample of the documents that are not in the pool: the sheet of "
    "`cleverdon pool sample`, filled in, or any judgments.",
)
@click.option(
    "--drawn",
    metavar="FILE",
    type=click.Path(),
    help="The file that `cleverdon pool sample` wrote, which says how the sample was drawn.",
)
@click.option(
    "--sample-format",
    type=click.Choice(_SAMPLES),
    help="Without --drawn, what the sample's file says of how it was drawn. plain: nothing, each "
    "query's is a simple random one; sampled: probabilities; strata: strata.  [default: plain]",
)
@click.option(
    "--depth",
    type=options.COUNT,
    metavar="K",
    help="How deep the pool is.  [default: down to where all results of all runs are judged]",
)
@click.option(
    "--groups",
    metavar="FILE",
    type=click.Path(),
    help="Runs of a kind, as of one team: run and group, a line each. A group counts as one "
    "system, and is left out as a whole.",
)
@options.measures_named(
    "By which measure runs are scored with and without what they alone contributed; again for "
    "more.  [default: AP by --rel, and nDCG@10]"
)
@click.option("--no-reuse", is_flag=True, help="Do not score runs with judgments left out.")
@options.rel()
@click.option(
    "--target", type=_SHARE, default=0.9, show_default=True, help="The recall that is enough."
)
@click.option(
    "--precision",
    type=_SHARE,
    default=0.1,
    show_default=True,
    help="To what recall is to be known: half the width of its interval.",
)
@options.confidence
@click.option("--per-query", is_flag=True, help="The estimates of each query as well.")
@options.plot("the saturation of the pool")
@options.qrels_format
@options.runs_read
@options.formats("How to print. csv, tsv and json have all digits.", FORMATS)
def command(
    qrels: str,
    runs: tuple[str, ...],
    docs: int | None,
    sample: str | None,
    drawn: str | None,
    sample_format: str | None,
    depth: int | None,
    groups: str | None,
    measures: tuple[str, ...],
    no_reuse: bool,
    rel: float,
    target: float,
    precision: float,
    confidence: float,
    per_query: bool,
    plot: Path | None,
    qrels_format: str | None,
    run_format: str | None,
    order_by: str,
    format_: str,
) -> None:
    """Estimate how many relevant documents there are, and how many of them were found.

    By a judged sample of what is not in the pool, where there is one; and by capture-recapture,
    from how much RUNS found in common, which gives a lower bound unless they complement each other.
    Beside that: how the pool fills with depth and with systems, what a system that was not pooled
    would lose, and in plain words whether to stop judging.

    \b
    Examples:
      cleverdon recall qrels.txt *.run
      cleverdon recall qrels.txt *.run --docs 528155 --depth 100 --target 0.8
      cleverdon pool sample docs.txt --qrels qrels.txt -n 200 -o sample.tsv
      cleverdon recall qrels.txt *.run --drawn sample.tsv --sample filled_in.tsv
      cleverdon recall qrels.txt *.run --groups teams.tsv --per-query -f csv
    """
    if drawn and not sample:
        raise click.UsageError("--drawn goes with --sample, the judgments of what was drawn")
    if drawn and sample_format:
        raise click.UsageError("--drawn says how the sample was drawn; leave --sample-format out")
    if sample_format and not sample:
        raise click.UsageError("--sample-format goes with --sample")
    if no_reuse and measures:
        raise click.UsageError("--measure is by which runs are scored, and --no-reuse scores none")
    options.check_one_stdin(qrels, *runs)
    if plot is not None:
        options.check_output(plot, qrels, *(options.name_and_file(run)[1] for run in runs))
        from cleverdon.show.plot.save import check_savable

        check_savable(plot)  # before anything takes long
    opened = options.opened(runs)

    from cleverdon.cli.progress import bar
    from cleverdon.data import Judgments
    from cleverdon.pool.recall import recall
    from cleverdon.read.pairs import read_pairs
    from cleverdon.show.recall import render

    with bar("estimating") as update:
        judged = Judgments.read(qrels, format=qrels_format)
        named = "standard input" if qrels == "-" else qrels
        given = _sample(judged, named, sample, drawn, sample_format, rel=rel, docs=docs)
        found = recall(
            judged,
            opened,
            **given,
            depth=depth,
            rel=rel,
            groups=read_pairs(groups, ("run", "group"), headings=("system",)) if groups else None,
            measures=measures or None,
            reusing=not no_reuse,
            precision=precision,
            target=target,
            confidence=confidence,
            run_format=run_format,
            order_by=order_by,
            progress=update,
        )
    if plot is not None:
        from cleverdon.show.plot import save
        from cleverdon.show.plot.pooling.saturation import saturation

        save(saturation(found), plot)
    click.echo(render(found, format_, per_query=per_query))


def _sample(
    judged: Judgments,
    qrels: str,
    sample: str | None,
    drawn: str | None,
    format: str | None,
    *,
    rel: float,
    docs: int | None,
) -> dict[str, Any]:
    """What the estimate is to know of the sample: its parts, and which documents it has."""
    if sample is None:
        return {"docs": docs}

    from cleverdon.data import Judgments
    from cleverdon.pool.file import read_pool
    from cleverdon.pool.recall import (
        check_agreeing,
        compared,
        parts_of_judgments,
        parts_of_pool,
        repeated,
    )
    from cleverdon.read.sheet import read_sheet

    if drawn is not None:
        pool, grades = read_pool(drawn), read_sheet(sample)
        parts = parts_of_pool(pool, grades, rel=rel, source=drawn)
        of_topics = {topic: judged[topic] for topic in judged.queries if topic in grades}
        filled = compared(pool, grades, of_topics, source=sample)
        check_agreeing(grades, of_topics, source=sample, known_source=qrels)
        listed: dict[str, list[str]] = {}
        for topic, doc in pool.sheet():
            listed.setdefault(topic, []).append(doc)
        return {
            "sample": parts,
            "sampled": listed,
            "filled": filled,
            "docs": _size(docs, pool.how.get("docs"), drawn),
        }
    if format in (None, "plain"):
        found = Judgments.read(read_sheet(sample), name=sample)
    else:
        found = Judgments.read(sample, format=format)
    given = {topic: found[topic] for topic in found.queries}
    of_topics = {topic: judged[topic] for topic in judged.queries if topic in given}
    both = repeated(given, of_topics, source=sample)
    check_agreeing(given, of_topics, source=sample, known_source=qrels)
    if both.docs:
        _warn(sample, qrels, both)
    listed = {topic: list(of_topic) for topic, of_topic in given.items()}
    pooled: dict[str, int] = {}
    for topic in judged.queries:
        out = set(listed.get(topic, ()))
        pooled[topic] = sum(grade >= 0 and doc not in out for doc, grade in judged[topic].items())
    parts = parts_of_judgments(found, rel=rel, docs=docs, pooled=pooled)
    return {"sample": parts, "sampled": listed, "docs": docs}


def _warn(sample: str, qrels: str, both: Repeated) -> None:
    """Of judgments that are in both files."""
    from cleverdon.cli.progress import say
    from cleverdon.show.grid import counted
    from cleverdon.show.recall_phrases import are

    left = ""
    if both.emptied:
        left = f"; {counted(both.emptied, 'query')} {are(both.emptied)} left without judgments"
    say(
        f"cleverdon: warning: {sample}: {counted(both.docs, 'document')} of the sample "
        f"{are(both.docs)} judged in {qrels} too, and taken out of the pool{left}"
    )


def _size(given: int | None, drawn_from: int | None, drawn: str) -> int | None:
    """How many documents the collection has: the sample was drawn from all of them."""
    if given is not None and drawn_from is not None and given != drawn_from:
        raise click.UsageError(
            f"--docs {given}: {drawn} was drawn from a collection of {drawn_from:,} documents; "
            "leave --docs out"
        )
    return given if drawn_from is None else drawn_from
