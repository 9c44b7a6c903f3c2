"""Documents whose grade is known: mixed into the queue, they show how closely people look."""

from __future__ import annotations

import os

from cleverdon.assess.importing.lines import line_of
from cleverdon.assess.scale import Scale
from cleverdon.assess.setup.items import Gold
from cleverdon.data import Judgments
from cleverdon.errors import InputError


def read_gold(path: str | os.PathLike[str], *, topics: tuple[str, ...], scale: Scale) -> Gold:
    """The gold grades of a file of judgments; topics that are not judged are an error."""
    source = os.fspath(path)
    found = Judgments.read(source).to_dict()
    unknown = sorted(set(found) - set(topics))
    if unknown:
        raise InputError(
            f"topic {unknown[0]!r} is not among the topics to judge; take out what is of others",
            source=source,
            line=line_of(unknown[0], next(iter(found[unknown[0]]), ""), source),
        )
    for topic, of_topic in found.items():
        for document, grade in of_topic.items():
            if grade not in scale:
                listed = ", ".join(map(str, scale.values))
                raise InputError(
                    f"the grade {grade:g} of document {document!r}, topic {topic!r}, is not on the "
                    f"scale: it can be {listed}",
                    source=source,
                    line=line_of(topic, document, source),
                )
    return {
        topic: {document: int(grade) for document, grade in of_topic.items()}
        for topic, of_topic in found.items()
    }
