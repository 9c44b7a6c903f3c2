"""The line below a command's output that suggests the next step.

It goes to standard error, and only where that and standard output are terminals. The option
`--no-hints` of `cleverdon` turns it off, and so does the environment variable CLEVERDON_HINTS=0.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import click

_Given = Mapping[str, Any]
"""What a command line has, by the names of parameters: texts, lists of them, and flags."""

_LONGEST = 300
"""No hint is longer: nobody reads a pattern that became a hundred files."""

_OF_OUTPUT = {
    *("average", "bounds", "confusion", "data", "digits", "disagreements", "down", "format_"),
    *("json_file", "margin", "output", "output_file", "per_query", "plot", "risk", "section"),
    *("sort", "sql", "systems", "title"),
}
"""Parameters that shape what is printed: the next command gets none of them."""


class _Step:
    """A next command, which gets the files and options that it shares with the one before.

    Args:
        command: Its words, as "logs metrics".
        arguments: Words that begin it.
        options: Words that end it.
        renamed: Its parameters that have other names, or flags, in the command before: old name,
            new name.
        without: Parameters that it does not get.
        when: The condition under which it is suggested.
    """

    def __init__(
        self,
        command: str,
        *,
        arguments: str = "",
        options: str = "",
        renamed: Mapping[str, str] | None = None,
        without: Sequence[str] = (),
        when: Callable[[_Given], object] = lambda given: True,
    ) -> None:
        self.command, self.arguments, self.options = command, arguments, options
        self.renamed, self.without, self.when = renamed or {}, without, when


def _several_runs(given: _Given) -> bool:
    return len(given.get("runs", ())) + len(given.get("repeats", ())) > 1


def _written(given: _Given) -> bool:
    """Tell whether judgments were written to a file that is read as such."""
    return str(given.get("output") or "-").endswith((".txt", ".qrels", ".tsv", ".csv", ".json"))


_STATS = _Step("collection stats", renamed={"output": "qrels"}, when=_written)
_STATUS = _Step("judge status")
_SERVE = _Step("judge serve")

_STEPS: dict[str, tuple[_Step, ...]] = {
    "eval": (
        _Step("compare", when=lambda given: _several_runs(given) and not given.get("down")),
        _Step("eval", options="--per-query", when=lambda given: not _per_query(given)),
    ),
    "compare": (_Step("claim"),),
    "claim": (_Step("report", when=lambda given: not given.get("repeats")),),
    "slices": (_Step("claim", when=_several_runs),),
    "check": (
        _Step(
            "eval",
            renamed={"files": "runs"},
            when=lambda given: given.get("qrels") and given.get("kind") != "qrels",
        ),
    ),
    "measures": (_Step("explain", arguments="nDCG"),),
    "search": (_Step("check", renamed={"output": "files"}, when=lambda g: g["output"] != "-"),),
    "splits": (
        _Step(
            "tune",
            renamed={"output": "folds"},
            when=lambda given: _several_runs(given) and given.get("output") not in (None, "-"),
        ),
    ),
    "pool make": (
        _Step(
            "judge init",
            arguments="judging",
            renamed={"output": "pool", "documents": "docs"},
            without=("depth",),
            when=lambda given: given.get("queries") and given.get("documents"),
        ),
    ),
    "pool qrels": (_STATS,),
    "judge init": (_SERVE,),
    "judge restore": (_SERVE,),
    "judge people": (_STATUS,),
    "judge assign": (_STATUS,),
    "judge import": (_STATUS,),
    "agree": (
        _STATS,
        _Step("agree", options="--disagreements 10", when=lambda given: not given.get("runs")),
    ),
    "collection merge": (_STATS,),
    "collection filter": (_STATS,),
    "collection subset": (_STATS,),
    "logs generate": (_Step("logs check", renamed={"folder": "sources"}),),
    "logs check": (_Step("logs metrics"),),
    "logs metrics": (_Step("logs report"),),
    "logs abtest": (_Step("logs report"),),
}
"""What to do after a command: the first step whose condition holds."""


def _per_query(given: _Given) -> bool:
    return any(given.get(name) for name in ("per_query", "down", "alpha", "bounds", "repeats"))


def next_step(context: click.Context, given: _Given) -> str | None:
    """Return the command to suggest after the one of a context; None for none."""
    own = context.command_path.partition(" ")[2]
    step = next((one for one in _STEPS.get(own, ()) if one.when(given)), None)
    if step is None or "-" in _texts(given):
        return None  # standard input cannot be read again
    words = list(_words(step, context, given))
    if any(word.startswith("-") and " " in word for word in words):
        return None
    begin = f"{step.command} {step.arguments}".split()
    line = shlex.join(["cleverdon", *begin, *words, *step.options.split()])
    return line if len(line) <= _LONGEST else None


def _texts(given: _Given) -> list[str]:
    return [
        text
        for value in given.values()
        for text in (value if isinstance(value, list | tuple) else [value])
        if isinstance(text, str)
    ]


def _words(step: _Step, context: click.Context, given: _Given) -> Iterator[str]:
    """Return the arguments and options that the next command shares with this one."""
    target = context.find_root().command
    for name in step.command.split():
        assert isinstance(target, click.Group)
        found = target.get_command(context, name)
        assert found is not None
        target = found
    own = {one.name: one for one in context.command.params}
    before = {new: old for old, new in step.renamed.items()}
    arguments: list[str] = []
    options: list[str] = []
    for parameter in target.params:
        name = str(parameter.name)
        old = before.get(name, name)
        value = given.get(old)
        if value is None or old not in own or name in step.without:
            continue
        if isinstance(parameter, click.Argument):
            arguments += [value] if isinstance(value, str) else list(value)
        elif name in before or (
            name not in _OF_OUTPUT and own[old].opts == parameter.opts and old not in step.renamed
        ):
            options += _option_words(parameter, value)
    yield from map(str, (*arguments, *options))


def _option_words(option: click.Parameter, value: Any) -> Sequence[str]:
    if value is True or value is False:
        return [(option.opts if value else option.secondary_opts)[0]]
    values = value if isinstance(value, list | tuple) else [value]
    return [word for each in values for word in (option.opts[0], str(each))]
