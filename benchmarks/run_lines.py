"""Ranking a run of each form of line: how long a row takes, beside a row of the usual form."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.generate import Shape, collection
from benchmarks.progress import say
from benchmarks.report import Fact
from cleverdon import Judgments, Run, _core
from cleverdon.formats.inputs import open_input
from cleverdon.formats.lines import Lines

QUERIES = 500
TITLE = f"Ranking {QUERIES} x 1,000 results, by the form of lines: ns of processor time a row"
LEAST_ROUNDS = 15

Fields = list[str]


def _same(text: str) -> str:
    return text


@dataclass(frozen=True, kw_only=True)
class Form:
    """How the usual rows and judgments are changed."""

    query: Callable[[str], str] = _same
    doc: Callable[[str], str] = _same
    score: Callable[[str], str] = _same
    tag: Callable[[str], str] = _same
    separator: str = " "
    order: Callable[[list[Fields]], list[Fields]] = list

    def run(self, rows: list[Fields]) -> Iterator[str]:
        for query, q0, doc, place, score, tag in self.order(rows):
            row = [self.query(query), q0, self.doc(doc), place, self.score(score), self.tag(tag)]
            yield self.separator.join(row) + "\n"

    def qrels(self, rows: list[Fields]) -> Iterator[str]:
        for query, iteration, doc, grade in rows:
            yield f"{self.query(query)} {iteration} {self.doc(doc)} {grade}\n"


def _in_any_order(rows: list[Fields]) -> list[Fields]:
    return [rows[at] for at in np.random.default_rng(1967).permutation(len(rows))]


FORMS = {
    "usual": Form(),
    "document ids as of ClueWeb": Form(doc=lambda doc: f"clueweb12-0000wb-{doc[:2]}-{doc[2:]}"),
    "document ids as of MS MARCO version 2": Form(doc=lambda doc: f"msmarco_passage_02_{doc}00"),
    "query ids of 12 letters": Form(query=lambda query: f"{query:0>12}"),
    "query ids of 20 letters": Form(query=lambda query: f"{query:0>20}"),
    "lines of 90 bytes": Form(tag=lambda tag: f"{tag}-{'of-a-run-' * 6}"),
    "carriage returns": Form(tag=lambda tag: f"{tag}\r"),
    "tabs": Form(separator="\t"),
    "two blanks between fields": Form(separator="  "),
    "letters that are not ASCII": Form(tag=lambda tag: f"{tag}-é"),
    "scores of 18 digits": Form(score=lambda score: f"{score}1234567891"),
    "scores with exponents": Form(score=lambda score: f"{score}e-3"),
    "negative scores, which rise": Form(score=lambda score: f"-{score}"),
    "rows in reverse order": Form(order=lambda rows: rows[::-1]),
    "rows in any order": Form(order=_in_any_order),
}
"""The forms that are measured, and how each differs from the usual one."""


def run_lines(*, rounds: int) -> list[Fact]:
    """Rank a run of each form, all by turns; without its digest."""
    say("task lines")
    source = collection(Shape(queries=QUERIES, depth=1000))
    rows = [line.split() for line in source.run.read_text().splitlines()]
    judged = [line.split() for line in source.qrels.read_text().splitlines()]
    rounds = max(rounds, LEAST_ROUNDS)
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for number, (name, form) in enumerate(FORMS.items()):
            run, qrels = Path(folder) / f"{number}.run", Path(folder) / f"{number}.qrels"
            run.write_bytes("".join(form.run(rows)).encode())
            qrels.write_bytes("".join(form.qrels(judged)).encode())
            files[name] = (Judgments.read(qrels), run)
        least = dict.fromkeys(FORMS, float("inf"))
        hits = dict.fromkeys(FORMS, 0)
        for _ in range(rounds):
            for name, (judgments, run) in files.items():
                opened = open_input(Run, run, format="trec", duplicates="unchecked")
                assert isinstance(opened, Lines)
                start = time.process_time()
                joined = judgments.core.join_text(opened.source, opened.layout, _core.Order())
                hits[name] = len(joined.rank)
                least[name] = min(least[name], time.process_time() - start)
    usual = least["usual"]
    facts = []
    for name, spent in least.items():
        failed = "" if hits[name] == hits["usual"] else "FAILED: the numbers of hits differ; "
        note = f"{failed}{spent / usual:.2f}x the usual; load {os.getloadavg()[0]:.1f}"
        value = spent / len(rows) * 1e9
        facts.append(Fact(what=name, value=value, unit="ns", rounds=rounds, note=note))
    return facts
