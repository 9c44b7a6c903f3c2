from __future__ import annotations

from cleverdon._common.text import counted
from cleverdon.charts.base import LIMIT
from cleverdon.pooling.adaptive.methods import known_methods
from cleverdon.pooling.adaptive.simulation import simulate_methods
from cleverdon.pooling.contributions import gather
from cleverdon.pooling.plots import _yield_curves_rows, yield_curves
from tests.pooling.adaptive.made_up import systems


def test_curves_begin_at_nothing_and_end_at_what_was_found() -> None:
    runs, grades = systems(count=3, queries=2, docs=20, depth=6)
    found = simulate_methods(gather(runs), grades, ["depth", "mtf"], budgets=[4])
    rows = _yield_curves_rows(found)
    for played in found.played:
        curve = [row for row in rows["curves"] if row["method"] == played.method]
        assert [row["judged"] for row in curve] == list(range(9))
        assert [row["relevant"] for row in curve] == [0, *played.found.tolist()]
    assert {row["label"] for row in rows["ends"]} == {"depth", "mtf"}
    assert rows["all"] == [{"relevant": found.relevant}]
    chart = yield_curves(found).to_dict()
    assert chart["datasets"]["curves"] == rows["curves"]
    said = f"Dashed: {counted(found.relevant, 'relevant document')} returned in all."
    assert chart["title"]["subtitle"].endswith(said)


def test_all_methods_have_colours_of_their_own() -> None:
    runs, grades = systems(count=3, queries=1, docs=20, depth=6)
    chart = yield_curves(simulate_methods(gather(runs), grades, budgets=[2])).to_dict()
    colours = chart["layer"][1]["encoding"]["color"]["scale"]
    assert colours["domain"] == list(known_methods())
    assert len(set(colours["range"])) == len(known_methods())


def test_long_curves_are_thinned_and_keep_their_ends() -> None:
    runs, grades = systems(count=10, queries=12, docs=400, depth=100)
    found = simulate_methods(gather(runs), grades, ["depth", "rrf"], budgets=[1000])
    rows = _yield_curves_rows(found)["curves"]
    assert len(found.played[0].found) > LIMIT // 2 >= len(rows) // 2
    assert len(rows) <= LIMIT
    assert rows[-1]["relevant"] == found.played[1].found[-1]
