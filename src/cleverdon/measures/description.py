"""Descriptions of measures in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from inspect import cleandoc
from itertools import groupby
from textwrap import dedent, fill, indent
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from cleverdon.errors import NotationError, OptionError
from cleverdon.measures.base import (
    REMEDIES,
    REQUIRED,
    Composed,
    Measure,
    meaning_of,
    one_line,
    own_text,
)
from cleverdon.measures.notation import parse
from cleverdon.measures.registry import as_text, family, find, measures

_MeasureOrClass = Measure | type[Measure]
"""A measure; or its class, where it has parameters that must be given."""


def describe_measure(name: str) -> str:
    """Describe a measure, which may be written with parameters or as in trec_eval."""
    try:
        cls: type[Measure] = find(name)
        of: _MeasureOrClass = cls if REQUIRED in cls.defaults.values() else cls()
        title = cls.__name__
    except NotationError:
        of = parse(name)
        cls, title = type(of), str(of)
    parts = [f"{title}\n{'=' * len(title)}", cleandoc(own_text(cls))]
    facts = {
        "Formula": cls.formula,
        "User": cls.user,
        "Undefined": cls.undefined,
        "Needs": describe_needs(of),
        "Better": describe_direction(of),
        "Range": _describe_range(of),
        "Average": "none: it is a text" if cls.text else _AVERAGES[of.average],
        "Also called": ", ".join(other_names(cls)),
        "In trec_eval": ", ".join(cls.trec_eval),
        "Source": cls.source,
    }
    width = max(map(len, facts))
    parts.append("\n".join(f"{fact:<{width}}  {text}" for fact, text in facts.items() if text))
    rows = describe_parameters(cls)
    width = max(len(row.written) for row in rows)
    listed = "\n".join(
        fill(
            f"{row.written:<{width}}  {row.text}",
            96,
            initial_indent="  ",
            subsequent_indent=" " * (width + 4),
            break_on_hyphens=False,
        )
        for row in rows
    )
    parts.append(f"Parameters\n{listed}")
    examples = dedent(cls.worked).strip()
    if examples:
        read = fill(_describe_examples(examples), 96, initial_indent="  ", subsequent_indent="  ")
        parts.append(f"Worked examples\n{indent(examples, '  ')}\n\n{read}")
    return "\n\n".join(part for part in parts if part)


_AVERAGES = {
    "mean": "mean over queries",
    "sum": "summed over queries",
    "geometric": "geometric mean over queries",
}


def other_names(cls: type[Measure]) -> list[str]:
    """List the other names of a measure, with the parameters that they set."""
    names = list(cls.aliases)
    # F1@5 is a name of F, and F1 without a cut-off is one of SetF.
    of_cut = [one.presets for one in measures() if one.uncut == cls.__name__]
    for name, preset in [pair for presets in (cls.presets, *of_cut) for pair in presets.items()]:
        names.append(f"{name} ({', '.join(f'{p}={as_text(v)}' for p, v in preset.items())})")
    return names


def describe_direction(of: _MeasureOrClass) -> str:
    """Describe the direction of the measure: higher or lower is better."""
    if isinstance(of, type) and issubclass(of, Composed):
        return "as of the inner measure"
    return of.better


def describe_needs(of: _MeasureOrClass) -> str:
    """Describe the input that the measure needs other than grades."""
    if isinstance(of, Measure) and of.needs_docs:
        return "how many documents the collection has: docs=N, on the command line --docs N"
    return REMEDIES[of.needs] if of.needs else ""


def _describe_range(of: _MeasureOrClass) -> str:
    if isinstance(of, type):
        kept = "in range" in of.promises and not issubclass(of, Composed)
    else:
        kept = of.keeps("in range")
    if not kept:
        return ""
    lowest, highest = of.range
    if highest == float("inf"):
        return "any number" if lowest == -highest else f"from {lowest:g} on"
    return f"{lowest:g} to {highest:g}"


_NOTATION = {
    r"": "Grades run down the ranking; - is a result that nobody judged, and behind | stand judged "
    "documents that were not returned.",
    r"\(": "Results in brackets have equal scores.",
    r"\d/": "2/1 is of relevance 2 and, say, of credibility 1.",
    r"[a-z]": "ab2 covers subtopic a with grade 1 and subtopic b with grade 2.",
    r"@": "1@3 was drawn from stratum 3 of the pool.",
    r"%": "1%.5 was drawn with probability .5.",
    r"max=": "max= is the largest grade of the collection's judgments, where it is not the largest "
    "shown.",
    r"docs=": "docs= is how many documents the collection has.",
}
"""The signs in rankings, and how to read them."""

LEGEND = " ".join(_NOTATION.values())


def _describe_examples(worked: str) -> str:
    """Explain the notation that these examples use."""
    # Behind the measure's name, and before what comes out.
    rankings = " ".join(re.findall(r"^\s*\S+\s+(.*)=", worked, flags=re.MULTILINE))
    bare = re.sub(r"(max|docs)=\S+", "", rankings)
    return " ".join(
        text
        for sign, text in _NOTATION.items()
        if re.search(sign, rankings if sign.endswith("=") else bare)
    )


class Parameter(NamedTuple):
    """A parameter of a measure in words."""

    name: str
    written: str  # as the notation has it: `@k`, `rel`
    meaning: str
    values: str
    default: str  # empty where a value must be given

    @property
    def text(self) -> str:
        """What it does, its values and its default."""
        default = f"default {self.default}" if self.default else "required"
        return f"{self.meaning} ({'; '.join(filter(None, (self.values, default)))})".lstrip()


def describe_parameters(cls: type[Measure]) -> list[Parameter]:
    """Describe each parameter of a measure: what it does, its values, its default.

    >>> from cleverdon.measures.graded import nDCG
    >>> describe_parameters(nDCG)[0].text
    'The cut-off: only the first k results count. (whole number from 1 on; default all results)'
    """
    try:
        hints = get_type_hints(cls)
    except NameError:  # a type of a user's measure that only type checkers can resolve
        hints = {}
    found = []
    for name, default in cls.defaults.items():
        shown = "" if default is REQUIRED else as_text(default)
        if name == cls.cut and default is None:
            shown = "all results"
        found.append(
            Parameter(
                name,
                f"@{name}" if name == cls.cut else name,
                meaning_of(cls, name),
                _describe_values(cls, name, hints.get(name)),
                shown,
            )
        )
    return found


def _describe_values(cls: type[Measure], name: str, hint: Any) -> str:
    """Describe the values that a parameter takes, unless its words are in the meaning."""
    limits = [
        limit
        for base in cls.__mro__
        for limit in vars(base).get("limits", ())
        if name in limit.split()
    ]
    if limits:
        return " and ".join(limits)
    kinds = {get_origin(one) or one for one in (*get_args(hint), hint)}
    if name == "k" == cls.cut:
        return "whole number from 1 on"
    words = {bool: "true or false", tuple: "numbers", Mapping: "map", Measure: "measure"}
    words |= {int: "whole number", float: "number"}
    return next((word for kind, word in words.items() if kind in kinds), "")


def document(cls: type[Measure], text: str) -> str:
    """Return the docstring of a measure: its text, and its parameters as arguments."""
    rows = describe_parameters(cls)
    listed = "\n".join(f"    {row.name}: {row.text}" for row in rows)
    return f"{cleandoc(text)}\n\nArgs:\n{listed}\n"


def list_measures(words: Iterable[str] = ()) -> str:
    """List the measures by family, each with its first line.

    Args:
        words: Words that all have to be in a measure's names or first line.
    """
    words = tuple(words)

    def matches(cls: type[Measure]) -> bool:
        names = (cls.__name__, *cls.aliases, *cls.presets, *cls.shared_names)
        text = " ".join((*names, one_line(cls))).casefold()
        return all(word.casefold() in text for word in words)

    listed = [cls for cls in measures() if matches(cls)]
    if not listed:
        raise OptionError(f"no measure has {' and '.join(words)} in its name or description")
    width = max(len(cls.__name__) for cls in listed)
    lines: list[str] = []
    for heading, members in groupby(listed, family):
        lines += [heading, *(f"  {cls.__name__:<{width}}  {one_line(cls)}" for cls in members), ""]
    return "\n".join([*lines, "cleverdon explain NAME describes one of them."])
