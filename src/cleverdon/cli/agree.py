"""cleverdon agree: how far judges agree, one judgment of several, a model as a judge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import agree_inputs, options
from cleverdon.judge.aggregation.aggregating import WAYS
from cleverdon.judge.aggregation.votes import TIES
from cleverdon.judge.aggregation.writing import beside
from cleverdon.judge.agreement.units import RESAMPLES
from cleverdon.show.sections import FORMATS

if TYPE_CHECKING:
    from cleverdon.judge.aggregation import Aggregated
    from cleverdon.judge.agreement import Agreed
    from cleverdon.judge.labels import Labels
    from cleverdon.show.sections import Section


def _listing(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Print what is known of coefficients, and nothing else."""
    if not value:
        return
    from cleverdon.show.agree import described, listed

    click.echo(listed() if value is True else described(value))
    ctx.exit()


@click.command()
@click.argument("qrels", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_listing,
    help="List the coefficients.",
)
@click.option(
    "--explain",
    metavar="NAME",
    is_eager=True,
    expose_value=False,
    callback=_listing,
    help="Say what a coefficient is.",
)
@click.option(
    "-c",
    "--coefficient",
    "coefficients",
    multiple=True,
    metavar="NAME",
    help="A coefficient, or all; again for more.  [default: those that suit the scale]",
)
@click.option("--assessors", is_flag=True, help="The second column of TREC's qrels is who judged.")
@click.option(
    "--rel",
    type=options.Number(),
    metavar="G",
    help="Make two grades of all: relevant from G on, and not.",
)
@click.option(
    "--merge",
    multiple=True,
    metavar="OLD=NEW",
    help="Take one grade for another, as 3=2; again for more.",
)
@click.option("--per-query", is_flag=True, help="Show each query, the worst first.")
@click.option("--confusion", is_flag=True, help="Show the grades of each pair of judges.")
@click.option(
    "--disagreements",
    type=options.Count(0, 1_000_000),
    default=0,
    metavar="N",
    help="Show N documents whose grades are furthest apart.",
)
@click.option(
    "--aggregate",
    "way",
    type=click.Choice(list(WAYS)),
    help="Make one judgment of several: "
    + "; ".join(f"{way}: {meaning}" for way, meaning in WAYS.items())
    + ".",
)
@click.option(
    "--ties",
    type=click.Choice(list(TIES)),
    help="With --aggregate, and with --runs, where people's judgments are made one: where no grade "
    "has most votes, "
    + "; ".join(f"{word}: {meaning}" for word, meaning in TIES.items())
    + ".  [default: lower]",
)
@click.option(
    "--smoothing",
    type=options.Number(min=0),
    metavar="N",
    help="With --aggregate dawid-skene: as if each judge had given N more documents of every grade "
    "each grade, so that nothing is ruled out.  [default: 0]",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where --aggregate writes qrels; how sure each grade is goes to NAME.confidence.tsv.",
)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME=FILE",
    help="A model's qrels: one more judge, held against people; again for more.",
)
@click.option(
    "--runs",
    multiple=True,
    metavar="FILE",
    help="With --model: a run, to see which systems the model favours; again for more, or a "
    "pattern in quotes.",
)
@options.measures_named("With --runs: a measure; again for more.", default="nDCG@10")
@options.comparison
@click.option(
    "--resamples",
    type=options.REPEATS,
    default=RESAMPLES,
    show_default=True,
    help="How often the bootstrap draws.",
)
@options.confidence
@options.plot("the grades of each pair of judges")
@options.formats(
    "How to print. csv and tsv have every coefficient, json everything, with all digits.", FORMATS
)
@options.qrels_format
@options.runs_read
def command(
    qrels: tuple[str, ...],
    coefficients: tuple[str, ...],
    assessors: bool,
    rel: float | None,
    merge: tuple[str, ...],
    per_query: bool,
    confusion: bool,
    disagreements: int,
    way: str | None,
    ties: str | None,
    smoothing: float | None,
    output: Path | None,
    models: tuple[str, ...],
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    comparing: dict[str, Any],
    resamples: int,
    confidence: float,
    plot: Path | None,
    format_: str,
    qrels_format: str | None,
    run_format: str | None,
    order_by: str,
) -> None:
    """Say how far judges agree, on the documents that two of them at least have judged.

    QRELS are a file for each judge (NAME=FILE names them), tables with a column `judge`, or the
    folder of a judging project, which stands for its people, and behind --model for its models;
    its gold documents, which somebody chose, are left out of agreement.
    Grades below 0 and empty ones are not judged. Every coefficient has a bootstrap interval: over
    topics, or over documents where there is one topic only.

    \b
    Examples:
      cleverdon agree ann=first.qrels bob=second.qrels
      cleverdon agree labels.csv --per-query --disagreements 20
      cleverdon agree judging --model judging
      cleverdon agree ann.qrels bob.qrels eve.qrels --aggregate dawid-skene -o qrels.txt
      cleverdon agree ann.qrels bob.qrels --model gpt=gpt.qrels --runs '*.run' -m nDCG@10
      cleverdon agree --explain kappa
    """
    options.check_one_stdin(*qrels)
    if (way is None) != (output is None):
        raise click.UsageError("--aggregate WAY and -o FILE go together")
    if runs and not models:
        raise click.UsageError("--runs goes with --model: what would change with its judgments?")
    if ties is not None and way not in ("majority", "median") and not runs:
        raise click.UsageError("--ties goes with --aggregate majority or median, or with --runs")
    with_runs = ("measures", "baseline", "test", "alternative", "correction", "level")
    options.check_of_use(runs, (*with_runs, "run_format", "order_by"), "--runs")
    if smoothing is not None and way != "dawid-skene":
        raise click.UsageError("--smoothing goes with --aggregate dawid-skene")
    if (disagreements or confusion) and format_ in ("csv", "tsv"):
        option = "--disagreements" if disagreements else "--confusion"
        raise click.UsageError(f"{option} goes with -f table, markdown or json")
    found_runs = agree_inputs.found(runs)
    files = [options.name_and_file(given)[1] for given in (*qrels, *models, *found_runs)]
    for path in (*((output, beside(output)) if output else ()), *((plot,) if plot else ())):
        options.check_output(path, *files)
    opened = options.opened(found_runs) if runs else {}

    from cleverdon.cli.progress import bar

    with bar("reading judgments") as update:
        from cleverdon.judge.aggregation import aggregate
        from cleverdon.judge.agreement import agree, disputed_documents
        from cleverdon.show.agree import render

        if plot is not None:
            from cleverdon.show.plot.save import check_savable

            check_savable(plot)
        labels, people, gold = agree_inputs.labelled(qrels, models, assessors, qrels_format)
        labels = agree_inputs.regraded(labels, rel, merge)
        compared = agree_inputs.without_gold(labels, gold)
        settings: dict[str, Any] = {
            "coefficients": coefficients or None,
            "resamples": resamples,
            "confidence": confidence,
            "seed": comparing["seed"],
            "progress": update,
        }
        with bar("comparing judges"):
            apart = bool(models) and len(people) > 1
            pairs = agree(compared, per_query=per_query and not apart, **settings)
            agreed = pairs
            if apart:
                agreed = agree(compared.only(people), per_query=per_query, **settings)
        more: list[Section] = []
        records: dict[str, Any] = {}
        named_models = [judge for judge in labels.judges if judge not in people]
        how = {"ties": ties or "lower", "run_format": run_format, "order_by": order_by, **comparing}
        for model in named_models:
            with bar(f"looking at {model}"):
                given = (labels, opened, measures, how | {"progress": update})
                part, record = _of_model(pairs, model, people, *given)
            more += part
            records.setdefault("models", {})[model] = record
        if way is not None and output is not None:
            with bar("making one judgment of several"):
                found = aggregate(
                    labels.only(people),
                    way,
                    ties=ties or "lower",
                    smoothing=smoothing or 0.0,
                    seed=comparing["seed"],
                    progress=update,
                )
                made, record = _written(found, output)
            more.append(made)
            records["aggregated"] = record
        if plot is not None:
            from cleverdon.show.plot.judging import grades_of_judges
            from cleverdon.show.plot.save import save

            save(grades_of_judges(pairs, named_models), plot)
    text = render(
        agreed,
        format_,
        pairs=pairs,
        models=named_models,
        confusion=confusion,
        disputed=disputed_documents(compared, disagreements),
        more=more,
        records=records,
        **options.terminal(),
    )
    click.echo(text)


def _of_model(
    agreed: Agreed,
    model: str,
    people: list[str],
    labels: Labels,
    runs: dict[str, Any],
    measures: tuple[str, ...],
    how: dict[str, Any],
) -> tuple[list[Section], dict[str, Any]]:
    from cleverdon.judge.model import by_grade, effects, standings
    from cleverdon.show.agree_model import model_sections
    from cleverdon.show.agree_model_records import model_record

    units = agreed.units
    found = standings(agreed, model, people)
    grades = by_grade(agreed.labels, model, people, units)
    changed = None
    if runs:
        changed = effects(
            labels,
            model,
            people,
            runs,
            measures,
            resamples=units.resamples,
            confidence=units.confidence,
            **how,
        )
    parts = model_sections(agreed.labels, found, grades, changed, units)
    return parts, model_record(found, grades, changed)


def _written(found: Aggregated, output: Path) -> tuple[Section, dict[str, Any]]:
    from cleverdon.cli.progress import say
    from cleverdon.judge.aggregation.writing import write_aggregated
    from cleverdon.read.write import fractional_grades
    from cleverdon.show.aggregated import aggregated_part
    from cleverdon.show.agree_records import aggregated_record

    other = write_aggregated(found, output)
    say(f"cleverdon: wrote {output} and {other}")
    for line in fractional_grades(found.judgments, str(output)):
        say(f"cleverdon: {line}")
    return aggregated_part(found), aggregated_record(found)
