"""Column names, separators and encodings of tables as people have them."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pandas
import polars
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import evaluate
from cleverdon.cli import cleverdon as cli
from cleverdon.data import Judgments, Run
from cleverdon.errors import InputError, InputNote, MissingExtra, OptionError
from cleverdon.formats.sheets import read_sheet
from cleverdon.formats.texts import read_texts

GRADES = {"red shoes": {"a 1": 3.0, "a2": 0.0}, "blue": {"b1": 1.0}}


def table(header: str, separator: str = ",", end: str = "\n") -> str:
    rows = [(query, doc, grade) for query, docs in GRADES.items() for doc, grade in docs.items()]
    lines = [separator.join((query, doc, f"{grade:g}")) for query, doc, grade in rows]
    return end.join([separator.join(header.split("/")), *lines, ""])


HEADERS = [
    *("query/docid/rating", "Query Text/SKU/Rating", "question/chunk_id/label"),
    *("question_id/url/Relevance", "Search Term/Product ID/GRADE", "QUERY ID/doc id/relevance"),
    *("user_input/document id/judgement", "topic/page url/relevance grade", "query/item/label"),
]


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("separator", [",", ";", "|", "\t"])
def test_names_that_people_give_columns(header: str, separator: str, tmp_path: Path) -> None:
    path = tmp_path / "judgments.csv"
    path.write_text(table(header, separator))
    assert Judgments.read(path).to_dict() == GRADES
    frame = pandas.read_csv(path, sep=separator)
    assert Judgments.read(frame).to_dict() == GRADES
    by_query = {
        str(query): dict(zip(rows.iloc[:, 1], rows.iloc[:, 2], strict=True))
        for query, rows in frame.groupby(frame.columns[0], sort=False)
    }
    assert by_query == GRADES


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["judgments.csv", "judgments.txt", "-"])
def test_files_as_excel_saves_them(encoding: str, name: str, tmp_path: Path) -> None:
    text = table("Query Text/SKU/Rating", ";", "\r\n").replace("blue", "größe 😀")
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    path = tmp_path / name
    path.write_bytes((mark + text).encode(encoding))
    read = Judgments.read(path).to_dict()
    assert list(read) == ["red shoes", "größe 😀"]
    assert (
        read
        == Judgments.read(
            pandas.read_csv(
                path, sep=";", encoding=encoding.removesuffix("-le").removesuffix("-be")
            )
        ).to_dict()
    )


def test_columns_by_tabs_in_utf_16_are_excels_unicode_text(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_bytes("Query ID\tDoc ID\tScore\r\n007\t12.0\t1.5\r\n".encode("utf-16"))
    assert Run.read(path).to_dict() == {"007": {"12.0": 1.5}}  # ids are never numbers


def test_decimal_commas_where_semicolons_separate(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("query;doc;score\nq;a;0,75\nq;b;-1,5\nq;c;2\n")
    frame = pandas.read_csv(path, sep=";", decimal=",")
    assert list(Run.read(path)["q"].values()) == frame["score"].tolist()
    path.write_text("query|doc|score\nq|a|0,75\n")
    with pytest.raises(InputError, match=r"run\.csv:2:5: the score '0,75' is not a number"):
        Run.read(path)


QUOTED = (
    'query,notes,docid,rating\r\n"red\r\nshoes","said ""yes"",\nthen no","a ""1"", x",2\r\n'
    "blue,,b1,1\r\n"
)


@pytest.mark.parametrize("scattered", [False, True])
def test_quoted_line_breaks_and_doubled_quotes(scattered: bool, tmp_path: Path) -> None:
    path = tmp_path / "judgments.csv"
    text = QUOTED + ('"red\r\nshoes",x,z,0\r\n' if scattered else "")
    path.write_bytes(text.encode())
    frame = polars.read_csv(path)
    expected: dict[str, dict[str, float]] = {}
    for query, _, doc, grade in frame.iter_rows():
        expected.setdefault(query, {})[doc] = float(grade)
    assert Judgments.read(path).to_dict() == expected
    run = tmp_path / "run.csv"
    run.write_bytes(text.replace("rating", "score").encode())
    assert Run.read(run).to_dict() == expected
    assert evaluate(path, run, "P@1").to_dict() == {"run": {"P@1": 1.0}}
    both = CliRunner().invoke(cli, ["check", str(path), str(run)])
    assert (both.exit_code, both.output.count("0 errors")) == (0, 2)


def test_a_query_alone_is_known(tmp_path: Path) -> None:
    """Quepid exports a query without ratings with empty cells, as others do."""
    path = tmp_path / "ratings.csv"
    path.write_text("query,docid,rating\nstar wars,11,3\nnothing yet,,\nalien,,\n,,\n")
    assert Judgments.read(path).to_dict() == {
        "star wars": {"11": 3.0},
        "nothing yet": {},
        "alien": {},
    }
    path.write_text("query,docid,score\nstar wars,11,3\nnothing yet,,\n")
    scores = evaluate({"star wars": ["11"], "nothing yet": ["5"], "alien": ["6"]}, path, "AP")
    about = scores.about.runs["ratings"]
    assert (about.empty, about.missing) == (("nothing yet",), ("alien",))


@pytest.mark.parametrize("names", ["query,docid,rating", "qid,doc,grade"])
@pytest.mark.parametrize("end", ["nothing yet", "nothing yet\n", "nothing yet\nalien,11,2\n"])
def test_a_line_that_was_cut_is_no_query_without_documents(
    names: str, end: str, tmp_path: Path
) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(f"{names}\nstar wars,11,3\n{end}")
    with pytest.raises(
        InputError, match=r"ratings\.csv:3.*expected 3 fields .*; is the file cut short\?"
    ):
        Judgments.read(path)
    found = CliRunner().invoke(cli, ["check", str(path)])
    assert (found.exit_code, "too-few-fields" in found.output) == (1, True)
    path.write_text(f"query,doc,score\nstar wars,11,3\n{end}")
    with pytest.raises(InputError, match=r"keeps its separators: 'nothing yet,,'"):
        Run.read(path)


DETAILED = "Team Name,Case Name,Case ID,Query Text,Doc ID,Doc Position,Title,Rating\r\n"


def test_quepids_detailed_rows_may_end_behind_the_query(tmp_path: Path) -> None:
    path = tmp_path / "detailed.csv"
    path.write_text(DETAILED + "T,C,7,star wars,11,1,Star Wars,3\r\nT,C,7,alien\r\n")
    assert Judgments.read(path).to_dict() == {"star wars": {"11": 3.0}, "alien": {}}
    assert Run.read(path).to_dict() == {"star wars": {"11": -1.0}, "alien": {}}
    path.write_text(DETAILED + "T,C,7,star wars,11,1,Star Wars,3\r\nT,C,7,ali")
    for cls in (Judgments, Run):
        with pytest.raises(InputError, match=r"detailed\.csv:3.*"):
            cls.read(path)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (
            "query,docid,rating\nstar wars,11,3\nstar wars,12,\nalien,13,\nheat,,\n",
            "2 documents have",
        ),
        (
            DETAILED + "T,C,7,star wars,11,1,x,3\r\nT,C,7,alien,12,1,y,\r\nT,C,7,heat\r\n",
            "1 document has",
        ),
    ],
)
def test_documents_without_a_rating_in_quepids_exports(
    text: str, count: str, tmp_path: Path
) -> None:
    path = tmp_path / "ratings.csv"
    path.write_bytes(text.encode())
    with pytest.warns(InputNote, match=f"{count} no rating, and counts? as not judged"):
        found = Judgments.read(path)
    assert found.to_dict() == {"star wars": {"11": 3.0}, "alien": {}, "heat": {}}
    result = CliRunner().invoke(cli, ["convert", str(path), "-", "--to", "csv", "--kind", "qrels"])
    assert result.stdout == "query_id,doc_id,relevance\nstar wars,11,3\nalien,,\nheat,,\n"
    assert result.stderr.count(f"cleverdon: note: {path}: {count} no rating") == 1
    path.write_bytes(text.replace("docid", "doc").replace("Team Name", "Team").encode())
    with pytest.raises(InputError, match="the grade '' is not a number; leave the row out"):
        Judgments.read(path)


@pytest.mark.parametrize("mark", ["sep=;", '"sep=;"', "SEP=;", "\ufeffsep=;", "sep=;;;"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_excels_line_that_names_the_separator(mark: str, end: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    lines = [mark, "Query Text;SKU;Rating", "red, blue;A 1;0,5", "none;;", ""]
    path.write_bytes(end.join(lines).encode())
    expected = {"red, blue": {"A 1": 0.5}, "none": {}}
    assert Judgments.read(path).to_dict() == expected
    assert read_sheet(path)["red, blue"] == {"A 1": 0.5}
    assert {id: text.line for id, text in read_texts(path).items()} == {q: q for q in expected}
    assert CliRunner().invoke(cli, ["check", str(path)]).exit_code == 0
    path.write_bytes(end.join([*lines, "red;A 2;x", ""]).encode())
    with pytest.raises(InputError, match=r"a\.csv:6:9: the grade 'x' is not a number"):
        Judgments.read(path)


@pytest.mark.parametrize("mark", ["sep=\t", "sep=\\t"])
def test_a_separator_line_of_tabs(mark: str, tmp_path: Path) -> None:
    for name in ("a.csv", "a.tsv", "a.txt"):
        path = tmp_path / name
        path.write_text(f"{mark}\nquery\tdoc\tscore\nred\tA1\t2\n")
        assert Run.read(path).to_dict() == {"red": {"A1": 2.0}}
        assert list(read_texts(path)) == ["red"]


def test_one_question_with_its_answer_and_the_first_rows(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    path.write_text(
        "query,sku,Product ID,rating\nred,s1,p1,3\nred,s2,p2,1\nblue,s3,p3,0\nx,s4,p4,0\n"
    )
    with pytest.raises(InputError) as caught:
        Judgments.read(path)
    assert str(caught.value) == (
        f"{path}: which column has the document, 'sku' or 'Product ID'? Answer with --columns "
        "doc=sku, in Python columns={'doc': 'sku'}. The first rows:\n"
        "    query | sku       | Product ID | rating\n"
        "    query | document? | document?  | grade\n"
        "    red   | s1        | p1         | 3\n"
        "    red   | s2        | p2         | 1\n"
        "    blue  | s3        | p3         | 0"
    )
    answered = Judgments.read(path, columns={"doc": "Product ID"})
    assert answered["red"] == {"p1": 3.0, "p2": 1.0}
    result = CliRunner().invoke(
        cli, ["convert", str(path), "-", "--columns", "doc=Product ID", "--to", "csv"]
    )
    assert result.stdout.splitlines()[1] == "red,p1,3"


def test_a_file_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text("q1,d1,2\nq1,d2,0\n")
    with pytest.raises(
        InputError, match=r"f.csv:1: the first line names no columns: 'q1', 'd1', '2'"
    ):
        Judgments.read(path)
    numbered = {"query": 1, "doc": 2, "grade": 3}
    assert Judgments.read(path, columns=numbered).to_dict() == {"q1": {"d1": 2.0, "d2": 0.0}}
    with pytest.raises(InputError, match="which of its 3 columns has the grade"):
        Judgments.read(path, columns={"query": 1, "doc": 2})


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("query", "expected query=NAME,doc=NAME,grade=NAME; found 'query'"),
        ("foo=a", "there is no role 'foo'"),
        ("doc=", "doc= names no column"),
        ("doc=a,document=b", "doc is both 'a' and 'b'"),
    ],
)
def test_columns_that_are_not_understood(columns: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=message):
        Judgments.read([("q", "d", 1)], columns=columns)
    result = CliRunner().invoke(cli, ["eval", "a", "b", "--columns", columns])
    assert message in str(result.exception or result.output)


def test_named_columns_of_several_files(tmp_path: Path) -> None:
    """A file that lacks a named column is read by the usual names; a name that none has is told."""
    qrels, run = tmp_path / "qrels.csv", tmp_path / "run.csv"
    qrels.write_text("Anfrage,Artikel, Nr,Note\nq,x,d1,1\n")
    run.write_text("query_id,doc_id,score\nq,d1,1.5\n")
    columns = "query=Anfrage,doc=Nr,grade=Note"
    assert evaluate(qrels, run, "RR", columns=columns).mean("run", "RR") == 1
    result = CliRunner().invoke(
        cli, ["eval", str(qrels), str(run), "-m", "RR", "--columns", columns]
    )
    assert (result.exit_code, result.stderr) == (0, "")
    result = CliRunner().invoke(
        cli, ["eval", str(qrels), str(run), "-m", "RR", "--columns", f"{columns},score=nope"]
    )
    assert result.stderr == "cleverdon: warning: --columns score=nope: no file has such a column\n"
    with pytest.raises(OptionError, match="no table has a column for score=nope"):
        evaluate(qrels, run, "RR", columns=f"{columns},score=nope")
    with pytest.raises(InputError, match="no column 'nope'"):
        Judgments.read(qrels, columns=columns.replace("Note", "nope"))


@pytest.mark.parametrize(
    "command",
    [
        *("eval", "compare", "claim", "slices", "power", "gate", "tune", "correlate", "plot"),
        *("explain", "report", "convert", "check", "flip", "search", "bench", "index", "agree"),
        *(f"collection {name}" for name in ("stats", "merge", "diff", "filter", "subset", "split")),
        *("judge init", "judge import", "logs bridge", "pool make", "pool next", "pool qrels"),
        *("pool sample", "pool votes", "pool simulate", "recall", "pool expand", "splits"),
    ],
)
def test_every_command_that_reads_tables_takes_columns(command: str) -> None:
    result = CliRunner().invoke(cli, [*command.split(), "--help-all"])
    assert "--columns ROLE=NAME" in result.output, result.output[:200]


def test_the_text_of_a_query_is_its_id_where_there_is_no_other(tmp_path: Path) -> None:
    path = tmp_path / "queries.csv"
    path.write_text('Query Text;Language\nred shoes;en\n"blue\nones";de\n')
    assert list(read_texts(path)) == ["red shoes", "blue\nones"]
    path.write_text("query\nred shoes\nblue, ones\n")
    assert list(read_texts(path)) == ["red shoes", "blue, ones"]
    path.write_text("query,docid,rating\nred shoes,a,1\nred shoes,b,2\nblue,,\n")
    assert list(read_texts(path)) == ["red shoes", "blue"]
    path.write_bytes("Query ID;Query Text\r\n1;größe\r\n".encode("utf-16"))
    assert read_texts(path)["1"].line == "größe"
    path.write_text("Nr,Anfrage\n1,rote Schuhe\n")
    named = {"query": "Nr", "text": "Anfrage"}
    assert read_texts(path, columns=named)["1"].line == "rote Schuhe"


MESSY = {
    "empty": ("", "is empty"),
    "header only": ("query,doc,rating\n", "has no rows"),
    "separators only": ("query,doc,rating\n,,\n,,\n", "has no rows"),
    "two of one name": ("query,doc,Rating,rating\nq,d,1,2\n", "two columns are called 'Rating'"),
    "ragged": ("query,doc,rating\nq,d,1\nq,e\n", r":3:4: expected 3 fields .* found only 2"),
    "too wide": ("query,doc,rating\nq,d,1,9\n", r":2:1: expected 3 fields .* found more than 3"),
    "NUL": ("query,doc,rating\nq,d,1\nq,\0,1\n", r":3:3: there is a NUL byte"),
    "lone CR": ("query,doc,rating\rq,d,1\r", "has no rows|carriage return"),
    "no number": (
        "query,doc,rating\nq,d,2024-01-02\n",
        r":2:5: the grade '2024-01-02' is not a number",
    ),
    "no grade": ("query,doc,rating\nq,d,\n", r":2:5: the grade '' is not a number; leave"),
    "open quote": (
        'query,doc,rating\nq,"d,1\nr,e,1\n',
        r":2:3: this quote is not closed",
    ),
    "open quote in a column that is not read": (
        'query,doc,rating,title\nq,d,1,"open\nq,e,1,"x"\n',
        r":2:7: this quote is not closed",
    ),
    "text behind a quote": (
        'query,doc,rating\nq,"d"e,1\n',
        r":2:3: the document id .* has a quote",
    ),
    "twice": ('query,doc,rating\n"q",d,1\n"q","d",1\n', r":3: document 'd' occurs twice .* line 2"),
    "twice, with line breaks": (
        'query,doc,rating\n"a\nb",d,1\nq,d,1\n"a\nb",d,1\n',
        r":5: document 'd' occurs twice .* first on line 2",
    ),
}


@pytest.mark.parametrize(("text", "message"), MESSY.values(), ids=MESSY.keys())
def test_messy_files_get_an_error_with_its_place(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "messy.csv"
    path.write_text(text, newline="")
    with pytest.raises(InputError, match=message):
        Judgments.read(path)
    result = CliRunner().invoke(cli, ["check", str(path)])
    assert result.exit_code == 1
    assert result.exception is None or isinstance(result.exception, (SystemExit, InputError))


def test_mixed_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "mixed.csv"
    path.write_bytes(b'query,doc,rating\r\nq,a,1\nq,b,2\r\n"q","c\n",3\n\r\n')
    assert Judgments.read(path)["q"] == {"a": 1.0, "b": 2.0, "c\n": 3.0}


CELLS = st.text(st.sampled_from("ab01 ,;\"|\n\r'é😀"), max_size=6)
IDS = CELLS.filter(lambda text: bool(text) and text == text.strip())


@given(
    rows=st.lists(st.tuples(IDS, IDS, CELLS, st.integers(0, 9)), min_size=1, max_size=8),
    separator=st.sampled_from(",;|"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_what_pythons_csv_writes_is_read_back(
    rows: list[tuple[str, str, str, int]],
    separator: str,
    quoting: int,
    encoding: str,
    end: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("csv") / "judgments.csv"
    expected: dict[str, dict[str, float]] = {}
    for query, doc, _, grade in rows:
        expected.setdefault(query, {}).setdefault(doc, float(grade))
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.writer(file, delimiter=separator, quoting=quoting, lineterminator=end)
        writer.writerow(["Query Text", "SKU", "Note", "Rating"])
        writer.writerows(rows)
    assert Judgments.read(path, duplicates="first").to_dict() == expected


def test_what_excel_needs_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "book.xlsx"
    path.write_bytes(b"PK\x03\x04")
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(
        MissingExtra, match=r"reading Excel files needs python-calamine.*cleverdon\[excel\]"
    ):
        Judgments.read(path)
    with pytest.raises(
        MissingExtra, match=r"writing Excel files needs xlsxwriter.*cleverdon\[excel\]"
    ):
        Judgments.read([("q", "d", 1)]).write(path)


def test_blanks_before_quotes(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('query, doc, rel\n"red, shoes", "d1", "3"\n "blue" ," d 2", 1\n')
    expected = {"red, shoes": {"d1": 3.0}, "blue": {" d 2": 1.0}}
    assert Judgments.read(path).to_dict() == expected


@pytest.mark.parametrize(
    "title", ["Ratings of May\n\n", "Ratings,,\n,,\n", "Ratings of May, 2024\n1\n"]
)
def test_a_title_above_the_header(title: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(title + "query,doc,rating\nq,d,1\n")
    with pytest.raises(InputError, match=r"a.csv:1: is the header in row 3\? Delete what is above"):
        Judgments.read(path)


REFUSED = {
    "a run as judgments": (
        "query_id,doc_id,rank,score\nq1,d1,1,2.5\n",
        r"has ranks and scores, as a run has; are judgments and run exchanged\? .* grade=score,",
    ),
    "another run as judgments": (
        "query_id,doc_id,rank,relevance_score\nq1,d1,1,2.5\n",
        r"are judgments and run exchanged\?",
    ),
    "two decimal signs": (
        "query;doc;rating\nq;a;1\nq;b;1.234\nq;c;999,5\n",
        r":4: is the decimal sign a comma or a point\? There is 1.234 on line 3, and 999,5 here",
    ),
    "another decimal sign much later": (
        "query;doc;rating\nq;a;1,5\n" + "".join(f"q;d{n};1\n" for n in range(9000)) + "q;z;0.5\n",
        r":9003:5: the grade '0.5' has a decimal point, and others have a comma; write all alike",
    ),
    "lists": ("query,relevant_docs\nq1,\"['a', 'b']\"\n", "'relevant_docs' has lists, and a cell"),
    "one list": ('query,doc,rel\nq1,"[""a"", ""b""]",1\n', r"JSON Lines or Parquet, or a row for"),
    "carriage returns": ("query,doc,rel\rq1,d1,1\rq1,d2,2\r", "end in carriage returns only"),
    "judges": (
        "query,doc,rel,judge\nq1,d1,1,ann\nq1,d1,2,bob\n",
        r":3: .* occurs twice .*, first on line 2; the column 'judge' names judges: cleverdon",
    ),
    "systems": (
        "query,doc,rel,system\nq1,d1,1,a\nq1,d1,2,b\n",
        r"occurs twice .* first on line 2; the column 'system' names several systems: write a file",
    ),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_with_a_remedy(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text, newline="")
    with pytest.raises(InputError, match=message):
        Judgments.read(path)


def test_grades_called_scores_beside_ranks_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("query_id,doc_id,rank,score\nq1,d1,1,2\n")
    assert Judgments.read(path, columns={"grade": "score"}).to_dict() == {"q1": {"d1": 2.0}}
    rows = [{"query": "q", "doc": "d", "grade": grade, "judge": str(grade)} for grade in (1, 2)]
    with pytest.raises(InputError, match=r"record 2: .*cleverdon agree"):
        Judgments.read(rows)


def test_several_systems_in_a_run(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("query,doc,score,system\nq1,d1,1,a\nq1,d1,2,b\n")
    with pytest.raises(InputError, match="the column 'system' names several systems"):
        evaluate({"q1": {"d1": 1}}, path, "AP")
