"""Results files: all scores come back, and damage is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cleverdon import Scores, evaluate, gate
from cleverdon.comparison.results import read_results, write_results, write_text
from cleverdon.comparison.samples import part_of
from cleverdon.errors import InputError, OptionError

QRELS = {f"q{i}": {"a": 2, "b": 0} for i in range(3)} | {"none": {"c": 0}}
RUN = {"q0": {"a": 2.0, "b": 1.0}, "q1": {"b": 2.0, "a": 1.0}, "extra": {"z": 1.0}}


@pytest.fixture
def scores() -> Scores:
    return part_of(
        evaluate(QRELS, {"mine": RUN}, "nDCG@10 RR nDCG(gains={1:3,2:9})@5"), systems=["mine"]
    )


def test_everything_comes_back(scores: Scores, tmp_path: Path) -> None:
    path = str(tmp_path / "results.json")
    write_results(path, scores, gate={"passed": True})
    back = read_results(path)
    assert back is not None
    assert (back.systems, back.measures, back.queries) == (
        scores.systems,
        scores.measures,
        scores.queries,
    )
    np.testing.assert_array_equal(back.values, scores.values)
    assert np.isnan(back.values).any()  # an undefined value stays undefined
    assert back.about == scores.about
    np.testing.assert_array_equal(back.means, scores.means)
    assert gate(scores, "RR == baseline", baseline=back).passed


def test_only_evaluated_queries_are_written(tmp_path: Path) -> None:
    both = evaluate(QRELS, {"mine": RUN, "other": {"q2": {"a": 1.0}}}, "RR", missing="skip")
    mine = part_of(both, systems=["mine"])
    assert mine.queries == ["q0", "q1"]
    assert list(mine.about.runs) == ["mine"]
    write_results(str(tmp_path / "r.json"), mine)
    with pytest.raises(OptionError, match="of one system"):
        write_results(str(tmp_path / "r.json"), both)
    text = part_of(evaluate(QRELS, {"mine": RUN}, "RelString"), systems=["mine"])
    with pytest.raises(OptionError, match="gives texts"):
        write_results(str(tmp_path / "r.json"), text)


def test_what_is_no_results_file_is_not_taken_for_one(tmp_path: Path) -> None:
    for text in ("q0 Q0 a 1 2.0 t\n", '{"q0": {"a": 2.0}}', '{"q0": {"a": 2.0}', "{" * 9999):
        path = tmp_path / "other"
        path.write_text(text)
        assert read_results(path) is None
    with pytest.raises(InputError, match=r"missing\.json"):
        read_results(tmp_path / "missing.json")


def damaged(held: dict[str, Any], *path: Any, to: Any) -> dict[str, Any]:
    """A deep copy with one place changed; `to=...` removes it."""
    copy: dict[str, Any] = json.loads(json.dumps(held))
    inner: Any = copy
    for key in path[:-1]:
        inner = inner[key]
    if to is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = to
    return copy


@pytest.mark.parametrize(
    ("path", "to", "message"),
    [
        (("version",), 2, "of version 2, and this Cleverdon reads version 1"),
        (("version",), ..., "of version None"),
        (("about",), ..., "damaged results file: 'about' is missing"),
        (("about", "settings", "ties"), "odd", "damaged results file: ties='odd'"),
        (("about", "settings", "new"), "odd", "damaged"),
        (("about", "version"), ..., "damaged"),
        (("about", "runs"), {}, "damaged"),
        (("about", "runs", "mine"), 3, "damaged"),
        (("queries",), [], "there are no queries, or one is listed twice"),
        (("queries", 0), "q1", "there are no queries, or one is listed twice"),
        (("queries", 0), 7, "queries are not a list of names"),
        (("values",), ..., "'values' is missing"),
        (("values", "mine"), {}, "there are no values"),
        (("values", "mine", "RR"), [1.0], "RR has 1 values for 4 queries"),
        (("values", "mine", "RR", 0), "x", "'x' is no value of a measure"),
        (("values", "mine", "RR", 0), True, "True is no value"),
        (("values", "mine", "RR", 0), float("inf"), "inf is no value"),
        (("values", "mine", "RR", 0), 10**400, "damaged"),
        (("values", "mine", "nDGC"), [1.0] * 4, "did you mean 'nDCG'"),
    ],
)
def test_damage_is_named(
    scores: Scores, tmp_path: Path, path: tuple[Any, ...], to: Any, message: str
) -> None:
    file = tmp_path / "results.json"
    write_results(str(file), scores)
    file.write_text(json.dumps(damaged(json.loads(file.read_text()), *path, to=to)))
    with pytest.raises(InputError, match=message):
        read_results(file)


def test_a_file_that_was_cut_off_is_damaged(scores: Scores, tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    write_results(str(file), scores)
    whole = file.read_text()
    for length in (100, len(whole) // 2, len(whole) - 3):
        file.write_text(whole[:length])
        with pytest.raises(InputError, match=r"results\.json: is a damaged results file"):
            read_results(file)


def test_files_appear_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    file.write_text("before")
    write_text(str(file), "after \udc80")
    assert file.read_text() == r"after \udc80"
    with pytest.raises(InputError, match="cannot be written"):
        write_text(str(tmp_path / "no" / "folder"), "text")
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_other_judgments_are_seen_by_their_hash(tmp_path: Path) -> None:
    run = tmp_path / "a.run"
    run.write_text("1 Q0 a 1 2.0 t\n")
    qrels, changed = tmp_path / "qrels.txt", tmp_path / "changed.txt"
    qrels.write_text("1 0 a 1\n")
    changed.write_text("1 0 a 1\n1 0 b 1\n")
    old, new = (evaluate(str(path), str(run), "RR") for path in (qrels, changed))
    with pytest.raises(OptionError, match=r"other judgments .*--allow-different-qrels"):
        gate(new, "RR >= baseline", baseline=old)
    found = gate(new, "RR >= baseline", baseline=old, allow_different_qrels=True)
    assert found.passed
    assert "made with other judgments" in found.notes[0]
