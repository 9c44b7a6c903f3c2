"""Writing what is asked for to a file: one way in for the command line, the pages and the calls."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import PurePath

from sqlalchemy import Connection

from cleverdon.assess.exporting import agreement, history
from cleverdon.assess.exporting.assessors import assessor_rows, by_assessor
from cleverdon.assess.exporting.datasheet import datasheet
from cleverdon.assess.exporting.datasheet_words import datasheet_parts
from cleverdon.assess.exporting.judges import pseudonyms
from cleverdon.assess.exporting.kinds import ENDINGS, KINDS, ONE_GRADE, PUBLISHED
from cleverdon.assess.exporting.qrels import Qrels, one_grade
from cleverdon.assess.exporting.sampled import of_pool
from cleverdon.assess.exporting.sheet import as_html, as_markdown
from cleverdon.assess.exporting.together import (
    check_holds_judges,
    refuse_formulas,
    without_formulas,
    write_together,
)
from cleverdon.assess.people.auditing import Actor
from cleverdon.assess.project import Project
from cleverdon.data import Judgments
from cleverdon.errors import OptionError, check_seed, check_word
from cleverdon.judge.aggregation import TIES
from cleverdon.read.write import fractional_grades, write_file
from cleverdon.show.grid import counted, printable

_NAMED = 20
"""Documents in dispute that are named; the others are counted."""


@dataclass(frozen=True)
class Wanted:
    """What is to be exported."""

    what: str = PUBLISHED  # one of KINDS
    ties: str = "lower"
    others: tuple[str, ...] = ()  # models and earlier judgments that count as people do
    assessors: tuple[str, ...] = ()  # of `assessor`: only these
    kind: str | None = None  # of qrels: plain, strata or sampled, over the whole pool
    names: bool | None = None  # whether people go by their names; datasheets hide them otherwise
    seed: int = 0  # where chance starts that breaks ties

    def __post_init__(self) -> None:
        check_word("what", self.what, KINDS)
        check_word("ties", self.ties, TIES)
        check_seed(self.seed)
        if self.kind is not None and self.what not in ONE_GRADE:
            raise OptionError("strata and probabilities go with qrels of one grade a document")
        if self.assessors and self.what != "assessor":
            raise OptionError("assessors are named where each is written apart")
        if self.others and self.what in ("assessor", "history", "datasheet"):
            raise OptionError(f"{self.what} takes no other judges' grades for people's")


def export(project: Project, wanted: Wanted, path: str, *, actor: Actor) -> list[str]:
    """Write a file, and a line to the audit log; gives what is to be said of it.

    The file appears when it is complete; the format follows from its name.
    """
    with project.database.reading() as connection:
        told = _written(project, connection, wanted, path)
    with project.database.writing() as connection:
        about = f"{wanted.what} {PurePath(path).name}"
        if wanted.others:
            about += f" with {', '.join(wanted.others)}"
        actor.note(connection, "exported", about)
    return told


def _written(project: Project, connection: Connection, wanted: Wanted, path: str) -> list[str]:
    if wanted.what in ONE_GRADE:
        return _qrels(project, connection, wanted, path)
    hidden = wanted.names is False or (wanted.names is None and wanted.what == "datasheet")
    called: Mapping[str, str] = pseudonyms(connection) if hidden else {}
    if wanted.what == "assessor":
        return _assessors(connection, wanted, path, called)
    ending = _ending(wanted.what, path)
    if wanted.what == "history":
        count = history.write_history(history.history_rows(connection, called=called), path)
        return [f"{count:,} events and rulings"]
    if wanted.what == "agreement":
        text = agreement.agreement_report(
            connection, ending, title=project.title, others=wanted.others, called=called
        )
        if ending == "csv":
            text = without_formulas(text)
    else:
        sheet = datasheet(project, connection, names=not hidden)
        title = f"Datasheet: {printable(project.title)}"
        if ending == "json":
            text = json.dumps(sheet.to_json(), indent=1, ensure_ascii=False) + "\n"
        else:
            write = as_html if ending == "html" else as_markdown
            text = write(title, datasheet_parts(sheet))
    write_file(path, text.encode())
    return []


def _ending(what: str, path: str) -> str:
    """The format that a name asks for; the first one where it is standard output."""
    ending = PurePath(path.casefold()).suffix.removeprefix(".")
    if path == "-":
        return ENDINGS[what][0]
    if ending not in ENDINGS[what]:
        listed = ", ".join(f".{one}" for one in ENDINGS[what])
        raise OptionError(f"{path}: for {what}, the file's name ends in one of {listed}")
    return ending


def _qrels(project: Project, connection: Connection, wanted: Wanted, path: str) -> list[str]:
    found = one_grade(
        connection, wanted.what, ties=wanted.ties, others=wanted.others, seed=wanted.seed
    )
    told = _said(found, wanted.seed)
    judgments = found.judgments
    if wanted.kind is not None:
        pooled = of_pool(project.folder, judgments, wanted.kind)
        judgments = pooled.judgments
        for number, what in (
            (pooled.waiting, "of the pool are not judged yet"),
            (pooled.not_drawn, "of the pool were not drawn"),
            (pooled.left_out, "are judged and were not drawn, and are left out"),
        ):
            if number:
                told.append(f"{counted(number, 'document')} {what}")
    format = wanted.kind if wanted.kind in ("strata", "sampled") else None
    _write(judgments, path, format=format)
    return [_size(judgments), *told, *fractional_grades(judgments, path, format)]


def _write(judgments: Judgments, path: str, *, format: str | None = None) -> None:
    refuse_formulas((id for query in judgments.queries for id in (query, *judgments[query])), path)
    judgments.write(path, format=format)


def not_in_it(rulings: int) -> str:
    """That qrels are made of votes alone, though rulings hold."""
    return f"{counted(rulings, 'ruling')} {'is' if rulings == 1 else 'are'} not in it"


def _said(found: Qrels, seed: int) -> list[str]:
    told = [f"{found.way}, of {counted(found.judges, 'judge')}: {ONE_GRADE[found.way]}"]
    if found.ruled:
        told.append(f"{counted(found.ruled, 'document')} as ruled")
    if found.unused:
        told.append(f"{not_in_it(found.unused)}; {PUBLISHED} takes rulings")
    if found.tied:
        rule = TIES[found.ties] + (f"; the seed is {seed}" if found.ties == "random" else "")
        told.append(f"ties, of {counted(found.tied, 'document')}: {rule}")
    if found.unsettled:
        listed = ", ".join(f"{topic} {doc}" for topic, doc in found.unsettled[:_NAMED])
        more = len(found.unsettled) - _NAMED
        told.append(
            f"warning: {counted(len(found.unsettled), 'document')} in dispute and without a "
            f"ruling, left out: {listed}" + (f", and {more:,} more" if more > 0 else "")
        )
    return [*told, *(f"warning: {caution}" for caution in found.cautions)]


def _assessors(
    connection: Connection, wanted: Wanted, path: str, called: Mapping[str, str]
) -> list[str]:
    """One assessor's qrels; of several, a file each where the name has a {}, else one file."""
    if len(wanted.assessors) == 1 or "{}" in path:
        judged = by_assessor(connection, wanted.assessors)
        shown = [called.get(name, name) for name in judged]
        told = []
        for name, part, judgments in zip(shown, _for_files(shown), judged.values(), strict=True):
            own = path.replace("{}", part)
            _write(judgments, own)
            told.append(f"{own}: {name}, {_size(judgments)}")
        return told
    check_holds_judges(path)
    rows = assessor_rows(connection, wanted.assessors, called=called)
    where = write_together(rows, path)
    return [f"{counted(len(rows), 'judgment')}, {where} is who judged"]


def _for_files(names: Sequence[str]) -> list[str]:
    """Names that files can have, whatever people are called; no two are the same on any disk.

    >>> _for_files(["a b", "a_b", "A_B", "a_b-2", ".."])
    ['a_b', 'a_b-3', 'A_B-4', 'a_b-2', '_.']
    """
    plain = [
        # Nor is one hidden, or the folder above.
        re.sub(r"^\.", "_", "".join(c if c.isalnum() or c in "-_." else "_" for c in name))
        for name in names
    ]
    # Folded, since many disks take upper and lower case for the same. What is made up must not be
    # anybody's own name either, also of those who come later.
    taken = {name.casefold() for name in plain}
    met: set[str] = set()
    found = []
    for name in plain:
        own = name
        if name.casefold() in met:
            numbered = (f"{name}-{number}" for number in count(2))
            own = next(each for each in numbered if each.casefold() not in taken)
            taken.add(own.casefold())
        met.add(name.casefold())
        found.append(own)
    return found


def _size(judgments: Judgments) -> str:
    topics = counted(len(judgments.queries), "topic")
    return f"{counted(len(judgments), 'judgment')} for {topics}"
