"""Progress: the type of callbacks, one for the whole project, and the keyword of functions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Progress(Protocol):
    """Receives the current step of some work, and how much of it is done."""

    def __call__(self, step: str, done: float = 0, total: float = 0, /) -> object:
        """Report `done` of `total` for `step`; a total of 0 means that it is unknown."""


def ignore_progress(step: str, done: float = 0, total: float = 0, /) -> None:
    """Do nothing: the callback where nobody follows the progress."""


def shows_progress(step: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Give the keyword `progress` of a function its meaning.

    None, the default, shows a bar on a terminal and in a notebook, once the work has taken a
    second; True shows it elsewhere too, and False nowhere. The function gets a callback in any
    case. A function that is called by another one, which shows a bar already, shows none.

    Args:
        step: What the bar says until the function says more.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def showing(*args: P.args, **keywords: P.kwargs) -> R:
            wanted: Any = keywords.get("progress")
            if callable(wanted):
                return function(*args, **keywords)
            if wanted or (wanted is None and (sys.stderr.isatty() or in_notebook())):
                from cleverdon._common.progress_bar import bar, is_running  # loads threads

                if not is_running():
                    with bar(step, anywhere=wanted is True) as update:
                        keywords["progress"] = update
                        return function(*args, **keywords)
            keywords["progress"] = ignore_progress
            return function(*args, **keywords)

        return showing

    return decorate


def as_callback(progress: Progress | bool | None) -> Progress:
    """Return the callback that `shows_progress` has made of the keyword."""
    return progress if callable(progress) else ignore_progress


def in_notebook() -> bool:
    """Tell whether this is the kernel of a notebook, which shows what is displayed."""
    shell = sys.modules.get("IPython")
    return shell is not None and hasattr(shell.get_ipython(), "kernel")
