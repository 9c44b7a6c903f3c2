"""The value of every measure for every topic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.hits import Hits
from cleverdon.measures.trec import RelString
from cleverdon.trec_eval.exits import CALCULATION, Stop
from cleverdon.trec_eval.kernels import Column, computed, kernel
from cleverdon.trec_eval.names import Wanted
from cleverdon.trec_eval.options import Options
from cleverdon.trec_eval.topics import Topics


def columns(
    wanted: Sequence[Wanted], topics: Topics, options: Options
) -> tuple[Topics, list[Column]]:
    """The columns of all measures that were asked for, and the topics that could be evaluated."""
    if len(topics.rows) == 0:
        return topics, []
    family = "prefs" if options.qrels_format.endswith("prefs") else options.qrels_format
    for one in wanted:
        if one.name.format not in ("any", family):
            raise Stop(CALCULATION, f"{one.name.name} is not for judgments in {family} format")
        if one.name.name == "utility" and len(one.values) != 4:
            raise Stop(CALCULATION, f"utility takes four numbers, found {len(one.values)}")
    own = [one for one in wanted if one.name.format != "any"]
    if family == "prefs" and own:
        from cleverdon.trec_eval.prefs import prefs_columns, with_preferences

        topics, preferences = with_preferences(topics)
        found = prefs_columns(own, preferences)
    elif family == "qrels_jg" and own:
        from cleverdon.trec_eval.groups import group_columns

        found = group_columns(own, topics, options)
    else:
        found = _ranked(own, topics, options)
    # What needs no results: num_q, and runid, whose text is known elsewhere.
    ones = np.ones(len(topics.rows))
    general = [Column(one.name, one.name.name, ones) for one in wanted if one not in own]
    return topics, general + found


def _ranked(wanted: Sequence[Wanted], topics: Topics, options: Options) -> list[Column]:
    hits = topics.hits.condensed() if options.judged_only else topics.hits
    kernels = [kernel(one, options) for one in wanted if one.name.printed != "text"]
    values = iter(computed(kernels, hits))
    found = []
    for one in wanted:
        for label in one.labels:
            if one.name.printed == "text":
                texts = _relstrings(one, hits, topics) if options.per_topic else []
                found.append(Column(one.name, label, np.zeros(len(topics.rows)), texts))
            else:
                column = next(values)[topics.rows]
                found.append(Column(one.name, label, _reset(label, column, topics)))
    return found


def _reset(label: str, values: Floats, topics: Topics) -> Floats:
    """A topic that the run lacks stands there as one unjudged result, and these must not show it.

    By their exact names, parameters and all: `utility_1,-1,0,0` does show it.
    """
    if label in ("num_ret", "utility", "rbp_resid") or label.startswith("unj"):
        return np.where(topics.missing, 0.0, values)
    return values


def _relstrings(wanted: Wanted, hits: Hits, topics: Topics) -> list[str]:
    length = min(int(wanted.values[0]), 2**31) if np.isfinite(wanted.values[0]) else 2**31
    if length < 1:
        return [""] * len(topics.rows)
    texts = RelString(k=length).texts(hits)
    hidden = topics.missing.tolist() if not wanted.suffix else [False] * len(topics.rows)
    return ["" if h else texts[row] for h, row in zip(hidden, topics.rows.tolist(), strict=True)]
