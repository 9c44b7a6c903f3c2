"""What a docstring says first, and what it says after that.

The demo asks with the first sentence and searches the rest. So the line between the two has to be
drawn with care: a signature left in front of the sentence would name the answer, and a sentence cut
in the wrong place would leave half of the question in the index.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass

# A sentence ends where the next one begins with a capital, a quotation or a bracket: a full stop
# alone also stands in "os.path", "3.11" and "e.g. this".
_SENTENCE_END = re.compile(
    r"(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)(?<=[.!?])\s+(?=[A-Z`\"'(*:])"
)
_CALL = re.compile(r"(?:async )?[A-Za-z_][\w.]*\(")
_ARROW = re.compile(r"[-=]+>")
# What may follow a signature on its line: "D.pop(k) -> v, remove the key and return its value".
# Four words at least make it a sentence: "getopt(args) -> opts, args" says nothing of the kind.
_PROSE = re.compile(
    r"(?:[-=]+>\s*(?:\([^)]*\)|\[[^]]*\]|\w+)(?:\s*[.,:]|\s+--?)|--?|:)\s+"
    r"(?P<prose>\S+(?:\s+\S+){3}.*)"
)
_CLOSING = {"(": ")", "[": "]"}


@dataclass(frozen=True)
class Docstring:
    """A docstring cut in two: the summary, which is held out, and the body, which is searched."""

    summary: str
    body: str


def split_docstring(text: str) -> Docstring:
    r"""Cut a docstring after its first sentence, signatures in front of it thrown away.

    >>> split_docstring("pop(i) -> item\n\nRemove an item. Raises IndexError.")
    Docstring(summary='Remove an item.', body='Raises IndexError.')
    """
    prose = _without_signatures(inspect.cleandoc(text)).strip()
    paragraph, _, rest = prose.partition("\n\n")
    sentences = _SENTENCE_END.split(paragraph, maxsplit=1)
    remainder = sentences[1] if len(sentences) > 1 else ""
    return Docstring(
        summary=" ".join(sentences[0].split()),
        body="\n\n".join(part.strip() for part in (remainder, rest) if part.strip()),
    )


def _without_signatures(text: str) -> str:
    """The text after the lines such as `foo(x, y) -> z` that C functions begin with."""
    while _CALL.match(text):
        end = _end_of_call(text)
        line, _, after = text[end:].partition("\n")
        tail = line.strip()
        prose = _PROSE.match(tail)
        if prose is not None:
            return f"{prose['prose']}\n{after}"
        if end < 0 or (tail and not _ARROW.match(tail)):
            return text  # "Timer(delay) runs a function": a sentence, not a signature
        text = after.lstrip("\n")
    return text


def _end_of_call(text: str) -> int:
    """Where the bracket closes that the signature opens; -1 where it never does."""
    open_brackets: list[str] = []
    for place, character in enumerate(text):
        if character in _CLOSING:
            open_brackets.append(_CLOSING[character])
        elif open_brackets and character == open_brackets[-1]:
            open_brackets.pop()
            if not open_brackets:
                return place + 1
    return -1
