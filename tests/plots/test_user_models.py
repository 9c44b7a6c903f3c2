"""How much ranks and grades count."""

from __future__ import annotations

import numpy as np
import pytest

from cleverdon.errors import OptionError
from cleverdon.measures.notation import parse_all
from cleverdon.plots.user_models import attention, attention_rows, gains, gains_rows


def weights(name: str, **options):
    return [row["value"] for row in attention_rows(parse_all(name), **options)["weights"]]


@pytest.mark.parametrize(
    ("name", "weight"),
    [
        ("nDCG", lambda rank: 1 / np.log2(rank + 1)),
        ("nDCG@4", lambda rank: (rank <= 4) / np.log2(rank + 1)),
        ("DCG(discount=jk)", lambda rank: 1 / np.log2(np.maximum(rank, 2))),
        ("RBP(p=0.95)", lambda rank: 0.95 ** (rank - 1)),
        ("AP", lambda rank: 1 / rank),
        ("RR@3", lambda rank: (rank <= 3) / rank),
        ("ERR", lambda rank: 1 / rank),
        ("P@5", lambda rank: rank <= 5),
        ("INSQ(T=2)", lambda rank: (4 / (rank + 3)) ** 2),
        ("SDCG@6", lambda rank: (rank <= 6) / np.log2(rank + 1)),
    ],
)
def test_ranks_count_as_the_formula_says(name: str, weight) -> None:
    assert weights(name, depth=8) == pytest.approx(weight(np.arange(1, 9)).astype(float))


@pytest.mark.parametrize("name", ["P@10", "R", "nDCG", "DCG@5", "RBP", "nCG@3"])
def test_shares_say_the_same_by_their_weights(name: str) -> None:
    (measure,) = parse_all(name)
    ranks = np.arange(1, 21)
    weight = measure.as_share().weight(ranks)
    assert weights(name) == pytest.approx(weight / weight[0])


def test_values_may_be_shares_of_the_sum_or_as_they_are() -> None:
    assert sum(weights("ERR", scale="sum")) == pytest.approx(1)
    assert weights("RBP(p=0.5)", depth=3, scale="value") == pytest.approx([0.5, 0.25, 0.125])


def test_all_models_are_drawn_by_default() -> None:
    chart = attention().to_dict()
    named = {row["measure"] for row in chart["datasets"]["weights"]}
    assert {"nDCG", "AP", "ERR", "INST", "P@10", "RBP(p=0.95)"} <= named
    assert len(chart["datasets"]["ends"]) == len(named) == 8


def test_gains() -> None:
    names = ["DCG", "DCG(gain=exponential)", "ERR", "nDCG(gains={1:3,4:6})", "RBP", "P(rel=2)@5"]
    rows = gains_rows(parse_all(names))["gains"]
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(row["measure"], []).append(row["value"])
    assert list(found.values()) == [
        pytest.approx(expected)
        for expected in (
            [0, 1 / 4, 2 / 4, 3 / 4, 1],
            [0, 1 / 15, 3 / 15, 7 / 15, 1],
            [0, 1 / 15, 3 / 15, 7 / 15, 1],
            [0, 3 / 6, 2 / 6, 3 / 6, 1],
            [0, 1 / 4, 2 / 4, 3 / 4, 1],
            [0, 0, 1, 1, 1],
        )
    ]


def test_gains_of_models_are_scaled_grades() -> None:
    rows = gains_rows(parse_all("INST(min_rel=1)"), grades=(0, 1, 3))["gains"]
    assert [row["value"] for row in rows] == [0, 0, 1]


def test_the_charts_say_what_they_show() -> None:
    assert gains(grades=(0, 1, 3)).to_dict()["title"]["subtitle"].endswith("that of grade 3.")
    axis = attention("AP", scale="sum").to_dict()["layer"][0]["encoding"]["y"]
    assert axis["title"] == "share of the sum"


def test_what_says_nothing_of_ranks_is_refused() -> None:
    for name in ("RelString", "alphaNDCG@10", "FNR", "AUC"):
        with pytest.raises(OptionError):
            attention(name)
    with pytest.raises(OptionError, match="depth=1:"):
        attention(depth=1)
    with pytest.raises(OptionError, match="scale='last'"):
        attention(scale="last")
    with pytest.raises(OptionError, match="two or more"):
        gains(grades=(1,))
    with pytest.raises(OptionError, match="adds nothing"):
        gains("P(rel=9)@5")
