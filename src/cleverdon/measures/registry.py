"""Which measures there are: the one list of names.

A class gets into it by the decorator `measure`, in Cleverdon's own families and in user code alike.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any, TypeVar

from cleverdon.errors import NotationError, suggest
from cleverdon.measures.base import Measure, one_line
from cleverdon.measures.parameters import REQUIRED

FAMILIES = {
    "sets": "Sets: the whole result, in no order",
    "ranked": "Ranked, binary",
    "graded": "Ranked, graded",
    "judged": "How much is judged",
    "holes": "How much is judged, for any query",
    "counts": "Counts",
    "confusion": "Sets: the confusion matrix, and its rates",
    "agreement": "Sets: the confusion matrix in one number",
    "positions": "Ranked, binary: where relevant results stand",
    "recall_levels": "Ranked, binary: precision at levels of recall",
    "geometric": "Ranked, binary: geometric means over queries",
    "pairs": "Ranked, binary: pairs of results",
    "sampled": "Estimates from sampled judgments",
    "trec": "Ranked: measures that only trec_eval has",
    "cumulative": "Ranked, graded: cumulative gain and its kin",
    "overlap": "Ranked, graded: overlap with the ideal ranking",
    "cwl_by_rank": "Ranked, graded: users who mind the rank only (C/W/L)",
    "cwl_by_gain": "Ranked, graded: users who mind what they found (C/W/L)",
    "diversity": "Diversity and novelty: what serves a subtopic again gains less",
    "intent": "Diversity and novelty: averages over subtopics",
    "coverage": "Diversity and novelty: how many subtopics are served",
    "credibility": "Relevance and credibility: two grades a document",
}
"""The modules that hold Cleverdon's own measures, with their headings, in the order of listings."""

_classes: dict[str, type[Measure]] = {}
_names: dict[str, type[Measure]] = {}
_presets: dict[str, type[Measure]] = {}
_shared: dict[str, dict[str, type[Measure]]] = {}
_trec_eval: dict[str, tuple[type[Measure], re.Pattern[str], str]] = {}

M = TypeVar("M", bound=type[Measure])


def measure(cls: M) -> M:
    """Make a measure known by its name; a name that is taken is refused.

    >>> from cleverdon import Measure, evaluate, measure
    >>> @measure
    ... class FirstIsRelevant(Measure):
    ...     '''Whether the first result is relevant.'''
    ...     def score(self, hits):
    ...         return hits.count((hits.rank == 1) & hits.relevant(1)).astype(float)
    >>> evaluate({"q": {"d": 1}}, {"q": {"d": 0.5}}, "FirstIsRelevant").means
    array([[1.]])
    """
    if not (isinstance(cls, type) and issubclass(cls, Measure)):
        raise NotationError(f"{cls!r} is not a subclass of cleverdon.Measure")
    if not cls.__module__.startswith(__package__):
        _load()  # so that no name of Cleverdon's own can be taken
    taken = {name.casefold(): known for name, known in (_names | _presets).items()}
    for name in (cls.__name__, *cls.aliases, *cls.presets):
        known = taken.get(name.casefold())
        # The same class again, as when a notebook cell is run twice, takes the place of the first.
        if known is not None and _identity(known) != _identity(cls):
            raise NotationError(
                f"there is a measure {known.__name__!r} already; choose another name"
            )
    _classes[cls.__name__] = cls
    _names.update(dict.fromkeys((cls.__name__, *cls.aliases), cls))
    _presets.update(dict.fromkeys(cls.presets, cls))
    for name in cls.shared_names:
        _shared.setdefault(name.casefold(), {})[cls.__name__] = cls
    for template in cls.trec_eval:
        name, _, fixed = template.partition("(")
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^_]+)", re.escape(name))
        if name in _trec_eval and _identity(_trec_eval[name][0]) != _identity(cls):
            raise NotationError(f"trec_eval's {name!r} is {_trec_eval[name][0].__name__} already")
        _trec_eval[name] = (cls, re.compile(pattern), fixed.rstrip(")"))
    return cls


def _identity(cls: type[Measure]) -> tuple[str, str]:
    return cls.__module__, cls.__qualname__


def measures() -> list[type[Measure]]:
    """Every measure there is, Cleverdon's own first, in the order of the families."""
    _load()
    return list(_classes.values())


def find(name: str) -> type[Measure]:
    """The class of a name or an alias; letter case matters only where it tells two apart.

    A name that several measures share is an error that lists them.
    """
    while name not in _names and _load_more():
        pass  # the usual measures come first, so that a small run need not import all families
    if name in _names:
        return _names[name]
    folded = {known for known in _names if known.casefold() == name.casefold()}
    if len({_names[known] for known in folded}) == 1:
        return _names[folded.pop()]
    meant = _shared.get(name.casefold(), {}).values()
    if meant:
        each = "; ".join(f"{_as_asked(cls)}: {one_line(cls).rstrip('.')}" for cls in meant)
        raise NotationError(
            f"{name!r} is the name of several measures; ask for one of them: {each}"
        )
    raise NotationError(f"there is no measure {name!r}{suggest(name, _names)}")


def _as_asked(cls: type[Measure]) -> str:
    """How a measure is asked for: with a cut-off where it needs one."""
    return f"{cls.__name__}@10" if cls.defaults.get(cls.cut) is REQUIRED else cls.__name__


def named(name: str) -> tuple[type[Measure], Mapping[str, Any]]:
    """The class of a name, and the parameters that the name itself sets."""
    while name not in _names and name not in _presets and _load_more():
        pass
    for known, cls in _presets.items():
        if name not in _names and known.casefold() == name.casefold():
            return cls, cls.presets[known]
    return find(name), {}


def from_trec_eval(name: str) -> tuple[type[Measure], dict[str, str], str] | None:
    """The class that a trec_eval name stands for, the parameters in the name, and fixed ones."""
    if not _LOOKS_LIKE_TREC_EVAL.match(name):
        return None
    while True:
        for cls, pattern, fixed in _trec_eval.values():
            match = pattern.fullmatch(name)
            if match:
                return cls, match.groupdict(), fixed
        if name in _names or not _load_more():
            return None


_LOOKS_LIKE_TREC_EVAL = re.compile(r"[\w.,=-]+$")
"""Neither `@` nor a bracket: most names need no look at trec_eval's."""


def family(cls: type[Measure]) -> str:
    """The heading under which a measure is listed."""
    return FAMILIES.get(cls.__module__.rpartition(".")[2], "Your own")


_to_load = list(FAMILIES)


def _load_more() -> bool:
    """Load the next family; False where all are loaded."""
    if not _to_load:
        return False
    import_module(f"cleverdon.measures.{_to_load[0]}")
    _to_load.pop(0)
    return True


def _load() -> None:
    while _load_more():
        pass


def as_text(value: Any) -> str:
    """A parameter's value as the notation writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "none"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, dict):
        return "{" + ",".join(f"{as_text(k)}:{as_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple):
        return "(" + ",".join(as_text(item) for item in value) + ")"
    return str(value)
