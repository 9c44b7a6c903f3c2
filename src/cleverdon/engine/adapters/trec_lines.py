"""What a command reads and writes: a query a line, and results as runs have them."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from cleverdon.engine.adapters.ordering import ordered
from cleverdon.engine.failures import SearchFailure
from cleverdon.engine.protocol import Results
from cleverdon.errors import InputError


def query_lines(topics: Mapping[str, str]) -> bytes:
    """Each topic as `id<TAB>query`; white space within a query is one blank."""
    for topic in topics:
        if topic.encode("utf-8", "replace").split() != [topic.encode("utf-8", "replace")]:
            raise InputError(
                f"the id of topic {topic!r} is not one word, and TREC lines have no way to say it"
            )
    lines = (f"{topic}\t{' '.join(query.split())}\n" for topic, query in topics.items())
    return "".join(lines).encode("utf-8", "replace")


def results_of(written: bytes, topics: Mapping[str, str], k: int) -> dict[str, Results]:
    """The first k results of every topic, of lines `topic Q0 document rank score tag`.

    A topic of which there is no line has no results. Scores decide on the order, as everywhere.
    """
    found: dict[str, dict[str, float]] = {topic: {} for topic in topics}
    # Bytes, since only blanks and tabs part fields, and only line feeds lines: in a text, others of
    # Unicode would as well.
    for number, line in enumerate(written.split(b"\n"), 1):
        fields = line.split()
        if not fields:
            continue
        try:
            topic, _, document, _, score, _ = (field.decode("utf-8") for field in fields)
        except UnicodeDecodeError as error:
            raise _malformed(number, f"is not UTF-8: {error}") from None
        except ValueError:
            said = line[:80].decode("utf-8", "replace")
            expected = "the 6 fields topic Q0 document rank score tag"
            raise _malformed(number, f"expected {expected}, found {said!r}") from None
        if topic not in found:
            raise _malformed(number, f"topic {topic!r} was not asked for")
        if document in found[topic]:
            raise _malformed(number, f"document {document!r} is there twice for topic {topic!r}")
        found[topic][document] = _number(score, number)
    return {topic: ordered(list(held.items()))[:k] for topic, held in found.items()}


def _number(text: str, line: int) -> float:
    try:
        score = float(text)
    except ValueError:
        raise _malformed(line, f"expected a score, found {text!r}") from None
    if not isfinite(score):
        raise _malformed(line, f"the score is {text}, and no number")
    return score


def _malformed(line: int, message: str) -> SearchFailure:
    return SearchFailure("malformed", f"line {line} of its output: {message}")
