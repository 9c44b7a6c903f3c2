"""What indexing took, as tables and in words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from cleverdon.engine.indexing.growth import Growth
from cleverdon.engine.indexing.records import CONFIDENCE, MEASURED, Indexing, Sized, Spread
from cleverdon.errors import check_word
from cleverdon.show.grid import EXACT, Grid, counted, printable
from cleverdon.show.indexing_json import as_json
from cleverdon.show.indexing_words import exponent, growth_words, prediction_words
from cleverdon.show.quantities import rate, seconds, significant, size
from cleverdon.show.sections import FORMATS, Section, sections

LABELS = {
    "index_time": "wall time",
    "reading": "reading the collection",
    "index_cpu": "processor time",
    "cpu_user": "user",
    "cpu_system": "system",
    "documents_rate": "documents",
    "text_rate": "text",
    "index_memory": "peak memory",
    "memory_before": "memory at the start",
    "disk_peak": "peak disk",
    "index_overhead": "disk beyond the index",
    "index_size": "index size",
    "index_ratio": "index to text",
}
"""What tables call it."""

_OVERVIEW = ("index_time", "documents_rate", "index_cpu", "index_memory", "index_overhead")
_WRITERS = {
    "s": seconds,
    "B": size,
    "1/s": rate,
    "B/s": lambda value: f"{size(value)}/s",
    "": significant,
}


def render(
    found: Indexing, format: str = "table", *, at: Sequence[int] = (), **terminal: Any
) -> str:
    """What indexing took, in one of `FORMATS`; `at` are other sizes to say something about."""
    check_word("format", format, FORMATS)
    if format == "json":
        return json.dumps(as_json(found, at=at), indent=1, ensure_ascii=False)
    exact = format in EXACT
    parts = [Section(_heading(found.largest), _of_size(found.largest, exact=exact))]
    if len(found.sizes) > 1:
        parts.append(Section("by size of the collection", _by_size(found.sizes, exact=exact)))
    if found.growth:
        parts.append(Section("growth with documents", _growth(found, exact=exact)))
    below = [] if exact else words(found, at=at)
    return sections(parts, format, below=below, **terminal)


def words(found: Indexing, *, at: Sequence[int] = ()) -> list[str]:
    """What the tables do not say, in sentences."""
    told = growth_words(found.growth, LABELS)
    for documents in at:
        told += prediction_words(found.growth, documents, LABELS, written)
    told += [f"note: {printable(note)}" for note in found.notes]
    told += [f"not valid: {printable(reason)}" for reason in found.not_valid]
    return told


def written(name: str, value: float) -> str:
    """A quantity as people read it."""
    return _WRITERS[MEASURED[name].unit](value)


def _heading(size_: Sized) -> str:
    return (
        f"{counted(size_.documents, 'document')}, {size(size_.bytes)} of text, "
        f"{counted(len(size_.builds), 'build')}"
    )


def _of_size(size_: Sized, *, exact: bool) -> Grid:
    spreads = {name: size_.spread(name) for name in MEASURED}
    interval = any(spread is not None and spread.low is not None for spread in spreads.values())
    header = ["quantity", "median", "least", "most", "measured to within"]
    if interval or exact:
        header += ["low", "high"]
    rows = []
    for name, spread in spreads.items():
        if spread is None:
            continue
        cells = [name if exact else LABELS[name]]
        cells += _cells(name, (spread.median, spread.least, spread.most), exact=exact)
        cells.append(_error(name, spread, exact=exact))
        if interval or exact:
            cells += _cells(name, (spread.low, spread.high), exact=exact)
        rows.append(cells)
    notes = ["measured to within: what sampling may have missed, and what taking the time took"]
    if interval:
        notes.append(f"low, high: the {CONFIDENCE:.0%} interval of the median")
    return Grid(header, rows, 1, [], notes)


def _error(name: str, spread: Spread, *, exact: bool) -> str:
    """How much less or more it may be: what sampling missed, and what the clock took."""
    if exact:
        return f"-{spread.less!r} +{spread.more!r}"
    signs = (("-", spread.less), ("+", spread.more))
    return " ".join(f"{sign}{written(name, off)}" for sign, off in signs if off > 0)


def _cells(name: str, values: Sequence[float | None], *, exact: bool) -> list[str]:
    return [
        "" if value is None else repr(value) if exact else written(name, value) for value in values
    ]


def _by_size(sizes: Sequence[Sized], *, exact: bool) -> Grid:
    names = [
        name
        for name in (*_OVERVIEW, "index_size", "index_ratio")
        if all(one.spread(name) is not None for one in sizes)
    ]
    header = ["documents", "text", *(name if exact else _short(name) for name in names)]
    rows = []
    for one in sizes:
        spreads = [(name, one.spread(name)) for name in names]
        medians = [(name, spread.median) for name, spread in spreads if spread is not None]
        rows.append(
            [
                str(one.documents) if exact else f"{one.documents:,}",
                str(one.bytes) if exact else size(one.bytes),
                *(cell for name, value in medians for cell in _cells(name, [value], exact=exact)),
            ]
        )
    return Grid(header, rows, 0 if not exact else 1, [])


def _short(name: str) -> str:
    return {"documents_rate": "documents/s"}.get(name, LABELS[name])


def _growth(found: Indexing, *, exact: bool) -> Grid:
    rows = [
        [name if exact else LABELS[name], *_exponent(grown, exact=exact)]
        for name, grown in found.growth.items()
    ]
    return Grid(["quantity", "exponent", "low", "high", "strays by"], rows, 1, [])


def _exponent(grown: Growth, *, exact: bool) -> list[str]:
    exponents = (grown.exponent, grown.low, grown.high)
    if exact:
        return [repr(value) for value in (*exponents, grown.stray)]
    return [*map(exponent, exponents), f"{grown.stray:.1%}"]
