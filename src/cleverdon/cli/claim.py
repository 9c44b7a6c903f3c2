"""cleverdon claim: what runs and judgments allow one to say, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import options

if TYPE_CHECKING:
    from cleverdon import _core
    from cleverdon.scores import Scores


@click.command()
@options.inputs
@options.measures
@options.comparison
@click.option(
    "--silence",
    multiple=True,
    metavar="NAME",
    help="A doubt that is not to be raised; again for more.",
)
@click.option(
    "--pooled",
    multiple=True,
    metavar="NAME",
    help="A run whose results went into the pool that was judged; again for more.",
)
@click.option(
    "--tuned-on",
    metavar="FILE",
    type=click.Path(),
    help="Topics that parameters were chosen on: an id a line, or a hold-out that cleverdon splits "
    "wrote, whose training topics are meant.",
)
@click.option(
    "--bounds",
    is_flag=True,
    help="Look, too, at the lowest and highest that averages could be, whatever the order of tied "
    "results and the grades of unjudged ones.",
)
@click.option(
    "-f",
    "--format",
    "format_",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="How to print.",
)
@options.settings
@options.judgments
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    comparing: dict[str, Any],
    silence: tuple[str, ...],
    pooled: tuple[str, ...],
    tuned_on: str | None,
    bounds: bool,
    format_: str,
    **how: Any,
) -> None:
    """Say in words what the data supports, what it does not, and what speaks against believing it.

    A sentence for each pair of runs and each measure; below, doubts about the evaluation, each with
    its name, by which it can be silenced, and a reference.

    \b
    Examples:
      cleverdon claim qrels.txt bm25.run dense.run --baseline bm25 -m nDCG@10
      cleverdon claim qrels.txt bm25.run dense.run --baseline bm25 --pooled bm25 --bounds
      cleverdon claim qrels.txt bm25.run dense.run --silence few-topics --silence mean-rr
    """
    options.check_one_stdin(qrels, *runs)
    opened = options.opened(runs)

    from cleverdon.cli.progress import bar
    from cleverdon.compare import claims, compare, doubts
    from cleverdon.show.claims import render

    topics = () if tuned_on is None else _topics(tuned_on)
    scores = options.evaluated(qrels, opened, measures, bounds=bounds, warn=False, **how)
    tied = None if qrels == "-" else _tied(scores, qrels, opened, measures, how)
    with bar("comparing"):
        found = compare(scores, **comparing)
        raised = doubts(found, silence=silence, pooled=pooled or None, tuned_on=topics, tied=tied)
        said = claims(found)
    click.echo(render(said, raised, format_))


def _tied(
    scores: Scores,
    qrels: str,
    opened: dict[str, _core.Source],
    measures: tuple[str, ...],
    how: dict[str, Any],
) -> tuple[Scores, Scores] | None:
    """The same with the worst and the best order of ties; None where there are no ties to order."""
    if scores.about.settings.order_by == "rank" or not any(
        run.tie_rate for run in scores.about.runs.values()
    ):
        return None
    worst, best = (
        options.evaluated(qrels, opened, measures, warn=False, **{**how, "ties": order})
        for order in ("worst", "best")
    )
    return worst, best


def _topics(path: str) -> tuple[str, ...]:
    """The topics of a file: one a line, or those that a hold-out trains on."""
    from pathlib import Path

    from cleverdon.errors import InputError

    try:
        text = Path(path).read_text("utf-8")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=path) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", source=path) from None
    if text.lstrip().startswith("{"):
        from cleverdon.compare.splits_file import read_splits

        splits = read_splits(path)
        if len(splits.folds) > 1:
            raise InputError(
                f"is a {splits.kind}, which trains on every topic in turn; a hold-out is wanted",
                source=path,
            )
        return splits.folds[0].train
    return tuple(line.strip() for line in text.splitlines() if line.strip())
