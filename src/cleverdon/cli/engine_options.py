"""What commands that ask a search engine share: which engine, how patiently, how many results."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from cleverdon.cli.options import COUNT, Decorator, Number, together

if TYPE_CHECKING:
    from cleverdon.engine.asking import Patience
    from cleverdon.engine.protocol import Engine

_NAMED = re.compile(r"([^=:/?]+)=(.+)", flags=re.DOTALL)


def complete_engine(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The kinds of engines, and files, which the shell itself knows best."""
    from cleverdon.engine.adapters import KINDS

    kinds = [
        CompletionItem(re.split("[A-Z]", kind.short, maxsplit=1)[0], help=kind.what)
        for name, kind in KINDS.items()
        if name.startswith(incomplete) and not kind.short.endswith(".toml")
    ]
    return [*kinds, CompletionItem(incomplete, type="file")]


engine = click.argument("engine", shell_complete=complete_engine)
"""ENGINE: what `engine_named` opens."""

engines = click.argument("engines", nargs=-1, required=True, shell_complete=complete_engine)
"""ENGINES...: what `engines_named` opens."""

patience = together(
    click.option(
        "--timeout",
        type=Number(min=0, min_open=True),
        default=10.0,
        show_default=True,
        metavar="SECONDS",
        help="How long to wait for an answer.",
    ),
    click.option(
        "--tries",
        type=COUNT,
        default=3,
        show_default=True,
        help="How often a query is asked where another try may succeed: after a lost connection, "
        "no answer in time, 429, 5xx.",
    ),
)
"""How long to wait, and how often to ask: what `patience_of` takes."""


def results(default: int) -> Decorator[Any]:
    """How many results to ask for."""
    return click.option(
        "-k",
        "k",
        type=COUNT,
        default=default,
        show_default=True,
        help="How many results to ask for, of each query.",
    )


def patience_of(timeout: float, tries: int) -> Patience:
    """What the options of `patience` say."""
    from cleverdon.engine.asking import Patience

    return Patience(timeout=timeout, tries=tries)


def name_and_engine(given: str) -> tuple[str, str]:
    """NAME=ENGINE apart; the name is empty where none is given.

    What stands before the sign is a name only where an engine follows, since addresses and names of
    files may hold the sign as well.

    >>> name_and_engine("old=sqlite:index.db")
    ('old', 'sqlite:index.db')
    >>> name_and_engine("solr+http://localhost:8983/solr/docs?fq=type:page")
    ('', 'solr+http://localhost:8983/solr/docs?fq=type:page')
    """
    from cleverdon.engine.adapters import KINDS

    found = _NAMED.fullmatch(given)
    if found is None or os.path.exists(given):
        return "", given
    name, rest = found.groups()
    is_engine = rest.endswith(".toml") or re.split("[:+]", rest, maxsplit=1)[0] in KINDS
    return (name, rest) if is_engine else ("", given)


def engine_named(given: str) -> Engine:
    """The engine that ENGINE or NAME=ENGINE stands for."""
    from cleverdon.engine.configured import open_engine

    name, text = name_and_engine(given)
    opened = open_engine(text)
    if name:
        opened.name = name
    return opened


def engines_named(given: Sequence[str]) -> dict[str, Engine]:
    """Several engines by their names, which must differ."""
    from cleverdon.errors import OptionError

    found: dict[str, Engine] = {}
    for text in given:
        opened = engine_named(text)
        if opened.name in found:
            raise OptionError(
                f"two engines are called {opened.name!r}; give them names: NAME=ENGINE"
            )
        found[opened.name] = opened
    return found
