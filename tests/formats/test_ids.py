"""Ids of a collection, and tables of two columns."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from cleverdon.errors import InputError
from cleverdon.formats.attributes import read_pairs
from cleverdon.formats.texts import read_ids


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list.txt", "d1\nd2\n\nd3\n"),
        ("headed.txt", "\ufeffdoc_id\r\nd1\r\nd2\r\nd3\r\n"),
        ("tabs.tsv", "d1\tfirst text\nd2\tsecond\nd3\tthird\n"),
        (
            "corpus.jsonl",
            "".join(json.dumps({"_id": f"d{n}", "text": "t"}) + "\n" for n in (1, 2, 3)),
        ),
        ("trec.xml", "".join(f"<DOC><DOCNO>d{n}</DOCNO><TEXT>t</TEXT></DOC>\n" for n in (1, 2, 3))),
        ("table.csv", "id,text\nd1,a\nd2,b\nd3,c\n"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_ids_of_whatever_has_them(name: str, text: str, packed: bool, tmp_path: Path) -> None:
    file = tmp_path / (name + ".gz" * packed)
    file.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    assert list(read_ids(file)) == ["d1", "d2", "d3"]
    assert list(read_ids(str(file))) == ["d1", "d2", "d3"]  # again: nothing is used up


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "is empty"), ("\n\n", "is empty"), ("d1\nd2 d3\n", "2: expected one id a line")],
)
def test_what_is_no_list(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "docs.txt"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        list(read_ids(file))


@pytest.mark.parametrize("separator", ["\t", ",", "  "])
def test_pairs(separator: str, tmp_path: Path) -> None:
    file = tmp_path / "groups"
    lines = [("system", "group"), ("bm25", "lexical"), ("dense", "neural")]
    file.write_text("\n".join(map(separator.join, lines)))
    found = read_pairs(file, ("run", "group"), headings=("system",))
    assert found == {"bm25": "lexical", "dense": "neural"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("a b c\n", "1: expected run and group"),
        ("a x\na y\n", "2: run 'a' has the group 'y', and 'x' above"),
    ],
)
def test_what_is_no_table_of_pairs(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "groups"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_pairs(file, ("run", "group"))


def test_a_header_may_stand_below_a_comment(tmp_path: Path) -> None:
    file = tmp_path / "groups"
    file.write_text("# made by hand\n\nrun group\nbm25 lexical\n")
    assert read_pairs(file, ("run", "group")) == {"bm25": "lexical"}
    file.write_text("bm25 lexical\nrun group\n")  # below data it is a run of that name
    assert read_pairs(file, ("run", "group")) == {"bm25": "lexical", "run": "group"}


def test_files_that_are_not_there(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.txt")
    with pytest.raises(InputError, match=r"none\.txt: there is no such file"):
        list(read_ids(missing))
    with pytest.raises(InputError, match=r"none\.txt: there is no such file"):
        read_pairs(missing, ("run", "group"))
