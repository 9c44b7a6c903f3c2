"""The commands `cleverdon collection filter`, `merge`, `subset` and `split`."""

from __future__ import annotations

from pathlib import Path

import click

from cleverdon._common.text import counted
from cleverdon.cli import options
from cleverdon.cli import qrels_files as shared
from cleverdon.cli.declarations import (
    Options,
    argument,
    at_least,
    command,
    distinct,
    excludes,
    flag,
    needs_any,
    needs_one,
    one_stdin,
    option,
    requires,
    writes,
)
from cleverdon.settings import CONTRADICTIONS

_LIST = click.Path(exists=True)


class FilterOptions(Options):
    qrels: str = argument(options.QRELS)
    output: str = shared.output
    to: str | None = shared.to
    query_ids: tuple[str, ...] = option(
        "ID", "A query to keep; again for more.", flags="--query", multiple=True
    )
    query_file: str | None = option(
        _LIST,
        "The queries to keep: an id a line, or a file with their texts.",
        flags="--queries-in",
        metavar="FILE",
    )
    queries_like: str | None = option(
        "REGEX", "Keep queries in whose ids this regular expression is found."
    )
    attributes: str | None = options.attributes("Attributes of queries, CSV or TSV with a header.")
    by: str | None = options.by
    values: tuple[str, ...] = option(
        "VALUE",
        "Keep queries whose attribute --by has this value; again for more.",
        flags="--value",
        multiple=True,
    )
    document_ids: tuple[str, ...] = option(
        "ID", "A document to keep; again for more.", flags="--doc", multiple=True
    )
    document_file: str | None = option(
        _LIST,
        "The documents to keep: an id a line, or a file with their texts.",
        flags="--docs-in",
        metavar="FILE",
    )
    docs_like: str | None = option(
        "REGEX", "Keep documents in whose ids this regular expression is found."
    )
    exclude: bool = flag("Drop the queries and documents that are named; keep all others.")
    lowest: float | None = option(
        options.Number(), "Keep grades from this one on.", metavar="GRADE"
    )
    highest: float | None = option(options.Number(), "Keep grades up to this one.", metavar="GRADE")
    drop_unjudged: bool = flag("Drop what was pooled and not judged: grades below 0.")
    grades: tuple[str, ...] = options.grade_map(
        "Change grades, as in 1=0,2=1,3=1. Those not named stay"
    )
    binary: bool = flag("Make 1 of grades from --rel on, and 0 of others.")
    min_relevant: int = option(
        options.Count(min=0),
        "Drop queries with fewer relevant documents, counted last.",
        metavar="N",
        default=0,
        show_default=False,
    )
    rel: float = options.rel("The lowest grade that is relevant, for --binary and --min-relevant.")
    qrels_format: str | None = options.qrels_format
    columns: str | None = options.columns


_NAMING = ("--query", "--queries-in", "--queries-like", "--doc", "--docs-in", "--docs-like")


@command(FilterOptions)
@requires(["--by", "--value"], "--attributes")
@requires("--attributes", "--value", because="which queries of it are to be kept?")
@requires("--exclude", *_NAMING, "--attributes")
@excludes("--map", "--binary", because="both say what becomes of grades")
@requires("--rel", "--binary", "--min-relevant")
@writes("--output")
def filter_command(given: FilterOptions) -> None:
    """Keep judgments of some queries, documents or grades of QRELS, and make other grades of them.

    Queries and documents are chosen first, then grades; --map and --binary come after that, and
    --min-relevant counts what is left. Subtopics, strata and samples are written as they were read.

    \b
    Examples:
      cleverdon collection filter qrels.txt --queries-in dev.txt -o dev.qrels
      cleverdon collection filter qrels.txt --attributes topics.csv --by kind --value de -o de.qrels
      cleverdon collection filter qrels.txt --docs-in spam.txt --exclude -o clean.qrels
      cleverdon collection filter qrels.txt --map 1=0,2=1,3=1 --min-relevant 5 -o binary.qrels
    """
    from cleverdon.collection.filters import filter_judgments, filter_notes
    from cleverdon.formats.texts import list_ids

    how = given.keywords(
        filter_judgments,
        queries=list_ids(given.query_ids, given.query_file, kind="queries"),
        docs=list_ids(given.document_ids, given.document_file, kind="documents"),
        grades=options.parse_grade_map(given.grades) or None,
    )
    found = filter_judgments(shared.read_qrels(given.qrels, given.qrels_format), **how)
    shared.say(filter_notes(found))
    shared.write_qrels(found.judgments, given.output, given.to)


_MEANINGS = "; ".join(f"{word}: {meaning}" for word, meaning in CONTRADICTIONS.items())


class MergeOptions(Options):
    qrels: tuple[str, ...] = argument(options.INPUT, nargs=-1, required=True)
    output: str = shared.output
    to: str | None = shared.to
    policy: str = option(
        click.Choice(list(CONTRADICTIONS)),
        f"The grade where files contradict each other. {_MEANINGS}.",
        flags="--on-contradiction",
        default="error",
    )
    contradictions: str | None = option(
        click.Path(dir_okay=False),
        "Write all contradictions to a CSV file. Those that stop the command as well.",
        metavar="FILE",
    )
    qrels_format: str | None = options.qrels_format
    columns: str | None = options.columns


@command(MergeOptions)
@at_least(2, "QRELS")
@distinct("QRELS")
@one_stdin("QRELS")
@writes("--output", "--contradictions")
def merge_command(given: MergeOptions) -> None:
    """Make one of several QRELS, and say what each brought and where they contradict each other.

    A document that is pooled and not judged in one file (a grade below 0) and judged in another is
    judged: that is no contradiction. Subtopics, strata and samples are written as they were read.

    \b
    Examples:
      cleverdon collection merge nist.txt extra.txt -o all.txt
      cleverdon collection merge ann.txt bob.txt eve.txt --on-contradiction majority -o all.txt
      cleverdon collection merge old.txt new.txt --contradictions all.csv -o all.txt
    """
    from cleverdon._common.progress_bar import bar
    from cleverdon.collection.merges import merge, merge_notes

    judgments = {file: shared.read_qrels(file, given.qrels_format) for file in given.qrels}
    listed = given.contradictions
    with bar("merging") as update:
        found = merge(judgments, policy=given.policy, contradictions_file=listed, progress=update)
    shared.say(merge_notes(found))
    shared.write_qrels(found.judgments, given.output, given.to)
    if listed:
        shared.say([f"{listed}: {counted(len(found.contradictions), 'contradiction')}"])


class SubsetOptions(options.ReadingOptions):
    qrels: str = argument(options.QRELS)
    runs: tuple[str, ...] = argument(options.INPUT, nargs=-1)
    output: str = shared.output
    to: str | None = shared.to
    depth: int | None = option(
        options.COUNT, "Keep what a pool of the first K results of RUNS has.", metavar="K"
    )
    whole: bool = flag("Keep what is anywhere in RUNS.", flags="--all")
    leave_out: tuple[str, ...] = option(
        "NAME", "A run that does not contribute to the pool; again for more.", multiple=True
    )
    queries_share: float | None = option(
        options.SHARE, "Keep a share of the queries.", metavar="SHARE"
    )
    queries_count: int | None = option(options.COUNT, "Keep so many queries.", metavar="N")
    share: float | None = option(
        options.SHARE, "Keep a share of each query's judgments, and one at least.", metavar="SHARE"
    )
    judgments_per_query: int | None = option(
        options.COUNT, "Keep so many judgments of each query.", metavar="N"
    )
    by_grade: bool = flag(
        "Draw from each grade its share. With --share and --judgments-per-query, give or take one."
    )
    mark: bool = flag(
        "Keep the others as pooled and not judged (-1). With --share and --judgments-per-query, "
        "as infAP wants it."
    )
    seed: int = options.seed("judgments")


_DRAWN = ("--queries-share", "--queries-count", "--share", "--judgments-per-query")


@command(SubsetOptions)
@excludes("--queries-share", "--queries-count")
@excludes("--share", "--judgments-per-query")
@excludes("--depth", "--all")
@requires(["--by-grade", "--mark"], "--share", "--judgments-per-query")
@requires("RUNS", "--depth", "--all")
@requires(["--depth", "--all", "--leave-out", "--run-format", "--order-by"], "RUNS")
@requires("--seed", *_DRAWN, because="only what is drawn depends on it")
@needs_any("RUNS", *_DRAWN, because="which part is to be kept?")
@one_stdin("QRELS", "RUNS")
@writes("--output")
def subset_command(given: SubsetOptions) -> None:
    """Keep a part of QRELS: drawn at random, or what a pool of RUNS would have had judged.

    What is drawn depends on the seed and the query, not on the order of the file. Where several
    parts are asked for, the pool comes first, then queries, then judgments. Subtopics, strata and
    samples are written as they were read.

    \b
    Examples:
      cleverdon collection subset qrels.txt *.run --depth 10 -o shallow.txt
      cleverdon collection subset qrels.txt *.run --depth 100 --leave-out dense -o without.txt
      cleverdon collection subset qrels.txt --queries-count 25 --seed 1 -o some.txt
      cleverdon collection subset qrels.txt --share 0.2 --by-grade --mark -o sampled.txt
    """
    opened = options.opened(given.runs) if given.runs else None

    from cleverdon._common.progress_bar import bar
    from cleverdon.collection.subsets import subset_notes, take_subset

    judgments = shared.read_qrels(given.qrels, given.qrels_format)
    with bar("reading runs") as update:
        how = given.keywords(take_subset, runs=opened, progress=update)
        steps = take_subset(judgments, **how)
    for step in steps:
        shared.say(subset_notes(step))
    shared.write_qrels(steps[-1].judgments, given.output, given.to)


class SplitOptions(Options):
    qrels: str = argument(options.QRELS)
    pattern: str = option(
        "PATTERN",
        "The files to write, with {name} for the part: 'qrels-{name}.txt'.",
        flags="-o --output",
        required=True,
    )
    hold_out: float | None = option(
        options.SHARE,
        "Two parts: this share of the queries is test, all others are train.",
        metavar="SHARE",
    )
    folds: int | None = option(options.Count(min=2), "K parts: fold1, fold2 and on.", metavar="K")
    splits: str | None = option(options.FILE, "The parts of a file that `cleverdon splits` wrote.")
    attributes: str | None = options.attributes(
        "A table of attributes: a part for each value. CSV or TSV with a header."
    )
    by: str | None = option(
        "NAME", "The attribute (column) of --attributes.  [default: the only one]"
    )
    train: bool = flag(
        "Write each fold's queries for training as well. As fold1-train and fold1-test."
    )
    seed: int = options.seed("parts")
    overwrite: bool = flag("Write over files that are there, which are kept otherwise.")
    qrels_format: str | None = options.qrels_format
    columns: str | None = options.columns


@command(SplitOptions)
@needs_one("--hold-out", "--folds", "--splits", "--attributes", what="name one way to split")
@requires("--by", "--attributes")
@requires("--seed", "--hold-out", "--folds")
@requires("--train", "--folds", "--splits")
def split_command(given: SplitOptions) -> None:
    """Split QRELS into several files, each with all judgments of some queries.

    Subtopics, strata and samples are written as they were read.

    \b
    Examples:
      cleverdon collection split qrels.txt --hold-out 0.2 -o 'qrels-{name}.txt'
      cleverdon collection split qrels.txt --folds 5 --seed 1 -o 'parts/{name}.qrels'
      cleverdon collection split qrels.txt --splits splits.json -o '{name}.qrels'
      cleverdon collection split qrels.txt --attributes topics.csv --by language -o '{name}.qrels'
    """
    from cleverdon.collection.subsets import split_into_files, split_notes

    judgments = shared.read_qrels(given.qrels, given.qrels_format)
    found = split_into_files(judgments, **given.keywords(split_into_files))
    # All is checked before anything is written, so that it is all files or none.
    for file in found.files.values():
        read = (given.qrels, given.splits, given.attributes)
        options.check_output(Path(file), *read, overwrite=given.overwrite)
        shared.format_to_write(judgments, file, None)
    shared.say(split_notes(found))
    for name, made in found.parts.items():
        shared.write_qrels(made, found.files[name])
