"""cleverdon judge backup: a project in one file."""

from __future__ import annotations

from pathlib import Path

import click

from cleverdon.cli import judge_options, options


@click.command()
@judge_options.folder
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.zip",
    help="The file to write, in the place of one that is there.",
)
def command(folder: str, output: Path) -> None:
    """Copy a project into one file, while it is in use.

    It holds everything but sign-in links, tokens, and who is signed in. It is one state of the
    project, read back and compared before it gets its name. It can be restored to SQLite and to
    PostgreSQL, wherever it came from.

    \b
    Examples:
      cleverdon judge backup judging -o judging.zip
      cleverdon judge restore judging.zip restored
    """
    options.check_output(output)
    if output.resolve().is_relative_to(Path(folder).resolve()):
        raise click.UsageError("a backup within the project's folder is lost with it: name another")

    from cleverdon.cli.progress import bar
    from cleverdon.show.grid import counted

    with judge_options.opened(folder) as project, bar(f"writing {output}"):
        from cleverdon.assess.backup.writing import write_backup
        from cleverdon.assess.people.auditing import COMMAND_LINE

        made = write_backup(project.database, project.folder, output)
        with project.database.writing() as connection:
            COMMAND_LINE.note(connection, "backed up", output.name)
    events = counted(made.tables["events"].rows, "event")
    click.echo(f"{output}: {made.title}, {events}; read back, and whole")
