"""What a measure is: one class that computes, and says of itself all that there is to say.

A measure's parameters are the annotated attributes of its class, each with its default. They are
read from the class rather than compiled into an `__init__` (as dataclasses do), since the catalogue
is imported whenever a command starts, and compiling a hundred of those would take most of the
time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import get_annotations
from typing import Any, ClassVar, Literal, dataclass_transform

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.errors import InputError, NotationError, OptionError, suggest
from cleverdon.hits import Hits
from cleverdon.measures.parameters import REQUIRED, checked, hints
from cleverdon.shares import Share

Promise = Literal["in range", "swap", "unjudged tail", "gain"]
"""A property that tests hold a measure to: see `tests/test_every_measure.py`.

- in range: every value lies in `range`
- swap: exchanging a result with a better one below it never makes the value worse
- unjudged tail: unjudged results added at the end change nothing
- gain: a better grade for a result never makes the value worse, nor defined or undefined
"""


Better = Literal["higher", "lower", "neither"]
Need = Literal["second", "subtopics", "stratum", "probability"]

REMEDIES: dict[str, str] = {
    "second": "a second grade of each document: second=QRELS, on the command line --second QRELS",
    "subtopics": "judgments of subtopics (topic, subtopic, document, grade): "
    "qrels_format='subtopics', on the command line --qrels-format subtopics",
    "stratum": "the strata of a sampled pool (topic, iteration, document, stratum, grade): "
    "qrels_format='strata', on the command line --qrels-format strata",
    "probability": "the probability with which each document was sampled (topic, document, grade, "
    "method, probability): qrels_format='sampled', on the command line --qrels-format sampled",
}
"""What a measure may need, and how it is given."""


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Measure:
    """The base of all measures.

    A subclass gives `score` and the texts below; decorating it with `measure` makes it known by its
    name. A measure is called with Hits and gives a value for each query:

    >>> from cleverdon import Hits
    >>> from cleverdon.measures import nDCG
    >>> nDCG(k=3)(Hits.from_matrix([[2, 0, 1]], [[0.9, 0.5, 0.1]]))
    array([0.95023442])
    """

    formula: ClassVar[str] = ""
    """In LaTeX."""
    user: ClassVar[str] = ""
    """What a person does whom this measure describes."""
    undefined: ClassVar[str] = ""
    """When a query has no value; there, and only there, `score` gives NaN."""
    source: ClassVar[str] = ""
    """Where it was proposed."""
    worked: ClassVar[str] = ""
    """Examples, a line each: measure, grades down the ranking, `=`, value; see `worked.py`."""
    trec_eval: ClassVar[tuple[str, ...]] = ()
    """What trec_eval calls it: `ndcg_cut_{k}`, or `rbp(p=0.9)` where parameters are fixed."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other names that are understood, and never printed."""
    shared_names: ClassVar[tuple[str, ...]] = ()
    """Names that others use for it, and for other measures as well: asking for one is an error."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Names that stand for it with some parameters set."""
    spellings: ClassVar[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {}
    """Other tools' parameters: their name, their value, and the parameters that it stands for."""
    better: ClassVar[Better] = "higher"
    average: ClassVar[Literal["mean", "sum", "geometric"]] = "mean"
    needs: ClassVar[Need | None] = None
    """What the judgments must have beside grades."""
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    text: ClassVar[bool] = False
    """Whether it gives each query a text, by `texts`, and no number."""
    looks_elsewhere: ClassVar[bool] = False
    """Whether its Hits are to have, with grade -1, results that only other queries judged."""
    promises: ClassVar[frozenset[Promise]] = frozenset()
    cut: ClassVar[str] = "k"
    """The parameter that is written behind `@`."""
    uncut: ClassVar[str] = ""
    """The measure of the whole result, where this one needs a cut-off."""
    defaults: ClassVar[Mapping[str, Any]] = {}
    """Every parameter and its default, in the order of the class; REQUIRED where it has none."""

    judged_only: bool = False
    """Leave out what nobody judged, as if it had never been returned."""

    def __init_subclass__(cls) -> None:
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
                    example = f"{cls.__name__}@{0.5 if hints(cls)[name] is float else 10}"
                    example += f"; {cls.uncut} is that of the whole result" if cls.uncut else ""
                elif hints(cls)[name] is Measure:
                    example = f"{cls.__name__}(nDCG@10)"
                raise NotationError(f"{cls.__name__} needs {name!r}, as in {example}")
            vars(self)[name] = value if value is default else checked(cls, name, value)
        self.check()

    def check(self) -> None:
        """Raise a NotationError where the parameters do not fit each other; a subclass may."""

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that differ from their defaults."""
        return {
            name: vars(self)[name]
            for name, default in type(self).defaults.items()
            if vars(self)[name] != default
        }

    def __call__(self, hits: Hits) -> Floats:
        """The value for each query; NaN where it is undefined."""
        return np.concatenate([self._values(block, self.score) for block in hits.blocks()])

    def over_ties(self, hits: Hits) -> Floats:
        """The value that each query is expected to have, were tied results in random order."""
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
        """The value for each query; for subclasses to give, and not to be called but by `()`.

        A measure that has `parts` need not: its value is what they stand for.
        """
        if not self.has_parts:
            raise NotationError(
                f"{type(self).__name__} does not say how it is computed: give it `score`"
            )
        # As numbers of 64 bits that do not overflow: a product of four counts would.
        return self.of_parts(*(np.asarray(part, dtype=np.float64) for part in self.parts(hits)))

    def expected(self, hits: Hits) -> Floats:
        """The mean over all orders of tied results; for subclasses that have a formula for it."""
        raise OptionError(
            f"{self} has no formula for its expected value over ties; take ties=best and "
            "ties=worst, which it must lie between"
        )

    def keeps(self, promise: Promise) -> bool:
        """Whether the class's promise holds with these parameters; a subclass may except some."""
        return promise in self.promises

    def as_share(self) -> Share | None:
        """The value as gains times weights of ranks, over a whole; None where it is no such sum.

        From that one description follow bounds and what could flip: see `cleverdon.shares`.
        """
        return None

    def working(self, hits: Hits) -> dict[str, Floats]:
        """How each row comes by what it adds: named columns, for whoever wants to see the sums.

        NaN where a column has nothing to say of a row; nothing where there are no simple steps. For
        a subclass to give, and not to be called but by `cleverdon.tracing`.
        """
        share = self.as_share()
        if share is None:
            return {}
        return {"gain": share.gain(hits), "weight": share.weight(hits.rank)}

    def as_found(self, hits: Hits, turned: Hits, *, downwards: bool) -> Floats | None:
        """The values as these unjudged rows become relevant, one after the other.

        A value for each row of `turned`, when it and those before it have; they come down the
        ranking, or up. None where only evaluating each case will tell, which takes far longer.
        """
        return None

    def texts(self, hits: Hits) -> list[str]:
        """The text for each query; for subclasses that yield no number."""
        raise OptionError(f"{self} yields a number, and no text")

    @property
    def has_parts(self) -> bool:
        """Whether there is a micro-average: whether the class gives `parts`."""
        return type(self).parts is not Measure.parts

    @property
    def needs_docs(self) -> bool:
        """Whether it is undefined where the size of the collection, `docs=`, is not given."""
        return False

    def parts(self, hits: Hits) -> tuple[Floats | Ints, ...]:
        """What is summed over queries before `of_parts` makes one value of it: a micro-average.

        For subclasses to give, and not to be called but by `with_parts`.
        """
        raise OptionError(f"{self} has no micro-average, since it is no ratio of counts")

    def of_parts(self, *parts: Any, **none: Any) -> Floats:
        """The value that the parts stand for: one divided by the other.

        Written so that a subclass may name its parts: `of_parts(self, found, read, wanted)`.
        """
        share: Floats = parts[0] / parts[1]
        return share

    def with_parts(self, hits: Hits) -> tuple[Floats, Floats]:
        """The value for each query, as a call gives it, and the parts of each: parts x queries."""
        kept: list[Floats] = []

        def compute(block: Hits) -> Floats:
            kept.append(np.array(self.parts(block), dtype=np.float64))
            whole = type(self).score is Measure.score
            return self.of_parts(*kept[-1]) if whole else self.score(block)

        values = np.concatenate([self._values(block, compute) for block in hits.blocks()])
        return values, np.concatenate(kept, axis=1)

    def micro(self, parts: Floats) -> float:
        """The micro-average: what the parts (parts x queries) stand for when they are summed."""
        with np.errstate(divide="ignore", invalid="ignore"):
            value = float(self.of_parts(*parts.sum(axis=1)))
        return value if np.isfinite(value) else float("nan")

    def __str__(self) -> str:
        from cleverdon.measures.notation import written

        return written(self)

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), tuple(vars(self).items())))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self} cannot be changed; make another one")


def one_line(cls: type) -> str:
    """The first line of a class's docstring, as lists show it."""
    return (cls.__doc__ or "").strip().partition("\n")[0]
