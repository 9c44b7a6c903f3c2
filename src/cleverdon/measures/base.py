"""The base class of measures: one class computes a measure and describes it.

A measure's parameters are the annotated attributes of its class, each with its default. They
are read from the class rather than compiled into an `__init__` (as dataclasses do), since the
catalogue is imported whenever a command starts, and compiling a hundred of those would take
most of the time.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Mapping
from inspect import get_annotations
from itertools import pairwise
from operator import le, lt
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon.errors import InputError, NotationError, OptionError, suggest

if TYPE_CHECKING:
    from cleverdon.hits import Hits


_DEEPEST = 2**31  # no ranking is deeper; a cut-off beyond is a typing mistake
_COMPARE = {"<": lt, "<=": le}


class _Required:
    def __repr__(self) -> str:
        return "required"


REQUIRED = _Required()  # marks a parameter without a default


class WeightedGain(NamedTuple):
    """A measure as gains times weights of ranks, over a whole."""

    gain: Callable[[Hits], Floats]  # the gain of each row
    weight: Callable[[Ints], Floats]
    """The weight of a gain at each rank, which never rises with the rank."""
    whole: Callable[[Ints], Floats] | None = None
    """The divisor where n judged documents have gain 1; it rises ever less with n."""


def cutoff_weight(k: int | None) -> Callable[[Ints], Floats]:
    """Weight 1 down to rank k, and 0 below."""
    return lambda rank: (rank <= (k or np.inf)).astype(float)


def cumulative_weight(weight: Callable[[Ints], Floats]) -> Callable[[Ints], Floats]:
    """Sum the weights of the first n ranks: the whole of a measure with an ideal ranking."""

    def whole(n: Ints) -> Floats:
        weights = weight(np.arange(1, int(n.max(initial=0)) + 1))
        return np.concatenate(([0.0], np.cumsum(weights)))[n]

    return whole


Promise = Literal["in range", "swap", "unjudged tail", "gain"]
"""A property that tests check: see `tests/measures/test_every_measure.py`.

- in range: every value lies in `range`
- swap: exchanging a result with a better one below it never makes the value worse
- unjudged tail: unjudged results added at the end change nothing
- gain: a better grade for a result never makes the value worse, nor defined or undefined
"""

Better = Literal["higher", "lower", "neither"]
_Need = Literal["second", "subtopics", "stratum", "probability", "positives"]
CollectionFact = Literal["top_grade", "top_second", "docs", "queries", "positives", "judged_docs"]
"""A fact of all judgments of a collection; `CollectionFacts` in `data.py` describes each."""

REMEDIES: dict[str, str] = {
    "second": "a second grade of each document: second=QRELS, on the command line --second QRELS",
    "subtopics": "judgments of subtopics (query, subtopic, document, grade): "
    "qrels_format='subtopics', on the command line --qrels-format subtopics",
    "stratum": "the strata of a sampled pool (query, iteration, document, stratum, grade): "
    "qrels_format='strata', on the command line --qrels-format strata",
    "probability": "the probability with which each document was sampled (query, document, grade, "
    "method, probability): qrels_format='sampled', on the command line --qrels-format sampled",
    "positives": "the number of queries for which each document is relevant, which evaluate and "
    "cleverdon eval count",
}
"""The extra input that a measure may need, and how to give it."""


class _Docstring:
    """The docstring of a measure, which ends with its parameters; made when somebody reads it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __get__(self, instance: Measure | None, owner: type[Measure]) -> str:
        from cleverdon.measures.description import document  # which imports this module

        return document(owner, self.text)


class _MeasureType(ABCMeta):  # so that subclasses may be abstract
    """The type of measures' classes, so that `nDCG @ 10` is a measure."""

    def __call__(cls, **parameters: Any) -> Any:
        """Make a measure, or where only the cut-off is missing, what `@` makes one of."""
        defaults: Mapping[str, Any] = cls.defaults  # type: ignore[attr-defined]
        cut: str = cls.cut  # type: ignore[attr-defined]
        if parameters and cut not in parameters and defaults.get(cut) is REQUIRED:
            others = {name for name, default in defaults.items() if default is REQUIRED} - {cut}
            if others <= parameters.keys() <= defaults.keys():
                return _WithoutCutoff(cls, parameters)  # type: ignore[arg-type]
        return super().__call__(**parameters)

    def __matmul__(cls, k: float) -> Measure:
        from cleverdon.measures.notation import cut_off  # which imports this module

        return cut_off(cls, {}, k)  # type: ignore[arg-type]


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Measure(metaclass=_MeasureType):
    """Base class of all measures.

    A subclass gives `score` and the texts below; decorating it with `measure` makes it known by its
    name. A measure is called with Hits and gives a value for each query:

    >>> from cleverdon import Hits
    >>> from cleverdon.measures.graded import nDCG
    >>> nDCG(k=3)(Hits.from_matrix([[2, 0, 1]], [[0.9, 0.5, 0.1]]))
    array([0.95023442])

    `@` gives it a cut-off, as in the notation:

    >>> nDCG @ 3, nDCG(gain="exponential") @ 10
    (nDCG@3, nDCG(gain=exponential)@10)
    """

    formula: ClassVar[str] = ""
    """In LaTeX."""
    user: ClassVar[str] = ""
    """The behaviour of a user whom this measure describes."""
    undefined: ClassVar[str] = ""
    """When a query has no value; there, and only there, `score` gives NaN."""
    source: ClassVar[str] = ""
    """The publication that proposed it."""
    worked: ClassVar[str] = ""
    """Examples, a line each: measure, grades down the ranking, `=`, value; see `worked.py`."""
    trec_eval: ClassVar[tuple[str, ...]] = ()
    """Its names in trec_eval: `ndcg_cut_{k}`, or `rbp(p=0.9)` where parameters are fixed."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other names that are understood, and never printed."""
    shared_names: ClassVar[tuple[str, ...]] = ()
    """Ambiguous names, which others use for several measures: using one is an error.

    `ACC@` is ambiguous only with a cut-off."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Names of the measure with some parameters set; without a cut-off, they are names of `uncut`
    where this measure needs one."""
    spellings: ClassVar[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {}
    """Other tools' parameters: name, value, and the parameters that they mean here.

    "class" is the name of another measure that is meant."""
    better: ClassVar[Better] = "higher"
    average: ClassVar[Literal["mean", "sum", "geometric"]] = "mean"
    needs: ClassVar[_Need | None] = None
    """What the judgments must have in addition to grades."""
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    text: ClassVar[bool] = False
    """True if it gives each query a text, by `texts`, instead of a number."""
    uses_other_queries: ClassVar[bool] = False
    """True if its Hits include, with grade -1, results that only other queries judged."""
    promises: ClassVar[frozenset[Promise]] = frozenset()
    cut: ClassVar[str] = "k"
    """The parameter that is written behind `@`."""
    limits: ClassVar[tuple[str, ...]] = ()
    """The limits of numbers, such as "0 < p < 1"; those of all base classes hold as well."""
    uncut: ClassVar[str] = ""
    """The measure of the whole result, if this one needs a cut-off."""
    with_cutoff: ClassVar[tuple[str, Mapping[str, Any]] | None] = None
    """The measure of the first k results, with its parameters, if this one takes no cut-off."""
    instead_of_cutoff: ClassVar[str] = ""
    """What to ask for where a cut-off is given, and none is taken; {k} is the cut-off."""
    defaults: ClassVar[Mapping[str, Any]] = {}
    """Every parameter and its default, in the order of the class; REQUIRED where it has none."""

    meanings: ClassVar[Mapping[str, str]] = {
        "k": "The cut-off: only the first k results count.",
        "rel": "The lowest grade that is relevant.",
        "judged_only": "true leaves out unjudged results, as if they had never been returned.",
    }
    """What each parameter does, on one line, and what its words mean; those of base classes hold as
    well. Descriptions and docstrings add the limits and the default."""

    judged_only: bool = False

    def __init_subclass__(cls) -> None:
        text = vars(cls).get("__doc__")
        if text:
            cls.__doc__ = _Docstring(text)  # type: ignore[assignment]
        own = {
            name: vars(cls).get(name, REQUIRED)
            for name, kind in get_annotations(cls).items()
            if "ClassVar" not in str(kind)  # text, or the type itself, as the module has it
        }
        # A parameter that a subclass declares again stands where the subclass has it.
        inherited = {name: value for name, value in cls.defaults.items() if name not in own}
        judged_only = inherited.pop("judged_only", False)
        cls.defaults = {**inherited, **own, "judged_only": judged_only}

    def __init__(self, **parameters: Any) -> None:
        cls = type(self)
        for name in parameters:
            if name not in cls.defaults:
                known = suggest(name, list(cls.defaults))
                raise NotationError(f"{cls.__name__} has no parameter {name!r}{known}")
        for name, default in cls.defaults.items():
            value = parameters.get(name, default)
            if value is REQUIRED:
                example = f"{cls.__name__}({name}=...)"
                if name == cls.cut:
                    example = f"{cls.__name__}@{0.5 if _hints(cls)[name] is float else 10}"
                    example += f"; {cls.uncut} is that of the whole result" if cls.uncut else ""
                elif _hints(cls)[name] is Measure:
                    example = f"{cls.__name__}(nDCG@10)"
                raise NotationError(f"{cls.__name__} needs {name!r}, as in {example}")
            vars(self)[name] = value if value is default else _checked(cls, name, value)
        self.check()

    def check(self) -> None:
        """Raise a NotationError unless the parameters keep their limits; subclasses add more."""
        for cls in type(self).__mro__:
            for limit in vars(cls).get("limits", ()):
                self._check_limit(limit)

    def _check_limit(self, limit: str) -> None:
        words = limit.split()
        name = next(word for word in words if word.isidentifier())
        value = getattr(self, name)
        numbers = [value if word == name else float(word) for word in words[::2]]
        pairs = zip(words[1::2], pairwise(numbers), strict=True)
        number = not (value is None or isinstance(value, str))  # a word is checked elsewhere
        if number and not all(_COMPARE[sign](a, b) for sign, (a, b) in pairs):
            raise NotationError(
                f"{type(self).__name__}({name}={value}): expected {limit}"
                f"{_explained(type(self), name)}"
            )

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that differ from their defaults."""
        return {
            name: vars(self)[name]
            for name, default in type(self).defaults.items()
            if vars(self)[name] != default
        }

    def __call__(self, hits: Hits) -> Floats:
        """Return the value for each query; NaN where it is undefined."""
        return np.concatenate([self._values(block, self.score) for block in hits.blocks()])

    def __matmul__(self, k: float) -> Measure:
        """Return the same measure with a cut-off."""
        from cleverdon.measures.notation import cut_off  # which imports this module

        return cut_off(type(self), self.parameters, k)

    def over_ties(self, hits: Hits) -> Floats:
        """Return the expected value for each query if tied results were in random order."""
        return np.concatenate([self._values(block, self.expected) for block in hits.blocks()])

    def _values(self, hits: Hits, compute: Callable[[Hits], Floats]) -> Floats:
        if self.needs and getattr(hits.judgments, self.needs) is None:
            raise InputError(f"{self} needs {REMEDIES[self.needs]}")
        try:
            with np.errstate(divide="ignore", invalid="ignore", over="raise"):
                scored = compute(hits.condensed() if self.judged_only else hits)
            values = np.asarray(scored, dtype=np.float64)
        except FloatingPointError:
            raise InputError(f"{self}: a grade is too large to compute with") from None
        except OptionError:
            raise
        except (TypeError, ValueError) as error:
            raise NotationError(f"{self} gives no number for each query: {error}") from None
        if values.shape != (len(hits),):
            shape = f"found {values.shape} for {len(hits)} queries"
            raise NotationError(f"{self} gives no number for each query: {shape}")
        # Results may be assumed relevant where nothing is: a share of nothing is undefined too.
        return np.where(np.isinf(values), np.nan, values)

    def score(self, hits: Hits) -> Floats:
        """Return the value for each query; subclasses define it, and only `()` calls it.

        A measure with `parts` needs none: its value follows from them.
        """
        if not self.has_parts:
            raise NotationError(
                f"{type(self).__name__} does not say how it is computed: give it `score`"
            )
        # As numbers of 64 bits that do not overflow: a product of four counts would.
        return self.of_parts(*(np.asarray(part, dtype=np.float64) for part in self.parts(hits)))

    def expected(self, hits: Hits) -> Floats:
        """Return the mean over all orders of tied results, in subclasses with a formula for it."""
        raise OptionError(
            f"{self} has no formula for its expected value over ties; take ties=best and "
            "ties=worst, which it must lie between"
        )

    def keeps(self, promise: Promise) -> bool:
        """Tell whether the class's promise holds with these parameters."""
        return promise in self.promises

    def as_share(self) -> WeightedGain | None:
        """Return the value as gains times weights of ranks, over a whole; None if it is not one.

        Bounds and reversals follow from this description: see `cleverdon.unknowns.bounds`.
        """
        return None

    def working(self, hits: Hits) -> dict[str, Floats]:
        """Return the steps of the computation for each row, as named columns.

        NaN where a column does not concern a row; no columns where there are no simple steps. Only
        `cleverdon.explanation` calls it.
        """
        share = self.as_share()
        if share is None:
            return {}
        return {"gain": share.gain(hits), "weight": share.weight(hits.rank)}

    def as_found(self, hits: Hits, turned: Hits, *, downwards: bool) -> Floats | None:
        """Return the values as these unjudged rows become relevant, one after the other.

        There is a value for each row of `turned`, down the ranking or up. None means that each case
        has to be evaluated, which takes far longer.
        """
        return None

    def texts(self, hits: Hits) -> list[str]:
        """Return the text for each query, in subclasses that yield no number."""
        raise OptionError(f"{self} yields a number, and no text")

    @property
    def has_parts(self) -> bool:
        """Tell whether there is a micro-average: the class defines `parts`."""
        return type(self).parts is not Measure.parts

    @property
    def needs_docs(self) -> bool:
        """Tell whether it is undefined without the size of the collection, `docs=`."""
        return False

    @property
    def needs_of_collection(self) -> frozenset[CollectionFact]:
        """Return what the value of a query depends on beyond this query's results and judgments.

        Where queries are split over machines, each has to know these facts of the whole collection.
        """
        docs: frozenset[CollectionFact] = frozenset({"docs"} if self.needs_docs else ())
        return docs | ({"judged_docs"} if self.uses_other_queries else set())

    def parts(self, hits: Hits) -> tuple[Floats | Ints, ...]:
        """Return the parts that a micro-average sums over queries before `of_parts` divides them.

        Subclasses define it, and only `with_parts` calls it.
        """
        raise OptionError(f"{self} has no micro-average, since it is no ratio of counts")

    def of_parts(self, *parts: Any, **none: Any) -> Floats:
        """Return the value that follows from the parts: the first divided by the second.

        A subclass may name its parts: `of_parts(self, found, read, wanted)`.
        """
        share: Floats = parts[0] / parts[1]
        return share

    def with_parts(self, hits: Hits) -> tuple[Floats, Floats]:
        """Return the value for each query, and the parts of each: parts x queries."""
        kept: list[Floats] = []

        def compute(block: Hits) -> Floats:
            kept.append(np.array(self.parts(block), dtype=np.float64))
            whole = type(self).score is Measure.score
            return self.of_parts(*kept[-1]) if whole else self.score(block)

        values = np.concatenate([self._values(block, compute) for block in hits.blocks()])
        return values, np.concatenate(kept, axis=1)

    def micro(self, parts: Floats) -> float:
        """Return the micro-average, which follows from the sums of the parts (parts x queries)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            value = float(self.of_parts(*parts.sum(axis=1)))
        return value if np.isfinite(value) else float("nan")

    def components(self, *parts: Any) -> dict[Measure, Floats]:
        """Return the measures that this one combines, with their values, from its parts.

        Subclasses define it together with `of_means`: the average "of-means" takes their means.
        """
        raise OptionError(
            f"{self} does not combine precision and recall: only F, SetF and SetE have a value of "
            "mean precision and mean recall"
        )

    def of_means(self, *means: Any, **none: Any) -> float:
        """Return the value that follows from the means of the components."""
        raise NotImplementedError

    def __str__(self) -> str:
        from cleverdon.measures.notation import written  # which imports this module

        return written(self)

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), tuple(vars(self).items())))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self} cannot be changed; make another one")


class _WithoutCutoff:
    """A measure such as `P(rel=2)`, which has no value before `@` gives it a cut-off."""

    def __init__(self, cls: type[Measure], parameters: Mapping[str, Any]) -> None:
        self._cls = cls
        self._parameters = parameters

    def __matmul__(self, k: float) -> Measure:
        from cleverdon.measures.notation import cut_off  # which imports this module

        return cut_off(self._cls, self._parameters, k)

    def __call__(self, hits: Hits) -> Floats:
        return self.complete()(hits)

    def complete(self) -> Measure:
        """Raise the error of a measure whose cut-off is missing."""
        made: Measure = type.__call__(self._cls, **self._parameters)
        return made

    def __str__(self) -> str:
        from cleverdon.measures.notation import written_parts  # which imports this module

        return written_parts(self._cls, dict(self._parameters))

    __repr__ = __str__


class OverRelevant(Measure):
    """Base class of measures that divide by R, the number of relevant documents."""

    undefined = "no judged document is relevant"
    promises = frozenset({"in range", "swap", "unjudged tail"})

    rel: float = 1

    def relevant(self, hits: Hits) -> Hits:
        """Return only the relevant results."""
        return hits.where(hits.relevant(self.rel))

    def wanted(self, hits: Hits) -> Ints:
        """Return R of each query."""
        return hits.judgments.relevant(self.rel)


def own_text(cls: type) -> str:
    """Return a class's docstring as it is written, without the parameters of a measure."""
    text = vars(cls).get("__doc__") or ""
    return text.text if isinstance(text, _Docstring) else str(text)


def one_line(cls: type) -> str:
    """Return the first line of a class's docstring, as lists show it."""
    return own_text(cls).strip().partition("\n")[0]


class _FromInnerMeasure:
    """A class attribute that instances take from their inner measure."""

    def __init__(self, usual: Any) -> None:
        self.usual = usual

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Composed | None, owner: type) -> Any:
        return self.usual if instance is None else getattr(instance.measure, self.name)


class Composed(Measure):
    """Base class of measures that combine values of an inner measure."""

    better = _FromInnerMeasure(Measure.better)
    average = _FromInnerMeasure(Measure.average)
    range = _FromInnerMeasure(Measure.range)

    meanings = {"measure": "The inner measure, such as nDCG@10."}

    measure: Measure

    @property
    def needs_docs(self) -> bool:
        return self.measure.needs_docs

    @property
    def needs_of_collection(self) -> frozenset[CollectionFact]:
        return self.measure.needs_of_collection

    def check(self) -> None:
        super().check()
        if self.measure.text:
            raise NotationError(f"{self}: {self.measure} yields a text, and no number")
        if self.needs is not None and self.measure.needs == self.needs:
            raise NotationError(f"{self}: {self.measure} is one of this kind already")


def worst_value(measure: Measure) -> float:
    """Return the value that stands for an undefined one: the worst, or 0 where none is better."""
    return measure.range[1] if measure.better == "lower" else 0.0


def _hints(cls: type[Measure]) -> dict[str, Any]:
    cached: dict[str, Any] | None = vars(cls).get("_hints_cache")
    if cached is None:
        cached = get_type_hints(cls)
        cls._hints_cache = cached  # type: ignore[attr-defined]
    return cached


def _checked(cls: type[Measure], name: str, value: Any) -> Any:
    """Return the value if its type is right; otherwise say what is allowed."""
    hint = _hints(cls)[name]
    options = _options(hint)
    origins = [get_origin(option) for option in options]
    words = [word for word in options if isinstance(word, str)]
    if value is None and type(None) in options:
        return value
    if value is None and "none" in words:
        return "none"  # the notation's word for nothing, which is a word of this parameter's
    if name == cls.cut and hint in (int, int | None):
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if whole and 1 <= value <= _DEEPEST:
            return int(value)
        raise NotationError(
            f"{cls.__name__}@{value}: a cut-off is a whole number from 1 to {_DEEPEST:,}"
        )
    if bool in options and isinstance(value, bool):
        return value
    if float in options and _is_number(value):
        return value
    if Measure in options and isinstance(value, (Measure, str)):
        from cleverdon.measures.notation import parse  # which imports this module

        return parse(value) if isinstance(value, str) else value
    if tuple in origins:
        if isinstance(value, (tuple, list)) and value and all(map(_is_number, value)):
            return tuple(value)
        raise NotationError(
            f"{cls.__name__}({name}={value!r}): {name} is numbers: (1,-1,0){_explained(cls, name)}"
        )
    if int in options and isinstance(value, int) and not isinstance(value, bool):
        return value
    if words:
        if value in words:
            return value
        if float in options or int in options:
            either = " or ".join(["a number", *words])
            raise NotationError(
                f"{cls.__name__}({name}={value}): {name} is {either}{_explained(cls, name)}"
            )
        raise NotationError(
            f"{cls.__name__}({name}={value}) is not known{suggest(str(value), words)}"
            f"{_explained(cls, name)}"
        )
    if Mapping in origins and value and _is_table(value):
        return _Frozen(value)
    wanted = "true or false" if bool in options else "a number"
    if Mapping in origins:
        wanted = "a map such as {1: 3, 2: 9}"
    if Measure in options:
        wanted = "a measure such as nDCG@10"
    raise NotationError(
        f"{cls.__name__}({name}={value!r}): {name} is {wanted}{_explained(cls, name)}"
    )


def meaning_of(cls: type[Measure], name: str) -> str:
    """Return the line of the nearest class that describes a parameter."""
    for base in cls.__mro__:
        meaning: str | None = vars(base).get("meanings", {}).get(name)
        if meaning:
            return meaning
    return ""


def _explained(cls: type[Measure], name: str) -> str:
    """Return what a parameter means, in brackets, for the end of a message."""
    meaning = meaning_of(cls, name).rstrip(".")
    return f" ({name}: {meaning[:1].lower()}{meaning[1:]})" if meaning else ""


def _options(hint: Any) -> list[Any]:
    """Return the types and words that a type allows."""
    if get_origin(hint) is Literal:
        return list(get_args(hint))
    if get_origin(hint) in (Union, UnionType):
        return [option for one in get_args(hint) for option in _options(one)]
    return [hint]


class _Frozen(dict[Any, Any]):
    """A map that can be part of a measure's hash."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))


def _is_number(value: Any) -> bool:
    plain = isinstance(value, (int, float)) and not isinstance(value, bool)
    return plain and -np.inf < value < np.inf


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) and all(_is_number(n) for pair in value.items() for n in pair)
