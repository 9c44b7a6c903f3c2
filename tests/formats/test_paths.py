"""The three ways into the core, held, streamed and walked as a dict, agree under every setting."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import Judgments, Run
from cleverdon.rank import RankedRun, rank
from cleverdon.settings import CHOICES, Settings
from tests.formats.ways import same_hits

# Few ids and few scores, so that ties, repetitions and judged documents are common; the scores are
# apart in double precision, and some of them not in single.
QUERIES = st.sampled_from(["q1", "q2", "q10", "é", "unjudged"])
DOCS = st.sampled_from(["a", "b", "B", "ab", "é", "z9", "z10", "Ω"])
SCORES = st.sampled_from([0.0, -0.0, 1.0, 1.00000001, -2.5, 1e300, float("inf"), float("-inf")])
ROWS = st.lists(st.tuples(QUERIES, DOCS, SCORES), min_size=1, max_size=25)
JUDGMENTS = Judgments.read(
    {
        "q1": {"a": 2, "b": 0, "Ω": -1, "never": 1},
        "q10": {"z9": 1, "z10": 1, "B": 0},
        "q2": {"ab": 0},
        "é": {"é": 3, "a": 1},
        "absent": {"a": 1},
    }
)
SETTINGS = st.builds(
    Settings,
    ties=st.sampled_from(list(CHOICES["ties"])),
    precision=st.sampled_from(list(CHOICES["precision"])),
)


def put(folder: Path, rows: list[tuple[str, str, float]]) -> Path:
    path = folder / "run.txt"
    path.write_text("".join(f"{query} Q0 {doc} 0 {score!r} t\n" for query, doc, score in rows))
    return path


def agree(one: RankedRun, other: RankedRun) -> None:
    assert same_hits(one.hits, other.hits)
    assert one.present.tolist() == other.present.tolist()
    assert one.top == other.top
    assert (one.results, one.tied, one.extra) == (other.results, other.tied, other.extra)
    assert one.extra_names == other.extra_names


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("paths")


@given(rows=ROWS, settings=SETTINGS, keep=st.sampled_from([0, 3]))
def test_without_duplicates(
    folder: Path, rows: list[tuple[str, str, float]], settings: Settings, keep: int
) -> None:
    distinct = list({(query, doc): (query, doc, score) for query, doc, score in rows}.values())
    if all(query == "unjudged" for query, _, _ in distinct):
        return
    nested: dict[str, dict[str, float]] = {}
    for query, doc, score in distinct:
        nested.setdefault(query, {})[doc] = score
    walked = rank(JUDGMENTS, nested, settings=settings, keep=keep)
    agree(rank(JUDGMENTS, put(folder, distinct), settings=settings, keep=keep), walked)
    agree(rank(JUDGMENTS, Run.read(distinct), settings=settings, keep=keep), walked)


@given(rows=ROWS, settings=SETTINGS, duplicates=st.sampled_from(["first", "best"]))
def test_with_duplicates(
    folder: Path, rows: list[tuple[str, str, float]], settings: Settings, duplicates: str
) -> None:
    if all(query == "unjudged" for query, _, _ in rows):
        return
    if (settings.ties, duplicates) == ("input", "best"):
        return  # see below
    settings = settings.changed(duplicates=duplicates)
    held = rank(JUDGMENTS, Run.read(rows, duplicates=duplicates), settings=settings, keep=3)
    agree(rank(JUDGMENTS, put(folder, rows), settings=settings, keep=3), held)


def test_the_place_of_the_best_of_duplicates(folder: Path) -> None:
    rows = [("q1", "a", 1.0), ("q1", "b", 2.0), ("q1", "a", 2.0)]
    settings = Settings(ties="input", duplicates="best")
    held = rank(JUDGMENTS, Run.read(rows, duplicates="best"), settings=settings, keep=3)
    agree(rank(JUDGMENTS, put(folder, rows), settings=settings, keep=3), held)


@pytest.mark.parametrize("ties", ["descending", "ascending"])
def test_zeros_of_either_sign_are_tied(ties: str) -> None:
    for nested in ({"q1": {"a": -0.0, "z": 0.0}}, {"q1": {"a": 0.0, "z": -0.0, "A": 0.0}}):
        settings = Settings(ties=ties)
        held = rank(JUDGMENTS, Run.read(nested), settings=settings)
        agree(rank(JUDGMENTS, nested, settings=settings), held)


def test_scattered_queries_that_start_with_a_mark(folder: Path) -> None:
    """As in `cat a.run b.run` of files that a Windows program wrote."""
    rows = [("x", "a", 1.0), ("\ufeffq", "a", 1.0), ("y", "a", 1.0), ("\ufeffq", "b", 2.0)]
    judgments = Judgments.read({"\ufeffq": {"a": 1, "b": 1}})
    agree(rank(judgments, put(folder, rows)), rank(judgments, Run.read(rows)))


def test_queries_without_results() -> None:
    nested: dict[str, dict[str, float]] = {"q1": {}, "q2": {"ab": 1.0}}
    agree(rank(JUDGMENTS, nested), rank(JUDGMENTS, Run.read(nested)))
