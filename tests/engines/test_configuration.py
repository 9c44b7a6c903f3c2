from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from cleverdon.engines.adapters import (
    FromEnvironment,
    hide_secrets,
    masked_url,
    secrets_in,
    without_secrets,
)
from cleverdon.engines.adapters.elasticsearch import Elasticsearch
from cleverdon.engines.adapters.http import Http
from cleverdon.engines.configuration import ENGINE_KINDS, open_engine
from cleverdon.engines.protocol import Engine, Results
from cleverdon.errors import InputError, OptionError

GUIDE = Path(__file__).parents[2] / "docs" / "engines.md"
WHOLE = """\
kind = "http"
url = "http://localhost:8000/find?q={query}"
ids = "$.hits[*].id"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_configuration_is_an_engine(tmp_path: Path) -> None:
    engine = open_engine(written(tmp_path, WHOLE))
    assert isinstance(engine, Http)
    assert engine.name == "mine"
    assert open_engine(str(written(tmp_path, WHOLE + 'name = "ours"'))).name == "ours"
    assert open_engine(written(tmp_path, "\ufeff" + WHOLE)).name == "mine"


def test_a_table_is_an_engine() -> None:
    engine = open_engine({"kind": "elasticsearch", "url": "http://h:9200/docs"})
    assert isinstance(engine, Elasticsearch)
    assert open_engine(engine) is engine


def test_a_function_is_an_engine() -> None:
    def mine(query: str, k: int) -> Results:
        return [(query, 1.0)]

    assert open_engine(mine).name == "mine"


def test_variables_come_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACE", "example.org")
    monkeypatch.setenv("KEY_1", "abcdef")
    text = WHOLE.replace("localhost", "${PLACE}") + 'headers = { X-Key = "a ${KEY_1}${KEY_1}" }\n'
    engine = open_engine(written(tmp_path, text + 'body = ["{query}", "$KEY_1", "$${KEY_1}"]'))
    assert isinstance(engine, Http)
    assert engine.url == "http://example.org:8000/find?q={query}"
    assert engine.headers == {"X-Key": "a abcdefabcdef"}
    assert engine.body == ["{query}", "$KEY_1", "$abcdef"]
    assert engine.settings["url"] == "http://${PLACE}:8000/find?q={query}"
    assert engine.settings["body"] == ["{query}", "$KEY_1", "$${KEY_1}"]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("kind = http", 1, 'this is not TOML: .*texts stand in quotes, as in kind = "http"'),
        ("", None, 'says no kind of engine; kind = "..." can be http, elasticsearch'),
        ('kind = "elastic"', 1, "kind 'elastic' is not known; did you mean 'elasticsearch'"),
        ("kind = ['http']", 1, "is not known"),
        ('kind = "http"\nids = "$"', 1, "an engine of kind http needs url: add url = ..."),
        (WHOLE + 'id = "x"', 4, "http has no option 'id'; did you mean 'ids'"),
        (WHOLE + "\n[header]\nA = 'b'", 5, "http has no option 'header'; did you mean 'headers'"),
        (WHOLE + 'method = "PUT"', 4, "method='PUT' is not known"),
        (WHOLE + "[params]\na = 1\nb = '{quary}'", 4, r"params.b: \{quary\} is not known"),
        (WHOLE + "[headers]\nA = 'b'\nC = '${NO_1}'", 6, "no environment variable NO_1; set it"),
        (WHOLE.replace("$.hits", "$.[hits"), 3, "is not a JSONPath"),
    ],
)
def test_errors_say_where_they_are(tmp_path: Path, text: str, line: int | None, said: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError, match=said) as raised:
        open_engine(path)
    assert (raised.value.source, raised.value.line) == (str(path), line)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("kind=sqlite file=3", "file: expected a text, found a whole number"),
        ("kind=sqlite file='a.db' table=3", "table: expected a text, found a whole number"),
        (
            "kind=sqlite file='a.db' ignored=3",
            "ignored: expected a list of texts, found a whole number",
        ),
        (
            "kind=sqlite file='a.db' ignored=['a',3]",
            "ignored: expected a list of texts, found a list",
        ),
        ("kind=sqlite file='a.db' weights=3", "weights: expected a table, found a whole number"),
        (
            "kind=sqlite file='a.db' threads='many'",
            "threads: expected a whole number, found a text",
        ),
        ("kind=sqlite file='a.db' threads=2.5", "threads: expected a whole number, found a number"),
        (
            "kind=sqlite file='a.db' threads=true",
            "threads: expected a whole number, found true or false",
        ),
        ("kind=sqlite file='a.db' name=3", "name: expected a text, found a whole number"),
        ("kind=tantivy folder=['a']", "folder: expected a text, found a list"),
        ("kind=bm25s folder='a' b='low'", "b: expected a number, found a text"),
        ("kind=bm25s folder='a' b=1.5", "b=1.5: expected a number from 0 to 1"),
        (
            "kind=bm25s folder='a' stopwords=3",
            "stopwords: expected a text or a list of texts, found a whole number",
        ),
        ("kind=postgresql connection=3", "connection: expected a text, found a whole number"),
        (
            "kind=command command=3",
            "command: expected a text or a list of texts, found a whole number",
        ),
        ("kind=command command='a' shell='yes'", "shell: expected true or false, found a text"),
        ("kind=command command='a' timeout='1'", "timeout: expected a number, found a text"),
        ("kind=python function=3", "function: expected a text, found a whole number"),
        ("kind=http url=3 ids='$.a'", "url: expected a text, found a whole number"),
        ("kind=solr url='http://h/a' fields=[1]", "fields: expected a list of texts, found a list"),
    ],
)
def test_options_have_types(options: str, said: str) -> None:
    kind, *others = options.split(" ")
    read = tomllib.loads("\n".join(others))
    with pytest.raises(InputError, match=said):
        open_engine({"kind": kind.removeprefix("kind="), **read})


def test_short_names_are_texts_where_texts_belong(tmp_path: Path) -> None:
    engine = open_engine("sqlite:a.db?table=2024&id=7&ignored=the,of&threads=8&weights.8=2&name=3")
    assert engine.name == "3"
    assert engine.settings == {
        "kind": "sqlite",
        "file": "a.db",
        "table": "2024",
        "operator": "or",
        "weights": {"8": 2.0},
        "tokenizer": None,
        "ignored": ["of", "the"],
    }


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such configuration of an engine"):
        open_engine(tmp_path / "none.toml")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        open_engine(tmp_path / "folder.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="cannot be read"):
        open_engine(tmp_path / "bytes.toml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("index.db", "a configuration is a file that ends in .toml.*as in sqlite:index.db"),
        ("elastic+http://h/docs", "did you mean 'elasticsearch'.*elasticsearch\\+http://HOST:9200"),
        ("mysql://ann:secret@h/db", r"'mysql://\*\*\*@h/db' is not an engine"),
        ("nothing", "'nothing' is not an engine; an engine is named as one of: "),
    ],
)
def test_names_that_are_no_engine(text: str, said: str) -> None:
    with pytest.raises(OptionError, match=said) as raised:
        open_engine(text)
    assert "secret" not in str(raised.value)


def test_other_things_are_no_engine() -> None:
    with pytest.raises(OptionError, match="'int' is not a search engine: give a function"):
        open_engine(3)


@pytest.mark.parametrize("kind", ENGINE_KINDS)
def test_every_kind_can_be_loaded_and_described(kind: str) -> None:
    adapter = ENGINE_KINDS[kind].load()
    assert issubclass(adapter, Engine)  # type: ignore[arg-type]
    assert callable(adapter.short)
    assert ENGINE_KINDS[kind].what
    shown = {read["kind"] for _, read in blocks()}
    assert kind in shown or f"`{ENGINE_KINDS[kind].short}`" in GUIDE.read_text("utf-8")


def blocks() -> list[tuple[str, dict[str, Any]]]:
    """Every configuration that the guide shows."""
    found = re.findall(r"```toml\n(.*?)```", GUIDE.read_text("utf-8"), flags=re.DOTALL)
    return [(text, tomllib.loads(text)) for text in found]


@pytest.mark.parametrize(("text", "read"), blocks())
def test_what_the_guide_shows_is_an_engine(
    text: str, read: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in re.findall(r"\$\{(\w+)\}", text):
        monkeypatch.setenv(variable, "something")
    engine = open_engine(read)
    assert isinstance(engine, Engine)
    assert engine.settings["kind"] == read["kind"]
    assert open_engine({**read, "name": "mine"}).name == "mine"
    assert "something" not in f"{engine!r} {dict(engine.settings)}"


def test_secrets_stay_within() -> None:
    key = FromEnvironment("Bearer abcdef", written="Bearer ${KEY}", values=["abcdef"])
    assert without_secrets({"a": [key, 1], "password": "x", "tokenizer": "y", "api-key": key}) == {
        "a": ["Bearer ${KEY}", 1],
        "password": "***",
        "tokenizer": "y",
        "api-key": "Bearer ${KEY}",
    }
    assert secrets_in({"a": [key, "b"], "c": 3}) == {"abcdef"}
    assert hide_secrets("abcdef abcdefg", {"abcdef", "abcdefg"}) == "*** ***"
    assert masked_url("see http://h/: mail a@b.c or ?key=1") == (
        "see http://h/: mail a@b.c or ?key=***"
    )
    assert masked_url("http://h/?key={query}&author=x") == "http://h/?key={query}&author=x"
