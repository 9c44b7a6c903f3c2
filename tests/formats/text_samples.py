"""Queries and documents in every form in which people keep their texts."""

from __future__ import annotations

from pathlib import Path

from cleverdon.formats.texts import Text


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
