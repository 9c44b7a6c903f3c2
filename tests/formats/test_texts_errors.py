"""What is wrong with files of texts is named, with its place; nothing else goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.errors import InputError, OptionError
from cleverdon.formats.texts import read_texts
from tests.formats.text_samples import FORMATS, written


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
