"""The script that draws: Vega, Vega-Lite and the embedding, put together into one by vl-convert.

That takes it about as long as the rest of a report takes, and no other thread can work meanwhile,
since it keeps the interpreter's lock. So a command has it done by another process.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from cleverdon.errors import MissingExtra

_SNIPPET = "window.vegaEmbed = vegaEmbed;"
_PROGRAM = f"import sys, vl_convert as v; sys.stdout.write(v.javascript_bundle({_SNIPPET!r}))"
_BEGUN: list[subprocess.Popen[bytes]] = []


@contextmanager
def begun() -> Iterator[None]:
    """Within it, another process is at work on the bundle; one that nobody asks for is stopped."""
    if bundle.cache_info().currsize:  # it was made before
        yield
        return
    command = [sys.executable, "-X", "utf8", "-P", "-c", _PROGRAM]
    nothing = subprocess.DEVNULL  # standard input may be a run
    try:
        process = subprocess.Popen(command, stdin=nothing, stdout=subprocess.PIPE, stderr=nothing)
    except OSError:  # here, processes cannot start others
        yield
        return
    with process:
        _BEGUN.append(process)
        try:
            yield
        finally:
            if process in _BEGUN:
                _BEGUN.remove(process)
                process.kill()


@cache
def bundle() -> str:
    """The script, with a function `vegaEmbed` for pages to call."""
    if _BEGUN:
        process = _BEGUN.pop()
        found, _ = process.communicate()
        if process.returncode == 0:
            return found.decode()
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra("a report", package="vl-convert-python", extra="plots") from None
    return vl_convert.javascript_bundle(_SNIPPET)
