"""cleverdon logs judge, as people run it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cleverdon.errors import InputError
from cleverdon.logs.clicks.base import find_model
from cleverdon.logs.clicks.cli import judge_command
from cleverdon.logs.clicks.evaluation import simulate_clicks
from tests.logs.clicks.made import pages, truth


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of 400 pages, with clicks of the position-based model."""
    folder = tmp_path_factory.mktemp("log")
    model, true = truth("PBM")
    shown = simulate_clicks(model, true, pages(400), seed=2)
    names = list(shown.pairs)
    query = [""] * shown.lists
    with open(folder / "events.csv", "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["query_id", "time", "action", "doc", "position"])
        columns = [a.tolist() for a in (shown.list, shown.pair, shown.rank, shown.clicked)]
        for at, pair, rank, clicked in zip(*columns, strict=True):
            query[at], doc = names[pair]
            for action in ("impression", "click")[: 1 + clicked]:
                out.writerow([f"p{at}", 1_700_000_000_000 + at, action, doc, rank])
    with open(folder / "queries.csv", "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["query_id", "user", "time", "text"])
        for at, text in enumerate(query):
            out.writerow([f"p{at}", f"u{at % 90}", 1_700_000_000_000 + at, text.upper()])
    return folder


def judge(log: Path, folder: Path, *arguments: str) -> Result:
    done = CliRunner().invoke(
        judge_command,
        [str(log), "-o", str(folder / "clicks.qrels"), *arguments],
        catch_exceptions=False,
    )
    assert done.exit_code in (0, 2)
    return done


def test_judging(log: Path, tmp_path: Path) -> None:
    done = judge(log, tmp_path, "--click-model", "PBM")
    assert "400 of 400 result pages can be used" in done.output
    assert "PBM converged after" in done.output
    assert "lists held out; 0.0% of their results" in done.output  # those of 18 of 90 users
    lines = (tmp_path / "clicks.qrels").read_text().splitlines()
    assert f"{len(lines)} judgments of 4 queries" in done.output
    assert {line.split()[3] for line in lines} == {"0", "1", "2", "3"}
    assert (tmp_path / "clicks.topics.tsv").read_text().startswith("id\ttext\nq1\tquery ")
    assert (tmp_path / "clicks.evidence.tsv").exists()


def test_all_models_as_json(log: Path, tmp_path: Path) -> None:
    done = judge(log, tmp_path, "--click-model", "all", "-f", "json", "--grades", "0.2,0.5")
    record = json.loads(done.output)
    assert len(record["held_out"]) == 7
    likelihoods = [one["log_likelihood"] for one in record["held_out"]]
    assert likelihoods == sorted(likelihoods, reverse=True)
    assert record["model"]["name"] == record["held_out"][0]["model"]
    assert record["grades"]["bounds"] == [0.2, 0.5]
    assert record["lists"]["used"] == 400
    assert find_model(record["model"]["name"])


def test_queries_keep_their_ids(log: Path, tmp_path: Path) -> None:
    (tmp_path / "topics.csv").write_text("id,text\n301,Query 2\n")
    done = judge(
        log,
        tmp_path,
        "--click-model",
        "CM",
        "--query-texts",
        str(tmp_path / "topics.csv"),
        "--held-out",
        "0",
    )
    lines = (tmp_path / "clicks.qrels").read_text().splitlines()
    assert {line.split()[0] for line in lines} == {"301"}
    assert "CM is estimated by counting." in done.output
    assert "the query is not listed" in done.output
    assert not (tmp_path / "clicks.topics.tsv").exists()


def test_options_that_do_not_fit(log: Path, tmp_path: Path) -> None:
    assert (
        "--text-column goes with --query-texts" in judge(log, tmp_path, "--text-column", "x").output
    )
    done = judge(log, tmp_path, "--click-model", "all", "--held-out", "0")
    assert "--click-model all and --held-out 0.0 do not go together: models are" in done.output
    assert judge(log, tmp_path / "nowhere").exit_code == 2
    with pytest.raises(InputError, match="was examined 1000 times"):
        judge(log, tmp_path, "--min-impressions", "1000")
    assert list(tmp_path.iterdir()) == []
