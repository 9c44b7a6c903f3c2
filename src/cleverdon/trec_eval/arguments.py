"""The command line of trec_eval: options, measure names, numbers as C reads them, exit codes.

The order in which measures are printed, and the nicknames for several measures at once, are
fixed: neither follows the command line. No numpy here, so that a wrong option is answered at
once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from getopt import GetoptError, gnu_getopt
from typing import Any, Literal

from cleverdon.errors import CleverdonError, suggest

_WHOLE_NUMBER = re.compile(r"\s*([+-]?\d+)")
_DECIMAL = re.compile(
    r"\s*([+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan))", re.IGNORECASE
)
_HEXADECIMAL = re.compile(
    r"\s*([+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?\d+)?)", re.IGNORECASE
)
_LARGEST = 2**63 - 1


def parse_whole(text: str) -> int:
    """Parse a whole number.

    >>> parse_whole("23.4"), parse_whole("-7x"), parse_whole("abc")
    (23, -7, 0)
    """
    found = _WHOLE_NUMBER.match(text)
    return max(-_LARGEST - 1, min(int(found[1]), _LARGEST)) if found else 0


def parse_decimal(text: str) -> float:
    """Parse a real number.

    >>> parse_decimal(".25abc"), parse_decimal("1e3"), parse_decimal("0x1p4"), parse_decimal("abc")
    (0.25, 1000.0, 16.0, 0.0)
    """
    found = _HEXADECIMAL.match(text)
    if found:
        return float.fromhex(found[1])
    found = _DECIMAL.match(text)
    return float(found[1]) if found else 0.0


_USAGE = 1  # wrong arguments, or a measure that does not exist
INPUT = 2  # a file, a format, or a measure's parameters
CALCULATION = 4  # a topic that cannot be evaluated
NOTHING = 7  # no topic to evaluate
ZSCORES = 255  # the file of means and deviations


class Stop(CleverdonError):
    """The end of an evaluation, with the exit code that trec_eval has for it."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


_VERSIONS = (10, 9)

_Kind = Literal["none", "cutoffs", "levels", "numbers", "pairs"]
"""The kind of argument behind the dot of `-m`: nothing that matters; ranks, or shares of something,
with a value each; numbers of one value; or `name=number`, of one value as well.
"""

_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = tuple(i / 10 for i in range(11))
_FIFTHS = tuple(i / 5 for i in range(1, 11))


@dataclass(frozen=True)
class MeasureName:
    """One of trec_eval's measures, or a row of them that differ in a cut-off."""

    name: str
    kind: _Kind = "none"
    default: tuple[float, ...] = ()
    since: int = 9
    format: Literal["any", "qrels", "qrels_jg", "prefs"] = "qrels"
    printed: Literal["number", "count", "text"] = "number"
    average: Literal["mean", "sum", "geometric"] = "mean"
    where: Literal["both", "topics", "summary"] = "both"


def _count(name: str, format: Literal["qrels", "prefs"] = "qrels") -> MeasureName:
    return MeasureName(name, printed="count", average="sum", format=format)


def _cut(name: str, default: tuple[float, ...] = _CUTOFFS, since: int = 9) -> MeasureName:
    return MeasureName(name, "cutoffs", default, since)


_ORDER = (
    MeasureName("runid", format="any", printed="text", where="summary"),
    MeasureName("num_q", format="any", printed="count", average="sum", where="summary"),
    _count("num_ret"),
    _count("num_rel"),
    _count("num_rel_ret"),
    MeasureName("map"),
    MeasureName("gm_map", average="geometric", where="summary"),
    MeasureName("Rprec"),
    MeasureName("bpref"),
    MeasureName("recip_rank"),
    MeasureName("iprec_at_recall", "levels", _TENTHS),
    _cut("P"),
    MeasureName("relstring", "numbers", (10,), printed="text", where="topics"),
    _cut("recall"),
    MeasureName("infAP"),
    MeasureName("gm_bpref", average="geometric", where="summary"),
    MeasureName("Rprec_mult", "levels", _FIFTHS),
    MeasureName("utility", "numbers", (1, -1, 0, 0)),
    MeasureName("11pt_avg", "numbers", _TENTHS),
    MeasureName("binG"),
    MeasureName("G", "pairs"),
    MeasureName("dcg", "pairs", since=10),
    MeasureName("ideal_dcg", "pairs", since=10),
    MeasureName("ndcg", "pairs"),
    MeasureName("ndcg_rel", "pairs"),
    MeasureName("Rndcg", "pairs"),
    _cut("ndcg_cut"),
    _cut("map_cut"),
    _cut("relative_P"),
    _cut("success", (1, 5, 10)),
    MeasureName("set_P"),
    MeasureName("set_relative_P"),
    MeasureName("set_recall"),
    MeasureName("set_map"),
    MeasureName("set_F", "numbers", (1,)),
    _count("num_nonrel_judged_ret"),
    *(_count(f"prefs_num_prefs_{what}", "prefs") for what in ("poss", "ful", "ful_ret")),
    *(
        MeasureName(f"prefs_{what}", format="prefs")
        for what in (
            *("simp", "pair", "avgjg", "avgjg_Rnonrel"),
            *("simp_ret", "pair_ret", "avgjg_ret", "avgjg_Rnonrel_ret"),
            *("simp_imp", "pair_imp", "avgjg_imp"),
        )
    ),
    MeasureName("map_avgjg", format="qrels_jg"),
    MeasureName("P_avgjg", "cutoffs", _CUTOFFS, format="qrels_jg"),
    MeasureName("Rprec_mult_avgjg", "levels", _FIFTHS, format="qrels_jg"),
    MeasureName("yaap"),
    MeasureName("rbp", "pairs", since=10),
    MeasureName("rbp_resid", "pairs", since=10),
    _cut("unj", (5, 10, 20), since=10),
)
"""Every measure, in the order of the output."""

_NAMES = {name.name: name for name in _ORDER}
_SUMS = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret")
_PREFERENCES = tuple(name.name for name in _ORDER if name.format in ("any", "prefs"))
NICKNAMES: dict[str, tuple[str, ...]] = {
    "official": tuple(name.name for name in _ORDER[:12]),
    "all_trec": tuple(
        name.name
        for name in _ORDER
        if name.format in ("any", "qrels") and name.name not in ("dcg", "ideal_dcg", "yaap")
    ),
    "set": (*_SUMS, "utility", *(n.name for n in _ORDER if n.name.startswith("set_"))),
    "all_prefs": _PREFERENCES,
    "prefs": _PREFERENCES[:8],
    "qrels_jg": tuple(name.name for name in _ORDER if name.format in ("any", "qrels_jg")),
}
"""Names for several measures at once."""


def _check_measure(text: str, *, version: int) -> None:
    """Stop where `-m` was given something that is no measure."""
    name, dot, parameters = text.partition(".")
    known = [n.name for n in _ORDER if n.since <= version]
    if name not in known and name not in NICKNAMES:
        raise Stop(
            _USAGE, f"-m {text}: there is no measure {name!r}{suggest(name, [*known, *NICKNAMES])}"
        )
    if dot and not parameters:
        raise Stop(_USAGE, f"-m {text}: parameters are expected behind the dot")


@dataclass(frozen=True)
class WantedMeasure:
    """A measure that was asked for, with its parameters."""

    name: MeasureName
    values: tuple[float, ...] = ()
    pairs: tuple[tuple[str, float], ...] = ()
    suffix: str = ""
    """The parameters as they were written, where they become part of what is printed."""

    @property
    def labels(self) -> list[str]:
        """Return the printed names, one for each value of the measure."""
        name = self.name.name
        if self.name.kind == "cutoffs":
            return [f"{name}_{value:.0f}" for value in self.values]
        if self.name.kind == "levels":
            # trec_eval leaves room for no more than eight characters.
            return [f"{name}_{f'{value:3.2f}'[:8]}" for value in self.values]
        return [f"{name}_{self.suffix}" if self.suffix else name]


def wanted_measures(measures: Sequence[str], *, version: int) -> list[WantedMeasure]:
    """Return the measures that were asked for, in the order of the output."""
    asked: set[str] = set()
    parameters: dict[str, str] = {}
    for text in measures or ["official"]:
        name, dot, behind = text.partition(".")
        asked.update(NICKNAMES.get(name, [name]))
        if dot:
            parameters.setdefault(name, behind)  # of two lists, the first is taken
    return [
        _with_parameters(name, parameters.get(name.name))
        for name in _ORDER
        if name.name in asked and name.since <= version
    ]


def _with_parameters(name: MeasureName, text: str | None) -> WantedMeasure:
    if text is None or name.kind == "none":
        return WantedMeasure(name, name.default)
    if name.kind == "pairs":
        return WantedMeasure(name, pairs=_pairs(name.name, text), suffix=text)
    if name.kind == "numbers":
        return WantedMeasure(name, tuple(map(parse_decimal, text.split(","))), suffix=text)
    number = parse_whole if name.kind == "cutoffs" else parse_decimal
    values = sorted(map(number, text.split(",")))
    if name.kind == "cutoffs" and values[0] <= 0:
        raise Stop(INPUT, f"-m {name.name}.{text}: a cut-off is a whole number from 1 on")
    if len(set(values)) < len(values):
        raise Stop(INPUT, f"-m {name.name}.{text}: a cut-off stands there twice")
    return WantedMeasure(name, tuple(values))


def _pairs(name: str, text: str) -> tuple[tuple[str, float], ...]:
    marks = "".join(re.findall("[=,]", text))
    if not re.fullmatch("=(,=)*", marks):
        raise Stop(INPUT, f"-m {name}.{text}: expected pairs such as 1=3,2=9")
    pairs = (pair.split("=") for pair in text.split(","))
    return tuple((key, parse_decimal(value)) for key, value in pairs)


_SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"
_LONG = {
    "help": "h",
    "version": "v",
    "query_eval_wanted": "q",
    "measure": "m",
    "complete_rel_info_wanted": "c",
    "level_for_rel": "l",
    "nosummary": "n",
    "Debug_level": "D",
    "Judged_docs_only": "J",
    "Number_docs_in_coll": "N",
    "Max_retrieved_per_topic": "M",
    "Rel_info_format": "R",
    "Results_format": "T",
    "Output_old_results_format": "o",
    "Zscore": "Z",
}
_VERSION_OF = "version-of"
"""The only option that trec_eval does not have: which version to stand in for."""

QRELS_FORMATS = ("qrels", "qrels_jg", "prefs", "qrels_prefs")
RESULTS_FORMATS = ("trec_results",)


@dataclass(frozen=True)
class Options:
    """The parsed command line."""

    qrels: str = ""
    results: str = ""
    version: int = 10
    measures: tuple[str, ...] = ()
    per_topic: bool = False
    summary: bool = True
    complete: bool = False  # topics that the run lacks count as well
    judged_only: bool = False
    level: int = 1  # the grade from which on a document is relevant
    depth: int | None = None  # how many results a topic may have
    docs: int = 0  # how many documents the collection has
    qrels_format: str = "qrels"
    results_format: str = "trec_results"
    zscores: str | None = None
    topic: str | None = None  # evaluate this one only
    show: str = ""  # "help" or "version" where that was asked for instead of an evaluation


def parse_options(arguments: Sequence[str]) -> Options:
    """Parse the options that the arguments stand for; Stop where they stand for none."""
    given, files = _split(arguments)
    wanted = dict(given).get(_VERSION_OF, str(_VERSIONS[0]))
    if wanted not in map(str, _VERSIONS):
        allowed = " or ".join(map(str, _VERSIONS))
        raise Stop(_USAGE, f"--{_VERSION_OF} {wanted}: it can be {allowed}")
    version = int(wanted)
    found: dict[str, Any] = {}
    measures: list[str] = []
    for letter, value in given:
        match letter:
            case "v":
                return Options(show="version", version=version)
            case "m":
                _check_measure(value, version=version)
                measures.append(value)
            case "D":
                _, dot, topic = value.partition(".")
                found |= {"topic": topic} if dot else {}
            case "o" | "version-of":
                pass  # the first has had no effect since trec_eval 9
            case "n":
                found["summary"] = False
            case _:
                name, kind = _FIELDS[letter]
                found[name] = kind(value) if kind else True
    options = Options(version=version, measures=tuple(measures), **found)
    if options.show:
        return options
    if len(files) != 2:
        raise Stop(_USAGE, f"expected two files, judgments and results; found {len(files)}")
    return replace(options, qrels=files[0], results=files[1])


_FIELDS: dict[str, tuple[str, Callable[[str], Any] | None]] = {
    "h": ("show", lambda _: "help"),
    "q": ("per_topic", None),
    "c": ("complete", None),
    "J": ("judged_only", None),
    "l": ("level", parse_whole),
    "N": ("docs", parse_whole),
    "M": ("depth", parse_whole),
    "R": ("qrels_format", str),
    "T": ("results_format", str),
    "Z": ("zscores", str),
}


def check_format(flag: str, found: str, known: Sequence[str]) -> None:
    """Stop where a format does not exist."""
    if found not in known:
        raise Stop(INPUT, f"{flag} {found}: there is no such format{suggest(found, known)}")


def _split(arguments: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return each option's letter, or its name without one, with its value; and the files."""
    long = [f"{name}=" if f"{letter}:" in f"{_SHORT}o:" else name for name, letter in _LONG.items()]
    try:
        options, files = gnu_getopt(list(arguments), _SHORT, [*long, f"{_VERSION_OF}="])
    except GetoptError as error:
        near = suggest(error.opt, [*_LONG, _VERSION_OF]) if error.opt not in _SHORT else ""
        raise Stop(_USAGE, f"{error.msg}{near}") from None
    names = ((flag.lstrip("-"), value) for flag, value in options)
    return [(_LONG.get(name, name), value) for name, value in names], files
