"""A project's folder read as qrels, by whatever takes qrels; and as the grades of its judges."""

from __future__ import annotations

import tempfile
from pathlib import Path

from cleverdon import _core
from cleverdon.assess.exporting.ordering import Key
from cleverdon.assess.exporting.qrels import one_grade
from cleverdon.assess.exporting.sampled import of_pool
from cleverdon.assess.project import Project, read_project
from cleverdon.assess.watching.labels import LabelRow, label_rows
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError
from cleverdon.judge.labels import Row
from cleverdon.read import open_source
from cleverdon.read.detect import ANNOTATED

_KINDS = ("strata", "sampled")


def read_folder(path: str, *, format: str | None = None, name: str | None = None) -> Judgments:
    """The judgments that a project publishes: rulings where there are any, else the majority.

    They are those of people alone. `format` may ask for the strata or the probabilities of a
    sampled pool. The digest is that of the file which `cleverdon judge export --as published`
    writes. The project may be in use, and nothing of it is changed.
    """
    if format is not None and format not in _KINDS:
        raise OptionError(
            f"format={format!r} is for files, and {path} is a judging project: leave it out, or "
            "give strata or sampled where its pool is a sample"
        )

    def published(project: Project) -> Judgments:
        with project.database.reading() as connection:
            try:
                found = one_grade(connection).judgments
            except InputError as error:
                raise InputError(error.message, source=path) from None
        return of_pool(project.folder, found, format).judgments if format else found

    made = read_project(path, published)
    return Judgments(
        _core.Table.from_dict(made.to_dict(), "grade", "unchecked"),
        name=name or Path(path).resolve().name,
        source=path,
        digest=digest_of(made, format),
        notes=made.notes,
    )


def judged_rows(path: str, kind: str) -> tuple[list[Row], set[Key]]:
    """The grades that stand in a project, of its people or of its models: `kind` says which.

    And which of their documents are gold: agreement is not of these. The project may be in use, and
    nothing of it is changed.
    """

    def standing(project: Project) -> list[LabelRow]:
        with project.database.reading() as connection:
            return list(label_rows(connection, (kind,)))

    rows = read_project(path, standing)
    if not rows:
        raise InputError(f"no {kind} has judged anything in this project yet", source=path)
    gold = {(row.topic, row.document) for row in rows if row.gold}
    return [(row.judge, row.topic, row.document, float(row.grade)) for row in rows], gold


def digest_of(judgments: Judgments, format: str | None = None) -> str:
    """The digest of the file that these judgments are, in TREC's format where their ids allow."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/qrels"
        try:
            judgments.write(path, format=format if format in ANNOTATED else None)
        except InputError:
            path += ".json"
            judgments.write(path)
        return str(open_source(path).digest())
