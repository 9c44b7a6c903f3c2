"""Growth of indexing's costs: rows worked out by hand."""

from __future__ import annotations

import pytest

from cleverdon.engines.indexing.results import Amount, Build, IndexingResult, SizeBuilds
from cleverdon.engines.plots import _growth_rows, growth_curve
from cleverdon.errors import OptionError
from cleverdon.stats.trends import growth as fitted

SIZES = (100, 1000, 10_000)


def made(exponent: float) -> IndexingResult:
    sizes = tuple(
        SizeBuilds(n, 10 * n, (Build(n, 10 * n, {"index_time": Amount(0.01 * n**exponent)}),))
        for n in SIZES
    )
    values = [size.builds[0].amounts["index_time"].value for size in sizes]
    grown = fitted(SIZES, values)
    assert grown is not None
    return IndexingResult("mine", sizes, {"index_time": grown})


def test_rows_are_multiples_of_the_smallest_size() -> None:
    rows = _growth_rows(made(1.5))
    assert [row["times"] for row in rows["builds"]] == pytest.approx([1, 10**1.5, 1000])
    assert [row["told"] for row in rows["builds"]] == [
        "10 s", "316 s (5.27 min)", "10,000 s (2.78 h)"
    ]  # fmt: skip
    assert [(row["documents"], row["times"]) for row in rows["lines"]] == [
        (100, pytest.approx(1)),
        (10_000, pytest.approx(1000)),
    ]
    assert [row["times"] for row in rows["linear"]] == [1, 100]
    (end,) = rows["ends"]
    assert end["label"] == "wall time: n^1.50"
    assert (end["x"], end["y"], end["place"]) == (10_000, pytest.approx(1000), pytest.approx(1000))


def test_the_chart_names_its_quantities() -> None:
    chart = growth_curve(made(1.0)).to_dict()
    assert chart["title"]["text"] == "What indexing takes by documents: mine"
    assert chart["layer"][1]["encoding"]["x"]["scale"]["type"] == "log"


def test_one_size_does_not_grow() -> None:
    found = made(1.0)
    with pytest.raises(OptionError, match="3 sizes or more"):
        growth_curve(IndexingResult("mine", found.sizes[:1]))
