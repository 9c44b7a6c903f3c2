"""cleverdon judge init: a project out of topics, documents, and what is to be judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import judge_options, options, pool_options

if TYPE_CHECKING:
    from cleverdon.assess.setup.to_judge import ToJudge

_DEPTH = 20
_OF_RUNS = ("depth", "adaptive", "run_format", "order_by")
_OF_ADAPTIVE = ("budget", "target", "patience")


@click.command()
@judge_options.folder
@click.argument("more_runs", nargs=-1, metavar="", type=click.Path())
@click.option(
    "--topics",
    required=True,
    type=click.Path(),
    metavar="FILE",
    help="What is asked for: TREC topics, JSONL, CSV or TSV with titles, descriptions, narratives; "
    "or the queries that `cleverdon logs bridge` writes.",
)
@click.option(
    "--docs",
    required=True,
    multiple=True,
    type=click.Path(),
    metavar="FILE",
    help="The documents: JSONL, TREC, TSV, Parquet, a folder; again for more. Only those that are "
    "to be judged are kept. HTML is shown as text.",
)
@click.option(
    "--pool",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="What to judge: a pool of `cleverdon pool make`, a sheet, qrels, or queries and documents "
    "a line.",
)
@click.option(
    "--runs",
    multiple=True,
    type=click.Path(),
    metavar="RUN...",
    help="Or pool these runs, down to --depth.",
)
@click.option(
    "-k",
    "--depth",
    type=options.COUNT,
    metavar="K",
    help="With --runs: the first K results of each run and query.  "
    f"[default: {_DEPTH}; with --adaptive all]",
)
@click.option(
    "--adaptive",
    metavar="METHOD",
    help="With --runs: give out one document after the other, as judgments tell, by mtf, max-mean, "
    "thompson, ...; `cleverdon pool next --methods` lists them.",
)
@click.option("--budget", type=options.COUNT, metavar="N", help="End a topic after N documents.")
@click.option("--target", type=options.COUNT, metavar="N", help="End it after N relevant ones.")
@click.option(
    "--patience",
    type=options.COUNT,
    metavar="N",
    help="End it after N in a row that are not relevant. These three go with --adaptive.",
)
@options.runs_read
@click.option(
    "--scale",
    default="0..3",
    show_default=True,
    metavar="SCALE",
    help="The grades: their ends, or a TOML file with names, colours and guidelines.",
)
@click.option(
    "--guidelines",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A text for all assessors, shown beside the documents.",
)
@click.option(
    "--gold",
    type=click.Path(dir_okay=False),
    metavar="QRELS",
    help="Documents whose grades are known: everybody judges them, and it shows who looks closely.",
)
@click.option(
    "--overlap",
    metavar="SHARE|N",
    help="Let two people judge some of the documents: a share as 0.1, or so many of each topic.",
)
@click.option(
    "--judges",
    type=options.Count(1, 20),
    default=1,
    show_default=True,
    metavar="N",
    help="Let N people judge every document.",
)
@click.option(
    "--assessors",
    metavar="NAME,...",
    help="Make accounts for these people, and deal the topics out to them.",
)
@click.option(
    "--by",
    type=click.Choice(["topic", "document"]),
    default="topic",
    show_default=True,
    help="With --assessors: a topic is one person's, or all share each topic's documents.",
)
@click.option("--title", metavar="TEXT", help="What the project is called.  [default: as DIR]")
@click.option(
    "--database",
    metavar="URL",
    help="PostgreSQL, as postgresql://USER:PASSWORD@HOST/NAME.  [default: a file in DIR]",
)
@options.seed("order of documents, and the same overlap")
def command(
    folder: str,
    more_runs: tuple[str, ...],
    topics: str,
    docs: tuple[str, ...],
    scale: str,
    guidelines: Path | None,
    gold: str | None,
    overlap: str | None,
    judges: int,
    assessors: str | None,
    by: Any,
    title: str | None,
    database: str | None,
    seed: int,
    **source: Any,
) -> None:
    """Make a project in DIR: topics, documents, what is to be judged, a scale.

    Within a topic documents are shuffled, and nothing that assessors see tells which run returned
    them. If anything goes wrong, nothing is left behind.

    \b
    Examples:
      cleverdon judge init judging --topics topics.tsv --pool pool.tsv --docs docs.jsonl
      cleverdon judge init judging --topics topics.txt --docs corpus/ --runs *.run --depth 20
      cleverdon judge init judging --topics topics.tsv --docs docs.jsonl --runs *.run \\
          --adaptive mtf --patience 30
      cleverdon judge init judging --topics topics.tsv --pool pool.tsv --docs docs.jsonl \\
          --scale grades.toml --overlap 0.1 --gold gold.qrels --assessors ann,bob
    """
    if more_runs and not source["runs"]:
        raise click.UsageError(f"what is {more_runs[0]!r}? Runs are given by --runs")
    source["runs"] = (*source["runs"], *more_runs)
    _check(source, overlap, judges, assessors)
    judge_options.needs_web()

    from cleverdon.assess.setup.beginning import check_free
    from cleverdon.assess.setup.documents import Documents
    from cleverdon.assess.setup.gold import read_gold
    from cleverdon.assess.setup.items import parse_overlap
    from cleverdon.assess.setup.made_of import made_of
    from cleverdon.assess.setup.making import Plan, make_project
    from cleverdon.assess.setup.scale_file import read_scale
    from cleverdon.assess.setup.topics import read_topics, storable
    from cleverdon.cli.judge_summary import summary, warn
    from cleverdon.cli.progress import bar
    from cleverdon.read.texts import Text

    check_free(folder)  # before anything takes long
    grades, general = read_scale(scale)
    drawn = None if overlap is None else parse_overlap(overlap)
    if guidelines is not None:
        general = _read(guidelines)
    with bar("reading the pool"):
        to_judge = _to_judge(source, seed)
    known = read_gold(gold, topics=to_judge.topics, scale=grades) if gold else {}
    with bar(f"reading {topics}") as update:
        read = read_topics(topics, to_judge.topics, progress=update)
    wanted = dict.fromkeys(each.document for each in to_judge.candidates)
    wanted |= dict.fromkeys(document for of_topic in known.values() for document in of_topic)
    with bar("taking digests"):
        files = made_of({"topics": topics, "docs": list(docs), "gold": gold, **_files(source)})
    with bar("reading documents") as update:
        plan = Plan(
            to_judge=to_judge,
            topics=read,
            documents=Documents(docs, wanted, progress=update),
            scale=grades,
            title=storable(Text(title or "", Path(folder).resolve().name).line) or "Judging",
            guidelines=storable(general),
            seed=seed,
            gold=known,
            judges=judges,
            overlap=drawn,
            assessors=_names(assessors),
            by=by,
            made_of=files,
        )
        made = make_project(folder, plan, database=database)
    warn(folder, plan, made, len(wanted))
    click.echo(summary(folder, plan, made, len(wanted)))


def _check(source: dict[str, Any], overlap: str | None, judges: int, assessors: str | None) -> None:
    """Options that do not go together are refused before anything is read."""
    if bool(source["pool"]) == bool(source["runs"]):
        raise click.UsageError(
            "what is to be judged? Give --pool, or --runs" + (", not both" * bool(source["pool"]))
        )
    options.check_of_use(source["runs"], _OF_RUNS, "--runs")
    options.check_of_use(source["adaptive"], _OF_ADAPTIVE, "--adaptive")
    options.check_of_use(assessors, ["by"], "--assessors")
    if overlap is not None and judges > 1:
        raise click.UsageError("--overlap is for documents that one person judges: drop --judges")


def _to_judge(source: dict[str, Any], seed: int) -> ToJudge:
    from cleverdon.assess.setup import to_judge
    from cleverdon.pool.adaptive import Limits, parse_method

    if source["pool"]:
        return to_judge.of_file(source["pool"])
    adaptive = None
    depth = source["depth"]
    if source["adaptive"] is not None:
        limits = Limits(**{name: source[name] for name in _OF_ADAPTIVE})
        adaptive = to_judge.Adaptive(parse_method(source["adaptive"]), limits)
    else:
        depth = depth or _DEPTH
    how = {"run_format": source["run_format"], "order_by": source["order_by"]}
    found = pool_options.gathered(source["runs"], depth=depth, **how)
    pool_options.warn_of_missing(found)
    if adaptive:
        return to_judge.of_runs_adaptively(found, adaptive, seed=seed)
    return to_judge.of_runs(found, depth=depth, seed=seed)


def _files(source: dict[str, Any]) -> dict[str, Any]:
    if source["pool"]:
        return {"pool": source["pool"]}
    return {"runs": [options.name_and_file(run)[1] for run in source["runs"]]}


def _names(assessors: str | None) -> tuple[str, ...]:
    names = [name.strip() for name in (assessors or "").split(",")]
    return tuple(dict.fromkeys(name for name in names if name))


def _read(path: Path) -> str:
    from cleverdon.errors import InputError

    try:
        return path.read_text(encoding="utf-8-sig").strip()
    except FileNotFoundError:
        raise InputError("there is no such file", source=str(path)) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", source=str(path)) from None
