"""The kinds of plots: what each shows, what it is drawn from, and which options it takes.

A kind is called as its function in `cleverdon.show.plot` is, with dashes. It takes the options that
stand for its keywords, and no others; where an option is not given, the function's default holds.
Nothing is imported here that takes time, so that kinds can be listed and completed at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from cleverdon.cli.options import COMPARING, TESTING

Source = Literal["measures", "scores", "rankings", "bounds"]
"""What a plot is drawn from: nothing but measures, or what `evaluate` gives, with or without the
rankings behind scores, or their bounds."""

OPTIONS = {
    "measure": "measures",
    "x": "measures",
    "y": "measures",
    "system": "systems",
    "against": "baseline",
    "texts": "queries",
    "k": "cutoffs",
    "depth": "cutoffs",
    "bands": "cutoffs",
}
"""The option that a keyword is given by, where that is not called as the keyword is."""
PLACES = {
    "measure": (0, "once"),
    "x": (0, "twice"),
    "y": (1, "twice"),
    "system": (0, "once"),
    "k": (0, "once"),
    "depth": (0, "once"),
}
"""Of keywords that are one of an option's values: which, and how often the option is given."""
TIMES = {"once": 1, "twice": 2}


@dataclass(frozen=True)
class Kind:
    """One of the plots."""

    about: str
    of: Source
    keywords: tuple[str, ...] = ()
    """Those of its function that options give."""
    compared: tuple[str, ...] = ()
    """The same of `compare`, where it is a comparison of the scores that is drawn."""
    needs: tuple[str, ...] = ()
    """Options that must be given."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Of options that stand for what the function has no default for, or a rarer one."""

    @property
    def options(self) -> frozenset[str]:
        """The names of the options that it takes, beside those that all take."""
        return frozenset(OPTIONS.get(name, name) for name in (*self.keywords, *self.compared))


_MEASURE = {"measures": ("nDCG@10",)}
_CUTOFF = {"cutoffs": (10,)}

KINDS = {
    "precision-recall": Kind(
        "Precision against recall down the ranking of one topic, raw and interpolated.",
        "rankings",
        ("query", "systems", "baseline", "rel", "texts"),
        needs=("query",),
    ),
    "eleven-points": Kind(
        "Mean precision at eleven levels of recall, a line for each system.",
        "rankings",
        ("systems", "baseline", "rel"),
    ),
    "roc": Kind(
        "True against false positives, with the area under each curve.",
        "rankings",
        ("query", "systems", "baseline", "rel", "texts"),
    ),
    "f-lines": Kind(
        "Mean precision and recall of each system, over lines of equal F.",
        "rankings",
        ("k", "systems", "baseline", "rel"),
        defaults=_CUTOFF,
    ),
    "confusion": Kind(
        "What was returned and what is relevant: a matrix for each system.",
        "rankings",
        ("k", "rel", "systems"),
        defaults=_CUTOFF,
    ),
    "grades-by-rank": Kind(
        "How many documents of each grade stand at which ranks.", "rankings", ("bands", "systems")
    ),
    "by-cutoff": Kind(
        "A measure at one cut-off after the other, a line for each system.",
        "rankings",
        ("measure", "cutoffs", "systems", "baseline"),
        defaults=_MEASURE,
    ),
    "spread": Kind(
        "How the values of topics spread: a box for each system.",
        "scores",
        ("measure", "systems"),
        defaults=_MEASURE,
    ),
    "histogram": Kind(
        "How many topics have which value, system by system.",
        "scores",
        ("measure", "systems"),
        defaults=_MEASURE,
    ),
    "topics": Kind(
        "One system topic by topic, or what it gains and loses against a baseline.",
        "scores",
        ("measure", "system", "against", "texts"),
        needs=("systems",),
        defaults=_MEASURE,
    ),
    "heat-map": Kind(
        "Every system on every topic, the hardest topics first.",
        "scores",
        ("measure", "against", "systems", "texts"),
        defaults=_MEASURE,
    ),
    "differences": Kind(
        "How many topics gain and lose how much against a baseline, or the median.",
        "scores",
        ("measure", "against", "systems"),
        defaults={**_MEASURE, "baseline": "median"},
    ),
    "forest": Kind(
        "Differences between systems, with intervals and p-values.",
        "scores",
        compared=("measures", "systems", *COMPARING),
    ),
    "pairs": Kind(
        "Every system against every other: p-values, or how large differences are.",
        "scores",
        ("measure", "show"),
        compared=("systems", *TESTING),
        defaults=_MEASURE,
    ),
    "trade-off": Kind(
        "Systems by two measures at once, and which are not beaten on both.",
        "scores",
        ("x", "y", "systems"),
        needs=("measures",),
    ),
    "pareto": Kind(
        "Quality against response time and index size; needs --costs.",
        "scores",
        ("measure", "costs", "systems"),
        needs=("costs",),
        defaults=_MEASURE,
    ),
    "correlation": Kind(
        "How alike measures order the systems.",
        "scores",
        ("measures",),
    ),
    "bounds": Kind(
        "How far ties and unjudged results could move each mean.", "bounds", ("measures", "systems")
    ),
    "attention": Kind(
        "How much each rank counts by a measure; needs no files.", "measures", ("measures", "depth")
    ),
    "gains": Kind(
        "How much each grade counts by a measure; needs no files.", "measures", ("measures",)
    ),
}
