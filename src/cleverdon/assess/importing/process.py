"""Importing a file that was sent to the server, in a process with a memory limit.

A small file can unpack to gigabytes: a Parquet file of a megabyte can hold a hundred million rows.
So the server does not read it itself. A second process does, with bounds on its memory and its
time, and one at a time. If it fails, in whichever way, the server goes on.

The limit is the operating system's (RLIMIT_AS), which Linux and most Unix systems enforce. macOS
and Windows have none: there, the bounds on unpacked bytes and on rows hold alone (`reading.py`).

    python -m cleverdon.assess.importing.process < job.json
"""

from __future__ import annotations

import errno
import json
import logging
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from threading import BoundedSemaphore
from typing import Any

from cleverdon.assess.importing import kinds
from cleverdon.assess.importing.importing import Imported, Importing, import_file
from cleverdon.assess.importing.rows import Fields
from cleverdon.assess.people.auditing import Actor
from cleverdon.assess.project import Project, open_project
from cleverdon.assess.refusals import Conflict, Invalid, NotAllowed, NotThere
from cleverdon.assess.store import StoreFailure
from cleverdon.errors import CleverdonError, InputError, OptionError

MEMORY = 2 << 30
"""Bytes that the process may use. Without a file it needs some 400 MB of address space."""

SECONDS = 900
"""How long it may take."""

_PATIENCE = 30
"""Seconds to wait for another import to end."""

_TURN = BoundedSemaphore(1)
_LOG = logging.getLogger("cleverdon.judge")
_INSTEAD = "bring it in parts, or import it by `cleverdon judge import` on the server's machine"

# Libraries would otherwise reserve much more address space than they use, for each core.
_SPARING = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "2",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "2",
    "RAYON_NUM_THREADS": "2",
}

_ERRORS: dict[str, type[CleverdonError]] = {
    kind.__name__: kind for kind in (Conflict, Invalid, NotAllowed, NotThere, OptionError)
}


def import_in_process(
    project: Project,
    path: str,
    how: Importing,
    *,
    actor: Actor,
    form: str | None = None,
    assessors: bool = False,
    fields: Fields | None = None,
    name: str = "",
    only_look: bool = False,
) -> Imported:
    """Do what `import_file` does, with its arguments and its errors, in a limited process."""
    job = {
        "folder": str(project.folder.resolve()),
        "path": path,
        "how": asdict(how),
        "actor": asdict(actor),
        "fields": asdict(fields or Fields()),
        "options": {"form": form, "assessors": assessors, "name": name, "only_look": only_look},
        "limits": {"memory": MEMORY, "bytes": kinds.LARGEST, "rows": kinds.MOST_ROWS},
    }
    if not _TURN.acquire(timeout=_PATIENCE):
        raise Conflict("another import is going on: try again when it has ended")
    try:
        told = _told(job, source=name or path)
    finally:
        _TURN.release()
    if "error" in told:
        raise _error(**told["error"])
    return Imported(**{key: _frozen(value) for key, value in told["imported"].items()})


def _told(job: dict[str, Any], *, source: str) -> dict[str, Any]:
    """What the process says of a job."""
    # -P: what happens to lie in the server's folder is no module of ours.
    command = [sys.executable, "-P", "-m", __name__]
    paths = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        ran = subprocess.run(
            command,
            input=json.dumps(job),
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS,
            env={**os.environ, **_SPARING, **paths},
        )
    except subprocess.TimeoutExpired:
        raise InputError(
            f"takes more than {SECONDS // 60} minutes to import: {_INSTEAD}", source=source
        ) from None
    if ran.returncode == 0:
        told: dict[str, Any] = json.loads(ran.stdout)
        return told
    _LOG.error("importing %s ended with %d: %s", source, ran.returncode, ran.stderr.strip())
    if ran.returncode < 0:  # libraries abort where they get no memory, and systems kill
        raise _too_much(source, job["limits"]["memory"])
    raise RuntimeError("importing a file failed by a defect; the log says more")


def _error(kind: str, message: str, more: dict[str, Any]) -> CleverdonError:
    if kind == InputError.__name__:
        return InputError(message, **more)
    if kind == StoreFailure.__name__:
        return StoreFailure(message, **more)
    return _ERRORS.get(kind, CleverdonError)(message)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _too_much(source: str, limit: int) -> InputError:
    return InputError(f"needs more than {limit / 2**30:g} GB of memory: {_INSTEAD}", source=source)


def main() -> None:
    """Do the job that standard input describes; standard output says what came of it."""
    said, sys.stdout = sys.stdout, sys.stderr  # so that no library writes into it
    job = json.load(sys.stdin)
    limits = job["limits"]
    kinds.LARGEST, kinds.MOST_ROWS = limits["bytes"], limits["rows"]
    _limit_memory(limits["memory"])
    source = job["options"]["name"] or job["path"]
    try:
        told = _done(job)
    except MemoryError:
        told = _described(_too_much(source, limits["memory"]))
    except CleverdonError as error:
        told = _described(error)
    except OSError as error:
        if error.errno != errno.ENOMEM:
            raise
        told = _described(_too_much(source, limits["memory"]))
    json.dump(told, said)
    said.flush()


def _limit_memory(limit: int) -> None:
    if sys.platform != "win32":
        import resource

        with suppress(ValueError, OSError):  # macOS knows the limit by name only
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _done(job: dict[str, Any]) -> dict[str, Any]:
    with open_project(job["folder"]) as project:
        found = import_file(
            project,
            job["path"],
            Importing(**job["how"]),
            actor=Actor(**job["actor"]),
            fields=Fields(**job["fields"]),
            **job["options"],
        )
    return {"imported": asdict(found)}


def _described(error: CleverdonError) -> dict[str, Any]:
    told: dict[str, Any] = {"kind": type(error).__name__, "message": str(error), "more": {}}
    if isinstance(error, InputError):
        told["message"] = error.message
        told["more"] = {"source": error.source, "line": error.line, "column": error.column}
    elif isinstance(error, StoreFailure):
        told["more"] = {"public": error.public}
    return {"error": told}


if __name__ == "__main__":
    main()
