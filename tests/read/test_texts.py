"""Texts of queries and documents, from every form in which people keep them."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.errors import InputError, OptionError
from cleverdon.read.texts import Text, read_texts
from cleverdon.read.topics import read_topics
from tests.read.ways import zstd


def written(folder: Path, text: str | bytes, name: str = "texts") -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def pairs(texts: dict[str, Text]) -> dict[str, tuple[str, str]]:
    return {id: (text.title, text.text) for id, text in texts.items()}


TOPICS = """
<top>

<head> Tipster Topic Description
<num> Number:  007
<dom> Domain:  Cooking
<title> Topic:  Bread &amp; butter

<desc> Description:
How much salt, if
any at all?

<narr> Narrative
Recipes count, prices < 2 do not.

</top>
<top>
<num> Number: 8 </num>
<title>
Tea
</title>
<desc> Which leaves? </desc>
</top>
"""
XML_TOPICS = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE some [ <!ELEMENT topic (query, description)> ]>
<topics task="cooking">
  <topic number="1" type="single"><query>caf\u00e9</query>
    <description>Where is it &lt;good&gt;?</description>
    <subtopic number="1">near me</subtopic></topic>
  <topic number="2">only words, <!-- and a comment --> no query</topic>
</topics>"""
DOCUMENTS = """<DOC>
<DOCNO> AB-1 </DOCNO>
<DOCID> 77 </DOCID>
<HEADLINE> <P>Salt &amp; pepper</P> </HEADLINE>
<TEXT>
<P>
First   part.
</P>
</TEXT>
<TEXT>
Second part: 1 < 2.
</TEXT>
</DOC>
<DOC>
<DOCNO>AB-2</DOCNO>
<DOCHDR>
http://example.org
</DOCHDR>
<html><head><title>Page</title><style>p {}</style></head>
<body>Words of a page</body></html>
</DOC>
<DOC><DOCNO> AB-3 </DOCNO>
 No tags here.
</DOC>
"""

FORMATS: dict[str, tuple[str | bytes, dict[str, tuple[str, str]]]] = {
    "beir": (
        '{"_id": "a", "title": "T", "text": "one\\ntwo", "metadata": {"_id": "z"}}\n\n'
        '{"metadata": {}, "_id": "b", "text": null}\n',
        {"a": ("T", "one\ntwo"), "b": ("", "")},
    ),
    "jsonl with numbers": (
        '{"qid": 12, "query": "why"}\r\n{"query": "how", "qid": 13}\r\n',
        {"12": ("", "why"), "13": ("", "how")},
    ),
    "jsonl of passages": (
        '{"pid": "p1", "passage": "words", "docid": "d1"}\n{"pid": "p2", "passage": ["x", "y"], '
        '"docid": "d1"}\n',
        {"p1": ("", "words"), "p2": ("", "x\ny")},
    ),
    "one line of jsonl": ('{"id": "a", "title": "only"}', {"a": ("only", "")}),
    "json": ('{"a": "one", "2": "two"}', {"a": ("", "one"), "2": ("", "two")}),
    "json of objects": (
        '{\n "a": {"title": "T", "text": "one"},\n "b": {"contents": "two"}\n}',
        {"a": ("T", "one"), "b": ("", "two")},
    ),
    "list of objects": (
        '[\n {"question_id": "a", "query": "one", "question": "which one"}\n]',
        {"a": ("", "one")},
    ),
    "tsv": (
        '\ufeff1\twhat is "it\r\n2\t "that", and\tmore\r\n\r\n',
        {"1": ("", 'what is "it'), "2": ("", '"that", and\tmore')},
    ),
    "tsv of titles": ("1\tT\tone\n2\t\ttwo\n", {"1": ("T", "one"), "2": ("", "two")}),
    "msmarco documents": (
        "D1\thttp://x\tT\tbody one\nD2\thttp://y\t\t\n",
        {"D1": ("T", "body one"), "D2": ("", "")},
    ),
    "tsv under a header": (
        "qid\tlanguage\tquery\n1\ten\twhy, then\n2\tde\twarum\n",
        {"1": ("", "why, then"), "2": ("", "warum")},
    ),
    "csv": (
        'Title,Text,ID\n"T, too","one\n""two""",1\n,plain,2\n',
        {"1": ("T, too", 'one\n"two"'), "2": ("", "plain")},
    ),
    "csv with an id of another name": ("nr,question\n7,why\n", {"7": ("", "why")}),
    "million query": ("1:time: 5 pm\n2:tea\n", {"1": ("", "time: 5 pm"), "2": ("", "tea")}),
    "million query with priorities": (
        "21:1:tea\n22:4:x:y\n",
        {"21": ("", "tea"), "22": ("", "x:y")},
    ),
    "trec topics": (
        TOPICS,
        {
            "007": (
                "Bread & butter",
                "How much salt, if\nany at all?\n\nRecipes count, prices < 2 do not.",
            ),
            "8": ("Tea", "Which leaves?"),
        },
    ),
    "xml topics": (
        XML_TOPICS.encode("latin-1"),
        {"1": ("caf\u00e9", "Where is it <good>?"), "2": ("", "only words,   no query")},
    ),
    "ntcir topics": (
        "<queries><query><qid>0001</qid><content>tea</content></query>"
        "<query><qid>0002</qid><content>salt</content></query></queries>",
        {"0001": ("tea", ""), "0002": ("salt", "")},
    ),
    "trec documents": (
        DOCUMENTS,
        {
            "AB-1": ("Salt & pepper", "First   part.\nSecond part: 1 < 2."),
            "AB-2": ("Page", "Words of a page"),
            "AB-3": ("", "No tags here."),
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_recognised(tmp_path: Path, name: str) -> None:
    content, expected = FORMATS[name]
    path = written(tmp_path, content)
    assert pairs(read_texts(path)) == expected
    for id, texts in expected.items():
        assert pairs(read_texts(Path(path), wanted=[id])) == {id: texts}
        # What cannot tell how many it wants cannot end the reading early.
        assert pairs(read_texts(path, wanted=Only(id))) == {id: texts}


class Only:
    def __init__(self, id: str) -> None:
        self.id = id

    def __contains__(self, id: object) -> bool:
        return id == self.id


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd,
}


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("name", ["beir", "csv", "trec documents", "json"])
def test_packed_files(tmp_path: Path, packing: str, name: str) -> None:
    content, expected = FORMATS[name]
    assert isinstance(content, str)
    packed = PACKERS[packing](content.encode())
    assert pairs(read_texts(written(tmp_path, packed))) == expected


@pytest.mark.parametrize("packing", PACKERS)
def test_several_archives_are_one_text_and_a_damaged_one_is_named(
    tmp_path: Path, packing: str
) -> None:
    pack = PACKERS[packing]
    both = written(tmp_path, pack(b"1\tone\n") + pack(b"2\ttwo\n"))
    assert pairs(read_texts(both)) == {"1": ("", "one"), "2": ("", "two")}
    text = "".join(f"{number}\t{number**9}\n" for number in range(9_000)).encode()
    cut = written(tmp_path, pack(text)[:30_000])
    with pytest.raises(InputError, match=f"damaged or cut short: .* as {packing}"):
        read_texts(cut)


def test_zstd_without_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    assert pairs(read_texts(written(tmp_path, zstd(b"1\tone\n")))) == {"1": ("", "one")}


def test_a_pipe_and_standard_input(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = threading.Thread(target=fifo.write_bytes, args=(gzip.compress(b"1\tone\n"),))
    writer.start()
    assert pairs(read_texts(fifo)) == {"1": ("", "one")}
    writer.join()
    program = "from cleverdon.read.texts import read_texts; print(read_texts('-')['1'].text)"
    printed = subprocess.run(
        [sys.executable, "-c", program], input=b"1\tone\n", capture_output=True, check=True
    )
    assert printed.stdout.split() == [b"one"]


def test_dicts_and_lists_of_dicts() -> None:
    given = {7: "one", "b": {"title": "T", "text": "two"}, "c": {"query": "three"}, "d": None}
    expected = {"7": ("", "one"), "b": ("T", "two"), "c": ("", "three"), "d": ("", "")}
    assert pairs(read_texts(given)) == expected
    assert pairs(read_texts(given, wanted={"7", "c"})) == {"7": ("", "one"), "c": ("", "three")}
    assert pairs(read_texts([{"id": 1, "text": "one"}])) == {"1": ("", "one")}


def test_tables(tmp_path: Path) -> None:
    columns = {"_id": ["a", "b"], "title": ["T", None], "text": ["one", "two"], "other": [1, 2]}
    expected = {"a": ("T", "one"), "b": ("", "two")}
    table = pyarrow.table(columns)
    for made in (table, pandas.DataFrame(columns), polars.DataFrame(columns)):
        assert pairs(read_texts(made)) == expected
        assert pairs(read_texts(made, wanted={"b"})) == {"b": ("", "two")}
    pyarrow.parquet.write_table(table, tmp_path / "texts.parquet")
    pandas.DataFrame(columns).to_feather(tmp_path / "texts.feather")
    for name in ("texts.parquet", "texts.feather"):
        assert pairs(read_texts(tmp_path / name)) == expected
        packed = written(tmp_path, gzip.compress((tmp_path / name).read_bytes()))
        assert pairs(read_texts(packed, wanted={"a"})) == {"a": ("T", "one")}
    damaged = written(tmp_path, (tmp_path / "texts.parquet").read_bytes()[:-20])
    with pytest.raises(InputError, match="not a readable parquet file"):
        read_texts(damaged)
    with pytest.raises(InputError, match=r"no column for the text: .*; found a, b"):
        read_texts(pyarrow.table({"a": ["1"], "b": ["2"]}))


def test_folders(tmp_path: Path) -> None:
    written(tmp_path, '{"_id": "1", "text": "document"}\n', "corpus.jsonl")
    written(tmp_path, '{"_id": "1", "text": "query"}\n', "queries.jsonl")
    assert read_texts(tmp_path, kind="queries")["1"].text == "query"
    assert read_texts(tmp_path, kind="documents")["1"].text == "document"
    with pytest.raises(InputError, match=r"holds queries.jsonl and corpus.jsonl; name the one"):
        read_texts(tmp_path)
    many = tmp_path / "many"
    written(many, "2\ttwo\n", "b/part.tsv")
    written(many, gzip.compress(b"1\tone\n"), "a/part.tsv.gz")
    written(many, "read me", "README")
    written(many, "", ".hidden")
    assert list(pairs(read_texts(many))) == ["1", "2"]
    written(many, "3\tthree\n2\ttoo\n", "c/part.tsv")
    with pytest.raises(InputError, match=r"part.tsv:2: '2' has two .*, first in .*b/part.tsv:1"):
        read_texts(many)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="is a folder without files"):
        read_texts(tmp_path / "empty")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "^{}: is empty"),
        (b" \n\n", "^{}: is empty"),
        (b"just words\n", "^{}: is in no known format of texts. Known are JSONL: .*; TREC: "),
        (b"q1 0 d1 1\n", "^{}: is in no known format"),
        (b"q1\t0\td1\t1\n", "^{}:1: looks like judgments or a run"),
        (b"1\t2\t3\t4\t5\n", "^{}:1: expected id and text.*found 5 columns. Name them in a header"),
        (b"PK\x03\x04abc", "^{}: is a zip archive; unpack it first"),
        (b"1\tone\n2\t\xe9\n", "^{}:2:3: the byte 0xe9 is not UTF-8; convert .* iconv"),
        (b'id,text\n1,"x\n\xff"\n', "^{}:3:1: the byte 0xff is not UTF-8"),
        (b"<DOC>\n<DOCNO>1</DOCNO>\n\xff\n", "^{}:3:1: the byte 0xff is not UTF-8"),
        (b"1\tone\n2\n", "^{}:2: expected 2 columns by tabs, found 1"),
        (b"1\tone\n\ttwo\n", "^{}:2: the id is missing"),
        (b"1:one\n2\n", "^{}:2: expected id:text"),
        (b"id,text\n1,one\n2,two,x\n", "^{}:3: expected 2 columns .id, text., found 3"),
        (b"id,language\n1,en\n", "^{}:1: no column for the text: .*; found id, language"),
        (b"query-id\tcorpus-id\tscore\nq\td\t1\n", "^{}:1: no column for the text"),
        (b'{"id": "1", "text": "x"}\n{"id": "2", "text" "y"}\n', "^{}:2:20: Expecting ':'"),
        (b'{"id": "1", "text": "x"}\n{"text": "y"}\n', "^{}:2: the object has no 'id'"),
        (b'{"id": "1", "text": "x"}\n{"id": [], "text": "y"}\n', "^{}:2: expected an id, found"),
        (b'{"id": "1", "text": "x"}\n[1]\n', "^{}:2: expected an object with id and text"),
        (b'{"text": "x"}\n{"text": "y"}\n', "^{}:1: .* no field for an id: expected .* found text"),
        (b'{"id": "1", "vector": [1]}\n{"id": "2"}\n', "^{}:1: .* no field for a text: expected"),
        (b'[{"text": "x"}]', "^{}: record 1 has no field for an id"),
        (b'{"a": 1}', "^{}: 'a': expected a text, or a dict with title and text, found int"),
        (b'{"a": "x", "a": "y"}', "^{}: the key 'a' occurs twice"),
        (b'{"a": "x",\n', "^{}:2:1: "),
        (b"<html><body></body></html>", "^{}: has tags, but none of <DOC>, <top>"),
        (b"<top>\n<title> x </top>\n", "^{}:1: no id: expected an attribute number or id, or a"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_place(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = written(tmp_path, content)
    with pytest.raises(InputError, match=message.format(path)):
        read_texts(path)


TWICE = {
    "columns": ("1\tone\n2\ttwo\n1\t{}\n", 3, 1),
    "csv": ('id,text\n1,one\n2,"a\nb"\n1,{}\n', 5, 2),
    "jsonl": ('{{"id":1,"text":"one"}}\n{{"id":2,"text":""}}\n{{"id":1,"text":"{}"}}\n', 3, 1),
    "tags": ("<top>\n<num> 1 <title> one\n</top>\n<top>\n<num> 1 <title> {}\n</top>\n", 4, 1),
}


@pytest.mark.parametrize("name", TWICE)
def test_two_texts_of_one_id_are_an_error_unless_they_are_the_same(
    tmp_path: Path, name: str
) -> None:
    content, line, first = TWICE[name]
    assert read_texts(written(tmp_path, content.format("one")))["1"].line == "one"
    path = written(tmp_path, content.format("other"))
    message = f"^{path}:{line}: '1' has two different texts, first on line {first}$"
    with pytest.raises(InputError, match=message):
        read_texts(path)


def test_what_cannot_be_read_and_options_that_do_not_exist(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'int' cannot be read as texts: give a file"):
        read_texts(3)
    with pytest.raises(OptionError, match="did you mean 'queries'"):
        read_texts({}, kind="querys")
    with pytest.raises(OptionError, match="limit=0"):
        read_texts({}, limit=0)
    with pytest.raises(FileNotFoundError):
        read_texts(tmp_path / "none")


def test_reading_ends_when_all_is_found(tmp_path: Path) -> None:
    # Each of these has an error further down.
    for content in (
        '{"id": "1", "text": "one"}\n{"id": "2", "text": "two"}\n{"id": \n',
        "1\tone\n2\ttwo\n3\n",
        "id,text\n1,one\n2,two\n3\n",
        "<DOC><DOCNO>1</DOCNO>one</DOC>\n<DOC><DOCNO>2</DOCNO>two</DOC>\n<DOC>x</DOC>\n<DOC>y</DOC>",
    ):
        path = written(tmp_path, content)
        assert pairs(read_texts(path, wanted={"1"})) == {"1": ("", "one")}
        assert set(read_texts(path, wanted=["2", "1", "2"])) == {"1", "2"}
        with pytest.raises(InputError):
            read_texts(path)
    limit = csv.field_size_limit()
    assert limit == 131072, "a limit of Python's own is put back"
    assert read_texts(tmp_path / "not opened", wanted=()) == {}


def test_reading_tells_how_far_it_is_and_stops_early(tmp_path: Path) -> None:
    lines = [json.dumps({"id": str(number), "text": "x" * 1000}) for number in range(5000)]
    path = written(tmp_path, "\n".join(lines))
    size = os.path.getsize(path)
    told: list[tuple[int, int]] = []
    assert len(read_texts(path, progress=lambda done, total: told.append((done, total)))) == 5000
    assert told[-1] == (size, size)
    assert told == sorted(told)
    told.clear()
    read_texts(path, wanted={"3"}, progress=lambda done, total: told.append((done, total)))
    assert max(told)[0] < size / 2


def test_an_id_within_a_nested_object_or_a_text_is_no_id(tmp_path: Path) -> None:
    records = [
        {"text": 'says "id": "w"', "id": "a"},
        {"meta": {"id": "w"}, "id": "b", "text": "nested"},
        {"meta": {"id": "x"}, "text": "the one", "id": "w"},
        {"id": "esc\\aped \u00e9", "text": "odd"},
        {"id": " blank ", "text": "between blanks"},
    ]
    path = written(tmp_path, "\n".join(map(json.dumps, records)))
    assert pairs(read_texts(path, wanted={"w"})) == {"w": ("", "the one")}
    assert pairs(read_texts(path, wanted=Only("esc\\aped \u00e9"))).popitem()[1] == ("", "odd")
    assert pairs(read_texts(path, wanted={"blank"})) == {"blank": ("", "between blanks")}


def test_early_topics_have_zeros_that_their_judgments_lack(tmp_path: Path) -> None:
    path = written(tmp_path, TOPICS)
    assert read_texts(path, wanted={"7"})["7"].title == "Bread & butter"
    assert read_texts(path, wanted={"007"})["007"].title == "Bread & butter"
    assert read_texts(path, wanted={"07"}) == {}


def test_texts_are_cut_and_shown_on_one_line() -> None:
    text = read_texts({"a": {"title": " one\n two", "text": "x" * 50}}, limit=10)["a"]
    assert text == Text("one\n two", "x" * 9 + "…")
    assert text.line == "one two"
    assert Text("", "\x1b[31mred\tand\u00a0blue\x00").line == "[31mred and blue"
    assert Text("", "").line == ""
    assert read_texts({"a": "half \ud83d"})["a"].text.encode() == b"half ?"


def test_one_file_serves_for_texts_and_for_attributes(tmp_path: Path) -> None:
    path = written(tmp_path, 'id,query,language\n1,"who, why",en\n2,was,de\n')
    assert pairs(read_texts(path)) == {"1": ("", "who, why"), "2": ("", "was")}
    assert read_topics(path).column("language") == ("language", {"1": "en", "2": "de"})


def test_a_document_may_be_longer_than_pythons_limit_for_a_cell(tmp_path: Path) -> None:
    path = written(tmp_path, f"id,text\n1,{'x' * 200_000}\n")
    assert len(read_texts(path)["1"].text) == 200_000


# Characters that every format can hold: no halves of surrogate pairs, nothing that ends a line.
WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=30)
COLLECTION = st.dictionaries(
    WORDS.map(str.strip).filter(bool), st.tuples(WORDS.map(str.strip), WORDS.map(str.strip))
).filter(bool)


def as_jsonl(texts: dict[str, tuple[str, str]]) -> str:
    rows = ({"title": title, "_id": id, "text": text} for id, (title, text) in texts.items())
    return "\n".join(map(json.dumps, rows))


def as_json(texts: dict[str, tuple[str, str]]) -> str:
    rows = {id: {"title": title, "text": text} for id, (title, text) in texts.items()}
    return json.dumps(rows, ensure_ascii=False, indent=1)


def as_csv(texts: dict[str, tuple[str, str]]) -> str:
    made = io.StringIO()
    writer = csv.writer(made, quoting=csv.QUOTE_ALL)
    writer.writerows([("id", "title", "text"), *((id, *rest) for id, rest in texts.items())])
    return made.getvalue()


def as_trec(texts: dict[str, tuple[str, str]]) -> str:
    from html import escape

    return "".join(
        f"<DOC>\n<DOCNO>{escape(id)}</DOCNO>\n<TITLE>{escape(title)}</TITLE>\n"
        f"<TEXT>\n{escape(text)}\n</TEXT>\n</DOC>\n"
        for id, (title, text) in texts.items()
    )


@pytest.mark.parametrize("write", [as_jsonl, as_json, as_csv, as_trec])
def test_what_was_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, write: Callable[[dict[str, Any]], str]
) -> None:
    folder = tmp_path_factory.mktemp("round")

    @given(COLLECTION, st.data())
    def round_trip(texts: dict[str, tuple[str, str]], data: st.DataObject) -> None:
        path = written(folder, write(texts))
        assert pairs(read_texts(path)) == texts
        wanted = data.draw(st.sets(st.sampled_from(sorted(texts))))
        assert pairs(read_texts(path, wanted=wanted)) == {
            id: texts[id] for id in texts if id in wanted
        }

    round_trip()


SAMPLES = [text if isinstance(text, bytes) else text.encode() for text, _ in FORMATS.values()]


def complaint(path: str, wanted: set[str] | None) -> InputError | None:
    try:
        read_texts(path, wanted=wanted)
    except InputError as error:
        return error
    return None


def test_damaged_files_give_errors_of_ours_or_none(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("damaged")

    damages = st.lists(st.tuples(st.integers(0, 400), st.binary(max_size=3)))

    @given(st.sampled_from(SAMPLES), damages)
    def survives(content: bytes, damages: list[tuple[int, bytes]]) -> None:
        for at, change in damages:
            content = content[:at] + change + content[at + 1 :]
        path = written(folder, content)
        for wanted in (None, {"1", "a", "AB-2"}):
            error = complaint(path, wanted)
            assert error is None or (error.source == path and "\n" not in str(error))

    survives()


@pytest.mark.parametrize("encoding", ["hex", "rot13", "utf-16", "punycode", "nonsense"])
def test_an_encoding_that_cannot_be_is_passed_over(tmp_path: Path, encoding: str) -> None:
    xml = f'<?xml version="1.0" encoding="{encoding}"?><topic number="1">caf\u00e9</topic>'
    assert read_texts(written(tmp_path, xml))["1"].text == "caf\u00e9"


def test_json_that_is_nested_too_deeply(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nested too deeply"):
        read_texts(written(tmp_path, '{"a": ' * 100_000))


@pytest.fixture(autouse=True)
def _no_limit_is_left_behind() -> Iterator[None]:
    before = csv.field_size_limit()
    yield
    assert csv.field_size_limit() == before
