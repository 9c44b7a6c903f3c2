"""The HTML report: the time to write it, its size, and the time to open it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.measure import ToolError, fresh_process, in_turn
from benchmarks.progress import say
from tools import chromium

SYSTEMS, TOPICS, DEPTH = 10, 250, 100
MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100", "ERR@10", "RBP", "bpref", "nDCG", "P@5")
TITLE = f"The report of {SYSTEMS} systems x {TOPICS} topics x {len(MEASURES)} measures"

CANDIDATES, JUDGED = 300, 60
"""The number of documents of a topic that systems rank, and how many of them are judged."""

OPEN = 1000
"""The most milliseconds that opening may take."""

WATCH = """new MutationObserver(() => {
  if (document.documentElement?.dataset.ready) window.readyAt ??= performance.now();
}).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-ready"] });"""
"""Records when the page is ready, in milliseconds since the request."""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A measurement of the report; `most` is its limit."""

    what: str
    value: float | None = None
    unit: str
    rounds: int = 0
    most: float | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        return None if self.value is None or self.most is None else self.value < self.most

    @property
    def wrong(self) -> bool:
        return self.note.startswith("FAILED")


def run_report(*, rounds: int) -> list[Fact]:
    """Write and open the report, in `rounds` rounds."""
    say("task report")
    written, size = "written by a fresh process", "size"
    with _collection() as (qrels, runs):
        file = qrels.with_name("report.html")
        measures = [word for name in MEASURES for word in ("-m", name)]
        script = str(Path(sys.executable).parent / "cleverdon")
        command = [script, "report", str(qrels), *map(str, runs), *measures, "-o", str(file)]
        timing = in_turn(
            {"cleverdon report": lambda watch: fresh_process(command, watch=watch)}, rounds=rounds
        )["cleverdon report"]
        if isinstance(timing, ToolError):
            return [Fact(what=written, unit="s", note=f"FAILED: {timing}")]
        return [
            Fact(what=written, value=timing.seconds, unit="s", rounds=len(timing.rounds)),
            Fact(what="the same, of all cores", value=timing.cpu, unit="s"),
            Fact(what=size, value=file.stat().st_size / 1e6, unit="MB"),
            _opened(file, rounds=rounds),
        ]


def _opened(file: Path, *, rounds: int) -> Fact:
    """Measure the time until a browser shows the report, without the start of the browser."""
    what = "open and ready in Chromium"
    if reason := chromium.missing():
        return Fact(what=what, unit="ms", most=OPEN, note=f"skipped: {reason}")
    waited = []
    with chromium.chromium() as browser:
        for turn in range(rounds + 1):  # the first is a warm-up
            say(f"  opening it: round {turn} of {rounds}")
            page = browser.new_page()
            page.add_init_script(WATCH)
            page.goto(file.as_uri())
            page.wait_for_function("window.readyAt")
            waited.append(page.evaluate("window.readyAt"))
            page.close()
    return Fact(what=what, value=median(waited[1:]), unit="ms", rounds=rounds, most=OPEN)


@contextmanager
def _collection() -> Iterator[tuple[Path, list[Path]]]:
    """Write qrels and runs of systems that differ a little, on topics of different difficulty."""
    random = np.random.default_rng(1967)
    runs: list[list[str]] = [[] for _ in range(SYSTEMS)]
    judgments = []
    for topic in range(TOPICS):
        grades = np.zeros(CANDIDATES)
        judged = random.permutation(CANDIDATES)[:JUDGED]
        grades[judged] = random.choice([0, 0, 0, 1, 1, 2], JUDGED)
        judgments += [f"{topic} 0 doc-{topic}-{d} {grades[d]:.0f}\n" for d in judged]
        for system, skill in enumerate(0.3 + 0.08 * np.arange(SYSTEMS) + random.normal(0, 0.2)):
            scores = skill * grades + random.normal(size=CANDIDATES)
            runs[system] += [
                f"{topic} Q0 doc-{topic}-{d} {rank} {scores[d]:.6f} s{system}\n"
                for rank, d in enumerate(np.argsort(-scores)[:DEPTH], start=1)
            ]
    with TemporaryDirectory() as folder:
        qrels = Path(folder) / "qrels.txt"
        qrels.write_text("".join(judgments))
        paths = [Path(folder) / f"system-{system}.run" for system in range(SYSTEMS)]
        for path, lines in zip(paths, runs, strict=True):
            path.write_text("".join(lines))
        yield qrels, paths
