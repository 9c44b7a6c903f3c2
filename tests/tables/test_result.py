"""A Result in every format."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from cleverdon.errors import OptionError
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.result import Result, as_json, in_json
from cleverdon.tables.sections import Section
from cleverdon.tables.table import FORMATS, TextTable


@dataclass(frozen=True)
class Found(Result):
    """Means, and the queries that were left out."""

    means: dict[str, float]
    left_out: tuple[str, ...] = field(metadata=in_json("skipped"), default=("q1",))
    values: Any = field(metadata=in_json(None), default=None)

    def sections(self, *, exact: bool = False, few: bool = False) -> Sequence[Section]:
        rows = [[name, format_decimal(mean, exact=exact)] for name, mean in self.means.items()]
        rows = rows[:1] if few else rows
        parts = [Section("means", TextTable(["system", "mean"], rows, 1, []))]
        left = [[query] for query in self.left_out]
        return [*parts, Section("left out", TextTable(["query"], left, 1, []))]

    def closing(self) -> Sequence[str]:
        return ["Judge more."]


FOUND = Found({"a<b": 2 / 3, "c": 0.5})


def test_text() -> None:
    lines = str(FOUND).splitlines()
    assert lines[0] == "means"
    assert lines[4:6] == ["a<b     0.6667", "c       0.5000"]
    assert lines[-1] == "Judge more."


def test_programs_get_one_table_with_all_digits() -> None:
    assert FOUND.to_csv() == "system,mean\na<b,0.6666666666666666\nc,0.5"
    assert FOUND.to_csv("left out") == "query\nq1"
    assert FOUND.render("tsv", few=True) == "system\tmean\na<b\t0.6666666666666666"
    frame = FOUND.to_polars()
    assert frame.to_dict(as_series=False) == {"system": ["a<b", "c"], "mean": [2 / 3, 0.5]}
    with pytest.raises(OptionError, match="there is no section 'mean'; did you mean 'means'"):
        FOUND.to_csv("mean")


def test_json_follows_from_the_fields() -> None:
    assert json.loads(FOUND.to_json()) == {"means": {"a<b": 2 / 3, "c": 0.5}, "skipped": ["q1"]}
    assert as_json({"x": np.array([1.0, np.nan]), "y": np.int64(3)}) == {"x": [1.0, None], "y": 3}


def test_markup() -> None:
    assert "<h2>means</h2>" in FOUND.to_html()
    assert r"\toprule" in FOUND.to_latex()
    assert FOUND.to_markdown().startswith("## means\n")


def test_a_notebook_shows_tables_whose_cells_say_how_they_are_aligned() -> None:
    shown = FOUND._repr_html_()
    assert "<td style='text-align:left'>a&lt;b</td>" in shown
    assert "<td style='text-align:right'>0.6667</td>" in shown
    assert "<p><strong>means</strong></p>" in shown
    assert not re.search("<(?:td|th|h[1-6])>", shown)


def test_a_notebook_shows_sentences_as_they_are_printed() -> None:
    class Told(Result):
        def to_text(self, **_: object) -> str:
            return "a < b\n  it is"

    assert Told()._repr_html_().endswith(">a &lt; b\n  it is</pre>")


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_writes_something(format: str) -> None:
    assert FOUND.render(format)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(OptionError, match="format='xml'"):
        FOUND.render("xml")


class Doubted(Found):
    """A result with a title, which nobody should believe."""

    def heading(self) -> str:
        return "a_b: means"

    def alerts(self) -> Sequence[str]:
        return ["NOT VALID: 1 < 2", "NOT VALID: late"]


@pytest.mark.parametrize(
    ("format", "start"),
    [
        ("table", "a_b: means\n\nNOT VALID: 1 < 2\nNOT VALID: late\n\nmeans\n"),
        (
            "markdown",
            "# a_b: means\n\n**NOT VALID: 1 < 2**\n\n**NOT VALID: late**\n\n## means",
        ),
        ("html", "<h1>a_b: means</h1>\n\n<p><strong>NOT VALID: 1 &lt; 2</strong></p>\n\n<p>"),
        ("latex", "% a_b: means\n\n% NOT VALID: 1 < 2\n% NOT VALID: late\n\n% means\n"),
        ("csv", "system,mean\n"),
    ],
)
def test_a_title_and_alerts_stand_above(format: str, start: str) -> None:
    assert Doubted(FOUND.means).render(format).startswith(start)


class Claimed(Found):
    """A result with a claim above its tables."""

    def opening(self) -> str:
        return "a < b"


@pytest.mark.parametrize(
    ("format", "start"),
    [
        ("text", "a < b\n\nmeans\n"),
        ("table", "a < b\n\nmeans\n"),
        ("markdown", "a < b\n\n## means"),
        ("html", "<p>a &lt; b</p>\n\n<h2>means"),
        ("latex", "% a < b\n\n% means\n"),
        ("csv", "system,mean\n"),
    ],
)
def test_a_claim_stands_above(format: str, start: str) -> None:
    assert Claimed(FOUND.means).render(format).startswith(start)
