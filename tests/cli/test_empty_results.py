"""Runs with queries that found nothing, in every command that takes runs."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.commands import run_here

QUERIES = [f"q{number}" for number in range(1, 7)]

COMMANDS = """\
check {run} --kind run --qrels qrels.txt
eval qrels.txt {run} full.json --per-query
eval qrels.txt {run} --bounds -f json
compare qrels.txt {run} full.json
claim qrels.txt {run} full.json
power qrels.txt {run} full.json --method t -m AP
flip qrels.txt {run} full.json -m AP
slices qrels.txt {run} full.json --attributes topics.tsv --by kind
gate qrels.txt {run} --rule AP>=0
explain qrels.txt {run} --query q2
explain qrels.txt full.json --query q2 --diff {run}
correlate qrels.txt {run} full.json --resamples 10
correlate --runs {run} full.json
correlate --runs {run} {run} --how kendall --how tau_ap --how spearman --how footrule
report qrels.txt {run} full.json -o report.html -m AP
plot by-cutoff qrels.txt {run} full.json -o plot.json
plot grades-by-rank qrels.txt {run} full.json -o plot.json
plot precision-recall qrels.txt {run} --query q2 -o plot.json
tune qrels.txt {run} full.json --folds 2
splits qrels.txt {run} full.json --difficulty AP --folds 2
recall qrels.txt {run} full.json
collection stats qrels.txt {run} full.json
collection diff qrels.txt qrels.txt {run} full.json
pool make {run} full.json -k 3 -o pool.tsv
pool votes {run} full.json other=full.json
pool simulate qrels.txt {run} full.json --budget 3 --method mtf
pool next journal.jsonl {run} full.json -n 3 -o sheet.tsv
convert {run} out.run --kind run
convert {run} out.json --kind run
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    draw = random.Random(1)
    docs = [f"d{number}" for number in range(20)]

    def results(empty: list[str]) -> dict[str, dict[str, float]]:
        return {
            query: {}
            if query in empty
            else {doc: round(draw.random() * 9, 3) for doc in draw.sample(docs, 8)}
            for query in QUERIES
        }

    for name, empty in (("full", []), ("some", ["q2", "q5"]), ("none", QUERIES)):
        (tmp_path / f"{name}.json").write_text(json.dumps(results(empty)))
    qrels = [f"{query} 0 {doc} {draw.randint(0, 2)}\n" for query in QUERIES for doc in docs[:12]]
    (tmp_path / "qrels.txt").write_text("".join(qrels))
    kinds = (f"{query}\t{kind}\n" for query, kind in zip(QUERIES, "ababab", strict=True))
    (tmp_path / "topics.tsv").write_text("topic\tkind\n" + "".join(kinds))
    return tmp_path


@pytest.mark.parametrize("run", ["some.json", "none.json"])
@pytest.mark.parametrize("command", COMMANDS.splitlines())
def test_every_command(command: str, run: str, folder: Path) -> None:
    done = run_here(command.format(run=run).split(), folder)
    assert done.returncode == 0, done.stderr
    assert "defect" not in done.stderr


def test_counts(folder: Path) -> None:
    nested = json.loads((folder / "some.json").read_text())
    del nested["q1"]
    (folder / "run.json").write_text(json.dumps(nested))
    done = run_here(["eval", "qrels.txt", "run.json"], folder)
    assert (
        "run: 1 judged query missing (evaluated as empty results), 2 judged queries without results"
    ) in done.stdout
    done = run_here(["pool", "make", "run.json", "full.json", "-k", "2", "-o", "p.tsv"], folder)
    assert "note: some run found nothing for 2 of 6 queries" in done.stderr
    assert "warning: 1 of 6 queries are not in all runs" in done.stderr
    done = run_here(["collection", "stats", "qrels.txt", "run.json", "full.json"], folder)
    assert "run: 2 judged queries without results (q2, q5)" in done.stdout
    done = run_here(["eval", "qrels.txt", "none.json"], folder)
    assert "none found nothing for any judged query; is it the right file?" in done.stderr
    done = run_here(["pool", "make", "none.json", "-k", "2", "-o", "n.tsv"], folder)
    assert "not in all runs" not in done.stderr
    assert "the pool is empty: no system returned anything" in done.stderr
