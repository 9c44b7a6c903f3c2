"""Topics beside a log: judgments know them by ids, and the log knows queries by their texts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cleverdon.data import Judgments
from cleverdon.errors import InputError
from cleverdon.online.settings import Settings
from cleverdon.online.texts import normaliser
from cleverdon.read.texts import read_texts


@dataclass(frozen=True, eq=False)
class Topics:
    """Which topics are which queries of a log.

    A query's form is its text as texts are compared: see `cleverdon.online.texts`.
    """

    texts: Mapping[str, str]
    """The text of each topic that has one, as it was given."""
    forms: Mapping[str, str]
    """The same, as texts are compared."""
    judged: tuple[str, ...]
    """The topics with judgments, those without a text among them."""
    source: str = ""

    @cached_property
    def judged_forms(self) -> dict[str, tuple[str, ...]]:
        """The judged topics of each form: mostly one, and several where texts are the same."""
        found: dict[str, tuple[str, ...]] = {}
        for topic in self.judged:
            if topic in self.forms:
                found[self.forms[topic]] = (*found.get(self.forms[topic], ()), topic)
        return found

    @property
    def shared(self) -> tuple[tuple[str, ...], ...]:
        """Judged topics that cannot be told apart in a log, since their texts are the same."""
        return tuple(topics for topics in self.judged_forms.values() if len(topics) > 1)

    @property
    def without_text(self) -> tuple[str, ...]:
        """Judged topics of which nobody knows what was searched for."""
        return tuple(topic for topic in self.judged if topic not in self.forms)

    @cached_property
    def unjudged(self) -> dict[str, str]:
        """The forms of topics that have a text and no judgments, with the first such topic."""
        judged = set(self.judged)
        found: dict[str, str] = {}
        for topic, form in self.forms.items():
            if topic not in judged:
                found.setdefault(form, topic)
        return found


def known_topics(topics: Any, qrels: Any, *, settings: Settings | None = None) -> Topics:
    """The topics with their texts, and which of them are judged.

    `topics` is all that `read_texts` reads; where a topic has a title, that is what was searched
    for. `qrels` are judgments as `evaluate` takes them. A topic is judged where at least one
    document has a grade from 0 on: lower ones mean pooled, and not judged.

    >>> found = known_topics({"1": "Red shoes", "2": "hats"}, {"1": {"d1": 2}})
    >>> found.judged_forms, found.unjudged
    ({'red shoes': ('1',)}, {'hats': '2'})
    """
    judgments: Judgments = Judgments.read(qrels)
    judged = judgments.judged
    has_grade = judged.count(judged.grade >= 0) > 0
    ids = tuple(np.array(judged.queries, dtype=object)[has_grade])
    source = os.fspath(topics) if isinstance(topics, (str, os.PathLike)) else ""
    try:
        texts = {topic: text.line for topic, text in read_texts(topics, kind="queries").items()}
    except FileNotFoundError:  # said as of any other file
        raise InputError("there is no such file", source=source) from None
    if not ids:
        raise InputError("no document of any topic is judged", source=judgments.source)
    if not texts:
        raise InputError("there is not one topic with a text", source=source)
    if texts.keys().isdisjoint(ids):
        raise InputError(
            f"the topics have no id in common with the judgments: there is a topic "
            f"{next(iter(texts))!r}, and judgments of {ids[0]!r}",
            source=source,
        )
    normalise = normaliser(settings or Settings()) or str
    forms = {topic: normalise(text) for topic, text in texts.items()}
    return Topics(texts, {topic: form for topic, form in forms.items() if form}, ids, source)
