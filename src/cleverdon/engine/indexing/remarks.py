"""What readers of the numbers should know: what was not seen, and what may be wrong."""

from __future__ import annotations

from collections.abc import Sequence

from cleverdon.engine.indexing.building import Watching
from cleverdon.engine.indexing.jobs import Job
from cleverdon.engine.indexing.records import Sized
from cleverdon.engine.machine import disturbed

_FEW = 10
"""Fewer looks than this at a build say little of its peaks."""
_SEEN = 0.02
"""Reading that is a smaller share of the wall time is not worth a word."""


def remarks(
    job: Job, sizes: Sequence[Sized], watching: Watching, *, whole: int, others: float
) -> tuple[str, ...]:
    """What to bear in mind, in sentences."""
    found = []
    builds = sizes[-1].builds
    unseen = job.hidden and not watching.servers
    if unseen:
        found.append(
            f"{job.name} works in a process of its own: its processor time and its memory were not "
            "seen; --pid names the process"
        )
    if job.hidden and not watching.folders:
        found.append(f"the disk of {job.name} was not watched; --watch names its folder")
    if not job.hidden and job.place("here") is None and not watching.folders:
        found.append(
            "where the index lies is not known: of the disk, only temporary files were seen; "
            "--watch names its folder"
        )
    if any(build.overlap > _SEEN * build.amounts["index_time"].value for build in builds):
        found.append(
            f"{job.name} works in several threads or processes, perhaps while documents are read: "
            "its wall time is with reading"
        )
    if min(build.samples for build in builds) < _FEW:
        found.append(
            "a build was over after a few looks at it: its peaks are in doubt; take more documents"
        )
    left = max(build.left for build in builds)
    if left:
        found.append(
            f"{left} of the processes that were started still ran at the end; what they did "
            "afterwards is not counted"
        )
    if disturbed(others) and not unseen:  # who would be among the others
        found.append(disturbed(others))
    if sizes[-1].documents < whole:
        found.append(f"of the collection's {whole:,} documents, {sizes[-1].documents:,} were taken")
    return tuple(found)


def invalidities(sizes: Sequence[Sized]) -> tuple[str, ...]:
    """Why the numbers should not be believed."""
    found = {
        f"the engine took {build.taken:,} of {build.documents:,} documents"
        for size in sizes
        for build in size.builds
        if build.taken is not None and build.taken != build.documents
    }
    return tuple(sorted(found))
