"""cleverdon judge import: judgments that were made elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cleverdon.assess.importing.kinds import FORMS, KINDS
from cleverdon.cli import judge_options, options

if TYPE_CHECKING:
    from cleverdon.assess.importing.importing import Imported

_EXAMPLES = 5


@click.command("import")
@judge_options.folder
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--as",
    "kind",
    type=click.Choice(list(KINDS)),
    default="earlier",
    show_default=True,
    help="Whose judgments these are. "
    + "; ".join(f"{name}: {what}" for name, what in KINDS.items())
    + ".",
)
@click.option(
    "--name",
    default="",
    metavar="NAME",
    help="Whose they all are; of a person, the account.  [default: as the file says, or is called]",
)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="THERE=HERE",
    help="What a judge of the file is called here, as ann@example.org=Ann; again for more.",
)
@click.option(
    "--map",
    "grades",
    multiple=True,
    metavar="OLD=NEW",
    help="What a grade of the file stands for on the scale, as 4=3 or Perfect=3; again for more.",
)
@click.option(
    "--form",
    type=click.Choice(list(FORMS)),
    help="What wrote the file, if it is not to be seen from it.",
)
@click.option("--assessors", is_flag=True, help="The second column of TREC's qrels is who judged.")
@click.option("--topic-field", default="", help="Of Label Studio: the field that is the topic.")
@click.option("--document-field", default="", help="Of Label Studio: that which is the document.")
@click.option("--grade-field", default="", help="Of Label Studio: the control that is the grade.")
@click.option(
    "--add",
    is_flag=True,
    help="Add documents that the project has not, to be judged by people as well.",
)
@click.option(
    "--docs",
    multiple=True,
    type=click.Path(exists=True),
    metavar="FILE",
    help="With --add: the texts of these documents; again for more.",
)
@click.option(
    "--replace",
    is_flag=True,
    help="Where another grade of the same judge stands, take the file's.  [default: keep it]",
)
@click.option("--dry-run", is_flag=True, help="Say what would come of it, and change nothing.")
def command(
    folder: str,
    file: str,
    kind: str,
    name: str,
    judges: tuple[str, ...],
    grades: tuple[str, ...],
    form: str | None,
    assessors: bool,
    topic_field: str,
    document_field: str,
    grade_field: str,
    add: bool,
    docs: tuple[str, ...],
    replace: bool,
    dry_run: bool,
) -> None:
    """Add the judgments of FILE to a project: all of them, or nothing where something is wrong.

    FILE is qrels in any format that Cleverdon reads, a table with a column of judges, or what
    Quepid or Label Studio exports; it may be alone in a zip archive. Importing the same file again
    changes nothing. Judgments of models and earlier ones stand beside people's, and are not part of
    the qrels.

    \b
    Examples:
      cleverdon judge import judging old.qrels --name trec8 --dry-run
      cleverdon judge import judging gpt.qrels --as model --name gpt --map 4=3
      cleverdon judge import judging case_7_judgements.csv
      cleverdon judge import judging project-1.json --as person --judge ann@example.org=Ann
    """
    options.check_of_use(add, ["docs"], "--add")

    from cleverdon.cli.progress import bar

    with judge_options.opened(folder) as project, bar(f"importing {file}"):
        from cleverdon.assess.importing.grading import parse_map
        from cleverdon.assess.importing.importing import Importing, import_file, parse_judges
        from cleverdon.assess.importing.rows import Fields
        from cleverdon.assess.people.auditing import COMMAND_LINE

        how = Importing(
            kind,
            name,
            parse_judges(judges),
            parse_map(grades, project.scale),
            add,
            docs,
            replace=replace,
        )
        found = import_file(
            project,
            file,
            how,
            actor=COMMAND_LINE,
            form=form,
            assessors=assessors,
            fields=Fields(topic_field, document_field, grade_field),
            only_look=dry_run,
        )
    _say(found, "would be " if dry_run else "")


def _say(found: Imported, would: str) -> None:
    from cleverdon.cli.progress import say
    from cleverdon.show.grid import counted

    by = f", of {', '.join(found.judges)}" if found.judges else ""
    click.echo(f"{found.form}: {counted(found.recorded, 'judgment')} {would}recorded{by}")
    for number, what in (
        (found.unchanged, "stood already"),
        (
            found.kept,
            "differ from what the same judge said here, which stands; --replace takes them",
        ),
        (found.ungraded, "have no grade in the file"),
        (found.elsewhere, "are of documents that the project has not; --add adds them"),
    ):
        if number:
            say(f"{number:,} {what}")
    if found.added:
        say(f"{counted(found.added, 'document')} {would}added")
    if found.unknown:
        listed = ", ".join(found.unknown_topics[:_EXAMPLES])
        say(
            f"cleverdon: warning: {found.unknown:,} are of "
            f"{counted(len(found.unknown_topics), 'topic')} that the project has not: {listed}"
        )
    for caution in found.cautions:
        say(caution)
