"""cleverdon judge status: how a project is coming along."""

from __future__ import annotations

import click

from cleverdon.cli import judge_options, options, progress


@click.command()
@judge_options.folder
@click.option("--topics", is_flag=True, help="List the topics one by one.")
@click.option("--pairs", is_flag=True, help="List how far each two judges agree.")
@options.formats("How to print. json has all digits, as the call /api/watching.", ("text", "json"))
def command(folder: str, topics: bool, pairs: bool, format_: str) -> None:
    """Say how far judging has come, how far people agree, and whether to go on.

    Over all: judgments done and wanted, agreement, the estimated recall within the pool, advice,
    and what should be looked into. By person: work done and left, speed, gold documents. With
    --topics the same topic by topic. Models are shown beside people, never among them. The project
    may be in use meanwhile.

    \b
    Examples:
      cleverdon judge status judging
      cleverdon judge status judging --topics
      cleverdon judge status judging -f json
    """
    with judge_options.opened(folder) as project:
        from cleverdon.assess.watching.apart import Here

        with progress.bar("counting"):
            found = Here(project).watched()
        if format_ == "json":
            from cleverdon.assess.web.api.watching_models import WatchedModel

            click.echo(WatchedModel.of_watched(found).model_dump_json(indent=1))
            return
        from cleverdon.assess.watching.status import status

        terminal = options.terminal()
        click.echo(status(found, project.title, topics=topics, pairs=pairs, **terminal))
