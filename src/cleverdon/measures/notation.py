"""The notation of measures: `nDCG(gain=exponential)@10`.

A name, parameters in brackets, and a cut-off behind `@`. Values are numbers, words (quoted or
not), true and false, tuples, maps, and measures. What trec_eval (`ndcg_cut_10`) and ir_measures
(`nDCG(dcg='exp-log2')@10`) write is understood as well, and printed in Cleverdon's own way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cleverdon.errors import NotationError, suggest
from cleverdon.measures.base import Measure
from cleverdon.measures.registry import (
    Naming,
    SharedNameError,
    UnknownMeasureError,
    as_text,
    check_not_shared,
    cut_in_name,
    find,
    from_trec_eval,
    named,
)

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![A-Za-z0-9_]))
  | (?P<word>\d*(?:α-?)?[A-Za-z_][A-Za-z0-9_.-]*)
  | (?P<text>'[^']*'|"[^"]*")
  | (?P<mark>[(){}@=,:])
  )""",
    re.VERBOSE,
)

_LONGEST = 500  # longer texts are mistakes, or an attempt to exhaust the reader

_Meaning = Callable[[type[Measure], dict[str, Any]], tuple[type[Measure], dict[str, Any]]]
"""Translates a class and its parameters from the convention of another tool: see `profiles`."""


def parse(text: str, *, meaning: _Meaning | None = None, naming: Naming = named) -> Measure:
    """Read the notation of a measure, also that of trec_eval and ir_measures.

    Args:
        text: The name, with parameters in brackets and the cut-off behind `@`.
        meaning: Adapts the parameters, as a profile needs it.
        naming: Looks up names, where a profile has its own.

    Returns:
        The measure.

    Raises:
        NotationError: The text does not name a measure, or a parameter is wrong.

    >>> parse("ndcg_cut_10")
    nDCG@10
    >>> parse("nDCG@ten")
    Traceback (most recent call last):
    cleverdon.errors.NotationError: nDCG@ten: expected a number behind '@', found 'ten'
    """
    if not isinstance(text, str):
        raise NotationError(f"a measure is written as text, such as 'nDCG@10'; found {text!r}")
    text = text.strip()
    known = from_trec_eval(text)
    if known is not None:
        cls, in_name, fixed = known
        parameters = {name: _Reader(value, of=text).only_value() for name, value in in_name.items()}
        parameters |= _Reader(f"({fixed})", of=text).arguments(cls) if fixed else {}
        return _make(cls, parameters, meaning)
    reader = _Reader(text, of=text, meaning=meaning, naming=naming)
    measure = reader.measure()
    reader.end()
    return measure


def is_measure(text: str) -> bool:
    """Tell whether a text names a measure, whether or not it needs a cut-off or parameters.

    >>> [is_measure(text) for text in ("nDCG", "P", "P@5", "PageCTR")]
    [True, True, True, False]
    """
    try:
        named(re.split("[@(]", text)[0])
    except NotationError:
        return from_trec_eval(text) is not None
    return True


def parse_all(
    measures: str | Measure | Iterable[str | Measure],
    *,
    meaning: _Meaning | None = None,
    naming: Naming = named,
) -> tuple[Measure, ...]:
    """Read the notation of several measures, each of which counts once.

    Args:
        measures: One measure or several; a text may hold several, separated by blanks or commas,
            and several cut-offs of one measure.
        meaning: Adapts the parameters, as a profile needs it.
        naming: Looks up names, where a profile has its own.

    Returns:
        The measures, in the order given.

    >>> parse_all("nDCG@10 AP, map")
    (nDCG@10, AP)
    >>> parse_all("P@1,2,3")
    (P@1, P@2, P@3)
    """
    return tuple(parse_asked(measures, meaning=meaning, naming=naming))


def parse_asked(
    measures: str | Measure | Iterable[str | Measure],
    *,
    meaning: _Meaning | None = None,
    naming: Naming = named,
) -> dict[Measure, str]:
    """Read the notation of several measures, as `parse_all`; return each with its text.

    The text is empty where it is the canonical name, but for letter case, blanks and quotes.

    >>> parse_asked("hit@5 ndcg@10")
    {Success@5: 'hit@5', nDCG@10: ''}
    """
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        measures = [measures]
    found: dict[Measure, str] = {}
    item: Any
    for item in measures:
        if isinstance(item, Measure):
            found.setdefault(item, "")
        elif isinstance(item, str):
            for text in _split(item):
                measure = parse(text, meaning=meaning, naming=naming)
                found.setdefault(measure, "" if _same(text, str(measure)) else text)
        elif isinstance(item, type) and issubclass(item, Measure):
            found.setdefault(_make(item, {}, meaning), "")
        else:
            # ir_measures' objects print themselves in a notation that is understood.
            found.setdefault(parse(str(item), meaning=meaning, naming=_named_by_ir_measures), "")
    if not found:
        raise NotationError("no measure was named")
    return found


def _same(text: str, canonical: str) -> bool:
    """Tell whether a text is the canonical name, but for letter case, blanks and quotes."""
    bare = "".join(char for char in text if not char.isspace() and char not in "'\"")
    return bare.casefold() == canonical.casefold()


def _named_by_ir_measures(name: str) -> tuple[type[Measure], Mapping[str, Any]]:
    """Look up a name of ir_measures; one of them means another measure here."""
    return named("RankAccuracy" if name == "Accuracy" else name)


def cut_off(cls: type[Measure], parameters: Mapping[str, Any], k: float) -> Measure:
    """Return the measure that `cls(**parameters) @ k` is.

    >>> from cleverdon.measures import P, RBP, AP
    >>> P @ 5, P(rel=2) @ 5
    (P@5, P(rel=2)@5)
    >>> AP @ "ten"
    Traceback (most recent call last):
    cleverdon.errors.NotationError: AP: expected a number behind '@', found 'ten'
    """
    of = written_parts(cls, dict(parameters))
    if isinstance(k, bool) or not hasattr(k, "__float__"):
        raise NotationError(f"{of}: expected a number behind '@', found {k!r}")
    cls, own = _translated(cls, parameters)
    cls, fixed = _with_cutoff(cls, own, str(k), of=f"{of}@{k}")
    return _make(cls, {**own, cls.cut: k}, preset=fixed)


def _with_cutoff(
    cls: type[Measure], parameters: Mapping[str, Any], k: str, *, of: str
) -> tuple[type[Measure], Mapping[str, Any]]:
    """Return the class that takes the cut-off, often the same, and the parameters that it fixes."""
    fixed: Mapping[str, Any] = {}
    if cls.with_cutoff is not None and cls.cut not in cls.defaults:
        name, fixed = cls.with_cutoff
        cls = find(name)
    if cls.cut not in cls.defaults:
        hint = cls.instead_of_cutoff.format(k=k)
        raise NotationError(f"{of}: {cls.__name__} takes no cut-off{hint and '; '}{hint}")
    if cls.cut in parameters:
        raise NotationError(f"{of}: {cls.cut!r} is given twice")
    return cls, fixed


def written(measure: Measure) -> str:
    """Write a measure: only parameters that differ from the defaults, the cut-off behind `@`."""
    return written_parts(type(measure), measure.parameters)


def written_parts(cls: type[Measure], parameters: dict[str, Any]) -> str:
    """Write a measure of this class with these parameters."""
    cut = parameters.pop(cls.cut, None)
    # The inner measure comes first and needs no name: IntentAware(nDCG@10).
    inside = ",".join(
        as_text(value) if isinstance(value, Measure) and not place else f"{name}={as_text(value)}"
        for place, (name, value) in enumerate(parameters.items())
    )
    return (
        cls.__name__
        + (f"({inside})" if inside else "")
        + ("" if cut is None else f"@{as_text(cut)}")
    )


def _split(text: str) -> list[str]:
    parts, depth = [""], 0
    for char in text:
        depth += (char in "({") - (char in ")}")
        if depth == 0 and (char.isspace() or char == ","):
            parts.append("")
        else:
            parts[-1] += char
    found: list[str] = []
    for part in filter(None, parts):
        # A number continues the list of cut-offs of the measure before it: P@1,2,3.
        continues = found and part[0] in ".0123456789" and re.fullmatch(_NUMBER, part)
        cut = re.fullmatch(_CUT, found[-1]) if continues else None
        found.append(cut[1] + part if cut else part)
    return found


_NUMBER = r"\d+\.?\d*|\.\d+"
_CUT = rf"(.*?[@._])(?:{_NUMBER})"


class _Reader:
    def __init__(
        self, text: str, *, of: str, meaning: _Meaning | None = None, naming: Naming = named
    ) -> None:
        self.of = of
        self.meaning = meaning
        self.naming = naming
        self.tokens: list[tuple[str, str]] = []
        if len(text) > _LONGEST:
            raise NotationError(f"{of[:40]}...: no measure is written with {len(text)} characters")
        at = 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None:
                raise NotationError(f"{of}: {text[at:].strip()[0]!r} has no place in a measure")
            self.tokens.append((str(match.lastgroup), match[str(match.lastgroup)]))
            at = match.end()

    def measure(self) -> Measure:
        name = self.take("word", "the name of a measure")
        cls, preset = self.named(name)
        parameters = self.arguments(cls) if self.next_is("(") else {}
        if cls.cut in preset and (cls.cut in parameters or self.next_is("@")):
            raise NotationError(f"{self.of}: {cls.cut!r} is given twice")
        if self.next_is("@"):
            check_not_shared(f"{name}@", self.follows())
            self.take("mark")
            cls, parameters = _translated(cls, parameters)
            kind, value = self.tokens[0] if self.tokens else ("", "nothing")
            if kind != "number":
                raise NotationError(f"{self.of}: expected a number behind '@', found {value!r}")
            cls, fixed = _with_cutoff(cls, parameters, value, of=self.of)
            preset = {**fixed, **preset}
            parameters[cls.cut] = self.value()
        if preset and cls.uncut and cls.cut not in {**preset, **parameters}:
            cls = find(cls.uncut)
        return _make(cls, parameters, self.meaning, preset)

    def named(self, name: str) -> tuple[type[Measure], Mapping[str, Any]]:
        """Look up a name, which may have the cut-off in it."""
        try:
            return self.naming(name)
        except SharedNameError:
            check_not_shared(name, self.follows())  # which lists them with this cut-off
            raise
        except UnknownMeasureError:
            found = cut_in_name(name, self.naming)
            if found is None:
                raise UnknownMeasureError(name, self.follows()) from None
            return found

    def follows(self) -> str:
        """Return the parameters and the cut-off that follow a name."""
        found, depth = "", 0
        for kind, text in self.tokens:
            depth += (text in "({") - (text in ")}") if kind == "mark" else 0
            if depth < 0 or (depth == 0 and text == ","):
                break
            found += text
        return found

    def arguments(self, cls: type[Measure]) -> dict[str, Any]:
        """Read the brackets: `name=value`, or values in the order of the parameters."""
        self.take("mark")
        parameters: dict[str, Any] = {}
        in_order = iter(cls.defaults)
        while not self.next_is(")"):
            if len(self.tokens) > 1 and self.tokens[1] == ("mark", "="):
                name = self.take("word", "the name of a parameter")
                self.take("mark")
            else:
                name = next(in_order, "")
            if name in parameters:
                raise NotationError(f"{self.of}: {name!r} is given twice")
            parameters[name] = self.value()
            if self.next_is(","):
                self.take("mark")
            elif not self.next_is(")"):
                found = self.tokens[0][1] if self.tokens else "the end"
                raise NotationError(f"{self.of}: expected ',' or ')', found {found!r}")
        self.take("mark")
        return parameters

    def value(self) -> Any:
        if not self.tokens:
            raise NotationError(f"{self.of}: a value is missing at the end")
        kind, text = self.tokens[0]
        if kind == "number":
            self.tokens.pop(0)
            return int(text) if text.lstrip("+-").isdecimal() else float(text)
        if kind == "text":
            self.tokens.pop(0)
            return text[1:-1]
        if text == "(":
            return tuple(self.items(")"))
        if text == "{":
            pairs = list(self.items("}"))
            if len(dict(pairs)) < len(pairs):
                raise NotationError(f"{self.of}: a grade is listed twice")
            return dict(pairs)
        if kind == "word":
            words = {"true": True, "false": False, "none": None}
            if text.casefold() in words:
                self.tokens.pop(0)
                return words[text.casefold()]
            if self.tokens[1:2] in ([("mark", "(")], [("mark", "@")]):
                return self.measure()
            self.tokens.pop(0)
            return text
        raise NotationError(f"{self.of}: expected a value, found {text!r}")

    def only_value(self) -> Any:
        value = self.value()
        self.end()
        return value

    def items(self, closing: str) -> Iterable[Any]:
        """Read values, or in a map pairs of them, up to the closing bracket."""
        self.take("mark")
        while not self.next_is(closing):
            value = self.value()
            yield self.pair(value) if closing == "}" else value
            if self.next_is(","):
                self.take("mark")
        self.take("mark")

    def pair(self, key: Any) -> tuple[Any, Any]:
        if not isinstance(key, (int, float, str)):
            raise NotationError(f"{self.of}: {key} cannot be looked up in a map")
        if not self.next_is(":"):
            raise NotationError(f"{self.of}: expected ':' in a map, as in {{1:3,2:9}}")
        self.take("mark")
        return key, self.value()

    def next_is(self, mark: str) -> bool:
        if not self.tokens and mark in ")}":
            raise NotationError(f"{self.of}: {mark!r} is missing at the end")
        return bool(self.tokens) and self.tokens[0] == ("mark", mark)

    def take(self, kind: str, what: str = "") -> str:
        if not self.tokens or self.tokens[0][0] != kind:
            found = repr(self.tokens[0][1]) if self.tokens else "nothing"
            raise NotationError(f"{self.of!r}: expected {what or kind}, found {found}")
        return self.tokens.pop(0)[1]

    def end(self) -> None:
        if self.tokens:
            raise NotationError(f"{self.of}: {self.tokens[0][1]!r} follows the end of the measure")


def _make(
    cls: type[Measure],
    parameters: Mapping[str, Any],
    meaning: _Meaning | None = None,
    preset: Mapping[str, Any] | None = None,
) -> Measure:
    """Make a measure, and translate other tools' names of parameters.

    The `preset` holds where the parameters do not say otherwise. No profile translates it: F2 has
    the beta of the textbooks even where a tool squares beta.
    """
    cls, own = _translated(cls, parameters)
    kept = {name: value for name, value in (preset or {}).items() if name not in own}
    if meaning is not None:
        cls, own = meaning(cls, own)
    # Not `cls(...)`, which waits for a cut-off by `@`: in the notation a missing one is an error.
    made: Measure = type.__call__(cls, **{**own, **kept})
    return made


def _translated(
    cls: type[Measure], parameters: Mapping[str, Any]
) -> tuple[type[Measure], dict[str, Any]]:
    """Translate other tools' names of parameters, one of which may mean another measure."""
    own: dict[str, Any] = {}
    other = ""
    for name, value in parameters.items():
        meanings = cls.spellings.get(name)
        if meanings is None:
            own[name] = value
        elif str(value) in meanings:
            own |= meanings[str(value)]
            other = own.pop("class", other)
        else:
            raise NotationError(
                f"{cls.__name__}({name}={value}) is not known{suggest(str(value), meanings)}"
            )
    return (find(other) if other else cls), own
