"""The script that draws: Vega, Vega-Lite and vega-embed, bundled by vl-convert.

Bundling takes about as long as the rest of a report, and no other thread can work meanwhile,
since it keeps the interpreter's lock. So a command has it done by another process; commands
start that before they import anything slow, which is why this module imports nothing else of
charts/.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from cleverdon._common.extras import require

_SNIPPET = "window.vegaEmbed = vegaEmbed;"
_PROGRAM = f"import sys, vl_convert as v; sys.stdout.write(v.javascript_bundle({_SNIPPET!r}))"
_PROCESSES: list[subprocess.Popen[bytes]] = []


@contextmanager
def bundling_in_background() -> Iterator[None]:
    """Within it, another process is at work on the bundle; one that nobody asks for is stopped."""
    if vega_bundle.cache_info().currsize:  # it was made before
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
        _PROCESSES.append(process)
        try:
            yield
        finally:
            if process in _PROCESSES:
                _PROCESSES.remove(process)
                process.kill()


@cache
def vega_bundle() -> str:
    """Return the script, with a function `vegaEmbed` for pages to call."""
    if _PROCESSES:
        process = _PROCESSES.pop()
        found, _ = process.communicate()
        if process.returncode == 0:
            return found.decode()
    vl_convert = require("vl_convert", "a report", package="vl-convert-python", extra="plots")
    script: str = vl_convert.javascript_bundle(_SNIPPET)
    return script


def script_text(text: str) -> str:
    """Write a script so that none of its own strings can end it."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")
