"""The base class of results: what an analysis found, written in every format.

An analysis returns a frozen dataclass that inherits from `Result` and writes one method,
`sections`: headings, tables, notes. Text, Markdown, LaTeX, HTML, CSV, TSV, JSON, data frames and
what a notebook shows all follow from that and from the fields of the class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

from cleverdon._common.extras import require
from cleverdon.errors import OptionError, check_word, suggest
from cleverdon.tables.markup import escape_html, escape_markdown
from cleverdon.tables.sections import Section, render_sections
from cleverdon.tables.table import FORMATS, TextTable, render_table

if TYPE_CHECKING:
    from cleverdon.charts.base import Chart


class Result:
    """The result of an analysis.

    Subclasses are frozen dataclasses. They write `sections`; they override `table` where the table
    for programs is none of the sections, and `to_dict` only where JSON cannot follow from the
    fields.
    """

    _drawn: ClassVar[tuple[str, ...]] = ()
    """What `plot` draws unless it is told: a column of numbers, then the columns of labels."""

    def sections(self, *args: Any, **view: Any) -> Sequence[Section]:
        """Return the tables, the main one first.

        Subclasses declare what can be chosen about the view as keywords with defaults. One keyword
        is common to all: `exact`, which is true where a program reads the cells, so that they hold
        all digits.
        """
        raise TypeError(f"{type(self).__name__} has no sections")

    def heading(self) -> str:
        """Return the title above the first table; empty for none."""
        return ""

    def alerts(self) -> Sequence[str]:
        """Return the reasons to doubt all of it, which are shown below the title."""
        return ()

    def opening(self) -> str:
        """Return the text above the first table: the claim that the tables support."""
        return ""

    def closing(self) -> Sequence[str] | str:
        """Return the sentences below the last table: advice, warnings; or one paragraph."""
        return ()

    def table(self, section: str | None = None, **view: Any) -> TextTable:
        """Return one table with exact cells, as CSV and data frames have it.

        Args:
            section: The heading of the section; by default the first.
            view: What `sections` lets one choose.
        """
        parts = self.sections(exact=True, **view)
        if section is None:
            return parts[0].grid
        known = {part.heading: part.grid for part in parts}
        if section not in known:
            raise OptionError(f"there is no section {section!r}{suggest(section, known)}")
        return known[section]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values that JSON can hold; NaN is None."""
        return fields_as_json(self)

    def render(
        self,
        format: str = "table",
        *,
        section: str | None = None,
        styled: bool = False,
        width: int | None = None,
        **view: Any,
    ) -> str:
        """Write the result in one of `FORMATS`, or as `text`.

        Args:
            format: The format; `text` is the same as `table`, except for results whose text is
                made of sentences.
            section: One section alone, by its heading.
            styled: Whether a terminal shows bold and underlined text.
            width: The columns of the terminal.
            view: What `sections` lets one choose.
        """
        check_word("format", format, (*FORMATS, "text"))
        if format == "text":
            return self.to_text(section=section, styled=styled, width=width, **view)
        if format == "json":
            return write_json(self.to_dict())
        if format in ("csv", "tsv"):
            return render_table(self.table(section, **view), format)
        terminal: dict[str, Any] = {"styled": styled, "width": width} if format == "table" else {}
        if section is not None:
            # With the digits that people read; a table that only programs get has all of them.
            shown = {part.heading: part.grid for part in self.sections(**view)}
            grid = shown[section] if section in shown else self.table(section, **view)
            return render_sections([Section(section, grid)], format, **terminal)
        parts = [part for part in self.sections(**view) if part.grid.rows or part.grid.footnotes]
        above = _above(self.heading(), self.alerts(), self.opening(), format)
        body = render_sections(parts, format, below=self.closing(), **terminal)
        return "\n\n".join([*above, body])

    def to_text(self, **view: Any) -> str:
        """Return the result as plain text."""
        return self.render("table", **view)

    def to_markdown(self, **view: Any) -> str:
        """Return the result as Markdown."""
        return self.render("markdown", **view)

    def to_latex(self, **view: Any) -> str:
        """Return the result as LaTeX tables."""
        return self.render("latex", **view)

    def to_html(self, **view: Any) -> str:
        """Return the result as HTML tables."""
        return self.render("html", **view)

    def to_csv(self, section: str | None = None, **view: Any) -> str:
        """Return the main table, or another section, as CSV with all digits."""
        return self.render("csv", section=section, **view)

    def to_json(self) -> str:
        """Return all fields as JSON."""
        return self.render("json")

    def to_polars(self, section: str | None = None, **view: Any) -> Any:
        """Return the main table, or another section, as a polars data frame."""
        polars = require("polars", "to_polars()")
        table = self.table(section, **view)
        columns = zip(*table.rows, strict=True) if table.rows else [()] * len(table.header)
        return polars.DataFrame(
            {
                name: list(cells) if at < table.labels else _numbers(cells)
                for at, (name, cells) in enumerate(zip(table.header, columns, strict=True))
            }
        )

    def to_pandas(self, section: str | None = None, **view: Any) -> Any:
        """Return the main table, or another section, as a pandas data frame."""
        pandas = require("pandas", "to_pandas()")
        table = self.table(section, **view)
        columns = zip(*table.rows, strict=True) if table.rows else [()] * len(table.header)
        return pandas.DataFrame(
            {
                name: list(cells) if at < table.labels else _numbers(cells)
                for at, (name, cells) in enumerate(zip(table.header, columns, strict=True))
            }
        )

    def plot(self, *what: Any, **options: Any) -> Chart:
        """Draw a column of numbers, with an interval where the table has one.

        Args:
            what: The column of `table()`; by default the one that says most.
            options: `section`, the heading of another table, and what `sections` lets one choose.
        """
        from cleverdon.charts.base import column_chart  # altair is optional, and slow

        table = self.table(**options)
        column = what[0] if what else self._drawn[0] if self._drawn else None
        labels = self._drawn[1:] if options.get("section") is None else ()
        return column_chart(**_drawn_rows(table, column, labels))

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__repr__" not in vars(cls):  # before `dataclass` adds one, which shows every field
            setattr(cls, "__repr__", Result.__repr__)  # noqa: B010 (mypy refuses the assignment)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        if type(self).to_text is not Result.to_text:  # sentences, not tables
            style = "font-family: monospace; white-space: pre-wrap; word-break: normal"
            return f"<pre style='{style}'>{escape_html(self.to_text())}</pre>"
        # Notebooks align cells to the right if these do not say otherwise; headings are theirs.
        html = self.to_html()
        for tag in ("th", "td"):
            html = html.replace(f"<{tag}>", f"<{tag} style='text-align:left'>")
        for tag in ("h1", "h2"):
            html = html.replace(f"<{tag}>", "<p><strong>").replace(f"</{tag}>", "</strong></p>")
        return html


def in_json(key: str | None, value: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    """Say how a field is written in JSON.

    Args:
        key: The name of the field; None leaves it out.
        value: Returns the value to write, given that of the field.

    >>> from dataclasses import dataclass, field
    >>> @dataclass(frozen=True)
    ... class Found(Result):
    ...     items: int = field(metadata=in_json("documents"))
    ...     scores: list[float] = field(metadata=in_json("best", max))
    ...     raw: object = field(metadata=in_json(None))
    >>> Found(3, [0.5, 0.7], object()).to_dict()
    {'documents': 3, 'best': 0.7}
    """
    return {"json": key, "json_value": value}


def as_json(value: Any) -> Any:
    """Return a value as JSON can hold it: NaN and infinity as None, dataclasses by their fields.

    A dataclass that has a method `to_dict` is what that returns.

    >>> as_json({"a": (1, float("nan"))})
    {'a': [1, None]}
    """
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    if is_dataclass(value) and not isinstance(value, type):
        return value.to_dict() if hasattr(value, "to_dict") else fields_as_json(value)
    if isinstance(value, Mapping):
        return {str(key): as_json(one) for key, one in value.items()}
    if hasattr(value, "tolist"):  # arrays and numbers of numpy
        return as_json(value.tolist())
    if isinstance(value, (list, tuple, set, frozenset)):
        return [as_json(one) for one in value]
    return str(value)


def fields_as_json(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as JSON can hold them, each under its key."""
    record = {}
    for one in fields(value):
        key = one.metadata.get("json", one.name)
        if key is not None:
            convert = one.metadata.get("json_value") or (lambda same: same)
            record[key] = as_json(convert(getattr(value, one.name)))
    return record


def write_json(value: Any) -> str:
    import json  # slow to load, and seldom needed

    return json.dumps(value, indent=1, ensure_ascii=False)


def _above(heading: str, alerts: Sequence[str], opening: str, format: str) -> list[str]:
    if format == "markdown":
        bold = [f"**{escape_markdown(alert)}**" for alert in alerts]
        parts = [f"# {escape_markdown(heading)}" if heading else "", *bold]
        return [part for part in (*parts, escape_markdown(opening)) if part]
    if format == "html":
        title = [f"<h1>{escape_html(heading)}</h1>"] if heading else []
        bold = [f"<p><strong>{escape_html(alert)}</strong></p>" for alert in alerts]
        return [*title, *bold, *([f"<p>{escape_html(opening)}</p>"] if opening else [])]
    lines = [line for line in (heading, "\n".join(alerts), opening) if line]
    if format == "latex":
        return ["% " + line.replace("\n", "\n% ") for line in lines]
    return lines


_PANELS = ("measure", "metric", "method")
"""Labels of rows whose numbers cannot be compared: a plot has a panel for each."""

_MOST_DRAWN = 100
"""The most rows that a plot of a table has."""


def _drawn_rows(table: TextTable, column: str | None, labels: Sequence[str]) -> dict[str, Any]:
    """Return the column that is drawn, its rows, and how many there are."""
    texts = {name: [row[at] for row in table.rows] for at, name in enumerate(table.header)}
    numbers = {name: _finite(_numbers(cells)) for name, cells in texts.items()}
    numbers = {name: cells for name, cells in numbers.items() if any(c is not None for c in cells)}
    if column is None:
        column = next((name for name in table.header[table.labels :] if name in numbers), None)
    elif column not in texts:
        raise OptionError(f"there is no column {column!r}{suggest(column, numbers)}")
    if column not in numbers:
        raise OptionError(f"there is nothing to draw: {column or 'the table'} has no numbers")
    stem = column.removesuffix(" lowest").removesuffix(" highest")
    pairs = [(f"{stem} lowest", f"{stem} highest"), (f"{column} low", f"{column} high")]
    if column == "difference" or "difference" not in texts:
        pairs.append(("low", "high"))
    none = [None] * len(table.rows)
    low, high = next((pair for pair in pairs if {*pair} <= texts.keys()), ("", ""))
    named = [name for name in labels if name in texts] or table.header[: table.labels]
    panel = next((name for name in named if name in _PANELS), "")
    named = [name for name in named if name != panel] or named
    values = none if stem != column else numbers[column]
    ends = numbers.get(low, none), numbers.get(high, none)
    kept = [at for at in range(len(none)) if values[at] is not None or ends[0][at] is not None]
    telling = [name for name in named if len({texts[name][at] for at in kept}) > 1]
    rows = [
        {
            "label": ", ".join(texts[name][at] for name in telling or named),
            "panel": texts[panel][at] if panel else "",
            "value": values[at],
            "low": ends[0][at],
            "high": ends[1][at],
        }
        for at in kept
    ]
    return {"column": stem, "rows": rows[:_MOST_DRAWN], "of": len(rows)}


def _finite(cells: list[Any]) -> list[float | None]:
    numbers = [cell if isinstance(cell, (int, float)) else None for cell in cells]
    return [None if cell is None or not isfinite(cell) else cell for cell in numbers]


def _numbers(cells: Sequence[str]) -> list[Any]:
    """Turn a column of exact texts into numbers, where all of them are numbers."""
    for number in (int, float):
        try:
            return [None if cell == "" else number(cell) for cell in cells]
        except ValueError:
            continue
    return list(cells)
