"""How a pool was made and a project was set up, in words: the names of options say little."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from cleverdon.assess.setup.items import parse_overlap
from cleverdon.show.grid import counted

Fact = tuple[str, str]
"""What, and which."""

_METHODS = {
    "depth": "depth: whatever some system had in its first results",
    "rrf": "the best by reciprocal rank fusion",
    "rbp": "the best by what rank-biased precision gives to their ranks",
    "combmnz": "the best by their scores, times the number of systems",
    "stratified": "stratified: a random share of each of several depths",
    "probability": "at random, in proportion to a weight",
    "adaptive": "adaptive: one document after the other, by what was judged before",
    "unpooled": "at random, of what no system had in the pool",
    "list": "a list of topics and documents, as it was given",
}
_NAMES = {
    "k": "First results of each system that were pooled",
    "depth": "First results of each system that were looked at",
    "budget": "Documents for a topic, at most",
    "p": "Persistence of rank-biased precision",
    "by": "Weight",
    "strata": "Shares that were drawn",
    "adaptive": "Adaptive method",
    "target": "A topic ends once so many are relevant",
    "patience": "A topic ends after so many in a row that are not",
    "docs": "Documents of the collection",
    "stratum_names": "Strata",
    "sizes": "Documents of a stratum",
    "seed": "Seed of what chance decided",
}
"""What options are, by their names."""


def pool_options(how: Mapping[str, Any]) -> list[Fact]:
    """The method of a pool, and its options."""
    left = dict(how)
    method = str(left.pop("method", "not said"))
    if left.get("depth") == left.get("k"):  # no deeper than what was pooled: it says nothing
        left.pop("depth", None)
    if "strata" in left:
        left["strata"] = _strata(left["strata"])
    return [("Method", _METHODS.get(method, method)), *options(left)]


def options(found: Mapping[str, Any]) -> list[Fact]:
    """Options in words, as far as there are any; of nested ones, each."""
    facts: list[Fact] = []
    for name, value in found.items():
        called = _NAMES.get(name, str(name).replace("_", " "))
        if isinstance(value, dict):
            facts += [(f"{called}: {what}", said) for what, said in options(value)]
        elif value not in (None, "", []):
            facts.append((called, _said(value)))
    return facts


def judges_wanted(settings: Mapping[str, Any]) -> list[Fact]:
    """How many people were to judge each document."""
    judges, given = settings.get("judges"), settings.get("overlap")
    if not judges:
        return []
    said = f"{judges:,}"
    if given:
        overlap = parse_overlap(given)
        share = f"{100 * (overlap.share or 0):g}% of the documents"
        count = counted(overlap.count or 0, "document")
        said += f", and 2 for {share if overlap.count is None else f'{count} of each topic'}"
    return [("People to judge a document", said)]


def _strata(given: Any) -> Any:
    """Shares by depth.

    >>> _strata([[10, 1.0], [50, 0.25]])
    '100% down to rank 10, 25% down to rank 50'
    """
    try:
        return ", ".join(f"{100 * share:g}% down to rank {depth:,}" for depth, share in given)
    except (TypeError, ValueError):  # a file may say anything
        return given


def _said(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False)
