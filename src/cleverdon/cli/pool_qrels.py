"""cleverdon pool qrels: a judged pool as qrels."""

from __future__ import annotations

from pathlib import Path

import click

from cleverdon.cli import options

_KINDS = {
    "plain": "grades alone, and -1 for what was not judged, as infAP takes it",
    "strata": "with the number of the stratum, for xinfAP and nDCG from strata",
    "sampled": "with the probability, for statAP",
}


@click.command()
@click.argument("pool", type=click.Path())
@click.argument("sheets", nargs=-1, required=True, type=click.Path())
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="QRELS",
    help="The qrels to write.",
)
@click.option(
    "--as",
    "kind",
    type=click.Choice(list(_KINDS)),
    help="What is written beside grades, to be named for a sample. "
    + "; ".join(f"{name}: {what}" for name, what in _KINDS.items())
    + ".",
)
def command(pool: str, sheets: tuple[str, ...], output: Path, kind: str | None) -> None:
    """Turn POOL and the SHEETS that judges filled in into qrels.

    SHEETS may be any qrels as well. A document of the pool without a grade is written with grade
    -1: pooled, and not judged.

    \b
    Examples:
      cleverdon pool qrels pool.tsv pool.sheet.tsv -o qrels.txt
      cleverdon pool qrels pool.tsv anna.tsv ben.tsv --as strata -o qrels.strata
      cleverdon eval qrels.strata --qrels-format strata *.run -m xinfAP
    """
    options.check_output(output, pool, *sheets)

    from cleverdon.pool.file import read_pool
    from cleverdon.pool.judged import judged_pool
    from cleverdon.read.sheet import read_sheets
    from cleverdon.show.grid import counted

    found = judged_pool(read_pool(pool), read_sheets(sheets), kind=kind)
    layout = "trec" if kind in (None, "plain") else kind
    found.judgments.write(output, format=layout)
    parts = [f"{counted(found.judged, 'document')} judged"]
    if found.waiting:
        parts.append(f"{found.waiting:,} still to judge")
    if found.not_drawn:
        parts.append(f"{found.not_drawn:,} pooled and not drawn")
    if found.outside:
        parts.append(f"{found.outside:,} judged that the pool has not")
    click.echo(f"{output}: {', '.join(parts)}", err=True)
    if found.waiting and kind in ("strata", "sampled"):
        click.echo(
            "cleverdon: warning: estimates from a sample need all of it judged: what is still to "
            "judge counts as not relevant or not drawn",
            err=True,
        )
