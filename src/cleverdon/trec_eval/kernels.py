"""Which of Cleverdon's measures a trec_eval name stands for, with its parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse
from cleverdon.measures.recall_levels import Interpolated, Rounding
from cleverdon.measures.trec import G, Gained, Rndcg, ndcg_rel
from cleverdon.trec_eval.names import Name, Wanted
from cleverdon.trec_eval.numbers import whole
from cleverdon.trec_eval.options import Options
from cleverdon.trec_eval.quirks import (
    AnyMultiple,
    AnyResidual,
    ElevenPoint,
    IdealDCG,
    ListedRBP,
    SetF,
    SignedDCG,
    SignedNDCG,
    Utility,
    every_rank,
)

Kernel = Callable[[Hits], Sequence[Floats]]
"""From the hits of some topics to the values of one measure, or of a row of them."""


@dataclass(frozen=True, eq=False)
class Column:
    """What is printed under one name: a value, or a text, for each evaluated topic."""

    name: Name
    label: str
    values: Floats
    texts: list[str] | None = None


_DEEPEST = 2**31
"""No ranking is deeper, and a share of so many places is 0.0000."""

_GAINED: dict[str, type[Gained]] = {
    "G": G,
    "dcg": SignedDCG,
    "ideal_dcg": IdealDCG,
    "ndcg": SignedNDCG,
    "ndcg_rel": ndcg_rel,
}


def kernel(wanted: Wanted, options: Options) -> Kernel:
    """What computes a measure that looks at ranks and grades."""
    name = wanted.name.name.removesuffix("_avgjg")
    rel = max(options.level, 0)
    if name == "iprec_at_recall":
        return _iprec(wanted.values, rel, options.version)
    if wanted.name.kind == "pairs":
        return _paired(wanted, options)
    if name == "Rprec_mult":
        row: list[Measure] = [AnyMultiple(m=value, rel=rel) for value in wanted.values]
    elif wanted.name.kind == "cutoffs":
        row = [_known(f"{name}_{min(value, _DEEPEST):.0f}", rel) for value in wanted.values]
    else:
        row = [_numbered(wanted, options) or _known(name, rel)]
    return lambda hits: [measure(hits) for measure in row]


def _known(name: str, rel: float) -> Measure:
    """The measure of a trec_eval name, with documents relevant from this grade on."""
    measure = parse(name)
    if measure.defaults.get("rel") == 1:
        return type(measure)(**(measure.parameters | {"rel": rel}))
    return measure


def _numbered(wanted: Wanted, options: Options) -> Measure | None:
    """The measures that take numbers, as trec_eval understands these."""
    rel = max(options.level, 0)
    match wanted.name.name:
        case "utility":
            return Utility(w=wanted.values, rel=rel, docs=options.docs)
        case "set_F":
            return SetF(x=wanted.values[0], rel=rel)
        case "11pt_avg":
            return ElevenPoint(at=wanted.values, rel=rel, rounding=_rounding(options.version))
    return None


def _rounding(version: int) -> Rounding:
    return "trec_eval-9" if version == 9 else "trec_eval-10"


def _iprec(levels: tuple[float, ...], rel: float, version: int) -> Kernel:
    """Interpolated precision at all levels at once: the costly part is common to them."""
    interpolated = Interpolated(rel=rel, rounding=_rounding(version))
    return lambda hits: list(interpolated.at_levels(hits, levels))


def _paired(wanted: Wanted, options: Options) -> Kernel:
    """The measures with a table of gains, or with a persistence."""
    name, rel = wanted.name.name, max(options.level, 0)
    gains: dict[float, float] = {}
    for key, gain in reversed(wanted.pairs):  # of two gains for a grade, the first is taken
        if options.version == 9 or re.fullmatch("[+-]?[0-9]+", key):
            gains[whole(key)] = gain
    p = dict(wanted.pairs).get("p", 0.9)
    measure: Measure
    if name == "rbp_resid":
        measure = AnyResidual(p=p)
    elif name == "rbp" and wanted.suffix:
        measure = ListedRBP(gains=gains or None, p=p)
    elif name == "Rndcg":
        measure = Rndcg(gains=gains or None, rel=rel)
    elif name in _GAINED and (gains or name in ("dcg", "ideal_dcg")):
        measure = _GAINED[name](gains=gains or None)
    else:
        measure = _known(name, rel)
    if min(gains, default=0) < 0:
        return lambda hits: [measure(every_rank(hits))]
    return lambda hits: [measure(hits)]


def computed(kernels: Sequence[Kernel], hits: Hits) -> list[Floats]:
    """The values of all kernels, in their order; what is undefined counts as 0."""
    if not kernels:
        return []
    with np.errstate(divide="ignore", invalid="ignore"):
        # All measures of one block before the next: they share what it has computed.
        blocks = [
            np.array([values for kernel in kernels for values in kernel(block)], dtype=np.float64)
            for block in hits.blocks()
        ]
    every = np.concatenate(blocks, axis=1)
    return list(np.where(np.isnan(every), 0.0, every))
