"""What is written reads back as the same data, and nothing half-written is left behind."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import Judgments, Run
from cleverdon.data import Rows
from cleverdon.errors import InputError, MissingExtra, OptionError
from cleverdon.formats.writers import _ENDINGS, format_of, write_rows
from tests.formats.ways import QRELS, RUN

KEEPING = ["txt", "run", "json", "csv", "tsv", "parquet", "arrow", "feather"]
"""Endings whose formats keep everything."""


def back(rows: Rows, path: Path, *, format: str | None = None) -> Rows:
    return type(rows).read(path, format=format)


@pytest.mark.parametrize("packing", ["", ".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("ending", KEEPING)
@pytest.mark.parametrize("rows", [Run.read(RUN), Judgments.read(QRELS)], ids=["run", "qrels"])
def test_every_format_reads_back(rows: Rows, ending: str, packing: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{ending}{packing}"
    rows.write(path)
    assert back(rows, path).to_dict() == rows.to_dict()
    assert back(rows, path).queries == rows.queries
    assert os.listdir(tmp_path) == [path.name]


NAMED = ["trec", "msmarco", "beir", "csv", "quepid_csv", "tsv", "json", "json_list", "parquet"]


@pytest.mark.parametrize("format", NAMED)
def test_judgments_in_every_named_format(format: str, tmp_path: Path) -> None:
    judgments = Judgments.read(QRELS)
    write_rows(judgments, tmp_path / "any.name", format=format)
    assert back(judgments, tmp_path / "any.name", format=format).to_dict() == QRELS
    assert back(judgments, tmp_path / "any.name").to_dict() == QRELS


def test_msmarco_runs_keep_the_order(tmp_path: Path) -> None:
    run = Run.read(RUN)
    run.write(tmp_path / "run.tsv", format="msmarco")
    read = Run.read(tmp_path / "run.tsv")
    for query in run.queries:
        assert [doc for doc, _ in read.ranking(query)] == [doc for doc, _ in run.ranking(query)]


def test_trec_text_to_the_letter(tmp_path: Path) -> None:
    run = Run.read({"q": {"a": 0.1, "b": 2, "c": 2}, "r": {"é": float("-inf")}}, name="my run")
    run.write(tmp_path / "a.run")
    assert (tmp_path / "a.run").read_text() == (
        "q Q0 c 1 2.0 my_run\nq Q0 b 2 2.0 my_run\nq Q0 a 3 0.1 my_run\nr Q0 é 1 -inf my_run\n"
    )
    Judgments.read({"q": {"a": 2, "b": -1, "c": 0.5}}).write(tmp_path / "a.qrels")
    assert (tmp_path / "a.qrels").read_text() == "q 0 a 2\nq 0 b -1\nq 0 c 0.5\n"


def test_tables_to_the_letter(tmp_path: Path) -> None:
    run = Run.read({"q 1": {"a,b": 0.1, "b": 2}})
    run.write(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == (
        'query_id,doc_id,rank,score\nq 1,b,1,2.0\nq 1,"a,b",2,0.1\n'
    )
    run.write(tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text()) == {"q 1": {"b": 2.0, "a,b": 0.1}}
    judgments = Judgments.read({"q": {"a": 2}})
    judgments.write(tmp_path / "a.tsv", format="beir")
    assert (tmp_path / "a.tsv").read_text() == "query-id\tcorpus-id\tscore\nq\ta\t2\n"


def test_lists_of_objects_to_the_letter(tmp_path: Path) -> None:
    run = Run.read({"q 1": {"a": 0.1, "b": 2}, "q2": {}})
    run.write(tmp_path / "a.json", format="json_list")
    assert json.loads((tmp_path / "a.json").read_text()) == [
        {"query_id": "q 1", "doc_id": "b", "rank": 1, "score": 2.0},
        {"query_id": "q 1", "doc_id": "a", "rank": 2, "score": 0.1},
        {"query_id": "q2"},
    ]
    for format in (None, "json_list", "json"):
        assert Run.read(tmp_path / "a.json", format=format).to_dict() == run.to_dict()


def test_quepids_csv_to_the_letter(tmp_path: Path) -> None:
    """As Quepid writes it: see judging/imports/files.py for where."""
    judgments = Judgments.read({"star, wars": {"11": 3, '1"2': 0.5}, "alien": {}})
    judgments.write(tmp_path / "a.csv", format="quepid_csv")
    assert (tmp_path / "a.csv").read_text() == (
        'query,docid,rating\n"star, wars",11,3\n"star, wars","1""2",0.5\nalien,,\n'
    )
    for format in (None, "quepid_csv", "csv"):
        assert Judgments.read(tmp_path / "a.csv", format=format).to_dict() == judgments.to_dict()
    with pytest.raises(OptionError, match="'quepid_csv' is one of judgments"):
        Run.read({"q": {"d": 1}}).write(tmp_path / "b.csv", format="quepid_csv")


def test_the_name_decides(tmp_path: Path) -> None:
    assert {ending: format_of("x" + ending.upper() + ".GZ") for ending in _ENDINGS} == _ENDINGS
    assert format_of("csv") == format_of("a.csv.bak") == format_of("-") == "trec"


IDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6)


@given(
    st.dictionaries(
        IDS,
        st.dictionaries(IDS, st.floats(allow_nan=False), min_size=1, max_size=4),
        min_size=1,
        max_size=3,
    )
)
def test_any_ids_and_scores(
    tmp_path_factory: pytest.TempPathFactory, nested: dict[str, dict[str, float]]
) -> None:
    """Every format keeps any data, or refuses it; JSON and Parquet never refuse."""
    run = Run.read(nested)
    folder = tmp_path_factory.mktemp("any")
    for ending in KEEPING:
        path = folder / f"a.{ending}"
        refusal = ""
        try:
            run.write(path)
        except InputError as error:
            refusal = str(error)
        if refusal:
            assert ending in ("txt", "run", "csv", "tsv")
            assert "would not be read back" in refusal
            assert not path.exists()
        else:
            assert back(run, path).to_dict() == run.to_dict()
            assert back(run, path).queries == run.queries


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("a b", "the id 'a b' holds white space, which would not be read back in this format; "),
        ("\u00a0a", "the id '\\xa0a' starts with white space"),
        ("a\0", "the id 'a\\x00' holds the character '\\x00'"),
    ],
)
def test_ids_that_trec_text_cannot_hold(bad: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for nested in ({"q": {"fine": 1, bad: 2}}, {"q": {"fine": 1}, bad: {"d": 2}}):
        path.write_text("before")
        with pytest.raises(InputError) as caught:
            Run.read(nested).write(path)
        assert str(caught.value).startswith(f"{path}: {message}")
        assert "write .json or .parquet" in str(caught.value)
        # What was there is still there, and nothing beside it.
        assert path.read_text() == "before"
        assert os.listdir(tmp_path) == ["a.txt"]


def test_queries_that_would_be_comments(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the id '#1' starts with the character '#'"):
        Run.read({"#1": {"a": 1}}).write(tmp_path / "a.txt")
    Run.read({"q": {"#1": 1}}).write(tmp_path / "a.txt")
    assert Run.read(tmp_path / "a.txt").to_dict() == {"q": {"#1": 1.0}}


def test_what_cannot_be_written(tmp_path: Path) -> None:
    run = Run.read(RUN)
    with pytest.raises(InputError, match=r"nowhere/a.txt: cannot be written: No such file"):
        run.write(tmp_path / "nowhere" / "a.txt")
    with pytest.raises(InputError, match="cannot be written: Is a directory"):
        run.write(tmp_path)
    with pytest.raises(OptionError, match="format='jsn' is not known; did you mean 'json'"):
        run.write(tmp_path / "a", format="jsn")
    with pytest.raises(OptionError, match="format='beir' is one of judgments"):
        run.write(tmp_path / "a", format="beir")
    assert os.listdir(tmp_path) == []


def test_zstd_needs_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtra, match=r"a.txt.zst needs zstandard, .* pip install zstandard"):
        Run.read(RUN).write(tmp_path / "a.txt.zst")
    assert os.listdir(tmp_path) == []


def test_zstd(tmp_path: Path) -> None:
    Run.read(RUN).write(tmp_path / "a.txt.zst")
    assert Run.read(tmp_path / "a.txt.zst").to_dict() == RUN


def test_tables_need_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"writing parquet files needs pyarrow"):
        Run.read(RUN).write(tmp_path / "a.parquet")
    assert os.listdir(tmp_path) == []


def test_links_and_modes_stay(tmp_path: Path) -> None:
    real = tmp_path / "real.txt"
    real.write_text("before")
    real.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(real)
    Run.read(RUN).write(link)
    assert link.is_symlink()
    assert Run.read(real).to_dict() == RUN
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    Run.read(RUN).write(tmp_path / "new.txt")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == 0o666 & ~umask


def test_the_same_data_give_the_same_archive(tmp_path: Path) -> None:
    for name in ("one.run.gz", "other.run.gz"):
        Run.read(RUN, name="x").write(tmp_path / name)
    assert (tmp_path / "one.run.gz").read_bytes() == (tmp_path / "other.run.gz").read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="there are no such names on Windows")
def test_standard_output(tmp_path: Path) -> None:
    for target in ("-", "/dev/stdout"):
        program = (
            "from cleverdon import Run; "
            f"Run.read({{'q': {{'a': 1.0}}}}).write({target!r}, format='csv')"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
        assert done.stdout == b"query_id,doc_id,rank,score\nq,a,1,1.0\n"
