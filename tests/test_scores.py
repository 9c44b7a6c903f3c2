"""`Scores`: averages, values by query, warnings, and conversions."""

from __future__ import annotations

import csv
import json
import math

import pytest

from cleverdon import Scores, evaluate, parse
from cleverdon.errors import OptionError
from cleverdon.measures.registry import measures
from tests.worked_examples import examples

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}, "q3": {"d1": 0}}
GOOD = {"q1": {"d1": 0.9, "d2": 0.1}, "q2": {"d1": 0.5}, "q3": {"d1": 0.5}}
POOR = {"q1": {"d2": 0.5, "d1": 0.5}}


def scores(**options: str) -> Scores:
    return evaluate(QRELS, {"good": GOOD, "poor": POOR}, "AP P@1", **options)


def test_shape() -> None:
    found = scores()
    assert found.systems == ("good", "poor")
    assert found.queries == ["q1", "q2", "q3"]
    assert found.values.shape == (2, 2, 3)
    assert found.means.shape == (2, 2)
    assert found.evaluated.all()


def test_means_and_values_by_query() -> None:
    found = scores()
    assert found.mean("poor", "AP") == found.mean("poor", parse("AP")) == pytest.approx(0.5 / 3)
    assert found.mean("good", "Precision@1") == pytest.approx(2 / 3)
    assert found.per_query("poor", "P@1") == {"q1": 0.0, "q2": 0.0, "q3": 0.0}
    values = found.per_query("good", "AP")
    assert (values["q1"], values["q2"]) == (1.0, 1.0)
    assert math.isnan(values["q3"])


@pytest.mark.parametrize(
    ("system", "measure", "message"),
    [
        ("goood", "AP", "there is no system 'goood'; did you mean 'good'?"),
        ("bm25", "AP", "there is no system 'bm25'; it can be 'good', 'poor'"),
        ("good", "P@5", "P@5 was not evaluated; did you mean 'P@1'?"),
    ],
)
def test_what_was_not_evaluated(system: str, measure: str, message: str) -> None:
    with pytest.raises(OptionError) as raised:
        scores().mean(system, measure)
    assert str(raised.value) == message


def test_rows_are_of_evaluated_queries_only() -> None:
    found = scores(missing="skip").rows()
    assert len(found) == 2 * 3 + 2 * 1
    assert found[0] == {"system": "good", "measure": "AP", "query_id": "q1", "value": 1.0}
    assert {row["query_id"] for row in found if row["system"] == "poor"} == {"q1"}
    assert len(scores().rows()) == 2 * 2 * 3


def test_to_dict() -> None:
    assert scores(undefined="skip").to_dict() == {
        "good": {"AP": 1.0, "P@1": pytest.approx(2 / 3)},
        "poor": {"AP": 0.25, "P@1": 0.0},
    }


def test_to_json_holds_everything() -> None:
    found = scores(ties="worst")
    record = json.loads(json.dumps(found.to_record(), allow_nan=False))
    assert record["means"] == found.to_dict()
    assert record["queries"] == found.queries
    assert record["values"]["good"]["AP"] == [1.0, 1.0, None]  # JSON has no NaN
    about = record["about"]
    assert about["settings"]["ties"] == "worst"
    assert about["runs"]["poor"]["missing"] == ["q2", "q3"]
    assert about["runs"]["poor"]["undefined"] == {"AP": 1}


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_data_frames(library: str) -> None:
    found = scores(missing="skip")
    frame = getattr(found, f"to_{library}")()
    rows = {
        "pandas": lambda: frame.to_dict("records"),
        "polars": lambda: frame.to_dicts(),
        "arrow": lambda: frame.to_pylist(),
    }[library]()
    assert [row["query_id"] for row in rows] == [row["query_id"] for row in found.rows()]
    assert [row["value"] for row in rows] == pytest.approx(
        [row["value"] for row in found.rows()], nan_ok=True
    )


def test_warnings() -> None:
    lacking, tied = scores().warnings
    assert lacking == "poor lacks 2 of the judged queries (q2, q3)"
    assert tied.startswith("poor: 100% of the results are tied with another")


def test_warnings_of_many_missing_queries_and_of_strange_ids() -> None:
    qrels = {f"q{n}": {"d1": 1} for n in range(6)}
    run = {"q0": {"other": 0.5}}
    lacking, strange = evaluate(qrels, run, "AP").warnings
    assert lacking == "run lacks 5 of the judged queries (q1, q2, q3, ...)"
    assert strange == "run returned no judged document at all; are its document ids the same?"


def test_nothing_to_warn_of() -> None:
    assert evaluate(QRELS, GOOD, "AP").warnings == []


_DOCS = (
    "it is not known how many documents the collection has; docs=N, on the command line --docs N"
)


def test_the_size_of_the_collection_is_unknown() -> None:
    found = evaluate(QRELS, {"good": GOOD, "poor": POOR}, "Fallout MCC AP")
    for values in found.to_dict().values():
        assert math.isnan(values["Fallout"])
        assert math.isnan(values["MCC"])
        assert values["AP"] > 0
    assert found.warnings[-1] == f"Fallout, MCC: undefined, since {_DOCS}, says so"
    assert found.to_record()["means"]["good"]["Fallout"] is None
    assert any(_DOCS in warning for warning in found.to_record()["warnings"])
    sizeless = evaluate(QRELS, {"good": GOOD}, "Fallout")
    for average in ("mean", "geometric", "median", "min", "max", "std", "micro"):
        assert math.isnan(sizeless.to_dict(average=average)["good"]["Fallout"])
    known = evaluate(QRELS, {"good": GOOD}, "Fallout MCC", docs=10)
    assert known.to_dict()["good"]["Fallout"] == pytest.approx((1 / 9 + 0 + 1 / 10) / 3)
    assert known.unknowns() == []


@pytest.mark.parametrize("format", ["table", "markdown", "latex", "html", "csv", "tsv", "json"])
@pytest.mark.parametrize(
    "options", [{}, {"profile": "trec_eval-10"}, {"profile": "ir_measures"}, {"undefined": "skip"}]
)
def test_no_format_has_a_number_for_what_is_unknown(format: str, options: dict[str, str]) -> None:
    found = evaluate(QRELS, {"good": GOOD}, "Fallout", **options)
    for per_query in (False, True):
        shown = found.render(format, per_query=per_query)
        if format in ("csv", "tsv"):
            assert all(line[-1] in ",\t" for line in shown.splitlines()[1:])
            continue
        assert "--docs N" in shown
        assert "counted as" not in shown
        if format == "json":
            held = json.loads(shown)
            assert held["means"] == {"good": {"Fallout": None}}
            assert held["values"] == {"good": {"Fallout": [None] * 3}}
        else:
            assert "1.0" not in shown


_NOTHING_RELEVANT = {"q1": {"d1": 0, "d2": 0}, "q2": {"d1": 0}}
_CASES = {
    "nothing is relevant": (_NOTHING_RELEVANT, {"q1": {"d1": 0.5, "d9": 0.4}, "q2": {"d1": 0.1}}),
    "nothing relevant was returned": (QRELS, {"q1": {"d9": 0.5}, "q2": {"d9": 0.1}}),
    "nothing was returned": (QRELS, {"q1": {}, "q2": {}, "q3": {}}),
    "all is relevant": ({"q1": {"d1": 1}, "q2": {"d1": 1}}, {"q1": {"d1": 1}, "q2": {"d1": 1}}),
}


@pytest.mark.parametrize("case", _CASES)
def test_every_measure_has_an_average_where_one_query_has_a_value(case: str) -> None:
    qrels, run = _CASES[case]
    plain = [cls for cls in measures() if cls.needs is None and not cls.text]
    wanted = dict.fromkeys(example.measure for cls in plain for example in examples(cls))
    found = evaluate(qrels, {"run": run}, [m for m in wanted if m.needs is None])
    header, (_, *shown) = csv.reader(found.render("csv").splitlines())
    assert header == ["system", *map(str, found.measures)]
    held = found.to_record()["means"]["run"]
    unknown = 0
    for m, measure in enumerate(found.measures):
        undefined = all(math.isnan(value) for value in found.values[0, m])
        unknown += undefined
        assert math.isnan(found.mean("run", measure)) == undefined, measure
        assert (shown[m] == "") == undefined, measure
        if undefined:
            assert held[str(measure)] is None
            assert any(str(measure) in sentence for sentence in found.unknowns())
            with pytest.raises(OptionError, match="has no value: it is undefined"):
                found.check_known(measure)
    assert unknown >= 10
    assert len(found.measures) > unknown
