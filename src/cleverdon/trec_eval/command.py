"""One evaluation from the arguments to the exit code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import BinaryIO

from cleverdon import __version__
from cleverdon.errors import CleverdonError
from cleverdon.trec_eval.exits import INPUT, NOTHING, Stop
from cleverdon.trec_eval.names import wanted
from cleverdon.trec_eval.options import Options, check_qrels_format, check_results_format, parse


def run(arguments: Sequence[str], *, out: BinaryIO, tell: Callable[[str], object]) -> int:
    """Evaluate as trec_eval would with these arguments; the exit code.

    What goes to standard error is told line by line.
    """
    try:
        options = parse(arguments)
        if options.show == "version":
            tell(f"trec_eval version {options.version} (cleverdon {__version__})")
        elif options.show == "help":
            from cleverdon.trec_eval.manual import manual

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
    check_qrels_format(options)
    from cleverdon.trec_eval.formats import read_qrels
    from cleverdon.trec_eval.results import join, open_results

    qrels = read_qrels(options)
    check_results_format(options)
    run = open_results(options)
    results = join(qrels, run)
    means = None
    if options.zscores is not None:
        from cleverdon.trec_eval.zscores import as_zscores, read_means

        means = read_means(options.zscores, results.encoding)
    measures = wanted(options.measures, version=options.version)

    from cleverdon.trec_eval.output import logarithms, per_topic, summary
    from cleverdon.trec_eval.topics import topics as topics_of
    from cleverdon.trec_eval.values import columns as columns_of

    reads_results = any(measure.name.format != "any" for measure in measures)
    topics = topics_of(results, options, reads_results=reads_results)
    topics, columns = columns_of(measures, topics, options)
    columns = logarithms(columns)
    if means is not None:
        columns = as_zscores(columns, topics.names, means)
    z = means is not None
    if options.per_topic:
        lines = per_topic(columns, topics.names, z=z)
        out.write("".join(lines).encode(results.encoding))
    if topics.stop is not None:
        raise topics.stop
    if len(topics.rows) == 0:
        raise Stop(NOTHING, "no topic has both judgments and results")
    if options.summary:
        named = any(measure.name.name == "runid" for measure in measures)
        run_id = run.run_id(results.encoding) if named else ""
        out.write("".join(summary(columns, topics, options, run_id)).encode(results.encoding))
