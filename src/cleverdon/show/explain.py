"""What a measure is, in words: all that its class says of itself."""

from __future__ import annotations

import re
from inspect import cleandoc
from textwrap import dedent, fill, indent

from cleverdon.errors import NotationError
from cleverdon.measures.base import REMEDIES, Measure
from cleverdon.measures.composed import Composed
from cleverdon.measures.notation import parse
from cleverdon.measures.parameters import REQUIRED
from cleverdon.measures.registry import as_text, find

Described = Measure | type[Measure]
"""A measure; or its class, where it has parameters that must be given."""


def described(name: str) -> str:
    """A measure described; it may be written with parameters or as trec_eval writes it."""
    try:
        cls: type[Measure] = find(name)
        of: Described = cls if REQUIRED in cls.defaults.values() else cls()
        title = cls.__name__
    except NotationError:
        of = parse(name)
        cls, title = type(of), str(of)
    parts = [f"{title}\n{'=' * len(title)}", cleandoc(cls.__doc__ or "")]
    facts = {
        "Formula": cls.formula,
        "User": cls.user,
        "Undefined": cls.undefined,
        "Needs": needed(of),
        "Better": better(of),
        "Range": _range(of),
        "Average": "none: it is a text" if cls.text else _AVERAGES[of.average],
        "Parameters": parameters(cls),
        "Also called": ", ".join(also_called(cls)),
        "In trec_eval": ", ".join(cls.trec_eval),
        "Source": cls.source,
    }
    width = max(map(len, facts))
    parts.append("\n".join(f"{fact:<{width}}  {text}" for fact, text in facts.items() if text))
    examples = dedent(cls.worked).strip()
    if examples:
        read = fill(legend(examples), 96, initial_indent="  ", subsequent_indent="  ")
        parts.append(f"Worked examples\n{indent(examples, '  ')}\n\n{read}")
    return "\n\n".join(part for part in parts if part)


_AVERAGES = {
    "mean": "mean over queries",
    "sum": "summed over queries",
    "geometric": "geometric mean over queries",
}


def also_called(cls: type[Measure]) -> list[str]:
    """Its other names; behind one that sets parameters, what it sets."""
    names = list(cls.aliases)
    for name, preset in cls.presets.items():
        names.append(f"{name} ({', '.join(f'{p}={as_text(v)}' for p, v in preset.items())})")
    return names


def better(of: Described) -> str:
    """Whether more is better."""
    if isinstance(of, type) and issubclass(of, Composed):
        return "as of the measure that it is made of"
    return of.better


def needed(of: Described) -> str:
    """What is to be given beside judgments with a grade for each document."""
    if isinstance(of, Measure) and of.needs_docs:
        return "how many documents the collection has: docs=N, on the command line --docs N"
    return REMEDIES[of.needs] if of.needs else ""


def _range(of: Described) -> str:
    """Between which values it lies, where the class promises that it does."""
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
"""What is written in rankings, and how to read it."""

LEGEND = " ".join(_NOTATION.values())


def legend(worked: str) -> str:
    """How to read these examples: what of the notation is in them."""
    # Behind the measure's name, and before what comes out.
    rankings = " ".join(re.findall(r"^\s*\S+\s+(.*)=", worked, flags=re.MULTILINE))
    bare = re.sub(r"(max|docs)=\S+", "", rankings)
    return " ".join(
        text
        for sign, text in _NOTATION.items()
        if re.search(sign, rankings if sign.endswith("=") else bare)
    )


def parameters(cls: type[Measure]) -> str:
    """The parameters of a measure with their defaults, on one line."""
    shown = []
    for name, default in cls.defaults.items():
        if name == cls.cut:
            shown.append(f"@{name}" if default is REQUIRED else f"[@{name}]")
        else:
            shown.append(f"{name}={as_text(default)}")
    return ", ".join(shown)
