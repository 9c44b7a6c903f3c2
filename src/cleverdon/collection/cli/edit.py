"""The commands `cleverdon collection filter`, `merge`, `subset` and `split`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from cleverdon._common.text import counted
from cleverdon.cli import options
from cleverdon.cli import qrels_files as shared
from cleverdon.cli.declarations import (
    Options,
    argument,
    command,
    excludes,
    flag,
    needs_one,
    option,
    requires,
)
from cleverdon.errors import InputError
from cleverdon.settings import CONTRADICTIONS

if TYPE_CHECKING:
    from cleverdon.collection.merges import Contradiction


_LIST = click.Path(exists=True)


class FilterOptions(Options):
    """The options of `cleverdon collection filter`."""

    qrels: str = argument(options.INPUT)
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
    query_like: str | None = option(
        "REGEX",
        "Keep queries in whose ids this regular expression is found.",
        flags="--queries-like",
    )
    topics: str | None = options.attributes("Attributes of queries, CSV or TSV with a header.")
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
    document_like: str | None = option(
        "REGEX",
        "Keep documents in whose ids this regular expression is found.",
        flags="--docs-like",
    )
    exclude: bool = flag("Drop the queries and documents that are named; keep all others.")
    lowest: float | None = option(
        options.Number(), "Keep grades from this one on.", metavar="GRADE"
    )
    highest: float | None = option(options.Number(), "Keep grades up to this one.", metavar="GRADE")
    drop_unjudged: bool = flag("Drop what was pooled and not judged: grades below 0.")
    grades: tuple[str, ...] = options.grade_map(
        "Make other grades of grades, as in 1=0,2=1,3=1, where those not named stay"
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


_NAMING = ("--query", "--queries-in", "--queries-like", "--doc", "--docs-in", "--docs-like")


@command(FilterOptions)
@requires("--by", "--attributes")
@requires("--value", "--attributes")
@requires("--attributes", "--value", because="which queries of it are to be kept?")
@requires("--exclude", *_NAMING, "--attributes")
@excludes("--map", "--binary", because="both say what becomes of grades")
@requires("--rel", "--binary", "--min-relevant")
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
    shared.check_output(
        given.output, given.qrels, given.topics, given.query_file, given.document_file
    )

    from cleverdon.collection.filters import filter_judgments, filter_notes

    wanted = _listed(given.query_ids, given.query_file)
    if given.topics:
        wanted = [*(wanted or []), *_of_attribute(given.topics, given.by, given.values)]
    found = filter_judgments(
        shared.read_qrels(given.qrels, given.qrels_format),
        topics=wanted,
        topics_like=given.query_like,
        docs=_listed(given.document_ids, given.document_file),
        docs_like=given.document_like,
        exclude=given.exclude,
        lowest=given.lowest,
        highest=given.highest,
        drop_unjudged=given.drop_unjudged,
        grades=options.parse_grade_map(given.grades) or None,
        binary=given.binary,
        least_relevant=given.min_relevant,
        rel=given.rel,
    )
    shared.say(filter_notes(found))
    shared.write_qrels(found.judgments, given.output, given.to)


def _listed(ids: tuple[str, ...], file: str | None) -> list[str] | None:
    from cleverdon.formats.texts import read_ids

    if not ids and file is None:
        return None
    return list(dict.fromkeys([*ids, *(read_ids(file) if file else ())]))


def _of_attribute(topics: str, by: str | None, values: tuple[str, ...]) -> list[str]:
    from cleverdon.errors import OptionError, suggest
    from cleverdon.formats.attributes import read_topics

    name, column = read_topics(topics).column(by)
    for value in values:
        known = dict.fromkeys(column.values())
        if value not in known:
            raise OptionError(f"no query has {name} {value!r}{suggest(value, known)}")
    return [topic for topic, value in column.items() if value in values]


_MEANINGS = "; ".join(f"{word}: {meaning}" for word, meaning in CONTRADICTIONS.items())


class MergeOptions(Options):
    """The options of `cleverdon collection merge`."""

    qrels: tuple[str, ...] = argument(options.INPUT, nargs=-1, required=True)
    output: str = shared.output
    to: str | None = shared.to
    policy: str = option(
        click.Choice(list(CONTRADICTIONS)),
        f"Which grade a document gets to which files give different ones. {_MEANINGS}.",
        flags="--on-contradiction",
        default="error",
    )
    contradictions: str | None = option(
        click.Path(dir_okay=False),
        "List all contradictions in a CSV file, those that stop the command as well.",
        metavar="FILE",
    )
    qrels_format: str | None = options.qrels_format


@command(MergeOptions)
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
    if len(given.qrels) < 2:
        raise click.UsageError("two QRELS at least are to be merged")
    if len(set(given.qrels)) < len(given.qrels):
        raise click.UsageError("a file is named twice")
    options.check_one_stdin(*given.qrels)
    shared.check_output(given.output, *given.qrels)
    if given.contradictions:
        shared.check_output(given.contradictions, *given.qrels)
        shared.check_two_outputs(given.output, given.contradictions)

    from cleverdon.cli.progress import bar
    from cleverdon.collection.merges import ContradictionError, merge, merge_notes

    judgments = {file: shared.read_qrels(file, given.qrels_format) for file in given.qrels}
    try:
        with bar("merging") as update:
            found = merge(judgments, policy=given.policy, progress=update)
    except ContradictionError as error:
        if given.contradictions:
            _list(given.contradictions, error.contradictions, given.qrels)
            raise InputError(f"{error.message}; {given.contradictions} lists all") from None
        raise
    shared.say(merge_notes(found))
    shared.write_qrels(found.judgments, given.output, given.to)
    if given.contradictions:
        _list(given.contradictions, found.contradictions, given.qrels)


def _list(file: str, contradictions: Sequence[Contradiction], qrels: Sequence[str]) -> None:
    from cleverdon._common.files import write_file
    from cleverdon.collection.merges import contradictions_csv

    write_file(file, contradictions_csv(contradictions, qrels).encode())
    shared.say([f"{file}: {counted(len(contradictions), 'contradiction')}"])


class SubsetOptions(Options):
    """The options of `cleverdon collection subset`."""

    qrels: str = argument(options.INPUT)
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
    per_query: int | None = option(
        options.COUNT,
        "Keep so many judgments of each query.",
        flags="--judgments-per-query",
        metavar="N",
    )
    by_grade: bool = flag(
        "Of --share and --judgments-per-query: each grade gives its share, give or take one."
    )
    mark: bool = flag(
        "Of --share and --judgments-per-query: keep the others as pooled and not judged (-1), as "
        "infAP wants it."
    )
    seed: int = options.seed("judgments")
    qrels_format: str | None = options.qrels_format
    run_format: str | None = options.run_format
    order_by: str = options.order_by


_DRAWN = ("--queries-share", "--queries-count", "--share", "--judgments-per-query")


@command(SubsetOptions)
@excludes("--queries-share", "--queries-count")
@excludes("--share", "--judgments-per-query")
@excludes("--depth", "--all")
@requires("--by-grade", "--share", "--judgments-per-query")
@requires("--mark", "--share", "--judgments-per-query")
@requires("RUNS", "--depth", "--all")
@requires("--depth", "RUNS")
@requires("--all", "RUNS")
@requires("--leave-out", "RUNS")
@requires("--run-format", "RUNS")
@requires("--order-by", "RUNS")
@requires("--seed", *_DRAWN, because="only what is drawn depends on it")
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
    drawn = (given.queries_share, given.queries_count, given.share, given.per_query)
    if not given.runs and not any(drawn):
        raise click.UsageError(f"which part? --depth with RUNS, {', '.join(_DRAWN)}")
    options.check_one_stdin(given.qrels, *given.runs)
    files = (options.name_and_file(run)[1] for run in given.runs)
    shared.check_output(given.output, given.qrels, *files)
    opened = options.opened(given.runs) if given.runs else {}

    from cleverdon.cli.progress import bar
    from cleverdon.collection.subsets import (
        sample_judgments,
        sample_topics,
        simulate_pool,
        subset_notes,
    )

    judgments = shared.read_qrels(given.qrels, given.qrels_format)
    if given.runs:
        with bar("reading runs") as update:
            found = simulate_pool(
                judgments,
                opened,
                depth=given.depth,
                leave_out=given.leave_out,
                format=given.run_format,
                order_by=given.order_by,
                progress=update,
            )
        shared.say(subset_notes(found))
        judgments = found.judgments
    if given.queries_share or given.queries_count:
        found = sample_topics(
            judgments, share=given.queries_share, count=given.queries_count, seed=given.seed
        )
        shared.say(subset_notes(found))
        judgments = found.judgments
    if given.share or given.per_query:
        found = sample_judgments(
            judgments,
            share=given.share,
            count=given.per_query,
            seed=given.seed,
            by_grade=given.by_grade,
            mark=given.mark,
        )
        shared.say(subset_notes(found))
        judgments = found.judgments
    shared.write_qrels(judgments, given.output, given.to)


class SplitOptions(Options):
    """The options of `cleverdon collection split`."""

    qrels: str = argument(options.INPUT)
    pattern: str = option(
        "PATTERN",
        "The files to write, with {name} for the part: 'qrels-{name}.txt'.",
        flags="-o --output",
        required=True,
    )
    share: float | None = option(
        options.SHARE,
        "Two parts: this share of the queries is test, all others are train.",
        flags="--hold-out",
        metavar="SHARE",
    )
    folds: int | None = option(options.Count(min=2), "K parts: fold1, fold2 and on.", metavar="K")
    splits: str | None = option(options.FILE, "The parts of a file that `cleverdon splits` wrote.")
    topics: str | None = options.attributes(
        "A part for each value of an attribute of queries, CSV or TSV with a header."
    )
    by: str | None = option(
        "NAME", "The attribute (column) of --attributes.  [default: the only one]"
    )
    train: bool = flag(
        "Of folds: write each one's queries for training as well, as fold1-train and fold1-test."
    )
    seed: int = options.seed("parts")
    overwrite: bool = flag("Write over files that are there, which are kept otherwise.")
    qrels_format: str | None = options.qrels_format


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
    from cleverdon.collection.subsets import (
        file_names,
        hold_out_notes,
        split_judgments,
        split_notes,
    )

    judgments = shared.read_qrels(given.qrels, given.qrels_format)
    parts = _parts(judgments.queries, given)
    files = file_names(given.pattern, list(parts))
    found = split_judgments(judgments, parts)
    # All is checked before anything is written, so that it is all files or none.
    for file in files.values():
        shared.check_output(file, given.qrels, given.splits, given.topics)
        shared.format_to_write(judgments, file, None)
        if os.path.exists(file) and not given.overwrite:
            raise click.UsageError(f"{file} is there already: --overwrite writes over it")
    shared.say(split_notes(found))
    if given.share is not None:
        shared.say(hold_out_notes(given.share, len(parts["train"]), len(parts["test"])))
    for name, made in found.parts.items():
        shared.write_qrels(made, files[name])


def _parts(queries: list[str], given: SplitOptions) -> dict[str, tuple[str, ...]]:
    from cleverdon.collection.subsets import parts_by_attribute, parts_of_splits
    from cleverdon.comparison.splits import hold_out, k_fold, read_splits
    from cleverdon.formats.attributes import read_topics

    if given.topics:
        return parts_by_attribute(queries, read_topics(given.topics).column(given.by)[1])
    if given.splits:
        return parts_of_splits(read_splits(given.splits), train=given.train)
    if given.folds:
        folds = k_fold(queries, folds=given.folds, seed=given.seed)
        return parts_of_splits(folds, train=given.train)
    assert given.share is not None
    return parts_of_splits(hold_out(queries, share=given.share, seed=given.seed))
