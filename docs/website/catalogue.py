"""The catalogue of measures: a table of all, which a script filters; without it, the whole table.

Whether a measure uses grades or only relevance, and whether it uses the order of results, is found
by computing it on small rankings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import NamedTuple

import numpy as np

from cleverdon.errors import CleverdonError
from cleverdon.measures.base import REQUIRED, Measure, one_line
from cleverdon.measures.notation import parse
from cleverdon.measures.registry import FAMILIES, family, measures
from cleverdon.measures.worked import ranking
from docs import generate
from docs.website.navigation import toctree
from docs.website.sources import slug

_NOTATIONS = {
    "": ("{}", ""),
    "second": ("{}/1", ""),
    "subtopics": ("a{}", ""),
    "stratum": ("{}@1", ""),
    "probability": ("{}%.5", ""),
    "positives": ("{}#2", " queries=20"),
}
"""How `ranking` writes a grade with what some measures need beside it."""

_USERS = {
    r"^None|^Wants to see": "no user: it describes data",
    r"^A language model": "a language model",
    r"^As ": "the user of another measure",
    r"everything that came back|^(Sorts a whole|Gains or|Cares)": "takes the result as a whole",
    r"shown (two|a)|pairs of": "compares two results",
    r"as many results|m times as many": "knows how much is relevant",
    r"^Reads (on )?(exactly|down to rank|k|to rank)|reads k|looks at k": "reads to a fixed depth",
    r"^(Reads|Goes|Gives up|Tires|Screens)|reads on|loses interest": "may stop at any rank",
    r"[Ss]tops|[Ww]ants|[Nn]eeds|[Cc]omes": "stops when satisfied",
    r"": "other",
}
"""Kinds of user, by the words that measures describe theirs with; the first that fits."""


class Facts(NamedTuple):
    """What the catalogue says of a measure."""

    name: str
    about: str
    page: str
    grades: str
    order: str
    kind_of_user: str
    user: str
    trec_eval: tuple[str, ...]


def facts(cls: type[Measure]) -> Facts:
    """Describe a measure for the catalogue."""
    home = next(key for key, heading in FAMILIES.items() if heading == family(cls))
    return Facts(
        name=cls.__name__,
        about=one_line(cls),
        page=f"measures/{home}.html#{slug(cls.__name__)}",
        grades="graded" if _differs(_example(cls, k=7), _REGRADED) else "binary",
        order="ranked" if _differs(_example(cls, k=3), _REORDERED) else "set",
        kind_of_user=next(kind for words, kind in _USERS.items() if re.search(words, cls.user)),
        user=cls.user,
        trec_eval=cls.trec_eval,
    )


# Pairs of rankings: the same relevant documents, other grades; the same results in another order.
_REGRADED = [("1 0 1 - 1 | 1 0", "2 0 1 - 1 | 1 0"), ("1 0 2 | 1", "2 0 1 | 1")]
_REORDERED = [
    ("1 0 2 - 1 0 0 | 1 0", "0 1 2 0 - 0 1 | 1 0"),
    ("1 0 0 0 | 0", "0 0 0 1 | 0"),
    ("- 1 0 0 | 0", "0 1 0 - | 0"),
]


def _differs(measure: Measure, pairs: Iterable[tuple[str, str]]) -> bool:
    for pair in pairs:
        one, other = (_value(measure, _noted(text, measure)) for text in pair)
        if one != other:
            return True
    return False


def _noted(text: str, measure: Measure) -> str:
    form, facts = _NOTATIONS[measure.needs or ""]
    noted = re.sub(r"\d", lambda grade: form.format(grade[0]), text)
    return f"{noted} max=3{facts}{' docs=50' if measure.needs_docs else ''}"


def _value(measure: Measure, text: str) -> object:
    hits = ranking(text)
    if measure.text:
        return re.sub(r"\W", "", str(measure.texts(hits)))
    value = measure(hits)
    return None if np.isnan(value[0]) else round(float(value[0]), 12)


def _example(cls: type[Measure], *, k: int) -> Measure:
    """Return the measure with its defaults and a cut-off; measures of sets have none.

    A parameter without a default has the value that it has in the first example.
    """
    cut = {"k": k} if "k" in cls.defaults and not family(cls).startswith("Sets") else {}
    if REQUIRED not in (cls.defaults | cut).values():
        return cls(**cut)
    for line in cls.worked.strip().splitlines():
        try:
            found = parse(line.split()[0])
        except CleverdonError:
            continue
        if type(found) is cls:
            return cls(**{name: getattr(found, name) for name in cls.defaults} | cut)
    raise ValueError(f"{cls.__name__} has no example")


def page() -> str:
    """Write the catalogue as a page of Markdown around a table of HTML."""
    rows = [facts(cls) for cls in measures() if family(cls) in FAMILIES.values()]
    families = "\n".join(f"- [{heading}](measures/{key}.md)" for key, heading in FAMILIES.items())
    found = [
        "# The measures",
        f"{len(rows)} measures. *Graded* ones use the grades of relevant documents, *binary* ones "
        "only whether a document is relevant. *Ranked* ones depend on the order of results, be it "
        "by a cut-off; *set* ones do not.",
        _filters(rows) + _table(rows),
        "## How measures are written",
        generate.INTRODUCTION + generate.LEGEND,
        "## Families",
        "Definitions, formulas, parameters, sources and worked examples, by family:",
        families,
        toctree([f"measures/{key}" for key in FAMILIES]),
    ]
    return "\n\n".join(found) + "\n"


def _filters(rows: list[Facts]) -> str:
    users = [kind for kind in _USERS.values() if any(row.kind_of_user == kind for row in rows)]
    choices = {
        "grades": ("Grades", ["binary", "graded"]),
        "order": ("Result", ["set", "ranked"]),
        "user": ("User", users),
        "trec": ("In trec_eval", ["yes", "no"]),
    }
    parts = ['<form class="catalogue-filters" hidden>']
    parts.append(
        '<label>Name or text <input type="search" name="text" placeholder="nDCG, recall"></label>'
    )
    for name, (label, values) in choices.items():
        options = "".join(f"<option>{escape(value)}</option>" for value in values)
        parts.append(
            f'<label>{label} <select name="{name}"><option value="">any</option>{options}'
            "</select></label>"
        )
    return "\n".join([*parts, '<output aria-live="polite"></output>', "</form>\n"])


def _table(rows: list[Facts]) -> str:
    heads = ("Measure", "What it is", "Grades", "Result", "User", "In trec_eval")
    parts = ['<div class="pst-scrollable-table-container" tabindex="0">']
    parts.append('<table class="table catalogue"><thead><tr>')
    parts.append("".join(f"<th>{head}</th>" for head in heads) + "</tr></thead><tbody>")
    for row in rows:
        names = " ".join(f"<code>{escape(name)}</code>" for name in row.trec_eval) or "no"
        parts.append(
            f'<tr data-grades="{row.grades}" data-order="{row.order}" '
            f'data-user="{escape(row.kind_of_user)}" data-trec="{_yes(row.trec_eval)}">'
            f'<td><a href="{row.page}">{escape(row.name)}</a></td><td>{escape(row.about)}</td>'
            f"<td>{row.grades}</td><td>{row.order}</td><td>{escape(row.user)}</td><td>{names}</td>"
            "</tr>"
        )
    return "\n".join([*parts, "</tbody></table></div>"])


def _yes(found: tuple[str, ...]) -> str:
    return "yes" if found else "no"
