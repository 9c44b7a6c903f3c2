"""The grades of each assessor apart, as they gave them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, select

from cleverdon.assess.exporting.judges import check_names, chosen_rows
from cleverdon.assess.exporting.ordering import Key, in_order, made_judgments
from cleverdon.assess.exporting.qrels import check_any
from cleverdon.assess.store.schema import people
from cleverdon.assess.watching.labels import KINDS
from cleverdon.data import Judgments
from cleverdon.errors import InputError
from cleverdon.judge.labels import Row


def by_assessor(connection: Connection, names: Sequence[str] = ()) -> dict[str, Judgments]:
    """The grades of all people, or of those judges that are named, by their names."""
    grades = grades_by_judge(connection, names)
    return {name: made_judgments(connection, each, name=name) for name, each in grades.items()}


def grades_by_judge(
    connection: Connection, names: Sequence[str] = ()
) -> dict[str, dict[Key, float]]:
    """The grades that stand, by the names of those who gave them."""
    check_names(connection, names, kinds=KINDS)
    others = connection.execute(
        select(people.c.name).where(people.c.name.in_(names), people.c.kind != "person")
    )
    found: dict[str, dict[Key, float]] = {name: {} for name in names}
    for row in chosen_rows(connection, others=list(others.scalars())):
        if not names or row.judge in found:
            found.setdefault(row.judge, {})[row.topic, row.document] = float(row.grade)
    check_any(found)
    for name, grades in found.items():
        check_any(grades, by=f" by {name}")
    return dict(sorted(found.items()))


def assessor_rows(
    connection: Connection, names: Sequence[str] = (), *, called: Mapping[str, str]
) -> list[Row]:
    """The same in one order: who judged, under another name, the topic, the document, the grade."""
    found = grades_by_judge(connection, names)
    shown = {name: called.get(name, name) for name in found}
    if len(set(shown.values())) < len(shown):
        raise InputError("a model is called as a pseudonym is: write names, or a file each")
    given: dict[Key, list[tuple[str, float]]] = {}
    for name, grades in found.items():
        for key, grade in grades.items():
            given.setdefault(key, []).append((shown[name], grade))
    return [
        (judge, topic, doc, grade)
        for topic, doc in in_order(connection, given)
        for judge, grade in given[topic, doc]
    ]
