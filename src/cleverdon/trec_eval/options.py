"""The command line: trec_eval's options, short and long, read as the C library reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cleverdon.errors import suggest
from cleverdon.trec_eval.exits import INPUT, USAGE, Stop
from cleverdon.trec_eval.names import VERSIONS, check_measure
from cleverdon.trec_eval.numbers import whole

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
_VERSION_OF = "--version-of"
"""The only option that trec_eval does not have: which version to stand in for."""

QRELS_FORMATS = ("qrels", "qrels_jg", "prefs", "qrels_prefs")
RESULTS_FORMATS = ("trec_results",)


@dataclass(frozen=True)
class Options:
    """What was asked for."""

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


def parse(arguments: Sequence[str]) -> Options:
    """The options that the arguments stand for; Stop where they stand for none."""
    version, arguments = _version_of(arguments)
    found: dict[str, Any] = {}
    measures: list[str] = []
    files: list[str] = []
    for letter, value in _split(arguments):
        match letter:
            case "v":
                return Options(show="version", version=version)
            case "m":
                check_measure(value, version=version)
                measures.append(value)
            case "D":
                _, dot, topic = value.partition(".")
                found |= {"topic": topic} if dot else {}
            case "":
                files.append(value)
            case "o":
                pass  # has had no effect since trec_eval 9
            case "n":
                found["summary"] = False
            case _:
                name, kind = _FIELDS[letter]
                found[name] = kind(value) if kind else True
    options = Options(version=version, measures=tuple(measures), **found)
    if options.show:
        return options
    if len(files) != 2:
        raise Stop(USAGE, f"expected two files, judgments and results; found {len(files)}")
    return replace(options, qrels=files[0], results=files[1])


_FIELDS: dict[str, tuple[str, Callable[[str], Any] | None]] = {
    "h": ("show", lambda _: "help"),
    "q": ("per_topic", None),
    "c": ("complete", None),
    "J": ("judged_only", None),
    "l": ("level", whole),
    "N": ("docs", whole),
    "M": ("depth", whole),
    "R": ("qrels_format", str),
    "T": ("results_format", str),
    "Z": ("zscores", str),
}


def check_qrels_format(options: Options) -> None:
    """Stop where the judgments' format does not exist."""
    _check_format("-R", options.qrels_format, QRELS_FORMATS)


def check_results_format(options: Options) -> None:
    """Stop where the results' format does not exist."""
    _check_format("-T", options.results_format, RESULTS_FORMATS)


def _check_format(flag: str, found: str, known: Sequence[str]) -> None:
    if found not in known:
        raise Stop(INPUT, f"{flag} {found}: there is no such format{suggest(found, known)}")


def _split(arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each option's letter with its value; files have no letter, wherever they stand."""
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            yield from (("", file) for file in rest)
        elif argument.startswith("--"):
            yield _long(argument[2:], rest)
        elif argument.startswith("-") and argument != "-":
            yield from _bundle(argument[1:], rest)
        else:
            yield "", argument


def _bundle(letters: str, rest: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Options of one letter, several of which may stand behind one dash: -qn, -l2, -l 2."""
    while letters:
        letter, letters = letters[0], letters[1:]
        if letter == ":" or letter not in _SHORT:
            raise Stop(USAGE, f"there is no option -{letter}")
        if f"{letter}:" in _SHORT:
            yield letter, letters or _next(f"-{letter}", rest)
            return
        yield letter, ""


def _long(text: str, rest: Iterator[str]) -> tuple[str, str]:
    """An option of many letters, which may be cut short where that leaves no doubt."""
    name, equals, value = text.partition("=")
    known = [name] if name in _LONG else [full for full in _LONG if full.startswith(name)]
    if len(known) != 1:
        wrong = "may stand for " + ", ".join(f"--{full}" for full in known)
        none = f"is not known{suggest(name, [*_LONG, _VERSION_OF[2:]])}"
        raise Stop(USAGE, f"--{name} {wrong if known else none}")
    letter = _LONG[known[0]]
    takes_value = f"{letter}:" in _SHORT or letter == "o"
    if equals and not takes_value:
        raise Stop(USAGE, f"--{known[0]} takes no value")
    if takes_value and not equals:
        value = _next(f"--{known[0]}", rest)
    return letter, value


def _next(option: str, rest: Iterator[str]) -> str:
    try:
        return next(rest)
    except StopIteration:
        raise Stop(USAGE, f"{option} needs a value") from None


def _version_of(arguments: Sequence[str]) -> tuple[int, list[str]]:
    """The version to stand in for, and the arguments without that option.

    First of all, since it decides which measures there are.
    """
    version, rest = str(VERSIONS[0]), []
    given = iter(arguments)
    for argument in given:
        name, equals, value = argument.partition("=")
        if name == _VERSION_OF:
            version = value if equals else _next(name, given)
        else:
            rest.append(argument)
    if version not in map(str, VERSIONS):
        raise Stop(USAGE, f"{_VERSION_OF} {version}: it can be {' or '.join(map(str, VERSIONS))}")
    return int(version), rest
