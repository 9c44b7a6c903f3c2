"""cleverdon judge import, export, backup and restore: files into a project and out of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from cleverdon._common.progress_bar import bar, say
from cleverdon.agreement.aggregation import AGGREGATION_METHODS, TIE_RULES
from cleverdon.cli import options
from cleverdon.cli.declarations import Options, argument, command, flag, group, option, requires
from cleverdon.judging import cli as judging_cli
from cleverdon.judging.exports import EXPORT_ENDINGS, EXPORT_KINDS, PUBLISHED
from cleverdon.judging.imports import IMPORT_FORMS, IMPORT_KINDS, Fields


def _field(help: str, flags: str) -> str:
    found: str = option("TEXT", help, flags=flags, default="", show_default=False)
    return found


class FieldOptions(Options):
    """The options that name the fields of Label Studio."""

    query: str = _field("Label Studio: the field with the query.", "--query-field")
    document: str = _field("Label Studio: the field with the document.", "--document-field")
    grade: str = _field("Label Studio: the control with the grade.", "--grade-field")


def _check_judges(given: Sequence[str]) -> Sequence[str]:
    for_all = [name for name in given if "=" not in name]
    if len(for_all) > 1:
        raise click.UsageError(f"--judge {for_all[1]}: {for_all[0]} is the judge of all already")
    return given


class ImportOptions(Options):
    folder: str = judging_cli.folder
    file: str = argument(click.Path())
    judged_by: str = option(
        click.Choice(list(IMPORT_KINDS)),
        "Whose judgments these are. "
        + "; ".join(f"{name}: {what}" for name, what in IMPORT_KINDS.items())
        + ".",
        default="earlier",
    )
    judge: tuple[str, ...] = option(
        "NAME|THERE=HERE",
        "The judge of all of them; of a person, the account. Or the name here of a judge in the "
        "file, as ann@example.org=Ann; again for more.  [default: as in the file, or its name]",
        multiple=True,
        callback=lambda context, parameter, value: _check_judges(value),
    )
    grades: tuple[str, ...] = options.grade_map(
        "The grade here of a grade in the file, as 4=3 or Perfect=3"
    )
    form: str | None = option(
        click.Choice(list(IMPORT_FORMS)), "The format of the file, if it is not recognised."
    )
    judge_column: bool = flag("The second column of TREC's qrels is the judge.")
    label_studio: Fields = group(FieldOptions, Fields)
    add_documents: bool = flag(
        "Add documents that the project does not have; people judge them as well."
    )
    docs: tuple[str, ...] = option(
        click.Path(exists=True),
        "With --add-documents: the texts of these documents; again for more.",
        flags="--documents",
        metavar="FILE",
        multiple=True,
    )
    replace: bool = flag(
        "Replace another grade of the same judge by that of the file.  [default: keep it]"
    )
    dry_run: bool = flag("Print what would be imported, and change nothing.")
    columns: str | None = options.columns


@command(ImportOptions, name="import")
@requires("--documents", "--add-documents")
def import_command(given: ImportOptions) -> str:
    """Add the judgments of FILE to a project: all of them, or nothing where something is wrong.

    FILE is qrels in any format that Cleverdon reads, a table with a column of judges, or what
    Quepid or Label Studio exports; it may be alone in a zip archive. Importing the same file again
    changes nothing. Judgments of models and earlier ones are kept separate from people's, and are
    not part of the qrels.

    \b
    Examples:
      cleverdon judge import judging old.qrels --judge trec8 --dry-run
      cleverdon judge import judging gpt.qrels --judged-by model --judge gpt --map 4=3
      cleverdon judge import judging case_7_judgements.csv
      cleverdon judge import judging project-1.json --judged-by person \\
          --judge ann@example.org=Ann
    """
    with judging_cli.open_folder(given.folder) as project, bar(f"importing {given.file}"):
        from cleverdon.judging.imports.importer import import_judgments

        settings = judging_cli.keywords(given, "folder", "file", "label_studio")
        found = import_judgments(project, given.file, fields=given.label_studio, **settings)
    for note in found.notes(dry_run=given.dry_run):
        say(note)
    return found.summary(dry_run=given.dry_run)


_VOTED = (PUBLISHED, "adjudicated", "majority", "median")
_NAMING_PEOPLE = ("assessor", "history", "agreement", "datasheet")


def _export_kinds() -> str:
    endings = {what: f" (.{', .'.join(known)})" for what, known in EXPORT_ENDINGS.items()}
    return "; ".join(
        f"{what}: {says}{endings.get(what, '')}" for what, says in EXPORT_KINDS.items()
    )


class ExportOptions(Options):
    folder: str = judging_cli.folder
    combine: str = option(
        click.Choice(list(EXPORT_KINDS)),
        f"What to write. {_export_kinds()}. {', '.join(AGGREGATION_METHODS)} take no rulings.",
        default=PUBLISHED,
    )
    output: str = option(
        click.Path(dir_okay=False, allow_dash=True),
        "The file to write; - is standard output. Its ending is the format; qrels are TREC's "
        "unless it is .json, .csv, .tsv, .parquet or .arrow.",
        short="-o",
        metavar="FILE",
        required=True,
    )
    assessors: tuple[str, ...] = option(
        "NAME",
        "With --combine assessor: whose judgments; again for more.  [default: everybody's, one "
        "file that says who judged, in its second column or, as .csv, .tsv, .parquet and .arrow, "
        "in a column of judges; a file each where FILE has a {}]",
        flags="--assessor",
        multiple=True,
    )
    vote_ties: str = option(
        click.Choice(list(TIE_RULES)),
        "Which grade to take where none has most votes. "
        + "; ".join(f"{word}: {meaning}" for word, meaning in TIE_RULES.items())
        + ".",
        default="lower",
    )
    seed: int = options.seed("grades with --vote-ties random")
    unsettled: str = option(
        click.Choice(["out", "majority"]),
        "What to do with disputes without a ruling. With --combine adjudicated: leave them out, "
        "or take the majority.",
        default="out",
    )
    others: tuple[str, ...] = option(
        "NAME",
        "A model, or earlier judgments, to count as a person; again for more. In a report of "
        "agreement, to compare with people.",
        flags="--with",
        multiple=True,
    )
    qrels_kind: str | None = option(
        click.Choice(["plain", "strata", "sampled"]),
        "Write all documents of the pool, with strata if asked. Unjudged ones have grade -1: "
        "plain, for infAP; with strata, for xinfAP; with probabilities (sampled), for statAP.",
    )
    names: bool | None = flag(
        "Show the names of people, or pseudonyms.  [default: pseudonyms in a datasheet, else "
        "names]",
        flags="--names/--pseudonyms",
        default=None,
    )


@command(ExportOptions)
@requires("--unsettled", "--combine adjudicated")
@requires("--assessor", "--combine assessor")
@requires("--vote-ties", *(f"--combine {what}" for what in _VOTED))
@requires("--seed", "--vote-ties random")
@requires("--names", *(f"--combine {what}" for what in _NAMING_PEOPLE))
def export_command(given: ExportOptions) -> None:
    """Write the qrels that a project publishes, or other contents. It may be in use.

    `cleverdon eval DIR` takes the same qrels: the rulings, and the majority where there is none.
    Grades of models and earlier judgments are never part of the qrels, unless --with names them.
    The same state of a project gives the same file, byte by byte.

    \b
    Examples:
      cleverdon judge export judging -o qrels.txt
      cleverdon judge export judging --combine adjudicated --unsettled majority -o qrels.txt
      cleverdon judge export judging --combine assessor -o 'qrels.{}.txt'
      cleverdon judge export judging --combine history -o history.jsonl
      cleverdon judge export judging --combine datasheet -o datasheet.html
    """
    if given.output != "-":
        options.check_output(Path(given.output))
    with judging_cli.open_folder(given.folder) as project, bar(f"writing {given.output}"):
        from cleverdon.judging.exports.files import export_judgments

        settings = judging_cli.keywords(given, "folder", "output")
        notes = export_judgments(project, given.output, **settings)
    for note in notes:
        say(f"cleverdon: {note}" if note.startswith("warning: ") else note)


class BackupOptions(Options):
    folder: str = judging_cli.folder
    output: Path = option(
        options.OUTPUT,
        "The file to write; an existing one is replaced.",
        short="-o",
        metavar="FILE.zip",
        required=True,
    )


@command(BackupOptions)
def backup_command(given: BackupOptions) -> str:
    """Copy a project into one file, while it is in use.

    It holds everything but sign-in links, tokens and sessions. It is one state of the project,
    read back and compared before it gets its name. It can be restored to SQLite and to
    PostgreSQL, wherever it came from.

    \b
    Examples:
      cleverdon judge backup judging -o judging.zip
      cleverdon judge restore judging.zip restored
    """
    options.check_output(given.output)
    with judging_cli.open_folder(given.folder) as project, bar(f"writing {given.output}"):
        from cleverdon.judging.backup import backup_project

        made = backup_project(project, given.output)
    return f"{given.output}: {made.title}, {made.events}; read back, and whole"


class RestoreOptions(Options):
    file: str = argument(click.Path(exists=True, dir_okay=False), metavar="FILE.zip")
    folder: str = judging_cli.folder
    database: str | None = option(
        "URL",
        "An empty PostgreSQL database, as postgresql://USER:PASSWORD@HOST/NAME.  [default: a file "
        "in the folder]",
    )


@command(RestoreOptions)
def restore_command(given: RestoreOptions) -> str:
    """Create a project from a backup, in the new folder DIR.

    The whole backup is checked first; if anything is wrong, nothing is created. People sign in
    again, by their passwords or by new links.

    \b
    Examples:
      cleverdon judge restore judging.zip restored
      cleverdon judge restore judging.zip restored --database postgresql://me@localhost/judging
    """
    judging_cli.require_web()

    from cleverdon.judging.backup import restore_project

    with bar(f"restoring {given.file}"):
        made = restore_project(given.file, given.folder, database=given.database)
    return (
        f"{given.folder}: {made.title}, as it was at {made.made_at}, {made.events}\n"
        "Links and tokens are not in a backup: cleverdon judge serve prints a sign-in link, and "
        "cleverdon judge people makes new ones"
    )
