from __future__ import annotations

import pytest

from cleverdon.pooling.plots import _probe_yield_rows, probe_yield
from cleverdon.pooling.probes import ProbeRound


def made(*counts: tuple[int, int]) -> list[ProbeRound]:
    """Rounds of one query, by how many documents were judged and how many are relevant."""
    return [ProbeRound(n, {"q": judged}, {"q": found}) for n, (judged, found) in enumerate(counts)]


def test_rows_begin_at_round_0() -> None:
    rows = _probe_yield_rows(made((12_000, 900), (60, 25), (40, 0)), known=980)
    assert [row["judged"] for row in rows["rounds"]] == [0, 60, 100]
    assert [row["relevant"] for row in rows["rounds"]] == [900, 925, 925]
    assert [(row["new"], row["new_relevant"]) for row in rows["rounds"]] == [
        (12_000, 900), (60, 25), (40, 0)
    ]  # fmt: skip
    assert rows["known"] == [{"relevant": 980}]


@pytest.mark.parametrize(
    ("counts", "labels"),
    [
        # A large round 0 leaves the others room.
        ([(12_000, 900), (60, 25), (40, 12), (30, 5)], ["0", "1", "2", "3"]),
        # Of two that stand close, the later one has its number.
        ([(500, 90), (400, 60), (300, 20), (5, 0)], ["0", "1", "", "3"]),
        # Unless one stands above the other.
        ([(500, 90), (400, 60), (300, 20), (5, 40)], ["0", "1", "2", "3"]),
        # Rounds without documents stand in one place.
        ([(9, 1), (5, 2), (5, 1), (0, 0), (0, 0)], ["0", "1", "2-4", "", ""]),
        ([(9, 1), (0, 0)], ["0-1", ""]),
        ([(9, 1)], ["0"]),
    ],
)
def test_the_last_rounds_have_their_numbers(
    counts: list[tuple[int, int]], labels: list[str]
) -> None:
    assert [row["label"] for row in _probe_yield_rows(made(*counts))["rounds"]] == labels


def test_the_chart_says_what_came_before() -> None:
    chart = probe_yield(made((12_000, 900), (60, 25)), known=980).to_dict()
    assert chart["title"]["subtitle"] == [
        "Each point is a round; 0 is what came before: 12,000 documents, 900 of them relevant.",
        "Dashed: all 980 that are known to be relevant.",
    ]
    scale = chart["layer"][1]["encoding"]["y"]["scale"]
    assert scale["domain"] == [900, 980]
    assert len(chart["layer"]) == 4


def test_without_known_ones_no_line_is_drawn() -> None:
    chart = probe_yield(made((1, 0))).to_dict()
    assert len(chart["layer"]) == 3
    assert "Dashed" not in str(chart["title"])
    assert "1 document, 0 of them relevant" in chart["title"]["subtitle"][0]
    # One point alone has axes as well.
    assert chart["layer"][0]["encoding"]["y"]["scale"]["domain"] == [0, 1]
    assert chart["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0, 1]
