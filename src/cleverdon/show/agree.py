"""How far judges agree, as tables."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from inspect import cleandoc
from itertools import chain
from math import isnan
from typing import Any

from cleverdon.errors import check_word
from cleverdon.judge.agreement import (
    Agreed,
    Coefficient,
    Disputed,
    Estimate,
    Pair,
    find,
    known_coefficients,
)
from cleverdon.show.agree_cells import named, with_interval
from cleverdon.show.agree_records import agreed_record
from cleverdon.show.agree_words import sentences
from cleverdon.show.grid import Grid, counted, laid_out, printable
from cleverdon.show.numbers import decimal
from cleverdon.show.sections import FORMATS, Section, sections


def render(
    agreed: Agreed,
    format: str = "table",
    *,
    pairs: Agreed | None = None,
    models: Collection[str] = (),
    confusion: bool = False,
    disputed: Sequence[Disputed] = (),
    more: Sequence[Section] = (),
    records: Mapping[str, Any] | None = None,
    **terminal: Any,
) -> str:
    """Agreement over all, pair by pair, by query if it was asked for, and how judges lean.

    `pairs` may hold more judges than `agreed`, as `models` beside people. `more` are sections
    behind these, and `records` what they are in JSON.
    """
    check_word("format", format, FORMATS)
    every = pairs or agreed
    if format == "json":
        whole = agreed_record(agreed, every, disputed, models) | dict(records or {})
        return json.dumps(whole, indent=1, ensure_ascii=False)
    if format in ("csv", "tsv"):
        return laid_out(_rows(agreed, every), format)
    parts = agreement_parts(
        agreed, pairs=pairs, models=models, confusion=confusion, disputed=disputed
    )
    return sections([*parts, *more], format, **terminal)


def agreement_parts(
    agreed: Agreed,
    *,
    pairs: Agreed | None = None,
    models: Collection[str] = (),
    confusion: bool = False,
    disputed: Sequence[Disputed] = (),
) -> list[Section]:
    """The tables of `render`, for those who lay them out otherwise."""
    every = pairs or agreed
    parts = [_overall(agreed, models), _pairs(every, models)]
    parts += [_topics(agreed)] if agreed.topics else []
    parts.append(_leanings(agreed, models))
    if confusion:
        parts += [_confusion(pair, every, models) for pair in every.pairs]
    parts += [_disputed(every, disputed, models)] if disputed else []
    return parts


def _overall(agreed: Agreed, models: Collection[str]) -> Section:
    labels = agreed.labels
    among = [judge for judge in labels.judges if judge in models]
    who = f" ({' and '.join(map(printable, among))}: a model)" if among else ""
    title = (
        f"{counted(len(labels.judges), 'judge')}{who}, {counted(agreed.items, 'document')} that "
        f"two of them at least have judged, grades {_scale(agreed)}"
    )
    rows = [
        [each.name, each.title, with_interval(agreed.overall[each.name])]
        for each in agreed.coefficients
    ]
    notes = sentences(agreed, models)
    return Section(title, Grid(["coefficient", "", "over all"], rows, 2, [], notes))


def _scale(agreed: Agreed) -> str:
    grades = [f"{grade:g}" for grade in agreed.labels.grades]
    return ", ".join(grades) if len(grades) <= 8 else f"{grades[0]} to {grades[-1]}"


def _pairs(agreed: Agreed, models: Collection[str]) -> Section:
    rows = [
        [named(pair.first, models), named(pair.second, models), str(pair.items)]
        + [with_interval(pair.estimates[each.name]) for each in agreed.of_two]
        for pair in agreed.pairs
    ]
    header = ["judge", "with", "documents", *(each.name for each in agreed.of_two)]
    return Section("Pairs of judges", Grid(header, rows, 2, []))


def _topics(agreed: Agreed) -> Section:
    rows = [
        [printable(one.topic), str(one.judges), str(one.items)]
        + [with_interval(one.estimates[each.name]) for each in agreed.coefficients]
        for one in agreed.topics
    ]
    header = ["query", "judges", "documents", *(each.name for each in agreed.coefficients)]
    note = f"by rising {agreed.coefficients[0].name}; intervals of a bootstrap over documents"
    return Section("Queries, the worst first", Grid(header, rows, 1, [], [note]))


def _leanings(agreed: Agreed, models: Collection[str]) -> Section:
    rows = [
        [
            named(one.judge, models),
            str(one.items),
            decimal(one.mean),
            decimal(one.others),
            with_interval(one.difference, signed=True),
            "-" if isnan(one.higher) else f"{one.higher:.1%}",
            "-" if isnan(one.lower) else f"{one.lower:.1%}",
        ]
        for one in agreed.leanings
    ]
    header = ["judge", "documents", "mean grade", "the others'", "difference", "above", "below"]
    heading = "How judges lean, on documents that others judged too"
    return Section(heading, Grid(header, rows, 1, []))


def _confusion(pair: Pair, agreed: Agreed, models: Collection[str]) -> Section:
    grades = [f"{grade:g}" for grade in agreed.labels.grades]
    rows = [
        [grade, *map(str, times), str(sum(times))]
        for grade, times in zip(grades, pair.table.tolist(), strict=True)
    ]
    totals = pair.table.sum(axis=0).tolist()
    rows.append(["all", *map(str, totals), str(sum(totals))])
    title = f"Grades of {named(pair.first, models)} (rows) by those of {named(pair.second, models)}"
    return Section(title, Grid(["", *grades, "all"], rows, 1, []))


def _disputed(agreed: Agreed, disputed: Sequence[Disputed], models: Collection[str]) -> Section:
    judges = agreed.labels.judges
    rows = []
    for one in disputed:
        given = (one.grades.get(judge) for judge in judges)
        cells = ["-" if grade is None else f"{grade:g}" for grade in given]
        rows.append(
            [printable(one.topic), printable(one.doc), *cells, decimal(one.apart, digits=2)]
        )
    header = ["query", "document", *(named(judge, models) for judge in judges), "apart"]
    among = [printable(judge) for judge in judges if judge in models]
    counted_too = f"; {' and '.join(among)} included" if among else ""
    note = f"apart: the mean difference of two of a document's grades{counted_too}"
    return Section("Documents in dispute", Grid(header, rows, 2, [], [note]))


def _rows(agreed: Agreed, pairs: Agreed) -> Grid:
    """Every coefficient, a row each: over all, of pairs, of queries."""
    header = ["part", "query", "first", "second", "documents", "coefficient"]
    header += ["value", "low", "high"]
    rows = list(
        chain(
            _exact(["overall", "", "", ""], agreed.items, agreed.overall),
            *(
                _exact(["pair", "", pair.first, pair.second], pair.items, pair.estimates)
                for pair in pairs.pairs
            ),
            *(
                _exact(["query", one.topic, "", ""], one.items, one.estimates)
                for one in agreed.topics
            ),
        )
    )
    return Grid(header, rows, 6, [])


def _exact(start: list[str], items: int, found: Mapping[str, Estimate]) -> list[list[str]]:
    return [
        [*start, str(items), name]
        + [decimal(n, exact=True) for n in (one.value, one.interval.low, one.interval.high)]
        for name, one in found.items()
    ]


def listed() -> str:
    """Every coefficient in a line."""
    known = known_coefficients()
    width = max(map(len, known))
    lines = [f"{name:<{width}}  {_first_line(cls)}" for name, cls in known.items()]
    return "\n".join([*lines, "", "cleverdon agree --explain NAME tells more of one."])


def described(name: str) -> str:
    """A coefficient in words: all that its class says of itself."""
    cls = find(name)
    facts = {
        "Name": cls.name,
        "Formula": cls.formula,
        "Undefined": cls.undefined,
        "One grade only": "1, and so is agreement by chance" if cls.corrected else "",
        "Several judges": "the mean over all pairs of them" if cls.two_only else "all at once",
        "Several topics": "the mean over them" if cls.by_topic else "all documents count alike",
        "Source": cls.source,
    }
    width = max(map(len, facts))
    lines = [f"{fact:<{width}}  {text}" for fact, text in facts.items() if text]
    heading = f"{cls.title}\n{'=' * len(cls.title)}"
    return "\n\n".join([heading, cleandoc(cls.__doc__ or ""), "\n".join(lines)])


def _first_line(cls: type[Coefficient]) -> str:
    return cleandoc(cls.__doc__ or "").partition("\n")[0]
