"""cleverdon judge export: qrels, the history, a report of agreement, a datasheet."""

from __future__ import annotations

import click

from cleverdon.assess.exporting.kinds import ENDINGS, KINDS, PUBLISHED
from cleverdon.cli import judge_options, options
from cleverdon.judge.aggregation import TIES, WAYS

_VOTED = (PUBLISHED, "adjudicated", "majority", "median")


def _kinds() -> str:
    """What can be exported, and with which endings."""
    endings = {what: f" (.{', .'.join(known)})" for what, known in ENDINGS.items()}
    return "; ".join(f"{what}: {says}{endings.get(what, '')}" for what, says in KINDS.items())


@click.command()
@judge_options.folder
@click.option(
    "--as",
    "what",
    type=click.Choice(list(KINDS)),
    default=PUBLISHED,
    show_default=True,
    help=f"{_kinds()}. {', '.join(WAYS)} take no rulings.",
)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="The file to write; - is standard output. Its ending says the format; qrels are TREC's "
    "where it is none of .json, .csv, .tsv, .parquet and .arrow.",
)
@click.option(
    "--assessor",
    "assessors",
    multiple=True,
    metavar="NAME",
    help="With --as assessor: whose judgments; again for more.  [default: everybody's, one file "
    "that says who judged, in its second column or, as .csv, .tsv, .parquet and .arrow, in a "
    "column of judges; a file each where FILE has a {}]",
)
@click.option(
    "--ties",
    type=click.Choice(list(TIES)),
    default="lower",
    show_default=True,
    help="Where no grade has most votes, "
    + "; ".join(f"{word}: {meaning}" for word, meaning in TIES.items())
    + ".",
)
@options.seed("grades with --ties random")
@click.option(
    "--unsettled",
    type=click.Choice(["out", "majority"]),
    default="out",
    show_default=True,
    help="With --as adjudicated: what becomes of documents in dispute that have no ruling.",
)
@click.option(
    "--with",
    "others",
    multiple=True,
    metavar="NAME",
    help="A model, or earlier judgments, to count as a person does; again for more. In a report of "
    "agreement, to stand beside people.",
)
@click.option(
    "--kind",
    type=click.Choice(["plain", "strata", "sampled"]),
    help="All documents of the pool, those included that are not judged (grade -1): plain, for "
    "infAP; with strata, for xinfAP; with probabilities (sampled), for statAP.",
)
@click.option(
    "--names/--pseudonyms",
    default=None,
    help="Whether people go by their names.  [default: pseudonyms in a datasheet, else names]",
)
def command(
    folder: str,
    what: str,
    output: str,
    assessors: tuple[str, ...],
    ties: str,
    seed: int,
    unsettled: str,
    others: tuple[str, ...],
    kind: str | None,
    names: bool | None,
) -> None:
    """Write what a project holds: by default the qrels that it publishes. It may be in use.

    They are what `cleverdon eval DIR` takes: the rulings, and the majority where there is none.
    Grades of models and earlier judgments are never part of the qrels, unless --with names them.
    The same state of a project gives the same file, byte by byte.

    \b
    Examples:
      cleverdon judge export judging -o qrels.txt
      cleverdon judge export judging --as adjudicated --unsettled majority -o qrels.txt
      cleverdon judge export judging --as assessor -o 'qrels.{}.txt'
      cleverdon judge export judging --as history -o history.jsonl
      cleverdon judge export judging --as datasheet -o datasheet.html
    """
    options.check_of_use(what == "adjudicated", ["unsettled"], "--as adjudicated")
    options.check_of_use(what == "assessor", ["assessors"], "--as assessor")
    options.check_of_use(what in _VOTED, ["ties"], f"--as {', '.join(_VOTED)}")
    options.check_of_use(ties == "random", ["seed"], "--ties random")
    options.check_of_use(
        what in ("assessor", "history", "agreement", "datasheet"),
        ["names"],
        "--as assessor, history, agreement, datasheet",
    )
    if output != "-":
        from pathlib import Path

        options.check_output(Path(output))

    from cleverdon.cli.progress import bar, say

    with judge_options.opened(folder) as project:
        from cleverdon.assess.exporting.writing import Wanted, export
        from cleverdon.assess.people.auditing import COMMAND_LINE

        if what == "adjudicated" and unsettled == "majority":
            what = PUBLISHED
        wanted = Wanted(what, ties, others, assessors, kind, names, seed)
        with bar(f"writing {output}"):
            told = export(project, wanted, output, actor=COMMAND_LINE)
    for line in told:
        say(f"cleverdon: {line}" if line.startswith("warning: ") else line)
