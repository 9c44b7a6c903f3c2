"""Every rule of the linter fires where it should, and nowhere else."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from cleverdon import Run
from cleverdon.checks.findings import _RULES, Finding
from cleverdon.checks.linter import check
from cleverdon.errors import InputError, OptionError
from tests.formats.ways import JUDGMENTS, RUNS, zstd

GOOD = "q Q0 a 1 2.5 t\nq Q0 b 2 1.5 t\nr Q0 a 1 0.5 t\n"


def put(folder: Path, content: str | bytes, name: str = "file.txt") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def found(path: Path, **options: Any) -> list[str]:
    """What was found, a line each, without the fix."""
    return [str(finding) for finding in check(path, **options).findings]


def test_nothing_to_find(tmp_path: Path) -> None:
    report = check(put(tmp_path, GOOD))
    assert report.findings == ()
    assert (report.kind, report.format, report.lines, report.rows, report.queries) == (
        "run",
        "trec",
        3,
        3,
        2,
    )
    assert report.passes(strict=True)
    assert check(put(tmp_path, "q 0 a 1\nq 0 b 0\n")).findings == ()


CASES: dict[str, tuple[str | bytes, list[str]]] = {
    "a word for a score": (
        GOOD + "r Q0 x 2 abc t\n",
        ["4:10: error: the score 'abc' is not a number (not-a-number)"],
    ),
    "a score that is not a number": (
        GOOD + "r Q0 x 2 NaN t\n",
        ["4:10: error: the score 'NaN' is not a number that can be ordered (not-a-number)"],
    ),
    "too short": (
        GOOD + "r Q0 x 2 1.5\nr Q0\n",
        [
            "4:13: error: expected at least 6 fields (query Q0 document rank score tag), found "
            "only 5 fields (too-few-fields)",
            "5:5: error: expected at least 6 fields (query Q0 document rank score tag), found "
            "only 2 fields (too-few-fields)",
        ],
    ),
    "too long": (
        GOOD + "r Q0 x 2 0.1 t and more\n",
        [
            "4:16: note: 8 fields, where 6 are usual (query Q0 document rank score tag) "
            "(further-fields)"
        ],
    ),
    "twice": (
        GOOD + "q Q0 a 3 0.5 t\nq Q0 a 4 0.1 t\n",
        [
            "4: note: the rows of 1 query stand in more than one place; here those of 'q' go on "
            "(scattered-query)",
            "4:6: error: document 'a' occurs twice for query 'q', first on line 1 "
            "(duplicate-document)",
            "5:6: error: document 'a' occurs twice for query 'q', first on line 1 "
            "(duplicate-document)",
        ],
    ),
    "ranks against scores": (
        "q Q0 a 1 2.5 t\nq Q0 b 2 1.5 t\nq Q0 c 3 2 t\n",
        [
            "3: warning: query 'q': rank 3 has a higher score (2.0) than rank 2 (1.5) "
            "(rank-contradicts-score)"
        ],
    ),
    "distances": (
        "q Q0 a 1 0.1 t\nq Q0 b 2 0.2 t\nr Q0 a 1 0.1 t\nr Q0 b 2 0.3 t\n",
        ["2: warning: scores rise down the ranks: the first results have the lowest (scores-rise)"],
    ),
    "the same rank": (
        "q Q0 a 1 2.5 t\nq Q0 b 1 1.5 t\n",
        ["2: note: 1 query with the same rank for several documents (repeated-rank)"],
    ),
    "ranks that are none": (
        "q Q0 a - 2.5 t\nq Q0 b - 1.5 t\n",
        ["1: note: the rank '-' is not a number (rank-not-a-number)"],
    ),
    "ties": (
        "q Q0 a 1 2.5 t\nq Q0 b 2 1.5 t\nq Q0 c 3 1.5 t\n",
        [
            "2: warning: 2 of 3 results (66.7%), in 1 query, share their score with another (ties)",
        ],
    ),
    "ties in single precision": (
        "q Q0 a 1 1.00000001 t\nq Q0 b 2 1.0 t\n",
        ["note: 2 more results would be tied in single precision (single-precision-ties)"],
    ),
    "infinite": (
        "q Q0 a 1 inf t\nq Q0 b 2 1.5 t\n",
        ["1: note: 1 score is infinite (infinite-score)"],
    ),
    "tags": (
        "q Q0 a 1 2.5 one\nq Q0 b 2 1.5 two\n",
        ["note: 2 different tags, among them 'one', 'two' (several-tags)"],
    ),
    "separators": (
        "q Q0 a 1 2.5 t\nq\tQ0 b 2 1.5 t\nq\tQ0\tc 3 1 t\n",
        ["2:2: note: a tab separates fields here, and a blank elsewhere (mixed-separators)"],
    ),
    "line ends": (
        GOOD.replace("\n", "\r\n", 2),
        ["1: note: CR LF at the end of 2 of 3 lines (crlf)"],
    ),
    "old line ends": (
        "q Q0 a 1 2.5 t\rq Q0 b 2 1.5 t\r",
        [
            "1: note: the last line has no newline (no-final-newline)",
            "1:15: error: there is a carriage return within the line; lines end in newlines "
            "(carriage-return)",
        ],
    ),
    "cut short": (
        GOOD.rstrip(),
        ["3: note: the last line has no newline (no-final-newline)"],
    ),
    "empty lines": (
        "\n" + GOOD + " \t\n",
        ["1: note: the line is empty (empty-line)", "5: note: the line is empty (empty-line)"],
    ),
    "a mark": (
        "\ufeff" + GOOD,
        ["1:1: note: the file starts with a byte order mark (byte-order-mark)"],
    ),
    "a mark within": (
        GOOD + "\ufeff" + GOOD.replace("q ", "s ").replace("r ", "u "),
        [
            "4:1: warning: a byte order mark within the file becomes part of the first id on its "
            "line (byte-order-mark)"
        ],
    ),
    "a no-break space": (
        GOOD + "r Q0 x\u00a0y 2 0.1 t\n",
        [
            "4:7: warning: the white space U+00A0 does not separate fields; it is part of one "
            "(odd-space)"
        ],
    ),
    "latin-1": (
        GOOD.encode() + b"r Q0 caf\xe9 2 0.1 t\n",
        ["4:9: error: the byte 0xe9 is not UTF-8 (not-utf-8)"],
    ),
    "a zero": (
        GOOD.encode() + b"r Q0 x\0 2 0.1 t\n",
        ["4:7: error: there is a NUL byte; expected UTF-8 text (nul-byte)"],
    ),
    "utf-16": (
        ("\ufeff" + GOOD).encode("utf-16-le"),
        ["1:1: warning: the file is in UTF-16, which other tools do not read (utf-16)"],
    ),
    "nothing": ("", ["error: is empty (no-rows)"]),
    "only comments": ("# one\n# two\n", ["error: has no rows (no-rows)"]),
    "judged twice": (
        "q 0 a 1\nq 0 b 0\nq 0 a 1\nq 0 b 2\n",
        [
            "3:5: error: document 'a' occurs twice for query 'q' with the same grade, first on "
            "line 1 (duplicate-document)",
            "4:5: error: document 'b' occurs twice for query 'q' with grades 0 and 2, first on "
            "line 2 (duplicate-document)",
        ],
    ),
    "fractions": (
        "q 0 a 1\nq 0 b 0.5\n",
        ["2: note: 1 grade is not a whole number (fractional-grade)"],
    ),
    "negative": (
        "q 0 a 1\nq 0 b -1\nq 0 c -2\n",
        ["2: note: 2 grades are negative: pooled, not judged (negative-grade)"],
    ),
    "nothing relevant": (
        "q 0 a 1\nr 0 a 0\nr 0 b -1\n",
        [
            "2: warning: no document is relevant for query 'r' (no-relevant-document)",
            "3: note: 1 grade is negative: pooled, not judged (negative-grade)",
        ],
    ),
    "second column": (
        "q 1 a 1\nq 2 b 1\n",
        ["note: the second column has 2 values, among them '1', '2' (second-column)"],
    ),
    "infinite grades": (
        "q 0 a inf\n",
        ["1:7: error: the grade 'inf' is not finite (not-finite)"],
    ),
    "too many in qrels": (
        "q 0 a 1\nq 0 b 1 2\n",
        [
            "2:1: error: expected 4 fields (query iteration document grade), found 5 fields "
            "(too-many-fields)"
        ],
    ),
    "columns": (
        "query_id,doc_id,score\nq,,1\n,a,1\nq,b,x\nq,c\nq,d,1\n",
        [
            "2:3: error: the document id (field 2) is empty (empty-id)",
            "3:1: error: the query id (field 1) is empty (empty-id)",
            "4:5: error: the score 'x' is not a number (not-a-number)",
            "5:4: error: expected 3 fields (query_id, doc_id, score), found only 2 fields "
            "(too-few-fields)",
        ],
    ),
    "quotes": (
        'query_id,doc_id,score\n"q,1","a",1\nq,b"c,1\n',
        ["3:3: error: the document id (field 2) has a quote in it (quote-in-id)"],
    ),
    "an open quote": (
        'query_id,doc_id,score,title\nq,a,1,"open\nq,b,1,"x"\n',
        ["2:7: error: this quote is not closed (open-quote)"],
    ),
    "no column": (
        "query_id,doc_id,text\n",
        [
            "error: no column for the score: expected one of score, sim, similarity, "
            "similarity_score, search_score, relevance_score, scores; found query_id, doc_id, "
            "text. Which one has the score? Answer with --columns score=NAME, in Python "
            "columns={'score': 'NAME'} (unreadable)"
        ],
    ),
    "json": (
        '{"q": {"a": 1.5,\n "b": }}',
        ["2:7: error: Expecting value (unreadable)"],
    ),
}


@pytest.mark.parametrize(("content", "expected"), CASES.values(), ids=CASES.keys())
def test_cases(content: str | bytes, expected: list[str], tmp_path: Path) -> None:
    assert found(put(tmp_path, content)) == expected


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
@pytest.mark.parametrize("name", ["twice", "too short", "latin-1"])
def test_packed_files(name: str, pack: Any, tmp_path: Path) -> None:
    content, expected = CASES[name]
    text = content.encode() if isinstance(content, str) else content
    assert found(put(tmp_path, pack(text))) == expected


@pytest.mark.parametrize("name", RUNS)
def test_good_runs_have_no_errors(name: str, tmp_path: Path) -> None:
    path = RUNS[name](tmp_path)
    if isinstance(path, Path):
        report = check(path)
        assert (report.kind, report.errors) == ("run", 0), report.findings
        assert (report.rows, report.queries) == (9, 3)


@pytest.mark.parametrize("name", JUDGMENTS)
def test_good_judgments_have_no_errors(name: str, tmp_path: Path) -> None:
    path = JUDGMENTS[name](tmp_path)
    if isinstance(path, Path):
        report = check(path, kind="qrels")
        assert (report.errors, report.rows, report.queries) == (0, 7, 3), report.findings


def test_every_rule_can_be_broken() -> None:
    """No rule without a case; those of `--qrels` have tests of their own below."""
    told = {line.rpartition("(")[2].rstrip(")") for _, lines in CASES.values() for line in lines}
    elsewhere = {
        "truncated-query",
        "no-common-query",
        "query-not-judged",
        "query-missing",
        "no-judged-document",
        "no-results",
        "not-a-rank",
        "ranks-as-grades",
        "grades-as-ranks",
    }
    assert told | elsewhere == set(_RULES)


def test_truncated_queries(tmp_path: Path) -> None:
    lines = [
        f"q{query} Q0 d{doc} {doc + 1} {50 - doc} t\n"
        for query in range(10)
        for doc in range(3 if query == 4 else 7 if query == 5 else 20)
    ]
    assert found(put(tmp_path, "".join(lines))) == [
        "81: note: query 'q4' has 3 results, where 20 are usual (truncated-query)",
        "84: note: query 'q5' has 7 results, where 20 are usual (truncated-query)",
    ]


def test_against_judgments(tmp_path: Path) -> None:
    run = put(tmp_path, GOOD + "s Q0 x 1 1 t\n")
    qrels = {"q": {"a": 1}, "s": {"y": 1}, "missing": {"a": 1}}
    assert found(run, qrels=qrels) == [
        "3: note: query 'r' has no judgments (query-not-judged)",
        "4: warning: no document that was returned for query 's' is judged (no-judged-document)",
        "warning: query 'missing' has judgments and is not in it (query-missing)",
    ]
    assert found(run, qrels={"301": {"a": 1}}) == [
        "error: no query has judgments: the run has 'q', the judgments have '301' (no-common-query)"
    ]
    # Judgments are not compared with judgments.
    assert found(put(tmp_path, "q 0 a 1\n"), qrels={"301": {"a": 1}}) == []


def test_all_is_listed_up_to_a_limit(tmp_path: Path) -> None:
    path = put(tmp_path, GOOD + "bad\n" * 20 + "s Q0 a 1 x t\n")
    report = check(path)
    names = [finding.name for finding in report.findings]
    assert names == ["too-few-fields"] * 5 + ["not-a-number"]
    assert report.hidden == {"too-few-fields": 15}
    assert report.errors == 21
    assert len(check(path, limit=None).findings) == 21
    assert check(path, limit=0).findings == ()
    assert not report.passes()


def test_fixes_and_places(tmp_path: Path) -> None:
    finding = check(put(tmp_path, GOOD + "q Q0 a 3 0.1 t\n")).findings[-1]
    assert finding == Finding(
        line=4,
        column=6,
        name="duplicate-document",
        severity="error",
        message="document 'a' occurs twice for query 'q', first on line 1",
        fix="remove one, or evaluate with --duplicates first or best",
    )


def test_kinds(tmp_path: Path) -> None:
    path = put(tmp_path, "q 0 a 1\n")
    assert check(path).kind == "qrels"
    assert found(path, kind="run") == [
        "error: looks like judgments (4 fields a line); are judgments and run exchanged? "
        "(unreadable)"
    ]
    with pytest.raises(OptionError, match="kind='runs' is not known; did you mean 'run'"):
        check(path, kind="runs")  # type: ignore[arg-type]
    assert check(put(tmp_path, "q a 1\nq b 2\n")).kind == "run"
    assert check(put(tmp_path, "q a 1\nq b 0\n")).kind == "qrels"


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        check(tmp_path / "nowhere")
    with pytest.raises(InputError, match="is a directory"):
        check(tmp_path)
    cut = gzip.compress(GOOD.encode() * 100)[:-10]
    (line,) = found(put(tmp_path, cut))
    assert line.startswith("error: is damaged or cut short: it cannot be unpacked as gzip")
    large = gzip.compress(json.dumps(list(range(200_000))).encode().replace(b",", b"\n"))
    assert found(put(tmp_path, large[:-10]))[-1].startswith("error: is damaged or cut short")


def test_pieces_are_put_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the size of the pieces in which a file is taken, the findings are the same."""
    lines = [f"q{i // 50} Q0 d{i % 50} {i % 50} {99 - i % 50} t\n" for i in range(1000)]
    lines[500] = "# a comment\n"
    lines[600] = "q12 Q0 d1 1 x t\n"
    lines[700] = "q14 Q0 d\u00e9 1 500 t\n"
    lines[800] = lines[3]
    lines[900] = "\n"
    path = put(tmp_path, "".join(lines))
    whole = check(path)
    assert whole.errors == 2
    for size in (1, 30, 1000, 4096):
        monkeypatch.setattr("cleverdon.checks.scan._CHUNK", size)
        assert check(path) == whole
        assert check(put(tmp_path, gzip.compress(path.read_bytes()), "file.gz")).findings == (
            whole.findings
        )


def test_progress(tmp_path: Path) -> None:
    path = put(tmp_path, GOOD.replace("t\n", "t" * 100_000 + "\n") * 3)
    told: list[tuple[int, int]] = []
    check(path, progress=lambda step, done, total: told.append((done, total)))
    size = path.stat().st_size
    assert told[-1] == (size, size)
    assert told == sorted(told)
    assert len(told) > 3


# Queries without results


@pytest.mark.parametrize("content", ['{"q1": {"d1": 1.5}, "q2": {}}', '{"q1": ["d1"], "q2": []}'])
def test_a_query_that_found_nothing(content: str, tmp_path: Path) -> None:
    path = put(tmp_path, content, "run.json")
    report = check(path, qrels={"q1": {"d1": 1}, "q2": {"d1": 1}, "q3": {"d1": 1}})
    assert [str(one) for one in report.findings] == [
        "note: query 'q2' has no results (no-results)",
        "warning: query 'q3' has judgments and is not in it (query-missing)",
    ]
    assert (report.rows, report.queries) == (1, 2)


def test_a_run_in_which_nothing_was_found(tmp_path: Path) -> None:
    path = put(tmp_path, '{"q1": {}, "q2": {}}', "run.json")
    assert found(path, qrels={"q1": {"d1": 1}, "q2": {"d1": 1}}) == [
        "warning: no results for any of 2 queries (no-results)"
    ]
    assert found(put(tmp_path, "{}", "run.json")) == ["error: has no rows (no-rows)"]


def test_depths_and_places_of_rows_beside_a_query_that_found_nothing(tmp_path: Path) -> None:
    full = {f"d{rank}": 20.5 - rank for rank in range(20)}
    nested = {"q1": full, "q2": {}, "q3": full, "q4": dict(list(full.items())[:2])}
    assert found(put(tmp_path, json.dumps(nested), "run.json")) == [
        "note: query 'q4' has 2 results, where 20 are usual (truncated-query)",
        "note: query 'q2' has no results (no-results)",
    ]


def test_a_query_without_judgments(tmp_path: Path) -> None:
    path = put(tmp_path, '{"q1": {}, "q2": {"d": 1}}', "qrels.json")
    assert found(path) == ["warning: no document is relevant for query 'q1' (no-relevant-document)"]


# Three columns


def test_ranks_that_are_no_whole_numbers(tmp_path: Path) -> None:
    """What the core refuses is an error here, in the same words."""
    path = put(tmp_path, "q a 12.5\nq b 3.5\nq c 1\n")
    (first, _) = check(path, kind="run").findings
    with pytest.raises(InputError) as error:
        Run.read(path)
    assert error.value.message == first.message
    assert (first.line, first.column, first.name) == (1, 5, "not-a-rank")


def test_ranks_as_grades(tmp_path: Path) -> None:
    path = put(tmp_path, "q a 1\nq b 2\nr b 2\nr a 1\n")
    assert found(path, kind="qrels") == [
        "error: the third column counts 1, 2, 3 for each query, as the ranks of a run do "
        "(ranks-as-grades)"
    ]
    assert found(put(tmp_path, "q a 1\nr b 1\n"), kind="qrels") == []
    assert found(put(tmp_path, "q 0 a 1\nq 0 b 2\n"), kind="qrels") == []


def test_grades_as_ranks(tmp_path: Path) -> None:
    path = put(tmp_path, "q a 1\nq b 0\nr b 1\nq c 1.0\n")
    report = check(path, kind="run")
    (error,) = (str(one) for one in report.findings if one.severity == "error")
    assert error == (
        "4: error: the third column has 1 several times for query 'q', as grades may, and ranks "
        "do not (grades-as-ranks)"
    )
    with pytest.raises(InputError, match="looks like judgments"):
        Run.read(path)
    assert check(put(tmp_path, "q a 1\nq b 2\nr b 1\n"), kind="run").errors == 0
