"""cleverdon logs judge: judgments made of clicks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from cleverdon.cli import logs_options, options


@click.command()
@logs_options.log
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="QRELS",
    help="The qrels to write. What each grade rests on is written beside it, as .evidence.tsv.",
)
@click.option(
    "--model",
    default="DBN",
    show_default=True,
    metavar="MODEL",
    help="How users read and click: PBM, UBM, CM, DCM, SDBN, DBN or COEC; all tries each of them, "
    "and takes the one that predicts clicks best.",
)
@click.option(
    "--topics",
    type=click.Path(),
    metavar="FILE",
    help="The topics and their texts, CSV or TSV with a header: only their queries are judged, "
    "under their ids. Without it, ids are made up and written beside, as .topics.tsv.",
)
@click.option(
    "--text-column",
    metavar="NAME",
    help="The column of --topics with the texts.  [default: text, query or title, or the only one]",
)
@click.option(
    "--grades",
    default="q0.5,q0.8,q0.95",
    show_default=True,
    metavar="BOUNDS",
    help="Above which values grades 1, 2, ... begin: numbers, as in 0.1,0.3, or quantiles.",
)
@click.option(
    "--min-impressions",
    type=options.Number(min=0),
    default=10,
    show_default=True,
    metavar="N",
    help="How often a document must have been examined, as far as the model can tell.",
)
@click.option(
    "--held-out",
    type=options.Number(0, 1, max_open=True),
    default=0.2,
    show_default=True,
    metavar="SHARE",
    help="The share of users, or lists, to test predictions on; 0 leaves that out.",
)
@click.option(
    "--depth",
    type=options.COUNT,
    metavar="N",
    help="Leave out results below this rank.",
)
@click.option(
    "--iterations",
    type=options.REPEATS,
    default=500,
    show_default=True,
    metavar="N",
    help="After how many iterations to give up, where estimates still change.",
)
@click.option(
    "--least-users",
    type=options.COUNT,
    default=5,
    show_default=True,
    metavar="N",
    help="Without --topics, judge only queries of at least N users, since a rare one may give away "
    "who asked it.",
)
@options.seed("split")
@options.formats("How to print.", ("text", "json"))
def command(
    sources: tuple[str, ...],
    reading: dict[str, Any],
    output: Path,
    model: str,
    topics: str | None,
    text_column: str | None,
    grades: str,
    min_impressions: float,
    held_out: float,
    depth: int | None,
    iterations: int,
    least_users: int,
    seed: int,
    format_: str,
) -> None:
    """Judge documents by the clicks in LOG, and write qrels that `cleverdon eval` reads.

    A click model separates what users looked at from what they liked. Every grade has a
    confidence: how likely the document's true value lies within the bounds of its grade.

    \b
    Examples:
      cleverdon logs judge made_up -o clicks.qrels
      cleverdon logs judge made_up -o clicks.qrels --model all
      cleverdon logs judge made_up -o clicks.qrels --topics topics.tsv --grades 0.1,0.3,0.6
      cleverdon eval clicks.qrels bm25.run
    """
    if text_column and not topics:
        raise click.UsageError("--text-column goes with --topics")
    if model.casefold() == "all" and not held_out:
        raise click.UsageError("--model all needs lists to test on: --held-out 0.2")
    options.check_output(output, topics)

    from cleverdon.cli.progress import bar

    with bar("reading the log"):
        from cleverdon.online import clicks
        from cleverdon.show.clicks import render

        everyone = model.casefold() == "all"
        models = (
            [cls() for cls in clicks.click_models()] if everyone else [clicks.find_model(model)]
        )
        bounds = clicks.Grades.parse(grades)
        limits = clicks.Limits(iterations=iterations)
        log = logs_options.opened(sources, reading)
        shown, usage = clicks.lists_of(log, depth=depth)
        predictions: tuple[clicks.Prediction, ...] = ()
        if held_out:
            with bar("testing on held-out lists") as update:
                predictions = clicks.held_out(
                    models,
                    shown,
                    share=held_out,
                    seed=seed,
                    limits=limits,
                    told=lambda _, done, total: update(done, total),
                )
        best = clicks.find_model(predictions[0].model) if everyone else models[0]
        with bar(f"fitting {best.name}") as update:
            fitted = best.fit(shown, limits=limits, told=update)
        with bar("grading"):
            found = clicks.graded(fitted, grades=bounds, min_impressions=min_impressions)
            enough = shown.of_users(least_users)
            ids = clicks.topic_ids(found, topics, column=text_column, among=enough)
            written = clicks.write(found, ids, output)
    click.echo(render(usage, predictions, found, written, format_, without_bots=log.without_bots))
