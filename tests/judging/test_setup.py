"""What a project is made of: queries, documents, a scale, and what is to be judged."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError
from cleverdon.formats.columns import naming_columns
from cleverdon.judging.candidates import (
    Candidate,
    Overlap,
    draw_overlap,
    make_items,
    parse_overlap,
    read_candidates,
    read_gold,
)
from cleverdon.judging.contents import Document, Documents, Query, read_queries
from cleverdon.judging.creation import _describe_inputs
from cleverdon.judging.scale import Grade, _checked_scale, _parse_scale, read_scale
from cleverdon.judging.web.routes.project import _scale_css
from cleverdon.pooling.contributions import gather
from cleverdon.pooling.files import read_pool, write_pool
from cleverdon.pooling.pool_methods import _stratified_pool
from cleverdon.pooling.pools import pool_of, query_contributions

TREC = """<top>
<num> Number: 051
<title> Topic: Airbus Subsidies
<desc> Description:
Document will discuss government
assistance to Airbus.
<narr> Narrative:
A relevant document will cite it.
</top>
"""


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (
            TREC,
            Query(
                "51",
                "Airbus Subsidies",
                "Document will discuss government\nassistance to Airbus.",
                "A relevant document will cite it.",
            ),
        ),
        (
            '<topics><topic number="51"><query>airbus</query><question>who pays?</question>'
            "<narrative>all</narrative></topic></topics>",
            Query("51", "airbus", "who pays?", "all"),
        ),
        ('{"_id": 51, "text": "airbus \\n aid", "metadata": {}}\n', Query("51", "airbus aid")),
        (
            '{"id": "51", "title": "airbus", "description": "who?", "narr": "all\\u0000"}\n',
            Query("51", "airbus", "who?", "all"),
        ),
        ('{"id": "51", "title": "airbus", "text": "who?"}\n', Query("51", "airbus", "who?")),
        ('{"id": "51", "description": "who pays?"}\n', Query("51", "who pays?")),
        (
            'id,title,description,narrative\n51,airbus,who?,"all,\nreally"\n',
            Query("51", "airbus", "who?", "all,\nreally"),
        ),
        (
            '{"_id": "51", "text": "airbus", "metadata": {"narrative": "all"}}\n',
            Query("51", "airbus", "", "all"),
        ),
        ("id\ttext\n51\tairbus\n52\tother\n", Query("51", "airbus")),
        ("51\tairbus\n", Query("51", "airbus")),
    ],
)
def test_queries_have_titles_descriptions_and_narratives(
    tmp_path: Path, content: str, found: Query
) -> None:
    file = tmp_path / "queries"
    file.write_text(content)
    assert read_queries(file, ["51"]) == [found]


def test_queries_that_are_not_there_are_named(tmp_path: Path) -> None:
    file = tmp_path / "topics.tsv"
    file.write_text("1\tone\n2\ttwo\n")
    with pytest.raises(
        InputError, match=r"2 of the 3 queries.*, such as '3', '4'; it has '2'.*add"
    ):
        read_queries(file, ["1", "3", "4"])
    file.write_text("1\tone\n1\tanother\n")
    with pytest.raises(InputError, match=r"topics\.tsv:2: query '1' is there twice"):
        read_queries(file, ["1"])
    with pytest.raises(InputError, match="no such file"):
        read_queries(tmp_path / "none", ["1"])


DOCUMENTS = {
    "a.jsonl": '{"id": "d1", "title": "T", "contents": "one", "url": "https://x.org/1"}\n'
    '{"id": "d2", "html": "<h1>two</h1>&lt;b>", "url": "javascript:alert(1)"}\n'
    '{"id": "d3", "url": "http://x.org/3"}\n'
    '{"id": "d4", "body": "<html><title>Four</title>4"}\n'
    '{"id": "d5", "text": "<script>alert(5)</script> a<b"}\n'
    '{"id": "d6", "text": "plain", "html": "<p>not this</p>", "url": "doi:10.1/6"}\n',
    "b.trec": "<DOC><DOCNO>d1</DOCNO><DOCHDR>\nhttp://x.org/b 1.2.3.4\n</DOCHDR>\n"
    "<TEXT>one</TEXT></DOC>",
    "c.tsv": "d1\thttp://x.org/c\tT\tone\n",
    "d.csv": "docno,title,text,url\nd1,T,one,http://x.org/d\n",
}


def _read(folder: Path, name: str, wanted: list[str]) -> tuple[list[Document], list[str]]:
    file = folder / name
    if name in DOCUMENTS:
        file.write_text(DOCUMENTS[name])
    documents = Documents([file], wanted)
    return list(documents), documents.missing


def test_documents_have_titles_texts_and_addresses(tmp_path: Path) -> None:
    found, missing = _read(tmp_path, "a.jsonl", ["d1", "d2", "d3", "d4", "d5", "d6", "d7"])
    assert missing == ["d7", "d3"], "nor has what is known by its address a text"
    assert found == [
        Document("d1", "T", "one", "https://x.org/1"),
        Document("d2", "", "two\n\n<b>"),
        Document("d3", url="http://x.org/3"),
        Document("d4", "Four", "4"),
        Document("d5", "", "<script>alert(5)</script> a<b"),
        Document("d6", "", "plain", "doi:10.1/6"),
        Document("d7"),
    ]
    assert _read(tmp_path, "b.trec", ["d1"]) == ([Document("d1", "", "one", "http://x.org/b")], [])
    assert _read(tmp_path, "c.tsv", ["d1"]) == ([Document("d1", "T", "one", "http://x.org/c")], [])
    assert _read(tmp_path, "d.csv", ["d1"]) == ([Document("d1", "T", "one", "http://x.org/d")], [])


def test_documents_of_parquet_and_of_a_folder(tmp_path: Path) -> None:
    import polars

    rows = {"id": ["d1", "d2"], "text": ["one", "two"], "url": ["http://x.org", None]}
    polars.DataFrame(rows).write_parquet(tmp_path / "e.parquet")
    found, _ = _read(tmp_path, "e.parquet", ["d2", "d1"])
    assert found == [Document("d1", "", "one", "http://x.org"), Document("d2", "", "two")]
    pages = tmp_path / "pages"
    (pages / "deep").mkdir(parents=True)
    (pages / "d1.html").write_text("<title>One</title><p>first")
    (pages / "deep" / "d2.txt").write_text("second <b>")
    (pages / "unwanted.txt").write_text("third")
    (pages / "more.jsonl").write_text('{"id": "d3", "text": "third"}\n')
    found, missing = _read(tmp_path, "pages", ["d1", "deep/d2", "d3"])
    assert missing == []
    assert sorted(found, key=lambda one: one.name) == [
        Document("d1", "One", "first"),
        Document("d3", "", "third"),
        Document("deep/d2", "", "second <b>"),
    ]


def test_pages_as_a_browser_saves_them(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    (pages / "d1_files").mkdir(parents=True)
    (pages / "d1.html").write_bytes(
        b"<!DOCTYPE html>\n<!-- saved from url=(0020)https://example.org/ -->\n"
        b'<html><head><meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">'
        b"<title>Caf\xe9 \x96 menu</title></head><body>cr\xe8me"
    )
    (pages / "d1_files" / "cup.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\xff")
    (pages / "d2.html").write_bytes("<p>Stra\u00dfe".encode("utf-16"))
    (pages / "d3.html").write_bytes(b"<meta charset=hex><p>plain")
    (pages / "d4.txt").write_bytes(b"\xef\xbb\xbffour")
    found, missing = _read(tmp_path, "pages", ["d1", "d2", "d3", "d4"])
    assert missing == []
    assert found == [
        Document("d1", "Caf\u00e9 \u2013 menu", "cr\u00e8me", "https://example.org/"),
        Document("d2", "", "Stra\u00dfe"),
        Document("d3", "", "plain"),
        Document("d4", "", "four"),
    ]


def test_a_folder_of_beir(tmp_path: Path) -> None:
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "tea", "metadata": {}}\n')
    (folder / "corpus.jsonl").write_text(
        '{"_id": "d1", "title": "T", "text": "one", "metadata": {"url": "http://x.org/1"}}\n'
    )
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    assert read_queries(folder, ["q1"]) == [Query("q1", "tea")]
    assert _read(tmp_path, "beir", ["d1"]) == ([Document("d1", "T", "one", "http://x.org/1")], [])
    assert read_candidates(folder / "qrels" / "test.tsv").candidates == (Candidate("q1", "d1"),)
    digests = _describe_inputs({"queries": str(folder), "docs": [str(folder), "-"]})["BLAKE3"]
    assert {what: len(found) for what, found in digests.items()} == {"queries": 1, "docs": 1}


def test_documents_that_cannot_be_right(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has none of the 2 documents.*'x1'; it has 'd1' for"):
        _read(tmp_path, "a.jsonl", ["x1", "x2"])
    (tmp_path / "twice.tsv").write_text("d1\tone\nd1\tanother\nd2\ttwo\n")
    with pytest.raises(InputError, match=r"twice\.tsv:2: document 'd1' is there twice"):
        _read(tmp_path, "twice.tsv", ["d1", "d2"])


def test_titles_and_addresses_are_bounded_and_no_text_is_lost(tmp_path: Path) -> None:
    rows = [
        {"id": "d1", "title": "tea " * 100_000, "text": "and cake"},
        {"id": "d2", "title": "T" * 500, "text": "two", "url": f"http://x.org/{'x' * 1_980}"},
        {"id": "d3", "text": "three", "url": f"http://x.org/{'x' * 2_000}"},
        {"id": "d4", "title": "x" * 501},
    ]
    (tmp_path / "f.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found, _ = _read(tmp_path, "f.jsonl", ["d1", "d2", "d3", "d4"])
    assert [len(each.title) for each in found] == [500, 500, 0, 500]
    assert found[0].title == "tea " * 124 + "tea…"
    assert found[0].text == ("tea " * 100_000).strip() + "\n\nand cake"
    assert found[1].text == "two"
    assert found[3].text == "x" * 501
    assert [each.url for each in found] == ["", rows[1]["url"], "", ""]


def test_an_id_that_is_too_long_is_named_with_its_place(tmp_path: Path) -> None:
    long = "x" * 1_001
    (tmp_path / "g.jsonl").write_text(
        f'{{"id": "d1", "text": "one"}}\n{{"id": "{long}", "text": "two"}}\n'
    )
    said = r"the id 'x{40}\.\.\.' has 1,001 characters, and 1,000 are allowed"
    with pytest.raises(InputError, match=rf"g\.jsonl:2: {said}"):
        _read(tmp_path, "g.jsonl", ["d1", long])
    with pytest.raises(InputError, match=rf"g\.jsonl:2: {said}"):
        read_queries(tmp_path / "g.jsonl", ["d1", long])
    with pytest.raises(InputError, match=said):  # it is in no file, but in the pool
        _read(tmp_path, "a.jsonl", ["d1", long])


@pytest.mark.parametrize("name", ["h.jsonl", "h.trec"])
def test_no_reference_is_too_strange(tmp_path: Path, name: str) -> None:
    html = f"<html><p>1 &#{'9' * 5_000}; 2 &amp; 3 &#x{'9' * 5_000};"
    if name == "h.trec":
        html = f"<DOC><DOCNO>d1</DOCNO><TEXT>{html}</TEXT></DOC>"
    else:
        html = json.dumps({"id": "d1", "text": html})
    (tmp_path / name).write_text(html)
    (found,), _ = _read(tmp_path, name, ["d1"])
    assert found.text == "1 \ufffd 2 & 3 \ufffd"


def test_a_text_that_is_nested_almost_as_deeply_as_python_goes(tmp_path: Path) -> None:
    nested = "[" * 900 + '"one"' + "]" * 900
    (tmp_path / "i.jsonl").write_text(f'{{"id": "d1", "text": {nested}}}\n')
    assert _read(tmp_path, "i.jsonl", ["d1"]) == ([Document("d1", "", "one")], [])


def test_a_line_of_ten_megabytes_is_read(tmp_path: Path) -> None:
    text = "water " * 1_700_000
    (tmp_path / "long.jsonl").write_text(json.dumps({"id": "d1", "text": text}) + "\n")
    (found,), _ = _read(tmp_path, "long.jsonl", ["d1"])
    assert found.text == text


SCALE = """
relevant = 2
guidelines = "Read all of it."
[[grades]]
value = 0
name = "No"
[[grades]]
value = 2
name = "Yes"
colour = "#123456"
guideline = "It answers."
"""


def test_a_scale_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "grades.toml"
    file.write_text(SCALE)
    scale, guidelines = read_scale(str(file))
    assert (scale.values, scale.relevant, guidelines) == ((0, 2), 2, "Read all of it.")
    assert scale.named(2).guideline == "It answers."
    assert read_scale("0..2") == (_parse_scale("0..2"), "")
    for wrong, said in [
        (SCALE.replace("guideline =", "guidance ="), "did you mean 'guideline'"),
        (SCALE.replace("value = 2", 'value = "2"'), "a grade is a whole number"),
        (SCALE.replace("#123456", "blue"), "the colour 'blue'"),
        ("grades = 3", r"written as \[\[grades\]\]"),
        ("grades", "is not valid TOML"),
        ("grades = " + "[" * 5_000, "nested too deeply"),
        ("relevant = " + "9" * 5_000, "is not valid TOML"),
    ]:
        file.write_text(wrong)
        with pytest.raises(InputError, match=rf"grades\.toml: .*{said}"):
            read_scale(str(file))
    with pytest.raises(OptionError, match="give its ends"):
        read_scale("1-4")


@given(st.integers(0, 0xFFFFFF))
def test_letters_can_be_read_on_any_colour(colour: int) -> None:
    grades = [Grade(0, "No", f"#{colour:06x}"), Grade(1, "Yes", "#15803d")]
    letters = _scale_css(_checked_scale(grades)).split("--on-grade: ")[1][:7]
    own, on_it = (_luminance(int(each[1:], 16)) for each in (grades[0].colour, letters))
    assert (max(own, on_it) + 0.05) / (min(own, on_it) + 0.05) >= 4.5


def _luminance(colour: int) -> float:
    """As WCAG 2.2 has it."""
    found = 0.0
    for shift, weight in ((16, 0.2126), (8, 0.7152), (0, 0.0722)):
        part = (colour >> shift & 0xFF) / 255
        found += weight * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
    return found


RUNS = {
    "a": {"q1": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q2": {"d1": 1.0}},
    "b": {"q1": {"d4": 2.0, "d2": 1.0}},
}


def test_a_pool_gives_what_was_drawn(tmp_path: Path) -> None:
    pool = _stratified_pool(gather(RUNS), strata=[(1, 1.0), (3, 0.5)], seed=3)
    write_pool(pool, tmp_path / "pool.tsv")
    found = read_candidates(tmp_path / "pool.tsv")
    assert {(one.query, one.document) for one in found.candidates} == set(pool.sheet())
    assert {one.probability for one in found.candidates} == {1.0, 0.5}
    assert found.how["method"] == "stratified"


@pytest.mark.parametrize(
    "content",
    [
        "q1 0 d1 1\nq1 0 d2 -1\n",
        "q1 d1\nq1 d2\nq1 d1\n",
        'query_id\tdoc_id\tgrade\tnote\nq1\td1\t\t"a\nb"\nq1\td2\n',
        'query,document\n"q1",d1\n\nq1,d2\n',
        '{"q1": {"d1": 1, "d2": 0}}',
        "sep=;\nSearch Term;SKU\nq1;d1\nq1;d2\n",
        '[{"query": "q1", "doc": "d1"}, {"query": "q1", "doc": "d2"}]',
        '[{"query": "q1", "docs": ["d1", "d2"]}]',
        '{"query": "q1", "docs": ["d1"]}\n{"query": "q1", "docs": ["d2"]}\n',
        '{"queries": [{"query": "q1", "ratings": {"d1": 1, "d2": 0}}]}',
    ],
)
def test_any_list_of_pairs_is_a_pool(tmp_path: Path, content: str) -> None:
    file = tmp_path / "pairs"
    file.write_text(content)
    assert read_candidates(file).candidates == (Candidate("q1", "d1"), Candidate("q1", "d2"))


def test_tables_and_folders_are_pools(tmp_path: Path) -> None:
    for library in ("xlsxwriter", "python_calamine", "datasets"):
        pytest.importorskip(library)  # not among the web stack's own
    pairs = [("q 1", "d1"), ("q 1", "2")]
    expected = tuple(Candidate(*pair) for pair in pairs)
    frame = polars.DataFrame(pairs, schema=["Search Term", "SKU"], orient="row")
    frame.write_excel(tmp_path / "pool.xlsx")
    frame.write_parquet(tmp_path / "pool.parquet")
    (tmp_path / "pool.csv").write_text("q 1,d1\nq 1,2\n")
    assert read_candidates(tmp_path / "pool.xlsx").candidates == expected
    (tmp_path / "notes.csv").write_text('"the\nnote",query,doc\n"a\nb",q 1,d1\nx,q 1,2\n')
    assert read_candidates(tmp_path / "notes.csv").candidates == expected
    assert read_candidates(tmp_path / "pool.parquet").candidates == expected
    with pytest.raises(InputError, match=r"(?s)pool.csv: no column for the query.*first rows"):
        read_candidates(tmp_path / "pool.csv")
    with naming_columns("query=1,doc=2"):
        assert read_candidates(tmp_path / "pool.csv").candidates == expected
    (tmp_path / "beir" / "qrels").mkdir(parents=True)
    Judgments.read({"q 1": {"d1": 1, "2": 0}}).write(
        tmp_path / "beir" / "qrels" / "test.tsv", format="beir"
    )
    assert read_candidates(tmp_path / "beir").candidates == expected
    Judgments.read({"q 1": {"d1": 1, "2": 0}}).write(tmp_path / "saved", format="dataset")
    assert read_candidates(tmp_path / "saved").candidates == expected


def test_what_is_no_pool(tmp_path: Path) -> None:
    file = tmp_path / "pairs"
    file.write_text("q1 Q0 d1 1 2.5 tag\n")
    with pytest.raises(InputError, match=r"pairs:1: .*found 6 fields; runs are given by --runs"):
        read_candidates(file)
    file.write_text("q1\n")
    with pytest.raises(InputError, match=r"pairs:1: .*found 1 field$"):
        read_candidates(file)
    file.write_text('{"query": "q1", "document": "d1"}\n{"query": "q1", "document": "d2"}\n')
    assert [each.document for each in read_candidates(file).candidates] == ["d1", "d2"]
    file.write_text('{"query": "q1", "document": "d1"}\n{"query": "q1", "text": "d2"}\n')
    with pytest.raises(InputError, match=r"pairs:2: .*one of them is missing"):
        read_candidates(file)
    file.write_text("q1\td1\nq1\td 2\n")
    with pytest.raises(InputError, match=r"pairs:2: tabs and blanks are mixed"):
        read_candidates(file)
    file.write_text("query_id,doc_id\nq1,\n")
    with pytest.raises(InputError, match=r"pairs:2: .*one of them is missing"):
        read_candidates(file)


def test_a_pool_of_everything_gives_rankings_back(tmp_path: Path) -> None:
    found = gather(RUNS)
    write_pool(pool_of(found, np.arange(len(found)), seed=1, how={}), tmp_path / "pool.tsv")
    again = read_pool(tmp_path / "pool.tsv")
    for query in found.queries:
        one, two = found.of(query), query_contributions(again, query)
        assert (one.docs, one.systems) == (two.docs, two.systems)
        for column in ("system", "doc", "rank"):
            assert getattr(one, column).tolist() == getattr(two, column).tolist()
    cut = pool_of(found, np.flatnonzero(found.best_rank != 2), seed=1, how={})
    with pytest.raises(InputError, match="lacks results of 'a' between others"):
        query_contributions(cut, "q1")


@given(
    queries=st.dictionaries(
        st.sampled_from("abc"), st.lists(st.integers(0, 99), min_size=1, unique=True), min_size=1
    ),
    share=st.floats(0, 1),
    seed=st.integers(0, 9),
)
def test_items_are_shuffled_by_the_seed_alone(
    queries: dict[str, list[int]], share: float, seed: int
) -> None:
    pairs = [Candidate(query, f"d{doc}") for query, docs in queries.items() for doc in docs]
    gold = {"a": {f"d{queries['a'][0]}": 1, "gold": 2}} if "a" in queries else {}
    made = make_items(pairs, seed=seed, gold=gold, overlap=Overlap(share=share))
    again = make_items(pairs[::-1], seed=seed, gold=gold, overlap=Overlap(share=share))
    assert {(one.query, one.document): one for one in made} == {
        (one.query, one.document): one for one in again
    }
    for query, docs in queries.items():
        mine = [one for one in made if one.query == query]
        plain = [one for one in mine if one.gold is None]
        assert sorted(one.position for one in mine if one.position is not None) == [
            *range(len(mine))
        ]
        assert abs(sum(one.wanted == 2 for one in plain) - share * len(plain)) < 1
        assert {one.document for one in mine} >= {f"d{doc}" for doc in docs}
    assert sum(one.gold is not None for one in made) == (2 if gold else 0)


def test_a_larger_overlap_holds_a_smaller_one() -> None:
    queries = {"a": [f"d{number}" for number in range(40)], "b": ["d1", "d2"]}
    drawn = [draw_overlap(queries, Overlap(share=share), seed=4) for share in (0.1, 0.3, 1.0)]
    assert drawn[0] < drawn[1] < drawn[2]
    assert len(drawn[2]) == 42
    assert parse_overlap("3") == Overlap(count=3)
    for wrong in ("-1", "1.5", "many", "200%"):
        with pytest.raises(OptionError, match="a share of the documents"):
            parse_overlap(wrong)


def test_gold_is_on_the_scale_and_of_the_queries(tmp_path: Path) -> None:
    file = tmp_path / "gold.qrels"
    file.write_text("q1 0 d1 2\n")
    scale = _parse_scale("0..2")
    assert read_gold(file, queries=("q1",), scale=scale) == {"q1": {"d1": 2}}
    with pytest.raises(InputError, match=r"gold\.qrels:1: query 'q1' is not among the"):
        read_gold(file, queries=("q2",), scale=scale)
    file.write_text("q1 0 d2 1\nq1 0 d1 3\n")
    with pytest.raises(InputError, match=r"qrels:2: the grade 3 of document 'd1'.*can be 0, 1, 2"):
        read_gold(file, queries=("q1",), scale=scale)
