"""Judgments and runs for tests: any that there could be, and a small collection in files."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from hypothesis import strategies as st

from cleverdon import Judgments

QUERIES = st.sampled_from(["q1", "q2", "q3", "q10"])
DOCS = st.sampled_from(["a", "b", "c", "d", "e"])
GRADES = st.integers(-1, 3).map(float)

qrels = st.dictionaries(QUERIES, st.dictionaries(DOCS, GRADES, min_size=1), min_size=1)
"""Plain judgments, as dicts."""

runs = st.dictionaries(
    st.sampled_from(["x", "y", "z"]),
    st.dictionaries(
        QUERIES,
        st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 9).map(float), min_size=1),
        min_size=1,
    ),
    min_size=1,
)
"""Runs by name."""


def _subtopics(rows: dict[tuple[str, str, str], float]) -> Judgments:
    return Judgments.read([(*key, grade) for key, grade in rows.items()], format="subtopics")


def _strata(rows: dict[tuple[str, str], tuple[int, float]]) -> Judgments:
    listed = [(query, 0, doc, *rest) for (query, doc), rest in rows.items()]
    return Judgments.read(listed, format="strata")


PAIRS = st.tuples(QUERIES, DOCS)
subtopics = st.dictionaries(
    st.tuples(QUERIES, st.sampled_from(["s1", "s2"]), DOCS), GRADES, min_size=1
).map(_subtopics)
strata = st.dictionaries(PAIRS, st.tuples(st.integers(0, 3), GRADES), min_size=1).map(_strata)
judgments = qrels.map(Judgments.read) | subtopics | strata
"""Judgments of three kinds."""


def everything(of: Judgments) -> tuple[Any, ...]:
    """All that judgments say, in an order that does not depend on theirs."""
    return of.to_dict(), of.notes.subtopics, of.notes.stratum, of.notes.probability


def write_collection(folder: Path) -> None:
    """Thirty queries, three runs of which one was not pooled, changed judgments, and a table."""
    chance = Random(7)
    grades, changed, table = [], [], ["topic,language"]
    results: dict[str, list[str]] = {"one": [], "two": [], "odd": []}
    for t in range(30):
        topic = f"t{t:02}"
        table.append(f"{topic},{'en' if t % 3 else 'de'}")
        for d in range(20):
            grade = chance.choice((0, 0, 0, 1, 2))
            grades.append(f"{topic} 0 d{d:02} {grade}")
            changed.append(f"{topic} 0 d{d:02} {max(0, grade - chance.choice((0, 0, 0, 1)))}")
        for name, of_run in results.items():
            known = [f"d{d:02}" for d in range(20)]
            found = chance.sample([f"u{d:02}" for d in range(20)] if name == "odd" else known, 12)
            found += chance.sample(known, 8) if name == "odd" else []
            of_run += [f"{topic} Q0 {doc} 0 {-rank} {name}" for rank, doc in enumerate(found)]
    files = {"qrels.txt": grades, "new.txt": changed, "topics.csv": table}
    files |= {f"{name}.run": of_run for name, of_run in results.items()}
    for file, lines in files.items():
        (folder / file).write_text("\n".join(lines) + "\n")
