"""The printed text: values of each topic and over all topics, z-scores with -Z, help with -h."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon.errors import NotationError
from cleverdon.measures.base import one_line
from cleverdon.measures.notation import parse
from cleverdon.trec_eval.arguments import (
    NICKNAMES,
    ZSCORES,
    MeasureName,
    Options,
    Stop,
    WantedMeasure,
    parse_decimal,
    wanted_measures,
)
from cleverdon.trec_eval.files import Topics, split_fields
from cleverdon.trec_eval.measures import Column

_FLOOR = 1e-5  # the least value in a geometric mean; lower ones count as this


def logarithms(columns: Sequence[Column]) -> list[Column]:
    """Return the columns as they are summed: those of geometric means as logarithms."""
    return [
        Column(column.name, column.label, np.log(np.maximum(column.values, _FLOOR)))
        if column.name.average == "geometric"
        else column
        for column in columns
    ]


def per_topic(columns: Sequence[Column], names: Sequence[str], *, z: bool) -> Iterator[str]:
    """Yield the lines of all topics, one topic after the other."""
    shown = [column for column in columns if column.name.where != "summary"]
    starts = [_start(column.name, column.label, z=z) for column in shown]
    values = [
        [f"'{text}'\n" for text in column.texts]
        if column.texts is not None
        else _printed(column.name, column.values, z=z)
        for column in shown
    ]
    for place, name in enumerate(names):
        for start, of_topics in zip(starts, values, strict=True):
            yield f"{start}{name}\t{of_topics[place]}"


def summary(
    columns: Sequence[Column], topics: Topics, options: Options, run_id: str
) -> Iterator[str]:
    """Yield the lines over all topics."""
    z = options.zscores is not None
    for column in columns:
        if column.name.where == "topics":
            continue
        start = _start(column.name, column.label, z=z)
        if column.name.printed == "text":
            yield f"{start}all\t{run_id}\n"
        else:
            value = np.array([_over_all(column, topics, options)])
            yield f"{start}all\t{_printed(column.name, value, z=z)[0]}"


def _over_all(column: Column, topics: Topics, options: Options) -> float:
    """Return the sum or mean of a column, added one by one in the order of topics."""
    evaluated = len(topics.rows)
    # With -c, even topics count that were not evaluated, as in version 9 those without results.
    count = len(topics.hits) if options.complete else evaluated
    if column.name.name == "num_q":
        return count
    if column.name.name == "num_rel" and options.complete:
        return topics.qrels.relevant
    total = float(np.add.accumulate(column.values)[-1])
    if column.name.average == "sum":
        return total
    if column.name.average == "geometric":
        return math.exp((total + (count - evaluated) * math.log(_FLOOR)) / count)
    return total / count


def _start(name: MeasureName, label: str, *, z: bool) -> str:
    mark = "Z" if z and name.printed != "text" else ""
    return f"{mark}{label:<22}\t"


def _printed(name: MeasureName, values: Floats, *, z: bool) -> list[str]:
    if name.printed == "count" and not z:
        return [f"{int(value)}\n" for value in values.tolist()]
    return [f"{value:6.4f}\n" for value in values.tolist()]


_MISSING_ZSCORE = -1000000.0  # the score where the file has no mean, or no deviation

_Means = dict[tuple[str, str], tuple[float, float]]
"""Topic and measure to mean and standard deviation."""


def read_means(path: str, encoding: str) -> _Means:
    """Read the file of means: topic, measure, mean, standard deviation."""
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError as error:
        raise Stop(ZSCORES, f"{path}: {error.strerror}") from None
    if not text:
        raise Stop(ZSCORES, f"{path}: is empty")
    means: _Means = {}
    lines = text.decode(encoding, errors="replace").removesuffix("\n").split("\n")
    for number, line in enumerate(lines, start=1):
        row = split_fields(line)
        if len(row) != 4:
            raise Stop(ZSCORES, f"{path}:{number}: expected 4 fields, found {len(row)}")
        topic, measure, mean, deviation = row
        means.setdefault((topic, measure), (parse_decimal(mean), parse_decimal(deviation)))
    return means


def as_zscores(columns: Sequence[Column], names: Sequence[str], means: _Means) -> list[Column]:
    """Return the columns with z-scores in place of values."""
    found = []
    for column in columns:
        known = [means.get((name, column.label), (np.nan, np.nan)) for name in names]
        mean, deviation = np.array(known).reshape(-1, 2).T
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = (column.values - mean) / deviation
        scores = np.where(
            deviation == 0, np.where(column.values == mean, 0, _MISSING_ZSCORE), scores
        )
        found.append(replace(column, values=np.where(np.isnan(scores), _MISSING_ZSCORE, scores)))
    return found


_OPTIONS = """\
cleverdon trec_eval [options] JUDGMENTS RESULTS

Evaluates the results of a run against judgments, as trec_eval does. RESULTS may be -, for standard
input. Both may be packed by gzip, zstd, bzip2 or xz.

Examples:
  cleverdon trec_eval qrels.txt bm25.run
  cleverdon trec_eval -q -c -m all_trec qrels.txt bm25.run
  zcat bm25.run.gz | cleverdon trec_eval -m ndcg_cut.10 qrels.txt -

  -h, --help                          print this; with -m, -R or -T also what they name
  -v, --version                       print the version
  -q, --query_eval_wanted             print the values of each topic, too
  -n, --nosummary                     print no values over all topics
  -m, --measure NAME[.PARAMETERS]     print this measure, or the measures of a nickname; again for
                                      more: -m P.5,10 -m ndcg.1=3,2=9 -m iprec_at_recall..1,.2
  -c, --complete_rel_info_wanted      count judged topics that the results lack
  -l, --level_for_rel N               documents are relevant from grade N on  [default: 1]
  -M, --Max_retrieved_per_topic N     count a topic's first N results only
  -J, --Judged_docs_only              leave out results that nobody judged
  -N, --Number_docs_in_coll N         how many documents there are, for utility  [default: 0]
  -R, --Rel_info_format FORMAT        the judgments' format  [default: qrels]
  -T, --Results_format FORMAT         the results' format  [default: trec_results]
  -Z, --Zscore FILE                   print distances from the means in FILE, in deviations
  -D, --Debug_level N.TOPIC           evaluate this topic only
  -o                                  has no effect
      --version-of 10|9               stand in for this version  [default: 10]

Exit codes: 1 wrong arguments, 2 a file or a parameter, 4 a topic that cannot be evaluated,
7 no topic to evaluate, 255 the file of means.
"""

_USUAL = ("trec_results", "qrels")
"""The formats that -T and -R have by default."""

_FORMATS = {
    "trec_results": "topic Q0 document rank score run; ordered by score, then by document",
    "qrels": "topic iteration document grade; a grade below 0 is pooled and not judged",
    "qrels_jg": "topic group document grade; measures are averaged over groups of assessors",
    "prefs": "topic group subgroup document level; of two levels, the higher is preferred",
    "qrels_prefs": "topic group document level; as prefs, each group having one subgroup",
}

_ABOUT = {
    "runid": "What the results call themselves, in the sixth field of the last line.",
    "iprec_at_recall": "Interpolated precision at levels of recall.",
    "Rprec_mult": "Precision at multiples of R.",
    "ideal_dcg": "Discounted cumulative gain of the ideal ranking.",
    "rbp_resid": "What rank-biased precision could still gain from what nobody judged.",
    "map_avgjg": "map, averaged over groups of assessors.",
    "P_avgjg": "P, averaged over groups of assessors.",
    "Rprec_mult_avgjg": "Rprec_mult, averaged over groups of assessors.",
    "prefs_num_prefs_poss": "How many preferences there are.",
    "prefs_num_prefs_ful": "How many preferences are fulfilled.",
    "prefs_simp": "The share of preferences that is fulfilled.",
    "prefs_pair": "The share of votes that agree with the run, averaged over pairs of documents.",
    "prefs_avgjg": "The share of preferences that is fulfilled, averaged over groups.",
    "prefs_avgjg_Rnonrel": "The same with as many non-relevant documents as relevant ones.",
}
_ENDINGS = {
    "_ret": " Only of pairs of which both were returned.",
    "_imp": " Only of pairs of which one at least was returned.",
}


def manual(options: Options, *, all: bool = False) -> str:
    """Return the text of `-h`; on one screen, unless all or what -m, -R, -T name is asked for."""
    formats = (options.results_format, options.qrels_format)
    if not (all or options.measures or formats != _USUAL):
        return f"{_OPTIONS}\nNicknames, which -h -m NAME explains: {', '.join(NICKNAMES)}\n"
    nicknames = (
        f"  {nick}: "
        f"{' '.join(one.name.name for one in wanted_measures([nick], version=options.version))}"
        for nick in NICKNAMES
    )
    told_formats = [f"  {name}: {_FORMATS[name]}" for name in formats if name in _FORMATS]
    asked = wanted_measures(options.measures, version=options.version) if options.measures else []
    measures = [f"  {one.name.name}: {_about(one)}" for one in asked]
    sections = {
        "Nicknames": nicknames,
        "Formats": told_formats,
        "Measures": measures or ["  name some with -m to read what they are, as in -h -m all_trec"],
    }
    told = (f"\n{title}\n" + "\n".join(lines) + "\n" for title, lines in sections.items())
    return _OPTIONS + "".join(told)


def _about(one: WantedMeasure) -> str:
    name = one.name.name
    if name in _ABOUT:
        return _ABOUT[name]
    for ending, more in _ENDINGS.items():
        if name.removesuffix(ending) in _ABOUT:
            return _ABOUT[name.removesuffix(ending)] + more
    try:
        return one_line(type(parse(one.labels[0])))
    except NotationError:
        return ""
