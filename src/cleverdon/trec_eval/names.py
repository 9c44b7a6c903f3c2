"""What trec_eval calls its measures, in which order it prints them, and what parameters they take.

The order, and the nicknames for several measures at once, are fixed: neither follows the command
line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cleverdon.errors import suggest
from cleverdon.trec_eval.exits import INPUT, USAGE, Stop
from cleverdon.trec_eval.numbers import decimal, whole

VERSIONS = (10, 9)

Kind = Literal["none", "cutoffs", "levels", "numbers", "pairs"]
"""What stands behind the dot of `-m`: nothing that matters; ranks, or shares of something, with a
value each; numbers of one value; or `name=number`, of one value as well."""

_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = tuple(i / 10 for i in range(11))
_FIFTHS = tuple(i / 5 for i in range(1, 11))


@dataclass(frozen=True)
class Name:
    """One of trec_eval's measures, or a row of them that differ in a cut-off."""

    name: str
    kind: Kind = "none"
    default: tuple[float, ...] = ()
    since: int = 9
    format: Literal["any", "qrels", "qrels_jg", "prefs"] = "qrels"
    printed: Literal["number", "count", "text"] = "number"
    average: Literal["mean", "sum", "geometric"] = "mean"
    where: Literal["both", "topics", "summary"] = "both"


def _count(name: str, format: Literal["qrels", "prefs"] = "qrels") -> Name:
    return Name(name, printed="count", average="sum", format=format)


def _cut(name: str, default: tuple[float, ...] = _CUTOFFS, since: int = 9) -> Name:
    return Name(name, "cutoffs", default, since)


ORDER = (
    Name("runid", format="any", printed="text", where="summary"),
    Name("num_q", format="any", printed="count", average="sum", where="summary"),
    _count("num_ret"),
    _count("num_rel"),
    _count("num_rel_ret"),
    Name("map"),
    Name("gm_map", average="geometric", where="summary"),
    Name("Rprec"),
    Name("bpref"),
    Name("recip_rank"),
    Name("iprec_at_recall", "levels", _TENTHS),
    _cut("P"),
    Name("relstring", "numbers", (10,), printed="text", where="topics"),
    _cut("recall"),
    Name("infAP"),
    Name("gm_bpref", average="geometric", where="summary"),
    Name("Rprec_mult", "levels", _FIFTHS),
    Name("utility", "numbers", (1, -1, 0, 0)),
    Name("11pt_avg", "numbers", _TENTHS),
    Name("binG"),
    Name("G", "pairs"),
    Name("dcg", "pairs", since=10),
    Name("ideal_dcg", "pairs", since=10),
    Name("ndcg", "pairs"),
    Name("ndcg_rel", "pairs"),
    Name("Rndcg", "pairs"),
    _cut("ndcg_cut"),
    _cut("map_cut"),
    _cut("relative_P"),
    _cut("success", (1, 5, 10)),
    Name("set_P"),
    Name("set_relative_P"),
    Name("set_recall"),
    Name("set_map"),
    Name("set_F", "numbers", (1,)),
    _count("num_nonrel_judged_ret"),
    *(_count(f"prefs_num_prefs_{what}", "prefs") for what in ("poss", "ful", "ful_ret")),
    *(
        Name(f"prefs_{what}", format="prefs")
        for what in (
            *("simp", "pair", "avgjg", "avgjg_Rnonrel"),
            *("simp_ret", "pair_ret", "avgjg_ret", "avgjg_Rnonrel_ret"),
            *("simp_imp", "pair_imp", "avgjg_imp"),
        )
    ),
    Name("map_avgjg", format="qrels_jg"),
    Name("P_avgjg", "cutoffs", _CUTOFFS, format="qrels_jg"),
    Name("Rprec_mult_avgjg", "levels", _FIFTHS, format="qrels_jg"),
    Name("yaap"),
    Name("rbp", "pairs", since=10),
    Name("rbp_resid", "pairs", since=10),
    _cut("unj", (5, 10, 20), since=10),
)
"""Every measure, in the order of the output."""

_NAMES = {name.name: name for name in ORDER}
_SUMS = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret")
_PREFERENCES = tuple(name.name for name in ORDER if name.format in ("any", "prefs"))
NICKNAMES: dict[str, tuple[str, ...]] = {
    "official": tuple(name.name for name in ORDER[:12]),
    "all_trec": tuple(
        name.name
        for name in ORDER
        if name.format in ("any", "qrels") and name.name not in ("dcg", "ideal_dcg", "yaap")
    ),
    "set": (*_SUMS, "utility", *(n.name for n in ORDER if n.name.startswith("set_"))),
    "all_prefs": _PREFERENCES,
    "prefs": _PREFERENCES[:8],
    "qrels_jg": tuple(name.name for name in ORDER if name.format in ("any", "qrels_jg")),
}
"""Names for several measures at once."""


def check_measure(text: str, *, version: int) -> None:
    """Stop where `-m` was given something that is no measure."""
    name, dot, parameters = text.partition(".")
    known = [n.name for n in ORDER if n.since <= version]
    if name not in known and name not in NICKNAMES:
        raise Stop(
            USAGE, f"-m {text}: there is no measure {name!r}{suggest(name, [*known, *NICKNAMES])}"
        )
    if dot and not parameters:
        raise Stop(USAGE, f"-m {text}: parameters are expected behind the dot")


@dataclass(frozen=True)
class Wanted:
    """A measure that was asked for, with its parameters."""

    name: Name
    values: tuple[float, ...] = ()
    pairs: tuple[tuple[str, float], ...] = ()
    suffix: str = ""
    """The parameters as they were written, where they become part of what is printed."""

    @property
    def labels(self) -> list[str]:
        """What is printed: a name for each value that the measure has."""
        name = self.name.name
        if self.name.kind == "cutoffs":
            return [f"{name}_{value:.0f}" for value in self.values]
        if self.name.kind == "levels":
            # trec_eval leaves room for no more than eight characters.
            return [f"{name}_{f'{value:3.2f}'[:8]}" for value in self.values]
        return [f"{name}_{self.suffix}" if self.suffix else name]


def wanted(measures: Sequence[str], *, version: int) -> list[Wanted]:
    """The measures that were asked for, in the order of the output."""
    asked: set[str] = set()
    parameters: dict[str, str] = {}
    for text in measures or ["official"]:
        name, dot, behind = text.partition(".")
        asked.update(NICKNAMES.get(name, [name]))
        if dot:
            parameters.setdefault(name, behind)  # of two lists, the first is taken
    return [
        _with_parameters(name, parameters.get(name.name))
        for name in ORDER
        if name.name in asked and name.since <= version
    ]


def _with_parameters(name: Name, text: str | None) -> Wanted:
    if text is None or name.kind == "none":
        return Wanted(name, name.default)
    if name.kind == "pairs":
        return Wanted(name, pairs=_pairs(name.name, text), suffix=text)
    if name.kind == "numbers":
        return Wanted(name, tuple(map(decimal, text.split(","))), suffix=text)
    number = whole if name.kind == "cutoffs" else decimal
    values = sorted(map(number, text.split(",")))
    if name.kind == "cutoffs" and values[0] <= 0:
        raise Stop(INPUT, f"-m {name.name}.{text}: a cut-off is a whole number from 1 on")
    if len(set(values)) < len(values):
        raise Stop(INPUT, f"-m {name.name}.{text}: a cut-off stands there twice")
    return Wanted(name, tuple(values))


def _pairs(name: str, text: str) -> tuple[tuple[str, float], ...]:
    marks = "".join(re.findall("[=,]", text))
    if not re.fullmatch("=(,=)*", marks):
        raise Stop(INPUT, f"-m {name}.{text}: expected pairs such as 1=3,2=9")
    pairs = (pair.split("=") for pair in text.split(","))
    return tuple((key, decimal(value)) for key, value in pairs)
