"""Grades by bands of ranks."""

from __future__ import annotations

import pytest

from cleverdon import evaluate
from cleverdon.errors import OptionError
from cleverdon.show.plot import grades_by_rank
from cleverdon.show.plot.grades_by_rank import grades_by_rank_rows
from cleverdon.show.plot.kept import hits_of
from tests.show.plot.ranked import made, ranked


def counts(rows):
    return {(row["grade"], row["band"]): row["count"] for row in rows["cells"]}


def test_two_topics_by_hand() -> None:
    scores = ranked({"a": {"q1": "2 0 - 1 | 1", "q2": "1 2"}})
    assert counts(grades_by_rank_rows(scores, bands=(1, 3))) == {
        ("grade 2", "1"): 1,
        ("grade 2", "2-3"): 1,
        ("grade 2", "not in 1-3"): 0,
        ("grade 1", "1"): 1,
        ("grade 1", "2-3"): 0,
        ("grade 1", "not in 1-3"): 2,
        ("grade 0", "1"): 0,
        ("grade 0", "2-3"): 1,
        ("grade 0", "not in 1-3"): 0,
        ("not judged", "1"): 0,
        ("not judged", "2-3"): 1,
        ("not judged", "not in 1-3"): None,
    }


def test_shares_are_of_the_column() -> None:
    scores = made(1, 10)
    cells = grades_by_rank_rows(scores)["cells"]
    for band in {cell["band"] for cell in cells}:
        shares = [c["share"] for c in cells if c["band"] == band and c["share"] is not None]
        assert sum(shares) == pytest.approx(1)


def test_bands_end_with_the_results() -> None:
    scores = made(1, 5)
    deepest = int(hits_of(scores, scores.systems[0]).returned.max())
    assert 20 < deepest < 100
    bands = [cell["band"] for cell in grades_by_rank_rows(scores)["cells"]]
    assert list(dict.fromkeys(bands)) == [
        "1",
        "2-5",
        "6-10",
        "11-20",
        f"21-{deepest}",
        "not returned",
    ]


@pytest.mark.parametrize(
    ("returned", "bands"),
    [
        (1, ["1"]),
        (2, ["1", "2"]),
        (5, ["1", "2-5"]),
        (6, ["1", "2-5", "6"]),
        (150, ["1", "2-5", "6-10", "11-20", "21-100", "101-150"]),
    ],
)
def test_no_band_is_labelled_beyond_the_last_result(returned: int, bands: list[str]) -> None:
    run = {"q": {f"d{n}": float(-n) for n in range(returned)}}
    scores = evaluate({"q": {"d0": 1, "other": 1}}, {"a": run}, "AP", keep=1)
    cells = grades_by_rank_rows(scores)["cells"]
    assert list(dict.fromkeys(cell["band"] for cell in cells)) == [*bands, "not returned"]
    spec = grades_by_rank(scores).to_dict()
    assert [row["band"] for row in spec["datasets"]["cells"]] == [cell["band"] for cell in cells]
    (lost,) = (c["count"] for c in cells if (c["grade"], c["band"]) == ("grade 1", "not returned"))
    assert lost == 1


def test_too_many_grades_are_refused() -> None:
    qrels = {"q": {f"d{n}": n / 7 for n in range(40)}}
    scores = evaluate(qrels, {"q": {"d1": 1.0}}, "AP", keep=1)
    with pytest.raises(OptionError, match="40 different grades"):
        grades_by_rank(scores)


def test_the_chart_names_its_grades_from_the_best_down() -> None:
    chart = grades_by_rank(made(2, 5)).to_dict()
    layer = chart["spec"]["layer"][0]
    assert layer["encoding"]["y"]["sort"] == ["grade 2", "grade 1", "grade 0", "not judged"]
