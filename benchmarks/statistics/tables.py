"""Shares with their binomial errors, tables of them, and the summary of all defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, sqrt
from typing import Any

LEVEL = 0.05


@dataclass(frozen=True)
class Share:
    """How often something happened, and how often it should have.

    Attributes:
        count: The number of times.
        of: The number of repetitions that could have it.
        nominal: The share that is promised; None where nothing is.
        low_is_bad: Whether a share below the nominal one breaks the promise, as of coverage.
    """

    count: float
    of: int
    nominal: float | None = None
    low_is_bad: bool = False

    @property
    def value(self) -> float:
        return self.count / self.of if self.of else float("nan")

    @property
    def error(self) -> float:
        """Two binomial errors of the nominal share."""
        if self.nominal is None or not self.of:
            return float("nan")
        return 2 * sqrt(self.nominal * (1 - self.nominal) / self.of)

    @property
    def broken(self) -> bool:
        """Whether the promise is broken by more than two binomial errors."""
        beyond = self.value - self.nominal if self.nominal is not None else 0.0
        return (-beyond if self.low_is_bad else beyond) > self.error

    @property
    def cautious(self) -> bool:
        """Whether more is kept than was promised, by more than two binomial errors."""
        beyond = self.value - self.nominal if self.nominal is not None else 0.0
        return (beyond if self.low_is_bad else -beyond) > self.error

    def __str__(self) -> str:
        if not self.of:
            return "-"
        text = f"{self.value:.3f}"
        return f"**{text}**" if self.broken else f"*{text}*" if self.cautious else text


def covered(count: int, of: int) -> Share:
    """Return the share of intervals that held the truth, of which 95% are promised."""
    return Share(count, of, 1 - LEVEL, low_is_bad=True)


def alarms(count: float, of: int) -> Share:
    """Return the share of false alarms, of which 5% are promised at most."""
    return Share(count, of, LEVEL)


Column = int | str
"""A number of queries, or what else stands above a column."""


@dataclass(frozen=True)
class Row:
    """A row of a table: what was measured, and its shares by column."""

    names: tuple[str, ...]
    shares: Mapping[Any, Share]  # by `Column`
    default: bool = False  # what the program does unless told otherwise


@dataclass(frozen=True)
class Table:
    """A table of shares.

    Attributes:
        title: The title.
        header: The names of the first columns, which say what a row is.
        rows: The rows.
        summary: What the defaults of the table are called in the summary; empty for no summary.
        note: A sentence below the table.
        groups: In place of `summary`: lines of the summary, each with the columns that it is of.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[Row, ...]
    summary: str = ""
    note: str = ""
    groups: Mapping[str, Sequence[Column]] = field(default_factory=dict)

    def __str__(self) -> str:
        columns = list(dict.fromkeys(n for row in self.rows for n in row.shares))
        if all(isinstance(column, int) for column in columns):
            columns.sort()
        above = [f"n={one}" if isinstance(one, int) else one for one in columns]
        lines = [f"**{self.title}**", ""]
        lines.append(f"| {' | '.join([*self.header, *above])} |")
        lines.append("|" + "---|" * len(self.header) + "---:|" * len(columns))
        for row in self.rows:
            names = [
                f"{name} (default)" if row.default and at == 0 else name
                for at, name in enumerate(row.names)
            ]
            cells = [str(row.shares[n]) if n in row.shares else "-" for n in columns]
            lines.append(f"| {' | '.join([*names, *cells])} |")
        told = [self.note, self.errors()]
        told += [f"<!-- summary {line} -->" for line in self.summary_lines()]
        return "\n".join([*lines, "", " ".join(filter(None, told))])

    def errors(self) -> str:
        """Name the nominal share, its binomial error, and the repetitions."""
        shares = [share for row in self.rows for share in row.shares.values()]
        nominal = sorted({s.nominal for s in shares if s.nominal is not None and s.of})
        if not nominal:
            return f"{_span([s.of for s in shares if s.of], '{:,}')} repetitions."
        said = []
        for one in nominal:
            errors = [s.error for s in shares if s.nominal == one and s.of]
            counts = [s.of for s in shares if s.nominal == one and s.of]
            said.append(
                f"Nominal: {one:g}; {_span(counts, '{:,}')} repetitions; "
                f"two binomial errors: {_span(errors, '{:.3f}')}."
            )
        return " ".join(said)

    def summary_lines(self) -> list[str]:
        """Return the table's lines of the summary: defaults, promise, range, exceptions."""
        if self.groups:
            return [self._summary_line(name, of) for name, of in self.groups.items()]
        return [self._summary_line(self.summary, None)] if self.summary else []

    def _summary_line(self, name: str, of: Sequence[Column] | None) -> str:
        known = [
            (column, share)
            for row in self.rows
            if row.default
            for column, share in row.shares.items()
            if share.nominal is not None and share.of
            if of is None or column in of
        ]
        shares = [share for _, share in known]
        low_is_bad = shares[0].low_is_bad
        promise = f"{'at least' if low_is_bad else 'at most'} {shares[0].nominal:g}"
        measured = _span([share.value for share in shares], "{:.3f}")
        errors = _span([share.error for share in shares], "{:.3f}")
        worst: dict[Column, list[float]] = {}
        for column, share in known:
            if share.broken:
                worst.setdefault(column, []).append(share.value)
        order = sorted(worst) if all(isinstance(one, int) for one in worst) else list(worst)
        cells = {column: sum(1 for one, _ in known if one == column) for column in worst}
        told = [
            f"{f'n={column}' if isinstance(column, int) else column.rpartition(', ')[2]}: "
            f"{len(found)} of {cells[column]}, {'lowest' if low_is_bad else 'highest'} "
            f"{min(found) if low_is_bad else max(found):.3f}"
            for column, found in sorted(worst.items(), key=lambda one: order.index(one[0]))
        ]
        exceptions = "; ".join(told) or "none"
        return f"| {name} | {promise} | {measured} | {errors} | {exceptions} |"


def side_by_side(title: str, tables: Mapping[str, Table]) -> Table:
    """Put tables of the same rows into one, with the columns of each after the other's."""
    rows: dict[tuple[str, ...], Row] = {}
    groups: dict[str, list[Column]] = {}
    for label, table in tables.items():
        for row in table.rows:
            shares = {f"{label}, n={n}": share for n, share in row.shares.items()}
            before = rows[row.names].shares if row.names in rows else {}
            rows[row.names] = Row(row.names, {**before, **shares}, row.default)
            if table.summary:
                groups[table.summary] = list(
                    dict.fromkeys([*groups.get(table.summary, ()), *shares])
                )
    first = next(iter(tables.values()))
    note = " ".join(filter(None, (table.note for table in tables.values())))
    return Table(title, first.header, tuple(rows.values()), note=note, groups=groups)


def _span(values: list[int] | list[float], form: str) -> str:
    """Write a range; one number where both ends look the same."""
    kept = [value for value in values if not isnan(value)]
    low, high = form.format(min(kept)), form.format(max(kept))
    return low if low == high else f"{low} to {high}"


SUMMARY_HEADER = (
    "| default | promise | measured, over n and measures | two binomial errors | exceptions |\n"
    "|---|---|---|---|---|"
)


def insert_tables(page: str, part: str, tables: str) -> str:
    """Replace the tables of a part between its marks in a page.

    >>> insert_tables("<!-- tests -->old<!-- end of tests -->", "tests", "new")
    '<!-- tests -->\\n\\nnew\\n\\n<!-- end of tests -->'
    """
    pattern = re.compile(f"(<!-- {part} -->).*?(<!-- end of {part} -->)", re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"the page has no place for the part {part}: <!-- {part} -->")
    return pattern.sub(lambda found: f"{found[1]}\n\n{tables}\n\n{found[2]}", page)


def summarise(page: str) -> str:
    """Make the summary of a page from the lines that its tables carry for it."""
    lines = re.findall(r"<!-- summary (\|.*?\|) -->", page)
    return insert_tables(page, "summary", "\n".join([SUMMARY_HEADER, *lines]))
