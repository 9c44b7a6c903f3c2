"""cleverdon judge restore: a project out of a backup."""

from __future__ import annotations

import click

from cleverdon.cli import judge_options


@click.command()
@click.argument("file", metavar="FILE.zip", type=click.Path(exists=True, dir_okay=False))
@judge_options.folder
@click.option(
    "--database",
    metavar="URL",
    help="An empty PostgreSQL database, as postgresql://USER:PASSWORD@HOST/NAME.  [default: a file "
    "in the folder]",
)
def command(file: str, folder: str, database: str | None) -> None:
    """Make a project again out of a backup, in the new folder DIR.

    The whole backup is checked first; where anything is wrong, nothing is made. People sign in
    anew: by their passwords, or by new links.

    \b
    Examples:
      cleverdon judge restore judging.zip restored
      cleverdon judge restore judging.zip restored --database postgresql://me@localhost/judging
    """
    judge_options.needs_web()

    from cleverdon.assess.backup.restoring import restore
    from cleverdon.cli.progress import bar
    from cleverdon.show.grid import counted

    with bar(f"restoring {file}"):
        made = restore(file, folder, database=database)
    events = counted(made.tables["events"].rows, "event")
    click.echo(f"{folder}: {made.title}, as it was at {made.made_at}, {events}")
    click.echo(
        "Links and tokens are not in a backup: cleverdon judge serve prints a sign-in link, and "
        "cleverdon judge people makes new ones"
    )
