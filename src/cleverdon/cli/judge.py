"""cleverdon judge: a web app for assessors. A file a command, as on the first level."""

from __future__ import annotations

import click

from cleverdon.cli import Commands

COMMANDS = {
    "init": "Make a project: topics, documents, what is to be judged, a scale.",
    "serve": "Serve a project's web app, and print the address and a sign-in link.",
    "people": "List people, add them, change roles; new sign-in links, passwords, tokens.",
    "assign": "Say who judges which topics, and how many documents several judge.",
    "status": "Say how far judging has come, how far judges agree, and what is left.",
    "import": "Add judgments made elsewhere: qrels, Quepid, Label Studio, a model's.",
    "export": "Write qrels, the history, a report of agreement, or a datasheet.",
    "backup": "Copy a project into one file, while it is in use.",
    "restore": "Make a project's folder again out of a backup.",
}


@click.command(cls=Commands, listed=COMMANDS, module="cleverdon.cli.judge_{}")
def command() -> None:
    """Have people judge documents in a web app, from a pool to published qrels.

    \b
    Examples:
      cleverdon judge init judging --topics topics.tsv --pool pool.tsv --docs docs.jsonl
      cleverdon judge serve judging
      cleverdon judge people judging --add Ann --role assessor
      cleverdon judge assign judging --overlap 0.1
      cleverdon judge export judging -o qrels.txt
      cleverdon eval judging bm25.run
    """
