"""What `-h` prints: all options, and what is known of the formats and measures that are named."""

from __future__ import annotations

from cleverdon.errors import NotationError
from cleverdon.measures.base import one_line
from cleverdon.measures.notation import parse
from cleverdon.trec_eval.names import NICKNAMES, Wanted, wanted
from cleverdon.trec_eval.options import Options

_OPTIONS = """\
cleverdon trec_eval [options] JUDGMENTS RESULTS

Evaluates the results of a run against judgments, as trec_eval does. RESULTS may be -, for standard
input. Both may be packed by gzip, zstd, bzip2 or xz.

  -h, --help                          print this, and what -m, -R and -T name
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

Examples:
  cleverdon trec_eval qrels.txt bm25.run
  cleverdon trec_eval -q -c -m all_trec qrels.txt bm25.run
  zcat bm25.run.gz | cleverdon trec_eval -m ndcg_cut.10 qrels.txt -

Exit codes: 1 wrong arguments, 2 a file or a parameter, 4 a topic that cannot be evaluated,
7 no topic to evaluate, 255 the file of means.
"""

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


def manual(options: Options) -> str:
    """The text of `-h`."""
    nicknames = (
        f"  {nick}: {' '.join(one.name.name for one in wanted([nick], version=options.version))}"
        for nick in NICKNAMES
    )
    formats = [
        f"  {name}: {_FORMATS[name]}"
        for name in (options.results_format, options.qrels_format)
        if name in _FORMATS
    ]
    asked = wanted(options.measures, version=options.version) if options.measures else []
    measures = [f"  {one.name.name}: {_about(one)}" for one in asked]
    sections = {
        "Nicknames": nicknames,
        "Formats": formats,
        "Measures": measures or ["  name some with -m to read what they are, as in -h -m all_trec"],
    }
    told = (f"\n{title}\n" + "\n".join(lines) + "\n" for title, lines in sections.items())
    return _OPTIONS + "".join(told)


def _about(one: Wanted) -> str:
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
