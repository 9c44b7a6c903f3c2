"""What cleverdon pool next refuses before it reads or writes anything that matters."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from cleverdon.cli import options

if TYPE_CHECKING:
    from cleverdon.annotations import Grades
    from cleverdon.pool import Contributions
    from cleverdon.pool.adaptive.journal_start import Start
    from cleverdon.pool.adaptive.judging import Judgment

_AT_FIRST = {"chosen": "topics"} | {
    name: name for name in ("depth", "rel", "seed", "run_format", "order_by")
}
"""What is decided when judging begins: as a parameter of the command, and in the journal."""


def check_files(runs: list[str]) -> None:
    """Runs are read again whenever judging goes on, so they must be files that stay."""
    for file in runs:
        stays = os.path.isfile(file) or os.path.isdir(file) or not os.path.exists(file)
        if file == "-" or not stays:
            raise click.UsageError(
                f"{'standard input' if file == '-' else file} cannot be read again when judging "
                "goes on: save the run to a file, and name that"
            )


def check_begun(journal: str, runs: tuple[str, ...], notes: list[str]) -> None:
    """To begin, runs are needed; the rest of a journal that was cut is replaced, with a note."""
    from cleverdon.errors import InputError
    from cleverdon.read.judging_journal import CUT, is_journal

    content = b""
    if os.path.exists(journal):
        with open(journal, "rb") as file:
            content = file.read(100)
    if is_journal(content) and not runs:
        raise InputError(f"{CUT} To begin again, give RUNS", source=journal, line=1)
    if is_journal(content):
        notes.append(f"{journal}: it was cut within its first line, and begins anew")
    elif not runs:
        found = f"{journal} is no journal" if content else f"there is no {journal}"
        raise click.UsageError(f"{found} to go on from; to begin, give RUNS")


def check_going_on(journal: str, start: Start) -> None:
    """What was decided when judging began cannot be asked for otherwise later."""
    ctx = click.get_current_context()
    for parameter in ctx.command.params:
        if ctx.get_parameter_source(parameter.name or "") is not ParameterSource.COMMANDLINE:
            continue
        if parameter.name not in _AT_FIRST:
            continue
        given, had = ctx.params[parameter.name], getattr(start, _AT_FIRST[parameter.name])
        if (tuple(dict.fromkeys(given)) if isinstance(given, tuple) else given) == had:
            continue  # as when the first command is run again
        option = parameter.opts[-1]
        began = f"without {option}" if had is None else f"with {option} {_as_given(had)}"
        raise click.UsageError(
            f"{journal} is there, and goes on as it began, {began}: {option} is only to begin "
            "with; leave it out, or name another journal"
        )


def _as_given(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def check_written(output: str | None, qrels: str | None, read: list[str]) -> None:
    """Neither file is written over one that is read, nor over the other."""
    for file in (output, qrels):
        if file and file != "-":
            options.check_output(Path(file), *read)
    if output and qrels and Path(output).resolve() == Path(qrels).resolve():
        raise click.UsageError(f"--output and --qrels are both {output}: name another for one")


def check_ids(found: Contributions, queries: tuple[str, ...]) -> None:
    """Before a journal begins, of documents that could never be given."""
    from cleverdon.read.sheet import check_ids

    for at, topic in enumerate(found.topics):
        if not queries or topic in queries:
            check_ids((topic, *found.ids(at)))


def check_queries(judged: Mapping[str, Grades], found: Contributions) -> None:
    """Judgments stay in the journal for good: none are taken that belong to other queries."""
    from cleverdon.errors import InputError

    known = set(found.topics)
    for sheet, grades in judged.items():
        queries = list(dict.fromkeys(query for query, _, _ in graded(grades)))
        if queries and known.isdisjoint(queries):
            raise InputError(
                f"no run has any of its queries, such as {queries[0]!r} (the runs have such as "
                f"{found.topics[0]!r}): is it of another collection? Nothing is taken from it",
                source=sheet,
            )


def graded(grades: Grades) -> list[Judgment]:
    """Those that are judged: a grade below 0 is of a document that was pooled and not judged."""
    return [
        (query, doc, grade)
        for query, docs in grades.items()
        for doc, grade in docs.items()
        if grade >= 0
    ]


def check_qrels(path: str, judgments: list[Judgment]) -> None:
    """There is something to write, and nothing is written over that people have judged.

    A grade that was another before is in the journal still, so that it is not lost.
    """
    from cleverdon.errors import InputError
    from cleverdon.read import open_source
    from cleverdon.read.judging_journal import is_journal
    from cleverdon.read.sheet import read_sheet
    from cleverdon.show.grid import counted

    if not judgments:
        raise InputError("nothing is judged yet, so there are no qrels to write", source=path)
    if not os.path.isfile(path) or not os.path.getsize(path):
        return
    try:
        head = open_source(path).head(1 << 12)
        what = "journal" if is_journal(head) else "judges' sheet" if _is_sheet(head) else ""
        there = {} if what else read_sheet(path)
    except InputError:
        message = "is there, and holds something else than judgments: name another file"
        raise InputError(message, source=path) from None
    if what:
        message = f"is a {what}, which qrels would overwrite: name another file"
        raise InputError(message, source=path)
    alone = len(set(graded(there)).difference(judgments))
    if alone:
        raise InputError(
            f"has {counted(alone, 'judgment')} that the journal has not, or with another grade, "
            "and would be overwritten; name another file, or hand this one in first, by --judged",
            source=path,
        )


def _is_sheet(head: bytes) -> bool:
    """Whether a file that begins so is for judges; qrels with a header call grades otherwise."""
    from cleverdon.read.sheet import COLUMNS, has_header

    lines = head.replace(b"\0", b"").strip().splitlines()  # without what UTF-16 has between
    return has_header(head) and COLUMNS[2].encode() in lines[0].lower()


@contextmanager
def advising(journal: str, sheets: tuple[str, ...]) -> Iterator[None]:
    """Where another journal is to be begun, the sheets that were given go to that one."""
    from cleverdon.errors import InputError
    from cleverdon.pool.adaptive.journal_start import begin_another

    try:
        yield
    except InputError as error:
        advice = begin_another(journal)
        if not sheets or advice not in error.message:
            raise
        message = error.message.replace(advice, begin_another(journal, *sheets))
        raise InputError(message, source=error.source, line=error.line) from None
