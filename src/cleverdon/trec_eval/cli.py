"""The command `cleverdon trec_eval`: one evaluation from the arguments to the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import BinaryIO

import click

from cleverdon import __version__
from cleverdon.errors import CleverdonError
from cleverdon.trec_eval.arguments import (
    INPUT,
    NOTHING,
    QRELS_FORMATS,
    RESULTS_FORMATS,
    Options,
    Stop,
    check_format,
    parse_options,
    wanted_measures,
)


def run(arguments: Sequence[str], *, out: BinaryIO, tell: Callable[[str], object]) -> int:
    """Evaluate as trec_eval would with these arguments; the exit code.

    What goes to standard error is told line by line.
    """
    try:
        options = parse_options(arguments)
        if options.show == "version":
            tell(f"trec_eval version {options.version} (cleverdon {__version__})")
        elif options.show == "help":
            from cleverdon.trec_eval.output import manual

            out.write(manual(options).encode())
        else:
            _evaluate(options, out)
    except Stop as stop:
        tell(f"trec_eval: {stop}")
        return stop.code
    except CleverdonError as error:
        tell(f"trec_eval: {error}")
        return INPUT
    return 0


def _evaluate(options: Options, out: BinaryIO) -> None:
    check_format("-R", options.qrels_format, QRELS_FORMATS)
    from cleverdon.trec_eval.files import join, open_results, read_qrels

    qrels = read_qrels(options)
    check_format("-T", options.results_format, RESULTS_FORMATS)
    run = open_results(options)
    results = join(qrels, run)
    means = None
    if options.zscores is not None:
        from cleverdon.trec_eval.output import as_zscores, read_means

        means = read_means(options.zscores, results.encoding)
    measures = wanted_measures(options.measures, version=options.version)

    from cleverdon.trec_eval.files import evaluated_topics as topics_of
    from cleverdon.trec_eval.measures import columns as columns_of
    from cleverdon.trec_eval.output import logarithms, per_topic, summary

    reads_results = any(measure.name.format != "any" for measure in measures)
    topics = topics_of(results, options, reads_results=reads_results)
    topics, columns = columns_of(measures, topics, options)
    columns = logarithms(columns)
    if means is not None:
        columns = as_zscores(columns, topics.names, means)
    if options.per_topic:
        lines = per_topic(columns, topics.names, z=means is not None)
        out.write("".join(lines).encode(results.encoding))
    if topics.stop is not None:
        raise topics.stop
    if len(topics.rows) == 0:
        raise Stop(NOTHING, "no topic has both judgments and results")
    if options.summary:
        named = any(measure.name.name == "runid" for measure in measures)
        run_id = run.run_id(results.encoding) if named else ""
        out.write("".join(summary(columns, topics, options, run_id)).encode(results.encoding))


@click.command(
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def trec_eval_command(arguments: tuple[str, ...]) -> int:
    """Evaluate a run as trec_eval does: the same arguments, output and exit codes.

    `cleverdon trec_eval -h` lists them, and --help-all what measures are called as well.
    """
    if "--python" in arguments:
        from cleverdon.cli.python import no_script

        raise no_script("trec_eval")
    if "--help-all" in arguments:
        from cleverdon.trec_eval.output import manual

        click.echo(manual(Options(), all=True), nl=False)
        return 0
    try:
        return run(arguments, out=sys.stdout.buffer, tell=lambda line: click.echo(line, err=True))
    except BrokenPipeError:
        # Whoever read the output has enough; click would make an error of it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def trec_eval_main() -> None:
    """Run `cleverdon-trec_eval`."""
    from cleverdon.cli import main as cleverdon

    sys.argv.insert(1, "trec_eval")
    cleverdon()
