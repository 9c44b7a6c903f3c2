"""The queries: held-out summaries that a person could have typed."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cleverdon.demo.documents import Document
from cleverdon.demo.topicality import stem, topic_stems
from cleverdon.demo.words import name_words, words

QUERIES = 180
_PER_MODULE = 5  # else builtins, asyncio and os, a fifth of all documents, would set the tone
_SHORTEST, _LONGEST = 5, 20  # in words
_LEAST_STEMS = 3  # "Emit a record." describes a dozen methods and asks for none of them
_EVERYDAY = 5  # other summaries that use a word

# Markup says how a word is set, not what is asked for: ``name``, :class:`Mock`, *args.
_MARKUP = re.compile(r":[a-z]+:(?=`)|`+|(?<![\w*])\*+(?=\w)|(?<=\w)\*+(?![\w*])")
_SENTENCE = re.compile(r"[A-Za-z][^>=:\\]*\.")  # an arrow, assignment or colon belongs to code
_CODE = re.compile(r"\w\(|\w\.\w|_")


@dataclass(frozen=True)
class Topic:
    """A query, and the document whose summary it is."""

    id: str
    text: str
    document: Document


def choose_topics(
    documents: Sequence[Document], *, count: int = QUERIES, per_module: int = _PER_MODULE
) -> tuple[Topic, ...]:
    """Draw queries evenly over the modules, the same ones every time.

    A document's turn is decided by the SHA-256 of its id. That is as good as chance, owes nothing
    to the interpreter's hash seed, and one document more or less in another version of Python
    leaves the other draws alone.

    A summary is passed over when it would make the question too easy or unanswerable:

    - It stands word for word in the searched text of any document: then finding the query would be
      finding the answer.
    - It contains the item's own name, unless that is an everyday word (one that at least five other
      summaries use): "Sort the list in place." is how anyone asks for `sort`, but nobody who needs
      to be told about `islice` types "islice".
    - More than half of its content words are in the name, as "Return the harmonic mean of data." is
      for `harmonic_mean`: such queries would only measure whether names are searched.
    - It refers to other code, as "Like itermonthdates(), but yields tuples." does: so writes only
      one whose reader has the documentation open already.
    - It is no sentence, very short, very long, or says nothing specific.
    """
    searched = "\n".join(_plain(f"{d.id} {name_words(d.id)} {d.body}") for d in documents)
    usage = Counter(word for d in documents for word in set(words(d.summary)))
    drawn: dict[str, Document] = {}
    taken: Counter[str] = Counter()
    for document in sorted(documents, key=_turn):
        text = clean(document.summary)
        if (
            len(drawn) < count
            and taken[document.module] < per_module
            and text not in drawn
            and _asks_something(text)
            and not _gives_itself_away(document, text, usage)
            and _plain(text) not in searched
        ):
            drawn[text] = document
            taken[document.module] += 1
    in_order = sorted(drawn.items(), key=lambda item: item[1].id)
    return tuple(
        Topic(id=f"q{number:03}", text=text, document=document)
        for number, (text, document) in enumerate(in_order, start=1)
    )


def clean(summary: str) -> str:
    """A summary as a query: one line, without markup.

    >>> clean("Create a new :class:`Mock` with ``spec``.")
    'Create a new Mock with spec.'
    """
    return " ".join(_MARKUP.sub("", summary).split())


def is_sentence(text: str) -> bool:
    """Whether this is prose, and not a signature or a grammar rule that stands in its place."""
    return _SENTENCE.fullmatch(text) is not None


def _turn(document: Document) -> bytes:
    return hashlib.sha256(document.id.encode()).digest()


def _plain(text: str) -> str:
    """Only the words: the same sentence with other line breaks or quotes is the same sentence."""
    return " ".join(words(text))


def _asks_something(text: str) -> bool:
    return (
        is_sentence(text)
        and _CODE.search(text) is None
        and _SHORTEST <= len(text.split()) <= _LONGEST
        and len(topic_stems(text)) >= _LEAST_STEMS
    )


def _gives_itself_away(document: Document, text: str, usage: Counter[str]) -> bool:
    name = document.name.lower()
    if name in re.findall(r"\w+", text.lower()) and usage[name] <= _EVERYDAY:
        return True
    asked = topic_stems(text)
    named = {stem(word) for word in words(name_words(document.name))}
    return 2 * len(asked & named) > len(asked)
