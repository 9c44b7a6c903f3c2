"""cleverdon pool qrels: a judged pool as qrels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cleverdon.cli import options, pool_options

if TYPE_CHECKING:
    from cleverdon.pool.judged import JudgedPool

_KINDS = {
    "plain": "grades alone, and -1 for what was not judged, as infAP takes it of a uniform sample",
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
    help="What is written beside grades; a sample needs it. "
    + "; ".join(f"{name}: {what}" for name, what in _KINDS.items())
    + ".",
)
@options.qrels_format
def command(
    pool: str,
    sheets: tuple[str, ...],
    output: Path,
    kind: str | None,
    qrels_format: str | None,
) -> None:
    """Turn POOL and the SHEETS that judges filled in into qrels.

    SHEETS may be any qrels as well. A document of the pool without a grade is written with grade
    -1: pooled, and not judged; so is what a sample did not draw, even where it has a grade. The
    format of plain qrels follows from the name of QRELS (.json, .csv, .parquet), else it is TREC's.

    \b
    Examples:
      cleverdon pool qrels pool.tsv pool.sheet.tsv -o qrels.txt
      cleverdon pool qrels pool.tsv anna.tsv ben.tsv --as strata -o qrels.strata
      cleverdon eval qrels.strata --qrels-format strata *.run -m xinfAP
    """
    options.check_output(output, pool, *sheets)

    from cleverdon.cli.collection_options import write_qrels
    from cleverdon.cli.progress import say
    from cleverdon.pool.file import read_pool
    from cleverdon.pool.judged import judged_pool
    from cleverdon.show.grid import counted

    grades = pool_options.judged(sheets, qrels_format)
    found = judged_pool(read_pool(pool), grades, kind=kind)
    write_qrels(found.judgments, str(output))
    parts = [f"{counted(found.judged, 'document')} judged"]
    for number, what in (
        (found.waiting, "still to judge"),
        (found.not_drawn, "pooled and not drawn"),
        (found.outside, "judged that the pool has not"),
    ):
        if number:
            parts.append(f"{number:,} {what}")
    say(", ".join(parts))
    for line in _warnings(found, kind):
        say(f"cleverdon: warning: {line}")


def _warnings(found: JudgedPool, kind: str | None) -> Iterator[str]:
    """What makes estimates from the sample wrong, or would have."""
    if found.left_out:
        yield (
            f"{found.left_out:,} grades are of documents that were not drawn, and are left out: an "
            "estimate would take them for a part of the sample"
        )
    if found.waiting and found.not_drawn:
        yield (
            "estimates from a sample need all of it judged: what is still to judge makes them wrong"
        )
    if kind == "plain" and not found.uniform:
        yield (
            "infAP takes every document to be as likely in the sample as any other, and these are "
            "not: it will be too high; take --as strata with xinfAP, or --as sampled with statAP"
        )
