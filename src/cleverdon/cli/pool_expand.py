"""cleverdon pool expand: probe for relevant documents with expanded queries."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import options
from cleverdon.cli.expansion import Expansion, expansion
from cleverdon.show.grid import FORMATS

if TYPE_CHECKING:
    from cleverdon.annotations import Grades
    from cleverdon.pool import Contributions
    from cleverdon.pool.expansion import Round, Simulated
    from cleverdon.pool.expansion.probe import New

# As `show.expansion` has them, which is not loaded for help; a test compares them.
QUERIES = ("lucene", "jsonl")


@click.command()
@click.argument("qrels", type=click.Path())
@click.argument("sheets", nargs=-1, type=click.Path())
@expansion
@click.option(
    "-k",
    "--depth",
    type=options.COUNT,
    metavar="K",
    default=20,
    show_default=True,
    help="The first K results of each probe are judged.",
)
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="FILE",
    type=click.Path(),
    help="What your engine returned for the expanded queries; again for more.  [default: "
    "--documents are searched here]",
)
@options.runs_read
@options.qrels_format
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="SHEET",
    help="Write what was found, and is not judged yet, as a sheet for judges.",
)
@click.option(
    "--pool",
    metavar="FILE",
    type=click.Path(),
    help="A pool that is being judged, as `cleverdon pool make` writes it: what is in it is not "
    "new either.",
)
@options.seed("order of the sheet")
@click.option(
    "--simulate",
    is_flag=True,
    help="Play the probe against QRELS: search, judge as they say, expand, and again.",
)
@click.option(
    "--rounds",
    type=options.COUNT,
    metavar="N",
    default=10,
    show_default=True,
    help="With --simulate: how many rounds at most.",
)
@options.plot("the yield of the rounds")
@click.option(
    "-f",
    "--format",
    "format_",
    type=click.Choice([*QUERIES, *FORMATS]),
    help="How to print. lucene (the default) and jsonl are for expanded queries, table (the "
    "default) and the others for the yield of rounds.",
)
def command(
    qrels: str,
    sheets: tuple[str, ...],
    expansion: Expansion,
    depth: int,
    runs: tuple[str, ...],
    run_format: str | None,
    order_by: str,
    qrels_format: str | None,
    output: Path | None,
    pool: str | None,
    seed: int,
    simulate: bool,
    rounds: int,
    plot: Path | None,
    format_: str | None,
) -> None:
    """Probe for relevant documents, with queries expanded by relevant texts (RM3).

    QRELS are the judgments so far, and SHEETS what judges filled in since, a round each: the yield
    of these rounds is shown. With --queries, the expanded queries are printed instead, for your own
    engine to run. With --output, what --run brought (or else a search in --documents) goes to a
    sheet: the next round. All state is in QRELS and SHEETS, so a probe can stop at any time.

    \b
    Examples:
      cleverdon pool expand qrels.txt --queries topics.tsv --documents corpus.jsonl > queries.tsv
      cleverdon pool expand qrels.txt --run expanded.run -k 20 -o round1.tsv
      cleverdon pool expand qrels.txt round1.tsv --queries topics.tsv \\
          --documents corpus.jsonl -o round2.tsv
      cleverdon pool expand qrels.txt round1.tsv round2.tsv --plot yield.html
      cleverdon pool expand qrels.txt --queries topics.tsv --documents corpus.jsonl --simulate
    """
    _check_together(sheets, expansion, runs, output, simulate=simulate)
    if pool and output is None:
        raise click.UsageError("--pool goes with --output: it says what is not to be judged again")
    prints_queries = bool(expansion.queries) and output is None and not simulate
    _check_format(format_, prints_queries=prints_queries, plot=plot)
    of_runs = [options.name_and_file(run)[1] for run in runs]
    read = [qrels, *sheets, *of_runs, *expansion.files(), *([pool] if pool else [])]
    for written in (output, plot):
        if written is not None:
            options.check_output(written, *read)

    from cleverdon.pool import expansion as probing
    from cleverdon.read.sheet import check_replaceable, merged_sheets, read_sheet

    if output is not None:
        check_replaceable(output)  # before anything takes long
    judged = {qrels: read_sheet(qrels, format=qrels_format)}
    judged |= {sheet: read_sheet(sheet) for sheet in sheets}
    known = merged_sheets(judged)  # an error, where a later round changes a grade
    if prints_queries:
        from cleverdon.show.expansion import render_queries

        click.echo(render_queries(expansion.probe(known).all_expanded(known), format_ or "lucene"))
    elif simulate:
        _show(_simulated(known, expansion, depth, rounds), format_, plot)
    else:
        if output is not None:
            if pool:
                known = merged_sheets(judged | {pool: _waiting(pool)})
            if runs:
                new = _of_runs(known, runs, depth, run_format=run_format, order_by=order_by)
            else:
                new = _searched(known, expansion, depth)
            _write(new, output, seed)
        if output is None or sheets or plot:
            _show(probing.rounds(judged.values(), rel=expansion.rel), format_, plot)


def _check_together(
    sheets: tuple[str, ...],
    expansion: Expansion,
    runs: tuple[str, ...],
    output: Path | None,
    *,
    simulate: bool,
) -> None:
    """A UsageError where options are missing, or do not go together."""
    if runs and (output is None or simulate):
        raise click.UsageError("--run goes with --output: name the sheet to be written")
    if simulate and (output or sheets):
        raise click.UsageError("--simulate judges as QRELS say, and takes no SHEETS or --output")
    if runs and expansion.files():
        raise click.UsageError("--run has the results already: no texts are needed, or read")
    searching = simulate or (output is not None and not runs)
    if searching or expansion.files():
        for name in ("queries", "documents"):
            if getattr(expansion, name) is None:
                instead = "; or --run" if searching and not simulate else ""
                raise click.UsageError(
                    f"--{name} is missing: queries are expanded by the texts of relevant "
                    f"documents{instead}"
                )
    if expansion.rephrasings and not searching:
        raise click.UsageError(
            "--rephrasings go with a search in --documents; your own engine can run them as they "
            "stand, for --run"
        )


def _check_format(format: str | None, *, prints_queries: bool, plot: Path | None) -> None:
    allowed: Sequence[str] = QUERIES if prints_queries else FORMATS
    if format is not None and format not in allowed:
        what = "expanded queries are" if prints_queries else "the yield of rounds is"
        raise click.UsageError(f"{what} printed as {', '.join(allowed)}, and not as {format}")
    if plot is not None:
        if prints_queries:
            raise click.UsageError("--plot draws the yield of rounds; here, queries are printed")
        from cleverdon.show.plot.save import check_savable

        check_savable(plot)  # before anything takes long


def _simulated(judgments: Grades, expansion: Expansion, depth: int, most: int) -> Simulated:
    from cleverdon.cli.progress import bar
    from cleverdon.pool.expansion import simulate

    probe, index = expansion.probe_and_index(judgments)
    with bar("probing") as update:
        return simulate(probe, index, judgments, depth=depth, most=most, progress=update)


def _of_runs(judged: Grades, runs: tuple[str, ...], depth: int, **reading: Any) -> New:
    """What the runs have that is not judged."""
    from cleverdon.cli.pool_options import gathered
    from cleverdon.cli.progress import say
    from cleverdon.pool.expansion import new_documents
    from cleverdon.show.grid import counted, printable

    found = gathered(runs, depth=depth, **reading)
    for system in _without_judged(found, judged):
        say(
            f"cleverdon: warning: {printable(system)} returned no document that the judgments "
            "have; are its ids the same?"
        )
    new = new_documents(found, judged, depth=depth)
    strange = [query for query in new if query not in judged]
    if strange:
        documents = sum(len(new[query]) for query in strange)
        say(
            f"cleverdon: warning: {counted(len(strange), 'query')} of the runs without any "
            f"judgment, such as {strange[0]!r} ({counted(documents, 'document')}, on the sheet too)"
        )
    return new


def _without_judged(found: Contributions, judged: Grades) -> list[str]:
    """Systems that have results for queries with judgments, and none of the documents judged."""
    some, known = set[int](), set[int]()
    for query in filter(judged.__contains__, found.topics):
        of = found.of(query)
        there = [doc in judged[query] for doc in of.docs]
        some.update(of.system.tolist())
        rows = zip(of.system.tolist(), of.doc.tolist(), strict=True)
        known.update(system for system, doc in rows if there[doc])
    return [found.systems[at] for at in sorted(some - known)]


def _searched(judged: Grades, expansion: Expansion, depth: int) -> New:
    """What a search finds that is not judged."""
    from cleverdon.cli.progress import bar

    probe, index = expansion.probe_and_index(judged)
    with bar("searching"):
        return probe.search(index, judged, depth=depth)


def _waiting(pool: str) -> dict[str, dict[str, float]]:
    """The documents of a pool that are to be judged, as pooled and not judged."""
    from cleverdon.pool.file import read_pool

    found: dict[str, dict[str, float]] = {}
    for query, doc in read_pool(pool).sheet():
        found.setdefault(query, {})[doc] = -1.0
    return found


def _write(new: New, output: Path, seed: int) -> None:
    from cleverdon.cli.progress import say
    from cleverdon.pool.expansion.probe import blind
    from cleverdon.read.sheet import write_sheet
    from cleverdon.show.grid import counted

    total = sum(map(len, new.values()))
    if not total:
        say("nothing new was found: no sheet is written, and the probe is at its end")
        return
    write_sheet(blind(new, seed=seed), output)
    say(f"{output}: {counted(total, 'document')} to judge for {counted(len(new), 'query')}")


def _show(found: list[Round] | Simulated, format_: str | None, plot: Path | None) -> None:
    from cleverdon.show.expansion import render

    simulated = None if isinstance(found, list) else found
    rounds = found if isinstance(found, list) else found.rounds
    if plot is not None:
        from cleverdon.cli.progress import say
        from cleverdon.show.plot.pooling.probe_yield import probe_yield
        from cleverdon.show.plot.save import save

        save(probe_yield(rounds, known=simulated.known if simulated else None), plot)
        say(f"{plot}: the yield of the rounds")
    click.echo(render(rounds, format_ or "table", simulated=simulated))
