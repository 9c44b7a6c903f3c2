"""Topics through an engine to a run file, which appears when it is whole.

FILE.journal keeps the answers until then, so that a search that was stopped, or of which some
queries failed, goes on where it was. FILE.search.json says how the run came about.
"""

from __future__ import annotations

import hashlib
import os
import platform
from datetime import UTC, datetime
from json import dumps
from pathlib import Path
from typing import Any

from cleverdon.engine.answer_journal import UNSAID, AnswerJournal, answers_kept
from cleverdon.engine.configured import open_engine
from cleverdon.engine.protocol import Engine, Results
from cleverdon.engine.queries import digest_of, read_queries
from cleverdon.engine.search_options import SearchOptions
from cleverdon.engine.searched import Searched, SearchesFailed
from cleverdon.engine.searching import FAILED, Progress, searched
from cleverdon.errors import check_word
from cleverdon.read import open_source, record_of
from cleverdon.read.write import check_ids, write, write_file

_STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")
"""Names of what a process has open, which may be files elsewhere."""


def has_beside(path: str) -> bool:
    """Whether files are kept beside the run: not where it goes to a pipe, or to a device."""
    if path == "-" or path.startswith(_STREAMS):
        return False
    return os.path.isfile(path) or not os.path.exists(path)


def journal_of(path: str) -> str:
    """The file that keeps answers until the run is whole."""
    return f"{path}.journal"


def search_to_file(
    engine: Any,
    topics: Any,
    path: str | os.PathLike[str],
    *,
    failed: str = "raise",
    name: str | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
    **asked: Any,
) -> Searched:
    """Write a run file, and a record beside it; `asked` is what `SearchOptions` has.

    The same call again, after a stop or where queries failed, asks only for what is missing;
    `fresh` drops what was answered before. Standard output (`-`), a pipe or a device gets a run and
    nothing beside it.
    """
    check_word("failed", failed, FAILED)
    path, options = os.fspath(path), SearchOptions(**asked)
    opened, queries = open_engine(engine), read_queries(topics, field=options.field)
    check_ids(path, queries=queries)

    def check(results: Results) -> None:
        check_ids(path, docs=[doc for doc, _ in results])

    def put(journal: AnswerJournal | None) -> Searched:
        return searched(
            opened,
            queries,
            options,
            name=name,
            progress=progress,
            journal=journal,
            check=check,
        )

    if not has_beside(path):
        found = put(None)
        _check_answered(found, failed=failed)
        write(found.run, path)
        return found
    about = _about(opened, k=options.k, field=options.field, topics=digest_of(queries))
    with answers_kept(journal_of(path), about, fresh=fresh) as journal:
        found = put(journal)
        _check_answered(found, failed=failed)
        write(found.run, path)
        record = _record(found, path, topics=topics)
        write_file(record_of(path), f"{dumps(record, indent=1, ensure_ascii=False)}\n".encode())
        journal.remove()
    return found


def _about(engine: Engine, **asked: Any) -> dict[str, Any]:
    """What must be the same for a search to go on: answers under other settings are others."""
    from cleverdon import __version__

    described = {"name": engine.name, **engine.settings}
    if engine.unsaid:
        described[UNSAID] = hashlib.sha256(engine.unsaid.encode("utf-8", "replace")).hexdigest()
    return {"version": __version__, "engine": described, **asked}


def _check_answered(found: Searched, *, failed: str) -> None:
    if not found.failed or (failed == "leave out" and found.answered):
        return
    remedy = "there is nothing to write; once that is mended, do the same again"
    if found.answered:
        remedy = (
            "nothing is written yet; the same again asks only for those, and failed='leave out' "
            "(--allow-failed) writes a run without them"
        )
    raise SearchesFailed(found, remedy=remedy)


def _record(found: Searched, path: str, *, topics: Any) -> dict[str, Any]:
    from cleverdon import __version__

    is_file = isinstance(topics, (str, os.PathLike))
    return {
        "kind": "cleverdon search",
        "version": 1,
        "system": found.run.name,
        "settings": {
            "engine": dict(found.engine),
            "k": found.options.k,
            "field": found.options.field,
            "scores": found.options.scores,
            "timeout": found.options.patience.timeout,
            "tries": found.options.patience.tries,
        },
        "versions": {"cleverdon": __version__, "python": platform.python_version()},
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "topics": {
            "file": os.fspath(topics) if is_file else None,
            "digest": found.topics,
            "queries": len(found.answered) + len(found.failed),
        },
        "run": {
            "file": Path(path).name,
            "digest": open_source(path).digest(),
            "results": len(found.run),
        },
        "whole": not found.failed,
        "failed": found.failed,
        "empty": list(found.empty),
        "retries": found.retries,
        "repeated": dict(found.order.repeated),
        "not_by_score": list(found.order.rising),
        "equal_scores": list(found.order.tied),
        "notes": list(found.notes),
        "seconds": {"median": found.percentile(0.5), "p99": found.percentile(0.99)},
        "last_process": {
            "answered_before": found.kept,
            "at_once": found.at_once,
            "in_one_call": found.in_one,
            "seconds": found.seconds,
        },
        "queries": {
            query: {
                "seconds": answer.seconds,
                "tries": answer.tries,
                "failures": [str(failure) for failure in answer.failures],
            }
            for query, answer in found.answers.items()
        },
    }
