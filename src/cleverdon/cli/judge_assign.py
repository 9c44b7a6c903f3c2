"""cleverdon judge assign: who judges which topics, dealt out evenly or by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import judge_options, options

if TYPE_CHECKING:
    from cleverdon.assess.setup.workload import TopicWork, Work

_EXAMPLES = 5


@click.command()
@judge_options.folder
@click.option(
    "--to",
    "people",
    multiple=True,
    metavar="NAME",
    help="Among these people; again for more.  [default: all assessors]",
)
@click.option(
    "--by",
    type=click.Choice(["topic", "document"]),
    default="topic",
    show_default=True,
    help="A topic is one person's; or all share each topic's documents.",
)
@click.option(
    "--topic",
    "topics",
    multiple=True,
    metavar="ID",
    help="By hand: this topic goes to everybody who is named by --to; again for more.",
)
@click.option(
    "--part",
    type=click.Choice(["all", "overlap"]),
    default="all",
    show_default=True,
    help="With --topic: all of it, or only what several people judge.",
)
@click.option("--remove", is_flag=True, help="With --topic: take it away from them.")
@click.option(
    "--rebalance",
    is_flag=True,
    help="Deal topics that nobody has begun out anew, as when people come or go.",
)
@click.option(
    "--overlap",
    metavar="SHARE|N",
    help="First, let two people judge some of the documents: a share as 0.1, or so many of each "
    "topic.",
)
@click.option("--show", is_flag=True, help="Change nothing; say who judges what.")
@options.formats("How to print it.", ("table", "json"))
def command(
    folder: str,
    people: tuple[str, ...],
    by: Any,
    topics: tuple[str, ...],
    part: Any,
    remove: bool,
    rebalance: bool,
    overlap: str | None,
    show: bool,
    format_: str,
) -> None:
    """Say who judges what in the project in DIR. A server may run meanwhile.

    Topics that nobody has go to whoever has least to do, the largest first. What somebody has
    begun stays theirs.

    \b
    Examples:
      cleverdon judge assign judging
      cleverdon judge assign judging --by document
      cleverdon judge assign judging --overlap 0.1
      cleverdon judge assign judging --topic 301 --topic 302 --to ann
      cleverdon judge assign judging --topic 301 --to ann --remove
      cleverdon judge assign judging --rebalance
      cleverdon judge assign judging --show
    """
    options.check_of_use(topics, ["part", "remove"], "--topic")
    options.check_of_use(not (topics or show), ["by"], "dealing out: drop --topic and --show")
    if topics and not people:
        raise click.UsageError("--topic needs --to: whom it goes to")
    if topics and (rebalance or overlap is not None):
        raise click.UsageError("--topic is by hand: --rebalance and --overlap go without it")
    if show and (topics or people or rebalance or overlap is not None):
        raise click.UsageError("--show changes nothing, and goes alone")
    with judge_options.opened(folder) as project:
        from cleverdon.assess.judging.feeding import Feeder
        from cleverdon.assess.people.accounts import person_named
        from cleverdon.assess.people.auditing import COMMAND_LINE
        from cleverdon.assess.setup import assigning
        from cleverdon.assess.setup.workload import work_of

        # What takes long is read before and after: nobody who judges meanwhile waits for it.
        with project.database.reading() as connection:
            ended = Feeder(project).endings(connection)
        if not show:
            with project.database.writing() as connection:
                named = [person_named(connection, name) for name in people]
                for topic in topics:
                    for person in named:
                        if remove:
                            assigning.remove(connection, COMMAND_LINE, topic, person)
                        else:
                            assigning.assign(connection, COMMAND_LINE, topic, person, part)
                if overlap is not None:
                    assigning.set_overlap(connection, COMMAND_LINE, overlap)
                if not topics:
                    among = named or assigning.assessors(connection)
                    assigning.deal_out(
                        connection, COMMAND_LINE, among, by=by, anew=rebalance, ended=ended
                    )
        with project.database.reading() as connection:
            work = work_of(connection, ended)
    click.echo(_printed(work, format_))


def _printed(work: Work, format: str) -> str:
    import json
    from dataclasses import asdict

    from cleverdon.show.grid import Grid, counted, laid_out, printable

    if format == "json":
        said = {
            **asdict(work),
            "uncovered": [topic.name for topic in work.uncovered],
            "short": [topic.name for topic in work.short],
        }
        return json.dumps(said, indent=1, ensure_ascii=False)
    grid = Grid(
        header=["name", "role", "topics", "done", "left"],
        rows=[
            [
                printable(each.name),
                each.role if each.active else "deactivated",
                f"{each.topics:,}",
                f"{each.done:,}",
                f"{each.left:,}",
            ]
            for each in work.people
        ],
        labels=2,
        notes=[],
    )
    lines = [laid_out(grid, "table").rstrip() if work.people else "nobody judges anything yet"]
    if work.uncovered:
        lines.append(f"nobody has {counted(len(work.uncovered), 'topic')}: {_some(work.uncovered)}")
    if work.short:
        few = counted(len(work.short), "topic")
        lines.append(f"too few people for what several are to judge: {few}, {_some(work.short)}")
    return "\n".join(lines)


def _some(topics: list[TopicWork]) -> str:
    more = ", ..." if len(topics) > _EXAMPLES else ""
    return ", ".join(topic.name for topic in topics[:_EXAMPLES]) + more
