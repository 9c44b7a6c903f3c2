"""The worker process that imports an uploaded file within a memory limit.

A small file can unpack to gigabytes: a Parquet file of a megabyte can hold a hundred million rows.
So the server does not read it itself. A second process does, with limits on memory and time, one at
a time; if it fails, the server goes on. The limit is the operating system's (RLIMIT_AS), which
Linux and most Unix systems enforce; macOS and Windows have none, and there only the limits on
unpacked bytes and rows hold (`files.py`).

    python -m cleverdon.judging.imports.worker < job.json
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
from typing import Any, Unpack

from cleverdon.errors import CleverdonError, InputError, OptionError
from cleverdon.judging import imports
from cleverdon.judging.errors import Conflict, DatabaseFailure, Forbidden, Invalid, NotFound
from cleverdon.judging.imports import Fields
from cleverdon.judging.imports.importer import (
    FileOptions,
    ImportResult,
    ImportSettings,
    import_file,
)
from cleverdon.judging.people.accounts import Actor
from cleverdon.judging.project import Project, open_project

_MEMORY = 2 << 30  # bytes that the process may use; without a file it needs some 400 MB
_SECONDS = 900  # the time limit
_PATIENCE = 30  # seconds to wait for another import to end
_TURN = BoundedSemaphore(1)
_LOG = logging.getLogger("cleverdon.judge")
_INSTEAD = (
    "split it into several files, or import it by `cleverdon judge import` on the server's machine"
)

# Libraries would otherwise reserve much more address space than they use, for each core.
_SPARING = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "2",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "2",
    "RAYON_NUM_THREADS": "2",
}

_ERRORS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (Conflict, DatabaseFailure, Forbidden, InputError, Invalid, NotFound, OptionError)
}


def import_in_worker(
    project: Project,
    path: str,
    how: ImportSettings,
    *,
    actor: Actor,
    name: str = "",
    only_look: bool = False,
    **options: Unpack[FileOptions],
) -> ImportResult:
    """Do what `import_file` does, with its arguments and its errors, in a limited process."""
    job = {
        "folder": str(project.folder.resolve()),
        "path": path,
        "how": asdict(how),
        "actor": asdict(actor),
        "fields": asdict(options.pop("fields", None) or Fields()),
        "options": {**options, "name": name, "only_look": only_look},
        "limits": {"memory": _MEMORY, "bytes": imports.LARGEST, "rows": imports.MOST_ROWS},
    }
    if not _TURN.acquire(timeout=_PATIENCE):
        raise Conflict("another import is going on: try again when it has ended")
    try:
        answer = _answer_of_worker(job, source=name or path)
    finally:
        _TURN.release()
    if "error" in answer:
        kind, message, more = answer["error"].values()
        raise _ERRORS.get(kind, CleverdonError)(message, **more)
    found = answer["imported"]
    for key, value in found.items():
        found[key] = tuple(value) if isinstance(value, list) else value
    return ImportResult(**found)


def _answer_of_worker(job: dict[str, Any], *, source: str) -> dict[str, Any]:
    """Run the worker process on a job and return its answer."""
    # -P: do not import modules from the server's folder.
    command = [sys.executable, "-P", "-m", __name__]
    paths = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        ran = subprocess.run(
            command,
            input=json.dumps(job),
            capture_output=True,
            encoding="utf-8",
            timeout=_SECONDS,
            env={**os.environ, **_SPARING, **paths},
        )
    except subprocess.TimeoutExpired:
        raise InputError(
            f"takes more than {_SECONDS // 60} minutes to import: {_INSTEAD}", source=source
        ) from None
    if ran.returncode == 0:
        answer: dict[str, Any] = json.loads(ran.stdout)
        return answer
    _LOG.error("importing %s ended with %d: %s", source, ran.returncode, ran.stderr.strip())
    if ran.returncode < 0:  # libraries abort where they get no memory, and systems kill
        raise _too_much(source, job["limits"]["memory"])
    raise RuntimeError("importing a file failed by a defect; the log says more")


def _too_much(source: str, limit: int) -> InputError:
    return InputError(f"needs more than {limit / 2**30:g} GB of memory: {_INSTEAD}", source=source)


def main() -> None:
    """Do the job that standard input describes, and write the result to standard output."""
    output, sys.stdout = sys.stdout, sys.stderr  # so that no library writes into it
    job = json.load(sys.stdin)
    limits = job["limits"]
    imports.LARGEST, imports.MOST_ROWS = limits["bytes"], limits["rows"]
    if sys.platform != "win32":
        import resource

        with suppress(ValueError, OSError):  # macOS knows the limit by name only
            resource.setrlimit(resource.RLIMIT_AS, (limits["memory"], limits["memory"]))
    source = job["options"]["name"] or job["path"]
    try:
        answer = _run_job(job)
    except CleverdonError as error:
        answer = _error_record(error)
    except (MemoryError, OSError) as error:
        if isinstance(error, OSError) and error.errno != errno.ENOMEM:
            raise
        answer = _error_record(_too_much(source, limits["memory"]))
    json.dump(answer, output)
    output.flush()


def _run_job(job: dict[str, Any]) -> dict[str, Any]:
    with open_project(job["folder"]) as project:
        found = import_file(
            project,
            job["path"],
            ImportSettings(**job["how"]),
            actor=Actor(**job["actor"]),
            fields=Fields(**job["fields"]),
            **job["options"],
        )
    return {"imported": asdict(found)}


def _error_record(error: CleverdonError) -> dict[str, Any]:
    record: dict[str, Any] = {"kind": type(error).__name__, "message": str(error), "more": {}}
    if isinstance(error, InputError):
        record["message"] = error.message
        record["more"] = {"source": error.source, "line": error.line, "column": error.column}
    elif isinstance(error, DatabaseFailure):
        record["more"] = {"public": error.public}
    return {"error": record}


if __name__ == "__main__":
    main()
