"""cleverdon judge status: how a project is coming along."""

from __future__ import annotations

import click

from cleverdon.cli import judge_options, options


@click.command()
@judge_options.folder
@options.formats("How to print. json has all digits, as the call /api/watching.", ("text", "json"))
def command(folder: str, format_: str) -> None:
    """Say how far judging has come, how far people agree, and whether to go on.

    By topic: judgments done and wanted, the share of relevant ones, agreement, the estimated
    recall within the pool, and advice. By person: work done and left, speed, gold documents. Models
    are shown beside people, never among them. The project may be in use meanwhile.

    \b
    Examples:
      cleverdon judge status judging
      cleverdon judge status judging -f json
    """
    with judge_options.opened(folder) as project:
        from cleverdon.assess.watching.watch import Watch

        found = Watch(project).now()
        if format_ == "json":
            from cleverdon.assess.web.api.watching_models import WatchedModel

            click.echo(WatchedModel.of_watched(found).model_dump_json(indent=1))
            return
        from cleverdon.assess.watching.status import status

        click.echo(status(found, project.title, **options.terminal()))
        if ended := judge_options.ended_text(project):
            click.echo(ended)
