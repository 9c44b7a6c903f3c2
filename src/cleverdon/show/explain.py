"""What a measure is, in words: all that its class says of itself."""

from __future__ import annotations

from inspect import getdoc
from textwrap import dedent, indent

from cleverdon.errors import NotationError
from cleverdon.measures.base import REQUIRED, Measure
from cleverdon.measures.notation import parse
from cleverdon.measures.registry import as_text, find


def described(name: str) -> str:
    """A measure described; it may be written with parameters or as trec_eval writes it."""
    try:
        cls: type[Measure] = find(name)
        title = cls.__name__
    except NotationError:
        measure = parse(name)
        cls, title = type(measure), str(measure)
    parts = [f"{title}\n{'=' * len(title)}", getdoc(cls) or ""]
    facts = {
        "Formula": cls.formula,
        "User": cls.user,
        "Undefined": cls.undefined,
        "Better": cls.better,
        "Average": _AVERAGES[cls.average],
        "Parameters": parameters(cls),
        "Also called": ", ".join(cls.aliases),
        "In trec_eval": ", ".join(cls.trec_eval),
        "Source": cls.source,
    }
    width = max(map(len, facts))
    parts.append("\n".join(f"{fact:<{width}}  {text}" for fact, text in facts.items() if text))
    examples = dedent(cls.worked).strip()
    if examples:
        parts.append(f"Worked examples\n{indent(examples, '  ')}\n\n{LEGEND}")
    return "\n\n".join(parts)


_AVERAGES = {
    "mean": "mean over queries",
    "sum": "summed over queries",
    "geometric": "geometric mean over queries",
}

LEGEND = (
    "  Grades run down the ranking; - is a result that nobody judged, and behind | stand judged\n"
    "  documents that were not returned."
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
