"""The calls in Python that stand behind each command, for `--python`.

A parameter of a function that is called like an option gets its value: only what has another name,
another form, or another place is written here. `cli/python.py` writes the scripts.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from cleverdon.cli.options import (
    SettingsOptions,
    as_typed,
    name_and_file,
    named_files,
    parse_grade_map,
)
from cleverdon.cli.python import (
    Call,
    Part,
    Raw,
    Script,
    Value,
    find_function,
    runs_in_python,
)
from cleverdon.formats.inputs import distinct_names, is_judging_project


def _qrels(given: Any) -> Any:
    """Return the judgments, or the texts of typed rankings, which hold theirs."""
    if as_typed(given.qrels) is None:
        return given.qrels
    texts = [given.raw["qrels"], *given.raw.get("runs", ())]
    return texts[0] if len(texts) == 1 else texts


def _runs(given: Any) -> Any:
    if as_typed(given.qrels) is not None:
        return None
    return runs_in_python(given.runs, given)


def _measures(given: Any) -> Any:
    """Return measures for the place behind the runs; typed rankings have none."""
    return None if as_typed(given.qrels) is not None else given.measures


def _measures_of_typed(given: Any) -> Any:
    return None if as_typed(given.qrels) is None else given.measures


def _columns(given: Any) -> Any:
    return given.raw.get("columns")


def _evaluate(name: str = "scores", **more: Any) -> Call:
    """Evaluate runs, with all choices on which tools differ."""
    keywords = {"measures": _measures_of_typed, "columns": _columns, **more}
    return Call("evaluate", _qrels, _runs, _measures, name=name, **keywords)


_SCORES = _evaluate()
_COMPARED = Call("compare", _SCORES, without=("measures", "systems"), name="comparison")
_LAYOUT = ("systems", "sort", "digits")

_BOUNDED = _evaluate(bounds="bounds")
_OF_BOUNDED = Call("compare", _BOUNDED, without=("measures", "systems"), name="comparison")
_TIES = tuple(_evaluate(name=way, ties=Value(way)) for way in ("worst", "best"))


def _tied(given: Any) -> Any:
    """Return the evaluations with the worst and the best order of ties, for the doubts."""
    rank = given.order_by == "rank" or as_typed(given.qrels) is not None
    return None if rank else _TIES


_DOUBTS = Call(
    "comparison.find_doubts",
    _OF_BOUNDED,
    name="doubts",
    tied=_tied,
    tuned_on=lambda given: _training(given),
)


def _training(given: Any) -> Any:
    if given.tuned_on is None:
        return None
    return Call("comparison.splits:read_training_queries", "tuned_on", name="tuned_on")


def _read_log(given: Any) -> Call:
    """Read the log, as the options say that have names of their own in commands."""
    how: dict[str, Any] = {name: Value(value) for name, value in vars(given.reading).items()}
    return Call("read_log", *map(Value, given.sources), name="log", **how)


def _confidence(given: Any) -> float:
    confidence: float | None = given.confidence
    return confidence or round(1 - given.level, 12)


_PROJECT = Call("open_project", "folder", name="project")


def _judgments(given: Any) -> Any:
    """Return a file of judgments, or the call that reads it in a format that is not guessed."""
    return _read_as(given, given.qrels, "judgments")


def _read_as(given: Any, file: str, name: str) -> Any:
    if given.qrels_format is None:
        return Value(file)
    return Call("Judgments.read", Value(file), format="qrels_format", name=name)


def _by_name(files: tuple[Any, ...]) -> dict[str, str]:
    return named_files(files, what="runs", naming=distinct_names)


def _named_runs(given: Any) -> Any:
    return _by_name(given.runs) if given.runs else None


_KEPT = _evaluate(keep="depth", bounds="bounds")
_OF_KEPT = Call(
    "compare",
    _KEPT,
    baseline=lambda given: None if given.alternative == "two-sided" else given.baseline_name,
    without=("measures", "systems"),
    name="comparison",
)
_FINDINGS = Call(
    "reports.content:check_files",
    "qrels",
    lambda given: [name_and_file(run)[1] for run in given.runs],
    name="findings",
)


_SAVE_PAGE = (
    Call(".save", "output"),
    Call(
        ".save_json",
        lambda given: given.output.with_suffix(".json"),
        when=lambda given: given.as_json,
    ),
)


def _sheet(given: Any) -> Any:
    return find_function("pooling.files:sheet_beside")(given.output)


_WRITE_POOL = Call(
    "pooling.write_pool",
    Raw("pool"),
    "output",
    sheet=_sheet,
    without=("queries", "documents"),
)
_CHOICES = [name for name in SettingsOptions.fields if name != "columns"]
"""The choices that functions pass on to `evaluate`."""


def _save_plot(name: str = "plot") -> Call:
    return Call(".plot().save", name, when=lambda given: getattr(given, name) is not None)


_WRITE_JUDGMENTS = Call(".judgments.write", "output", format="to")


EQUIVALENTS: dict[str, tuple[Script, ...]] = {
    "eval": (
        Script(
            Call(
                "by_rank:measure_by_rank",
                Call("evaluate", _qrels, _runs, columns=_columns, keep=Value(1), name="scores"),
                "measures",
            ),
            view=("digits",),
            when=lambda given: given.down,
        ),
        Script(
            Call("comparison.measure_risk", _SCORES, without=("measures",)),
            view=("digits",),
            when=lambda given: given.alpha is not None,
        ),
        Script(
            _evaluate(bounds="bounds", rest="rest", unjudged="unjudged"),
            view=("per_query", "average", "baseline", *_LAYOUT),
        ),
    ),
    "compare": (Script(_COMPARED, view=_LAYOUT),),
    "claim": (
        Script(
            Call("comparison.reporting_checklist", _OF_BOUNDED, tuned_on=_training),
            when=lambda given: given.checklist,
        ),
        Script(Call("claim", _OF_BOUNDED, doubts=_DOUBTS, name="claims")),
    ),
    "slices": (Script(Call("slice_by", _SCORES, "attributes", without=("measures", "systems"))),),
    "power": (
        Script(
            Call("comparison.plan_queries", "difference", "deviation"),
            when=lambda given: given.qrels is None,
        ),
        Script(Call("power", _COMPARED, without=("level",))),
    ),
    "flip": (
        Script(
            Call(
                "could_flip",
                "qrels",
                "run_a",
                "run_b",
                lambda given: given.measures[0],
                unjudged=lambda given: True if given.grade is None else given.grade,
            ),
            when=lambda given: len(given.measures) == 1 and not given.raw.get("columns"),
        ),
    ),
    "worst": (
        Script(
            Call(
                "worst",
                Call(
                    "evaluate",
                    "qrels",
                    lambda given: [given.old, given.new],
                    "measure",
                    columns=_columns,
                    keep=lambda given: _looking_depth(given),
                    name="scores",
                ),
                lambda given: _run_names(given)[0],
                lambda given: _run_names(given)[1],
                n=lambda given: given.n or Raw("None"),
                without=("measure",),
            ),
            then=(
                Call(
                    ".write_unjudged",
                    "to_judge",
                    when=lambda given: given.to_judge is not None,
                ),
            ),
            when=lambda given: not (given.to_judge and (given.queries or given.documents)),
        ),
    ),
    "correlate": (
        Script(
            Call(
                "comparison.compare_runs",
                lambda given: given.two_runs[0],
                lambda given: given.two_runs[1],
                coefficients="ways",
                p="persistence",
            ),
            when=lambda given: (
                given.two_runs
                and not any(
                    getattr(given, name) for name in ("run_format", "order_by", "duplicates")
                )
            ),
        ),
        Script(
            Call(
                "correlate",
                _SCORES,
                p="persistence",
                symmetric=lambda given: not given.first_is_truth,
                other=lambda given: _other_scores(given),
                without=("measures", "systems"),
            ),
            when=lambda given: given.qrels and not given.attributes,
        ),
    ),
    "splits": (
        Script(
            Call(
                "split",
                lambda given: Part(
                    Call("Judgments.read", "qrels", format="qrels_format", name="judgments"),
                    ".queries",
                ),
                scores=lambda given: _difficulty(given),
                name="splits",
            ),
            then=(Call("comparison.write_splits", Raw("splits"), "output"),),
            show=False,
            when=lambda given: given.output != "-",
        ),
    ),
    "tune": (
        Script(
            Call(
                "tune",
                _named_runs,
                "qrels",
                "measure",
                lambda given: int(given.folds) if given.folds.isdecimal() else given.folds,
                baseline="baseline",
                given=_CHOICES,
            ),
            when=lambda given: not given.raw.get("columns"),
        ),
    ),
    "recall": (
        Script(
            Call("estimate_recall", "qrels", "runs", reusing=lambda given: not given.no_reuse),
            then=(_save_plot(),),
        ),
    ),
    "check": (
        Script(
            Call("checks.check_files", "files", limit=lambda given: given.limit or Raw("None")),
        ),
    ),
    "audit": (
        Script(Call("auditing.list_tools"), when=lambda given: given.list_),
        Script(Call("auditing.audit", "tool"), view=("all_",)),
    ),
    "convert": (Script(Call("convert", "source", "target"), show=False),),
    "agree": (
        Script(
            Call(
                "agree",
                lambda given: _labels(given),
                coefficients="coefficients",
                per_query="per_query",
                disputed="disagreements",
                aggregation="aggregation",
                confidence=_confidence,
                resamples="resamples",
                without=("runs", "measures", "models", "exclude", "rel"),
            ),
            view=("confusion",),
            then=(_save_plot(),),
            when=lambda given: not (given.runs or given.models or given.output or _project(given)),
        ),
    ),
    "pool make": (
        Script(
            Call("pool", "runs", name="pool"),
            then=(_WRITE_POOL,),
            when=lambda given: not (given.queries or given.documents),
        ),
    ),
    "pool sample": (
        Script(
            Call("pooling.sample_collection", "docs", strata="strata_file", name="pool"),
            then=(_WRITE_POOL,),
        ),
    ),
    "pool qrels": (
        Script(
            Call(
                "pooling.judged_pool",
                Call("pooling.read_pool", "pool", name="pool"),
                Call("pooling.read_grades", "sheets", format="qrels_format", name="grades"),
                kind="qrels_kind",
            ),
            then=(Call(".judgments.write", "output"),),
            show=False,
            when=lambda given: given.qrels_kind in (None, "plain"),
        ),
    ),
    "pool simulate": (
        Script(Call("pooling.simulate_methods", "runs", "qrels", "methods"), then=(_save_plot(),)),
    ),
    "pool votes": (Script(Call("vote", "runs")),),
    "pool expand": (
        Script(
            Call("pooling.expand", "qrels", "sheets"),
            then=(_save_plot(),),
            when=lambda given: given.output is None,
        ),
    ),
    "report": (
        Script(
            Call(
                "report",
                lambda given: _KEPT if len(given.runs) == 1 else _OF_KEPT,
                baseline="baseline",
                doubting=lambda given: None if len(given.runs) == 1 else _doubting(given),
                findings=lambda given: _FINDINGS if given.check else None,
                without=("costs",),
                name="report",
            ),
            then=_SAVE_PAGE,
            show=False,
            when=lambda given: (
                given.runs and as_typed(given.qrels) is None and not (given.costs or given.repeats)
            ),
        ),
    ),
    "gate": (
        Script(
            Call(
                "gate",
                Call(
                    "evaluate",
                    "qrels",
                    lambda given: {
                        "run": given.run,
                        **({"baseline": given.baseline} if given.baseline else {}),
                    },
                    lambda given: find_function("comparison.cli.gate:measures_of_rules")(
                        given.record
                    ),
                    columns=_columns,
                    name="scores",
                ),
                "rules",
                system=Value("run"),
                baseline=lambda given: "baseline" if given.baseline else None,
                without=("costs", "baseline_costs"),
                name="result",
            ),
            when=lambda given: (
                as_typed(given.qrels) is None
                and not str(given.baseline).endswith(".json")
                and not (given.costs or given.baseline_costs or given.json_file or given.junit_file)
            ),
        ),
    ),
    "plot": (
        Script(
            lambda given: _plot(given),
            then=(
                Call(
                    "plots.save",
                    Raw("chart"),
                    lambda given: given.output or f"{given.kind.replace('_', '-')}.svg",
                    dark="dark",
                ),
            ),
            show=False,
            when=lambda given: (
                given.kind
                and not (given.listed or given.costs or given.queries)
                and not (given.files and as_typed(given.files[0]))
            ),
        ),
    ),
    "explain": (
        Script(
            Call("profiles.profile_differences", name="differences"),
            when=lambda given: (
                given.profiles
                and {name for name, value in given.raw.items() if value} == {"profiles", "python_"}
            ),
        ),
        Script(
            Call(
                "explanation.trace_difference",
                lambda given: _trace(given, given.runs[0], "first"),
                lambda given: _trace(given, given.diff, "second"),
            ),
            view=("depth",),
            when=lambda given: given.diff and _traces(given),
        ),
        Script(
            lambda given: _trace(given, given.runs[0], "trace"),
            view=("depth",),
            when=lambda given: not given.diff and _traces(given),
        ),
    ),
    "collection stats": (
        Script(
            Call(
                "collection.collection_stats",
                _judgments,
                "runs",
                texts="queries",
                ks=lambda given: _cutoffs(given),
            ),
            shown=lambda given: (
                f".holes({given.holes})"
                if given.holes is not None
                else ".by_query()"
                if given.per_query
                else ""
            ),
        ),
    ),
    "collection diff": (
        Script(
            Call(
                "collection.diff",
                lambda given: _read_as(given, given.before, "before"),
                lambda given: _read_as(given, given.after, "after"),
                given=("baseline", "test", "alternative", "correction", "level", "seed"),
                runs=lambda given: given.runs and list(given.runs),
            ),
            shown=lambda given: (
                ".by_judgment()" if given.changes else ".by_query()" if given.per_query else ""
            ),
        ),
    ),
    "collection filter": (
        Script(
            Call(
                "collection.filter_judgments",
                _judgments,
                queries="query_ids",
                docs="document_ids",
                grades=lambda given: parse_grade_map(given.grades),
            ),
            then=(_WRITE_JUDGMENTS,),
            show=False,
            when=lambda given: not (given.query_file or given.document_file or given.output == "-"),
        ),
    ),
    "collection merge": (
        Script(
            Call(
                "collection.merge",
                lambda given: [_read_as(given, one, "judgments") for one in given.qrels],
                contradictions_file="contradictions",
            ),
            then=(_WRITE_JUDGMENTS,),
            show=False,
            when=lambda given: given.output != "-",
        ),
    ),
    "collection subset": (
        Script(
            Call("collection.take_subset", _judgments, "runs"),
            then=(Call("[-1].judgments.write", "output", format="to"),),
            show=False,
            when=lambda given: given.output != "-",
        ),
    ),
    "logs check": (Script(Call("logs.examine", _read_log)),),
    "logs metrics": (
        Script(
            Call(
                "measure_log",
                _read_log,
                "metrics",
                confidence=_confidence,
                strict=lambda given: bool(given.metrics),
            ),
            when=lambda given: not given.sql,
        ),
    ),
    "logs abtest": (
        Script(
            Call("abtest", _read_log, "metrics", guardrails=lambda given: _guardrails(given)),
            when=lambda given: not given.sql,
        ),
    ),
    "logs interleave": (
        Script(
            Call(
                "interleave",
                _read_log,
                Call("logs.interleaving:read_records", "records", name="records"),
                given=(
                    *("a", "b", "unit", "test", "difference", "target", "level", "interval"),
                    *("confidence", "seed"),
                ),
            ),
        ),
    ),
    "logs judge": (
        Script(
            Call(
                "clicks_to_judgments",
                _read_log,
                "output",
                models=lambda given: (
                    Call(
                        "logs.clicks.base:models_named",
                        lambda _: given.raw["click_model"],
                        name="models",
                    )
                    if given.raw.get("click_model")
                    else None
                ),
                grades=lambda given: (
                    Call(
                        "logs.clicks.judgments:GradeBounds.parse",
                        lambda _: given.raw["grades"],
                        name="grades",
                    )
                    if given.raw.get("grades")
                    else None
                ),
            ),
        ),
    ),
    "logs report": (
        Script(
            Call("logs.logs_report", _read_log, name="report"),
            then=_SAVE_PAGE,
            show=False,
        ),
    ),
    "logs explain": (Script(Call("logs.explain_metric", "name")),),
    "logs generate": (
        Script(
            Call(
                "logs.generate_log",
                "folder",
                given=(
                    *("events", "seed", "days", "variants", "effect", "mismatch", "bots"),
                    *("missing", "anonymous", "faults", "keystrokes"),
                ),
                name="truth",
            ),
            show=False,
        ),
    ),
    "judge init": (
        Script(
            Call("judging.create_project", "folder", runs=_named_runs, name="created"),
            when=lambda given: not given.run,
        ),
    ),
    "judge backup": (
        Script(Call("judging.backup_project", _PROJECT, "output"), inside=_PROJECT, show=False),
    ),
    "judge status": (Script(Call("judging.project_status", _PROJECT), inside=_PROJECT),),
    "judge people": (
        Script(
            Call("judging.manage_people", _PROJECT),
            inside=_PROJECT,
            when=lambda given: not given.raw.get("password"),
        ),
    ),
    "judge assign": (
        Script(
            Call("judging.project_workload", _PROJECT),
            inside=_PROJECT,
            when=lambda given: given.raw.get("listed"),
        ),
        Script(Call("judging.assign_queries", _PROJECT), inside=_PROJECT),
    ),
    "judge import": (
        Script(
            Call("judging.import_judgments", _PROJECT, "file", name="imported"),
            inside=_PROJECT,
            shown=lambda given: f".summary(dry_run={given.dry_run})",
        ),
    ),
    "judge restore": (Script(Call("judging.restore_project", "file", "folder"), show=False),),
    "judge export": (
        Script(
            Call("judging.export_judgments", _PROJECT, "output"),
            inside=_PROJECT,
            show=False,
            when=lambda given: given.output != "-",
        ),
    ),
    "search": (
        Script(
            Call(
                "engines.search_to_file",
                "engine",
                "queries",
                "output",
                given=("k", "concurrency", "field", "scores"),
            ),
            show=False,
            when=lambda given: given.timeout == 10 and given.tries == 3 and not given.allow_failed,
        ),
    ),
    "bench": (
        Script(
            Call("bench", "engine", "queries", mode=lambda given: given.record.mode()),
            then=(_save_plot(),),
            when=lambda given: given.json_file is None and given.hdr is None,
        ),
    ),
    "index": (
        Script(
            Call(
                "index",
                lambda given: None if given.command else given.arguments[0],
                lambda given: given.arguments if given.command else given.arguments[1:],
            ),
            then=(_save_plot(),),
            when=lambda given: not (given.pids or given.folders or given.json_file),
        ),
    ),
}
"""The scripts of each command: the first whose condition holds."""

WITHOUT = {
    "measures": "in Python, cleverdon.measures has every measure, and help() describes it",
    "explain": "in Python, help() describes a measure, and cleverdon.explain() traces a score",
    "plot": "cleverdon.plots has a function for each kind of plot; with texts, costs or typed "
    "rankings, it takes more than one call",
    "report": "with costs, repeated runs or typed rankings, it is more than one call; in Python, "
    "cleverdon.report() takes what cleverdon.compare() returns",
    "gate": "in Python, cleverdon.gate() takes what cleverdon.evaluate() returns, and rules",
    "demo": "it runs many commands; try cleverdon.evaluate() on what it wrote",
    "trec_eval": "it stands in for another program; in Python, the profile trec_eval-10 of "
    "cleverdon.evaluate() gives its numbers",
    "spark eval": "cleverdon.evaluate() takes frames of the active session, and names of tables "
    "such as 'spark:qrels'",
    "judge serve": "it is a server that runs until you stop it",
    "pool next": "it goes on with a journal; in Python, cleverdon.pooling.next_batch() does",
    "collection split": "in Python, cleverdon.collection.split_into_files() makes the parts",
    "logs bridge": "in Python, cleverdon.logs.bridge() takes a log, queries and scores",
}
"""Commands that are more than one call, and what Python has instead."""


def _plot(given: Any) -> Call:
    """Draw: of measures alone, of scores, or of a comparison."""
    files = given.files[1:]
    names = list(_by_name(files)) if files else []
    function, how = find_function("plots.cli:plot_call")(given.record, names)
    drawn: dict[str, Any] = {name: Value(value) for name, value in how["draw"].items()}
    without = tuple(name for name in vars(given) if name not in drawn)
    if how["of"] == "measures":
        return Call(f"plots.{function}", name="chart", without=without, **drawn)
    wanted: dict[str, Any] = {
        name: Value(value) for name, value in how["evaluate"].items() if name != "measures"
    }
    scores = Call(
        "evaluate",
        Value(given.files[0]),
        Value(runs_in_python(files, given)),
        Value(how["evaluate"]["measures"]),
        name="scores",
        columns=_columns,
        **wanted,
    )
    source = scores
    if how["compare"] is not None:
        compared: dict[str, Any] = {name: Value(value) for name, value in how["compare"].items()}
        source = Call("compare", scores, name="comparison", without=without, **compared)
    return Call(f"plots.{function}", source, name="chart", without=without, **drawn)


def _trace(given: Any, run: str, name: str) -> Call:
    measure = Value(given.measures[0])
    return Call("explain", "what", Value(run), measure, given=_CHOICES, name=name)


def _traces(given: Any) -> bool:
    """Tell whether the command traces one score, without texts."""
    return (
        len(given.runs) == len(given.measures) == 1
        and given.format_ != "json"  # a list, of one trace for each measure
        and as_typed(given.what) is None
        and not (given.queries or given.documents or given.raw.get("columns"))
    )


def _doubting(given: Any) -> Any:
    found = {
        "tied": _tied(given),
        "silence": given.silence,
        "pooled": given.pooled,
        "tuned_on": _training(given),
    }
    return {name: value for name, value in found.items() if value}


def _difficulty(given: Any) -> Call | None:
    """Evaluate the runs that say which queries are hard."""
    if given.difficulty is None:
        return None
    return Call(
        "evaluate", "qrels", _runs, Value([given.difficulty]), name="scores", columns=_columns
    )


def _looking_depth(given: Any) -> int:
    from cleverdon.profiles import find_profile

    measure = find_profile(given.profile).parse(given.measure)
    depth: int = find_function("comparison.worst_queries:looking_depth")(measure, given.depth)
    return depth


def _run_names(given: Any) -> list[str]:
    return list(_by_name((given.old, given.new)))


def _other_scores(given: Any) -> Call | None:
    if given.other is None:
        return None
    return Call("evaluate", "other", _runs, "measures", name="others", columns=_columns)


def _cutoffs(given: Any) -> Any:
    default = find_function("collection.description:KS")
    more = () if given.holes is None else (given.holes,)
    return (*(given.ks or default), *more)


def _labels(given: Any) -> Call | Part:
    """Read the judges: with new grades, by the function that also knows models."""
    named = [name_and_file(one) for one in given.qrels]
    files = dict(named) if all(name for name, _ in named) else [file for _, file in named]
    if not (given.grades or given.rel is not None):
        return Call("agreement.read_labels", Value(files), format="qrels_format", name="labels")
    people = files if isinstance(files, dict) else {PurePath(one).stem: one for one in files}
    read = Call(
        "agreement.read_judges",
        Value(people),
        format="qrels_format",
        grades=Value(parse_grade_map(given.grades)),
        name="judges",
    )
    return Part(read, ".labels")


def _project(given: Any) -> bool:
    return any(is_judging_project(file) for file in given.qrels)


def _guardrails(given: Any) -> Any:
    found = given.guardrails
    return Raw("()") if found == () and "guardrails" in given.raw else found
