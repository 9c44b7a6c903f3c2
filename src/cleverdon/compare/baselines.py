"""May a run be compared with a baseline that was made at another time?"""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores


def check_comparable(
    ours: Scores, theirs: Scores, measures: tuple[Measure, ...], *, qrels: bool
) -> list[str]:
    """Refuse a baseline whose numbers mean something else; tell what is as well to know."""
    if len(theirs.systems) != 1:
        raise OptionError(f"a baseline is one system, and there are {len(theirs.systems)}")
    missing = [str(measure) for measure in measures if measure not in theirs.measures]
    if missing:
        held = ", ".join(str(measure) for measure in theirs.measures)
        raise OptionError(
            f"the baseline has no values of {', '.join(missing)}, only of {held}; make it anew"
        )
    here, there = ours.about, theirs.about
    if (here.profile, here.docs) != (there.profile, there.docs):
        raise OptionError(
            f"the baseline was made with profile={there.profile} docs={there.docs}, now "
            f"profile={here.profile} docs={here.docs}; make it anew"
        )
    changed = [
        f"{field.name}={getattr(there.settings, field.name)}, "
        f"now {getattr(here.settings, field.name)}"
        for field in fields(here.settings)
        if getattr(here.settings, field.name) != getattr(there.settings, field.name)
    ]
    if changed:
        raise OptionError(
            f"the baseline was made with other settings ({'; '.join(changed)}); make it anew"
        )
    notes = []
    if here.qrels_digest != there.qrels_digest:
        hashes = f"{there.qrels_digest[:12] or 'none'}, now {here.qrels_digest[:12] or 'none'}"
        if not qrels:
            raise OptionError(
                f"the baseline was made with other judgments (hash {hashes}); make it anew, or "
                "say --allow-different-qrels (allow_different_qrels=True)"
            )
        notes.append(f"the baseline was made with other judgments (hash {hashes})")
    if here.version != there.version:
        notes.append(f"the baseline was made by version {there.version}, now {here.version}")
    return notes


def check_topics(both: Scores, *, allowed: bool) -> list[str]:
    """Refuse topics that are not the same, or say how many count."""
    mine, theirs = both.evaluated
    if np.array_equal(mine, theirs):
        return []
    parts = []
    for name, only in (("run", mine & ~theirs), ("baseline", theirs & ~mine)):
        listed = [both.queries[q] for q in np.flatnonzero(only)]
        if listed:
            shown = ", ".join(listed[:3]) + (", ..." if len(listed) > 3 else "")
            parts.append(f"{len(listed)} only of the {name} ({shown})")
    found = f"run and baseline were evaluated on different topics: {'; '.join(parts)}"
    shared = f"the {int((mine & theirs).sum())} that both have"
    if not allowed:
        raise OptionError(
            f"{found}; --allow-different-topics (allow_different_topics=True) compares on {shared}"
        )
    return [f"{found}; compared on {shared}"]
