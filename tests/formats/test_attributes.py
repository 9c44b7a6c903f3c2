"""Attributes of queries, read from tables."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars
import pytest

from cleverdon.errors import InputError, OptionError
from cleverdon.formats.attributes import read_attributes


def written(folder: Path, text: str, name: str = "topics.csv") -> str:
    path = folder / name
    path.write_bytes(text.encode())
    return str(path)


def test_other_tables(tmp_path: Path) -> None:
    rows = [{"language": "en", "query": "red shoes"}, {"language": None, "query": "7"}]
    expected = {"red shoes": {"language": "en"}, "7": {}}
    frame = polars.DataFrame(rows)
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_excel(tmp_path / "a.xlsx")
    (tmp_path / "a.json").write_text(json.dumps(rows))
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "a.csv").write_text("sep=;\nquery;language\nred shoes;en\n7;\n")
    for name in ("a.parquet", "a.xlsx", "a.json", "a.jsonl", "a.csv"):
        found = read_attributes(tmp_path / name)
        assert (found.names, found.values) == (("language",), expected), name
    (tmp_path / "a.json").write_text(json.dumps(rows + rows))
    with pytest.raises(InputError, match=r"a.json: query 'red shoes' is listed twice$"):
        read_attributes(tmp_path / "a.json")


def test_csv_and_tsv_with_quotes_line_breaks_and_empty_cells(tmp_path: Path) -> None:
    commas = 'id,text,language\r\n1,"who, when\nand why",en\r\n\r\n2, plain ,\r\n'
    expected = {"1": {"text": "who, when\nand why", "language": "en"}, "2": {"text": "plain"}}
    assert read_attributes(written(tmp_path, commas)).values == expected
    tabs = "\ufeff\nid\ttext\n1\tone, two\n"
    assert read_attributes(written(tmp_path, tabs)).values == {"1": {"text": "one, two"}}
    packed = tmp_path / "topics.csv.gz"
    packed.write_bytes(gzip.compress(commas.encode()))
    assert read_attributes(packed).values == expected


def test_a_column_leaves_out_topics_that_lack_it(tmp_path: Path) -> None:
    table = read_attributes(written(tmp_path, "id,language,length\n1,en,3\n2,,4\n"))
    assert table.column("language") == ("language", {"1": "en"})
    with pytest.raises(OptionError, match="several attributes of queries: language, length"):
        table.column()
    with pytest.raises(OptionError, match=r"no attribute 'langage' in .*did you mean 'language'"):
        table.column("langage")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no queries"),
        ("id,language\n", "has no queries"),
        ("id\n1\n", ":1: expected a header"),
        ("id,a,a\n1,2,3\n", ":1: two columns are called 'a'"),
        ("id,,a\n1,2,3\n", ":1: column 2 has no name"),
        ('id,a\n1,"x\ny"\n2,y,z\n', r":4: expected 2 columns \(id, a\), found 3"),
        ("id,a\n1,x\n\n1,y\n", ":4: query '1' is listed twice, first on line 2"),
        ("id,a\n,x\n", ":2: the query's id is missing"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_attributes(written(tmp_path, text))


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes("id,a\n1,x\n2,\u00e9\n".encode("latin-1"))
    with pytest.raises(InputError, match=":3:3: the byte 0xe9 is not UTF-8"):
        read_attributes(path)
    with pytest.raises(InputError, match="cannot be read as attributes"):
        read_attributes(7)


def test_dicts_of_attributes_or_of_values() -> None:
    nested = read_attributes({1: {"length": 3, "type": None}, "2": {"length": float("nan")}})
    assert nested.names == ("length", "type")
    assert nested.column("length") == ("length", {"1": "3"})
    assert nested.column("type") == ("type", {})
    for wrong, message in (
        ({}, "no queries"),
        ({"1": {"a": 1}, "2": 3}, "query '2' has a value where others have a dict"),
        ({"1": "a", 1: "b"}, "the same id"),
    ):
        with pytest.raises(InputError, match=message):
            read_attributes(wrong)
