"""What a datasheet says of the pool: where the documents came from, and how they were chosen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cleverdon.assess.project import POOL, Project
from cleverdon.assess.watching.facts import ItemFact
from cleverdon.pool.file import read_pool
from cleverdon.read import open_source


@dataclass(frozen=True)
class PoolFacts:
    """Where the documents came from."""

    how: dict[str, Any]  # the method and its options, as the pool's file says
    systems: tuple[tuple[str, str], ...]  # names, and the digests of their runs
    documents: int  # pooled, also those that were not drawn
    drawn: int
    outside: int  # documents of topics that no system returned: gold, or added by an import
    digest: str

    @property
    def is_sample(self) -> bool:
        """Whether only a part was drawn to be judged."""
        return self.drawn < self.documents


def pool_facts(project: Project, items: Iterable[ItemFact]) -> PoolFacts | None:
    """The pool that a project keeps; None where it was made of a list."""
    path = project.folder / POOL
    if not path.is_file():
        return None
    pool = read_pool(path)
    returned = {(topic, pool.docs[at]) for topic, at in pool.rows()}
    return PoolFacts(
        unplaced(dict(pool.how)),
        tuple((each.name, each.digest) for each in pool.contributors),
        len(pool),
        int(pool.drawn.sum()),
        sum((item.topic, item.document) not in returned for item in items),
        str(open_source(str(path)).digest()),
    )


def unplaced(found: Any) -> Any:
    """Paths without their folders, which are nobody's business."""
    if isinstance(found, dict):
        return {name: unplaced(each) for name, each in found.items()}
    if isinstance(found, list):
        return [unplaced(each) for each in found]
    return re.split(r"[/\\]", found.rstrip("/\\"))[-1] if isinstance(found, str) else found
