"""The registry of measures: the one list of names.

A class gets into it by the decorator `measure`, in Cleverdon's own families and in user code
alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from cleverdon._common.registry import Registry, identity
from cleverdon.errors import NotationError, nearest
from cleverdon.measures.base import REQUIRED, Measure, one_line

FAMILIES = {
    "sets": "Sets: the whole result, in no order",
    "ranked": "Ranked, binary",
    "graded": "Ranked, graded",
    "judged": "Share of results judged",
    "counts": "Counts",
    "confusion": "Sets: the confusion matrix",
    "positions": "Ranked, binary: positions of relevant results",
    "recall_levels": "Ranked, binary: precision at levels of recall",
    "sampled": "Estimates from sampled judgments",
    "trec": "Ranked: measures that only trec_eval has",
    "cumulative": "Ranked, graded: comparison with the ideal ranking",
    "cwl": "Ranked, graded: user models (C/W/L)",
    "diversity": "Diversity and novelty",
    "propensity": "Ranked, binary: weighted by propensity",
    "credibility": "Relevance and credibility: two grades per document",
}
"""The modules that hold Cleverdon's own measures, with their headings, in the order of listings."""

_registry: Registry[Measure] = Registry(
    "measure", package=__package__, modules=tuple(FAMILIES), error=NotationError
)
_names: dict[str, type[Measure]] = {}
_presets: dict[str, type[Measure]] = {}
_shared: dict[str, dict[str, type[Measure]]] = {}
_trec_eval: dict[str, tuple[type[Measure], str]] = {}

M = TypeVar("M", bound=type[Measure])


def measure(cls: M) -> M:
    """Register a measure under its name; refuse a name that another measure has.

    Args:
        cls: A subclass of `Measure`.

    Returns:
        The same class, so that this can be a decorator.

    Raises:
        NotationError: The name is taken, or it is no subclass of `Measure`.

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
        _registry.load()  # so that no name of Cleverdon's own can be taken
    taken = {name.casefold(): known for name, known in (_names | _presets).items()}
    for name in (cls.__name__, *cls.aliases, *cls.presets):
        known = taken.get(name.casefold())
        if known is not None and identity(known) != identity(cls):
            raise NotationError(
                f"there is a measure {known.__name__!r} already; choose another name"
            )
    _registry.register(cls)
    _names.update(dict.fromkeys((cls.__name__, *cls.aliases), cls))
    _presets.update(dict.fromkeys(cls.presets, cls))
    for name in cls.shared_names:
        _shared.setdefault(name.casefold(), {})[cls.__name__] = cls
    for template in cls.trec_eval:
        name, _, fixed = template.partition("(")
        if name in _trec_eval and identity(_trec_eval[name][0]) != identity(cls):
            raise NotationError(f"trec_eval's {name!r} is {_trec_eval[name][0].__name__} already")
        _trec_eval[name] = (cls, fixed.rstrip(")"))
    return cls


def measures() -> list[type[Measure]]:
    """Return every measure, Cleverdon's own first, in the order of the families.

    Returns:
        The classes.

    >>> [cls.__name__ for cls in measures()][:2]
    ['SetP', 'SetR']
    """
    return list(_registry.all().values())


def find(name: str) -> type[Measure]:
    """Find a measure by its name or an alias.

    Letter case matters only where two names differ in nothing else.

    Args:
        name: The name, without parameters.

    Returns:
        The class of the measure.

    Raises:
        NotationError: There is no such measure, or several measures share the name.

    >>> find("ndcg").__name__
    'nDCG'
    """
    while name not in _names and _registry.load_next():
        pass  # the usual measures come first, so that a small run need not import all families
    if name in _names:
        return _names[name]
    folded = {known for known in _names if known.casefold() == name.casefold()}
    if len({_names[known] for known in folded}) == 1:
        return _names[folded.pop()]
    check_not_shared(name)
    raise UnknownMeasureError(name)


_ANY_CTR = "ImpressionCTR, or -m PageCTR, QueryCTR, SessionCTR or LinkCTR"
_METRICS_OF_LOGS = {
    "abandonment": "Abandonment",
    "clickrank": "ClickRank",
    "clickthroughrate": _ANY_CTR,
    "ctr": _ANY_CTR,
    "distinctqueries": "DistinctQueries",
    "dwell": "Dwell",
    "goodabandonment": "GoodAbandonment",
    "headtorsotail": "HeadTorsoTail",
    "impressionctr": "ImpressionCTR",
    "latency": "Latency",
    "latencybyload": "LatencyByLoad",
    "latencyspikes": "LatencySpikes",
    "pagectr": "PageCTR",
    "linkctr": "LinkCTR",
    "pages": "Pages",
    "pagination": "Pagination",
    "queries": "Queries",
    "queriespersession": "QueriesPerSession",
    "queriespertime": "QueriesPerTime",
    "queryctr": "QueryCTR",
    "reciprocalclickrank": "ReciprocalClickRank",
    "reformulation": "Reformulation",
    "sessionctr": "SessionCTR",
    "sessions": "Sessions",
    "timetoclick": "TimeToClick",
    "topabandoned": "TopAbandoned",
    "topqueries": "TopQueries",
    "topzeroresults": "TopZeroResults",
    "users": "Users",
    "zeroresultrate": "ZeroResults",
    "zeroresults": "ZeroResults",
    "zrr": "ZeroResults",
}
"""Names of metrics of search logs, which are no measures: here as well, since these libraries may
not be installed."""


class SharedNameError(NotationError):
    """Several measures have that name elsewhere."""


class UnknownMeasureError(NotationError):
    """There is no measure of that name.

    Args:
        name: The name.
        follows: The parameters and the cut-off that follow it, which the suggestion keeps.
    """

    def __init__(self, name: str, follows: str = "") -> None:
        self.name = name
        if name.casefold() in _METRICS_OF_LOGS:
            super().__init__(
                f"there is no measure {name!r} of runs and judgments; search logs have it: "
                f"cleverdon logs metrics LOG -m {_METRICS_OF_LOGS[name.casefold()]}"
            )
            return
        known = _names | _presets
        number = re.fullmatch(_NUMBERED, name)
        near = nearest(number["stem"] if number else name, known)
        if near is None:
            super().__init__(f"there is no measure {name!r}")
            return
        brackets, at, cutoff = follows.partition("@")
        if number and known[near].cut == "k" and not at:
            at, cutoff = "@", number["number"]
        if known[near].cut not in known[near].defaults and not known[near].with_cutoff:
            at, cutoff = "", ""
        meant = near + brackets + at + cutoff
        super().__init__(f"there is no measure {name!r}; did you mean {meant!r}?")


def check_not_shared(name: str, follows: str = "") -> None:
    """Raise a NotationError that lists the measures, if several share the name.

    Args:
        name: The name; with `@` behind it, the name with a cut-off.
        follows: The parameters and the cut-off that follow it; the list keeps the cut-off.
    """
    if name.casefold() not in _shared:
        return
    _registry.load()
    meant = _shared[name.casefold()].values()
    cutoff = follows.partition("@")[2]
    each = "; ".join(f"{_as_asked(cls, cutoff)}: {one_line(cls).rstrip('.')}" for cls in meant)
    raise SharedNameError(
        f"{name.rstrip('@')!r} is the name of several measures; ask for one of them: {each}"
    )


_NUMBERED = r"(?P<stem>.*?\w)(?P<mark>_at_|-at-|[_.-]|(?<!\d))(?P<number>\d+)"
"""A name with the cut-off in it: `recall_at_10`, `precision.5`, `ndcg10`; compiled where needed."""

Naming = Callable[[str], tuple[type[Measure], Mapping[str, Any]]]
"""Looks up the class of a name, and the parameters that the name itself sets."""


def cut_in_name(name: str, naming: Naming) -> tuple[type[Measure], dict[str, Any]] | None:
    """Read a name with the cut-off in it: return its class and parameters, or None.

    Raises:
        NotationError: The number could also be another parameter.

    >>> cut_in_name("recall_at_10", named)[1]
    {'k': 10}
    """
    match = re.fullmatch(_NUMBERED, name)
    if match is None:
        return None
    try:
        cls, preset = naming(match["stem"])
    except UnknownMeasureError:
        return None
    if cls.cut != "k" or "k" not in cls.defaults:
        return None
    number = int(match["number"])
    if "at" not in match["mark"] and not preset:
        # F3 may be F(beta=3), and RBP80 may be RBP(p=0.8).
        numbered = (values for word, values in cls.presets.items() if re.fullmatch(_NUMBERED, word))
        other = next(iter(next(numbered, cls.defaults)))
        if other != "k":
            raise NotationError(
                f"{name!r} may have a cut-off or {other!r} in it; write "
                f"{cls.__name__}@{number} or {cls.__name__}({other}=...)"
            )
    if not match["mark"] and len(match["stem"]) == 1:
        return None  # p95 may be a percentile
    return cls, {**preset, "k": number}


def _as_asked(cls: type[Measure], cutoff: str = "") -> str:
    needed = cls.defaults.get(cls.cut) is REQUIRED
    cut = (cutoff or ("10" if needed else "")) if cls.cut in cls.defaults else ""
    return f"{cls.__name__}@{cut}" if cut else cls.__name__


def named(name: str) -> tuple[type[Measure], Mapping[str, Any]]:
    """Return the class of a name, and the parameters that the name itself sets."""
    while name not in _names and name not in _presets and _registry.load_next():
        pass
    for known, cls in _presets.items():
        if name not in _names and known.casefold() == name.casefold():
            return cls, cls.presets[known]
    return find(name), {}


def from_trec_eval(name: str) -> tuple[type[Measure], dict[str, str], str] | None:
    """Find the class of a trec_eval name, the parameters in the name, and fixed ones."""
    if "@" in name or "(" in name:
        return None  # most names need no look at trec_eval's
    while True:
        for template, (cls, fixed) in _trec_eval.items():
            if not name.startswith(template.partition("_{")[0]):
                continue  # most need no expression, which takes long to compile
            pattern = re.sub(r"_\\\{(\w+)\\\}", r"[._](?P<\1>[\\d.][^_]*)", re.escape(template))
            match = re.fullmatch(pattern, name)
            if match:
                return cls, match.groupdict(), fixed
        if name in _names or not _registry.load_next():
            return None


def family(cls: type[Measure]) -> str:
    """Return the heading under which a measure is listed."""
    return FAMILIES.get(cls.__module__.rpartition(".")[2], "Your own")


def as_text(value: Any) -> str:
    """Return a parameter's value as the notation writes it."""
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
