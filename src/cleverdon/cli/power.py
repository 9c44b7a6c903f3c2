"""cleverdon power: would these topics show the difference, and how many would?"""

from __future__ import annotations

from typing import Any

import click

from cleverdon.cli import options

_TESTING = tuple(name for name in options.TESTING if name != "level")


@click.command()
@click.argument("qrels", required=False, type=click.Path(allow_dash=True))
@click.argument("runs", nargs=-1, type=click.Path(allow_dash=True))
@click.option(
    "--difference",
    type=options.Number(min=0, min_open=True),
    metavar="D",
    help="The mean difference that must not be missed.  [default: the one that was seen]",
)
@click.option(
    "--target",
    type=options.SHARE,
    default=0.8,
    show_default=True,
    help="The power to be reached.",
)
@click.option(
    "--method",
    type=click.Choice(["resampling", "t"]),
    help="resampling: the comparison's own test, on topics drawn from those at hand; t: the "
    "formula of the paired t-test.  [default: t with --test t, else resampling]",
)
@click.option(
    "--deviation",
    type=options.Number(min=0),
    metavar="SD",
    help="Without files: the standard deviation of differences over topics; with --systems, of one "
    "system's scores.",
)
@click.option(
    "--systems",
    type=options.Count(min=2),
    metavar="M",
    help="Without files: how many systems are to be compared at once.",
)
@options.measures
@options.comparison
@options.formats("How to print. csv, tsv and json have all digits.")
@options.settings
@options.judgments
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    difference: float | None,
    target: float,
    method: str | None,
    deviation: float | None,
    systems: int | None,
    measures: tuple[str, ...],
    comparing: dict[str, Any],
    format_: str,
    **how: Any,
) -> None:
    """Say what the topics at hand can show, and how many it would take.

    For every comparison of RUNS: how likely a difference of that size is found, the smallest
    difference that is likely to be, and the topics needed. Where comparisons are corrected for, a
    p-value is to reach --level divided by their number.

    Without files, it is how many topics to make: from the --difference that must not be missed and
    the standard --deviation in an earlier collection.

    \b
    Examples:
      cleverdon power qrels.txt bm25.run dense.run --baseline bm25 -m nDCG@10
      cleverdon power qrels.txt bm25.run dense.run --baseline bm25 --difference 0.02
      cleverdon power --difference 0.05 --deviation 0.2
      cleverdon power --difference 0.1 --deviation 0.25 --systems 10
    """
    if qrels is None:
        if difference is None or deviation is None:
            raise click.UsageError("it takes QRELS and RUNS, or --difference and --deviation")
        if format_ != "table":
            raise click.UsageError("without files, the answer is a sentence, with no --format")
        of_files = ("method", "measures", "baseline", *_TESTING, *how)
        options.check_of_use(False, of_files, "QRELS and RUNS")
        click.echo(
            _designed(difference, deviation, systems, level=comparing["level"], target=target)
        )
        return
    if not runs:
        raise click.UsageError("it takes at least two RUNS to compare")
    if deviation is not None or systems is not None:
        raise click.UsageError("--deviation and --systems are for when there are no files")
    options.check_one_stdin(qrels, *runs)
    opened = options.opened(runs)

    from cleverdon.cli.progress import bar
    from cleverdon.compare import compare
    from cleverdon.compare.power import power
    from cleverdon.show.power import render

    scores = options.evaluated(qrels, opened, measures, **how)
    with bar("comparing"):
        found = compare(scores, **comparing)
        powers = power(
            found, difference=difference, target=target, method=method, seed=comparing["seed"]
        )
    click.echo(render(powers, format_, seen=difference is None))


def _designed(
    difference: float, deviation: float, systems: int | None, *, level: float, target: float
) -> str:
    from cleverdon.compare.design import topics_for_anova, topics_for_interval, topics_for_t
    from cleverdon.show.power import design, design_of_many

    about = {"difference": difference, "deviation": deviation, "level": level, "target": target}
    if systems is not None:
        many = topics_for_anova(difference, deviation, systems=systems, level=level, power=target)
        return design_of_many(many, systems=systems, **about)
    return design(
        topics_for_t(difference, deviation, level=level, power=target),
        topics_for_interval(2 * difference, deviation, confidence=1 - level),
        **about,
    )
