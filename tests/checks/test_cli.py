"""cleverdon check, as people call it."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cleverdon.checks.cli import check_command
from cleverdon.errors import InputError

GOOD = "q Q0 a 1 2.5 t\nq Q0 b 2 1.5 t\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, so that files have short names."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(check_command, arguments, input=stdin, standalone_mode=True)


def test_text(folder: Path) -> None:
    (folder / "bad.run").write_text(GOOD + "q Q0 c 3 x t\nq\n" + "q Q0 d 4 9 t\n")
    result = run("bad.run")
    assert result.exit_code == 1
    assert result.stdout == (
        "bad.run:3:10: error: the score 'x' is not a number (not-a-number)\n"
        "    write a number, such as 0.5 or -1e3\n"
        "bad.run:4:2: error: expected at least 6 fields (query Q0 document rank score tag), found "
        "only 1 field (too-few-fields)\n"
        "    add what is missing\n"
        "bad.run:5: warning: query 'q': rank 4 has a higher score (9.0) than rank 2 (1.5) "
        "(rank-contradicts-score)\n"
        "    the scores decide; rewrite the ranks by: cleverdon convert FILE FIXED\n"
        "bad.run: 2 errors, 1 warning, 0 notes; 3 results of 1 query\n"
    )


def test_exit_codes(folder: Path) -> None:
    (folder / "good.run").write_text(GOOD)
    (folder / "warned.run").write_text(GOOD + "q Q0 d 4 9 t\n")
    (folder / "qrels").write_text("q 0 a 1\nr 0 a 1\n")
    assert run("good.run", "warned.run", "qrels").exit_code == 0
    assert run("good.run", "--strict").exit_code == 0
    assert run("warned.run", "--strict").exit_code == 1
    assert run("good.run", "--qrels", "qrels").exit_code == 0
    assert "query 'r' has judgments and is not in it" in run("good.run", "--qrels", "qrels").stdout
    assert run("good.run", "--qrels", "qrels", "--strict").exit_code == 1
    assert run().exit_code == 2
    assert run("good.run", "--kind", "what").exit_code == 2
    assert run("-", "-").exit_code == 2


def test_a_file_that_is_not_there_does_not_stop_the_others(folder: Path) -> None:
    (folder / "good.run").write_text(GOOD)
    result = run("nowhere", "good.run")
    assert result.exit_code == 1
    assert result.stderr == "cleverdon: error: nowhere: there is no such file\n"
    assert result.stdout == "good.run: 0 errors, 0 warnings, 0 notes; 2 results of 1 query\n"


def test_wrong_judgments_stop(folder: Path) -> None:
    (folder / "good.run").write_text(GOOD)
    (folder / "qrels").write_text("q 0 a yes\n")
    result = run("good.run", "--qrels", "qrels")
    assert isinstance(result.exception, InputError)
    assert str(result.exception) == "qrels:1:7: the grade 'yes' is not a number"


def test_limits(folder: Path) -> None:
    (folder / "bad.run").write_text("q\n" * 8 + GOOD)
    listed = run("bad.run", "--limit", "2", "--kind", "run").stdout.splitlines()
    assert listed[4:] == [
        "bad.run: 6 more: too-few-fields (--limit 0 lists all)",
        "bad.run: 8 errors, 0 warnings, 0 notes; 2 results of 1 query",
    ]
    assert run("bad.run", "--limit", "0").stdout.count("too-few-fields") == 8


def test_json(folder: Path) -> None:
    (folder / "bad.run").write_text(GOOD + "q Q0 a 3 1 t\n")
    (folder / "qrels").write_text("q 0 a 1\n")
    result = run("bad.run", "qrels", "--format", "json")
    assert result.exit_code == 1
    bad, qrels = json.loads(result.stdout)
    assert bad["findings"] == [
        {
            "line": 3,
            "column": 6,
            "name": "duplicate-document",
            "severity": "error",
            "message": "document 'a' occurs twice for query 'q', first on line 1",
            "fix": "remove one, or evaluate with --duplicates first or best",
        }
    ]
    assert (bad["kind"], bad["errors"], bad["rows"], bad["hidden"]) == ("run", 1, 3, {})
    assert (qrels["path"], qrels["kind"], qrels["findings"]) == ("qrels", "qrels", [])


@pytest.mark.parametrize(
    "content",
    [GOOD.encode(), gzip.compress(GOOD.encode()), b'{"q": {"a": 2.5, "b": 1.5}}'],
    ids=["text", "gzip", "json"],
)
def test_standard_input(content: bytes) -> None:
    script = "from cleverdon.checks.cli import check_command; check_command()"
    done = subprocess.run([sys.executable, "-c", script, "-"], input=content, capture_output=True)
    expected = b"standard input: 0 errors, 0 warnings, 0 notes; 2 results of 1 query\n"
    assert (done.stdout, done.returncode) == (expected, 0)


def test_help_has_examples() -> None:
    text = run("--help").stdout
    assert "cleverdon check bm25.run --qrels qrels.txt --strict\n" in text
