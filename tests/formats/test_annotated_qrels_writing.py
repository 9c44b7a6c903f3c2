"""Judgments of subtopics, strata and samples read back as they were written."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import Judgments, Run
from cleverdon.cli.convert import convert_command as convert
from cleverdon.errors import InputError, OptionError
from cleverdon.formats.annotated_qrels import format_needed

ROWS: dict[str, list[tuple[Any, ...]]] = {
    "subtopics": [("q1", "a", "d1", 2), ("q1", "b", "d1", 0.5), ("q2", "a", "d1", -2)],
    "strata": [("q1", 0, "d1", 1, 2), ("q1", 0, "d2", 2, -1), ("q2", 0, "d1", 1, 0)],
    "sampled": [("q1", "d1", 2, 1, 0.25), ("q1", "d2", -1, 0, "NA"), ("q2", "d1", 0, 2, 0.5)],
}


def plainly(judgments: Judgments) -> tuple[Any, ...]:
    """Everything they say, with NaN as a word, so that it can be compared."""
    notes = judgments.notes
    probability: Any = notes.probability and {
        query: {doc: "NA" if math.isnan(value) else value for doc, value in docs.items()}
        for query, docs in notes.probability.items()
    }
    return judgments.queries, judgments.to_dict(), notes.subtopics, notes.stratum, probability


@pytest.mark.parametrize("packing", ["", ".gz"])
@pytest.mark.parametrize("format", ROWS)
def test_what_is_written_reads_back(format: str, packing: str, tmp_path: Path) -> None:
    judgments = Judgments.read(ROWS[format], format=format)
    path = tmp_path / f"qrels.txt{packing}"
    judgments.write(path, format=format)
    assert plainly(Judgments.read(path, format=format)) == plainly(judgments)
    assert format_needed(judgments.notes) == format


def test_to_the_letter(tmp_path: Path) -> None:
    expected = {
        "subtopics": "q1 a d1 2\nq1 b d1 0.5\nq2 a d1 -2\n",
        "strata": "q1 0 d1 1 2\nq1 0 d2 2 -1\nq2 0 d1 1 0\n",
        # What both methods chose was certain to be judged.
        "sampled": "q1 d1 2 1 0.25\nq1 d2 -1 0 NA\nq2 d1 0 1 1\n",
    }
    for format, text in expected.items():
        Judgments.read(ROWS[format], format=format).write(tmp_path / "a.csv", format=format)
        assert (tmp_path / "a.csv").read_text() == text


IDS = st.text(st.characters(blacklist_categories=("Cs", "Z", "Cc")), min_size=1, max_size=3)
QUERIES = IDS.filter(lambda text: text[0] not in "#\ufeff")
GRADES = st.integers(-2, 4) | st.floats(-2, 4)
PROBABILITIES = st.just("NA") | st.floats(0, 1)


PAIRS = st.tuples(QUERIES, IDS)


@given(
    subtopics=st.dictionaries(st.tuples(QUERIES, IDS, IDS), GRADES, min_size=1),
    strata=st.dictionaries(PAIRS, st.tuples(st.integers(0, 9), GRADES), min_size=1),
    sampled=st.dictionaries(PAIRS, st.tuples(GRADES, PROBABILITIES), min_size=1),
)
def test_any_judgments_read_back(
    subtopics: Any, strata: Any, sampled: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = {
        "subtopics": [(*key, grade) for key, grade in subtopics.items()],
        "strata": [(query, 0, doc, *rest) for (query, doc), rest in strata.items()],
        "sampled": [
            (*key, grade, 0 if drawn == "NA" else 1, drawn)
            for key, (grade, drawn) in sampled.items()
        ],
    }
    path = tmp_path_factory.getbasetemp() / "any.txt"
    for format, listed in rows.items():
        judgments = Judgments.read(listed, format=format)
        judgments.write(path, format=format)
        assert plainly(Judgments.read(path, format=format)) == plainly(judgments)


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    plain = Judgments.read({"q1": {"d1": 1}})
    with pytest.raises(OptionError, match="have no stratum"):
        plain.write(path, format="strata")
    with pytest.raises(OptionError, match="is one of judgments, and 'run' is a run"):
        Run.read({"q1": {"d1": 1}}).write(path, format="subtopics")
    odd = Judgments.read([("q1", "a b", "d1", 1)], format="subtopics")
    with pytest.raises(InputError, match="white space"):
        odd.write(path, format="subtopics")
    second = Judgments.read(ROWS["strata"], format="strata").noting(
        second=Judgments.read({"q1": {"new": 1}})
    )
    with pytest.raises(InputError, match="'new' of query 'q1' has a grade and no stratum"):
        second.write(path, format="strata")
    with pytest.raises(OptionError, match="did you mean 'strata'"):
        plain.write(path, format="stratas")
    assert not list(tmp_path.iterdir())


def test_a_grade_beside_those_of_subtopics(tmp_path: Path) -> None:
    judgments = Judgments.read(ROWS["subtopics"], format="subtopics")
    changed = Judgments(
        Judgments.read({"q1": {"d1": 1}})._table, name="changed", notes=judgments.notes
    )
    with pytest.raises(InputError, match="has grade 1, which is not the largest"):
        changed.write(tmp_path / "out.txt", format="subtopics")


def test_grades_alone_need_no_format() -> None:
    assert format_needed(Judgments.read({"q1": {"d1": 1}}).notes) is None


@pytest.mark.parametrize("format", ROWS)
def test_convert_keeps_them(format: str, tmp_path: Path) -> None:
    given, out = tmp_path / "in.txt", tmp_path / "out.gz"
    Judgments.read(ROWS[format], format=format).write(given, format=format)
    result = CliRunner().invoke(convert, [str(given), str(out), "--from", format, "--to", format])
    assert result.exit_code == 0, result.output
    again = Judgments.read(out, format=format)
    assert plainly(again) == plainly(Judgments.read(given, format=format))
    result = CliRunner().invoke(convert, [str(given), str(tmp_path / "x.json"), "--from", format])
    assert f"only grades were written; --to {format} keeps all" in result.stderr
