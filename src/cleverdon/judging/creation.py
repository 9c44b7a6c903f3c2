"""Creation of a project: its inputs are read and checked, then written in one transaction.

The digests of the input files are stored, so that they can be recognised later.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from typing import Any

from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted
from cleverdon.errors import InputError, OptionError
from cleverdon.formats.inputs import open_source
from cleverdon.formats.texts import Text, files_of
from cleverdon.judging.assignment import By, distribute_queries
from cleverdon.judging.candidates import (
    Adaptive,
    Candidates,
    Gold,
    Overlap,
    adaptive_candidates,
    candidates_of_runs,
    make_items,
    parse_overlap,
    read_candidates,
    read_gold,
)
from cleverdon.judging.contents import Documents, Query, fill_database, read_queries, storable
from cleverdon.judging.people.accounts import COMMAND_LINE, add_person
from cleverdon.judging.project import (
    POOL,
    Project,
    check_free_folder,
    create_private_file,
    new_project,
    open_project,
)
from cleverdon.judging.queue import Feeder
from cleverdon.judging.scale import Scale, read_scale
from cleverdon.judging.workload import compute_workload
from cleverdon.pooling.adaptive.judging import Limits
from cleverdon.pooling.adaptive.methods import parse_method
from cleverdon.pooling.contributions import gather
from cleverdon.pooling.files import write_pool

_DEPTH = 20  # of a pool of runs, by default
_EXAMPLES = 5


@dataclass(frozen=True)
class ProjectPlan:
    """All contents of a project, read and checked."""

    to_judge: Candidates
    queries: list[Query]
    documents: Documents
    scale: Scale
    title: str
    guidelines: str = ""
    seed: int = 0
    gold: Gold = field(default_factory=dict)
    judges: int = 1
    overlap: Overlap | None = None
    assessors: tuple[str, ...] = ()
    by: By = "query"
    made_of: Mapping[str, Any] = field(default_factory=dict)  # files and their digests
    notes: tuple[str, ...] = ()  # on the runs


@dataclass(frozen=True)
class CreatedProject:
    """A new project, in numbers.

    Attributes:
        folder: The folder of the project.
        plan: The choices that it was made by.
        queries: The number of queries.
        items: Documents to judge, summed over queries.
        twice: Items that several people judge.
        gold: Items whose grade is known.
        documents: Different documents.
        missing: Documents without a text.
        short: Queries with too few people for the items that several judge.

    `create_project` returns it.

    >>> from dataclasses import fields
    >>> [field.name for field in fields(CreatedProject)][2:4]
    ['queries', 'items']
    """

    folder: str
    plan: ProjectPlan
    queries: int
    items: int
    twice: int
    gold: int
    documents: int
    missing: tuple[str, ...]
    short: int

    @property
    def notes(self) -> list[str]:
        """Warnings: documents without a text, an overlap that is empty, too few people."""
        notes = list(self.plan.notes)
        if self.missing:
            examples = ", ".join(map(repr, self.missing[:_EXAMPLES]))
            more = ", ..." if len(self.missing) > _EXAMPLES else ""
            notes.append(
                f"warning: no text of {len(self.missing):,} of {self.documents:,} documents to "
                f"judge ({examples}{more}): assessors see their ids and addresses alone"
            )
        overlap = self.plan.overlap
        if overlap is not None and overlap.share and not self.twice:
            notes.append(
                f"warning: an overlap of {overlap.share:.3g} drew none of so few documents; "
                "--overlap 1 takes one of each query"
            )
        if self.short:
            notes.append(
                f"warning: {counted(self.short, 'query')} with too few people for what several "
                "are to judge: add some by `cleverdon judge people`, and then run "
                f"`cleverdon judge assign {quote(self.folder)}`"
            )
        return notes

    def __str__(self) -> str:
        """Return the numbers, and the commands to run next."""
        plan, adaptive = self.plan, self.plan.to_judge.adaptive
        scale = ", ".join(f"{grade.value} {grade.name}" for grade in plan.scale.grades)
        given_out = f"as {adaptive.method} gives them, out of " if adaptive else ""
        lines = {
            "queries": f"{self.queries:,}",
            "documents": f"{self.documents:,}",
            "to judge": f"{given_out}{self.items:,}{_limits_text(adaptive)}",
            "by several": f"{self.twice:,} ({max(plan.judges, 2)} people each)"
            if self.twice
            else "none",
            "gold": f"{self.gold:,}" if self.gold else "none",
            "scale": f"{scale}; relevant from {plan.scale.relevant} on",
            "assessors": ", ".join(plan.assessors) or "none yet",
        }
        width = max(map(len, lines))
        folder = quote(self.folder)
        links = " ".join(f"--link {quote(name)}" for name in plan.assessors)
        return "\n".join(
            [
                f"{self.folder}: {plan.title}, {counted(self.items, 'document')} "
                + ("to choose from" if adaptive else "to judge"),
                *(f"  {name:<{width}}  {value}" for name, value in lines.items()),
                "Next:",
                f"  cleverdon judge people {folder} {links or '--add NAME'}",
                *([] if plan.assessors else [f"  cleverdon judge assign {folder}"]),
                f"  cleverdon judge serve {folder}",
            ]
        )


def _limits_text(adaptive: Adaptive | None) -> str:
    """Return when a query of an adaptive pool ends."""
    if adaptive is None:
        return ""
    limits = {
        "after {:,}": adaptive.limits.budget,
        "once {:,} are relevant": adaptive.limits.target,
        "after {:,} in a row that are not": adaptive.limits.patience,
    }
    given = [text.format(number) for text, number in limits.items() if number is not None]
    return f"; a query ends {', or '.join(given)}" if given else ""


@shows_progress("creating the project")
def create_project(
    folder: str | os.PathLike[str],
    *,
    queries: str,
    docs: Sequence[str],
    pool: str | None = None,
    runs: Mapping[str, str] | None = None,
    depth: int | None = None,
    adaptive: str | None = None,
    budget: int | None = None,
    target_relevant: int | None = None,
    patience: int | None = None,
    run_format: str | None = None,
    order_by: str = "score",
    scale: str = "0..3",
    guidelines: str | os.PathLike[str] | None = None,
    gold: str | None = None,
    overlap: str | None = None,
    judges: int = 1,
    assessors: Sequence[str] = (),
    assign_by: By = "query",
    title: str | None = None,
    database: str | None = None,
    seed: int = 0,
    progress: Progress | bool | None = None,
) -> CreatedProject:
    """Create a judging project in a new folder, or nothing where an input is wrong.

    The documents of a query are shuffled, so that their order tells nothing about the runs.

    Args:
        folder: The folder to create.
        queries: The file of queries: TREC, JSONL, CSV or TSV.
        docs: Files or folders with the documents; only those to judge are kept.
        pool: The file of what to judge: a pool, a sheet, qrels, or lines of query and document.
        runs: Instead of a pool: the files of runs by name.
        depth: With runs: how many results of each run and query are judged; by default 20, and all
            with an adaptive method.
        adaptive: With runs: the method that chooses the next document, as "mtf".
        budget: With an adaptive method: end a query after so many documents,
        target_relevant: after so many relevant ones,
        patience: or after so many in a row that are not relevant.
        run_format: The format of the runs, if not to be guessed.
        order_by: Whether runs are ordered by "score" or "rank".
        scale: The grades: their ends, or a TOML file.
        guidelines: A text file for all assessors.
        gold: A file of qrels whose grades are known, to check attention.
        overlap: How much two people judge: a share as "0.1", or a number of documents per query.
        judges: How many people judge every document.
        assessors: Names of people who get an account; the queries are distributed among them.
        assign_by: Whether a "query" is one person's, or all share the documents ("document").
        title: The title of the project; by default the name of the folder.
        database: The URL of a PostgreSQL database; by default a SQLite file in the folder.
        seed: The seed of the order of documents and of the overlap.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The numbers of queries, items and documents, and the documents without a text.

    Raises:
        OptionError: Options contradict each other.
        InputError: A file is missing, damaged or does not belong to the others.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as made:
    ...     files = {"queries": "q1\\tgreen tea\\n", "docs": "d1\\tTea\\n", "pool": "q1 d1\\n"}
    ...     for name, text in files.items():
    ...         _ = Path(made, f"{name}.tsv").write_text(text)
    ...     found = create_project(
    ...         f"{made}/judging",
    ...         queries=f"{made}/queries.tsv",
    ...         docs=[f"{made}/docs.tsv"],
    ...         pool=f"{made}/pool.tsv",
    ...     )
    >>> found.queries, found.items, found.missing
    (1, 1, ())
    """
    progress = as_callback(progress)
    if (pool is None) == (not runs):
        raise OptionError("give either a pool or runs")
    if adaptive is not None and not runs:
        raise OptionError("an adaptive method chooses from runs")
    if adaptive is None and (budget, target_relevant, patience) != (None, None, None):
        raise OptionError("budget, target_relevant and patience go with an adaptive method")
    if overlap is not None and judges > 1:
        raise OptionError("an overlap goes with one judge per document: leave out the judges")
    check_free_folder(folder)  # before anything takes long
    grades, general = read_scale(scale)
    drawn = None if overlap is None else parse_overlap(overlap)
    if guidelines is not None:
        try:
            general = Path(guidelines).read_text(encoding="utf-8-sig").strip()
        except FileNotFoundError:
            raise InputError("there is no such file", source=str(guidelines)) from None
        except UnicodeDecodeError:
            raise InputError("is not UTF-8", source=str(guidelines)) from None
    notes: list[str] = []
    progress("reading the pool")
    if runs:
        method = None
        if adaptive is not None:
            method = Adaptive(parse_method(adaptive), Limits(budget, target_relevant, patience))
        depth = depth or (None if method else _DEPTH)
        sources = {name: open_source(file) for name, file in runs.items()}
        for source in sources.values():
            source.hash_ahead()
        found = gather(
            sources, depth=depth, format=run_format, order_by=order_by, progress=progress
        )
        notes = found.notes
        to_judge = (
            adaptive_candidates(found, method, seed=seed)
            if method
            else candidates_of_runs(found, depth=depth or _DEPTH, seed=seed)
        )
    else:
        to_judge = read_candidates(pool or "")
    known = read_gold(gold, queries=to_judge.queries, scale=grades) if gold else {}
    progress(f"reading {queries}")
    read = read_queries(queries, to_judge.queries, progress=progress)
    wanted = dict.fromkeys(each.document for each in to_judge.candidates)
    wanted |= dict.fromkeys(document for of_query in known.values() for document in of_query)
    progress("taking digests")
    judged_files = {"runs": list(runs.values())} if runs else {"pool": pool}
    files = _describe_inputs({"queries": queries, "docs": list(docs), "gold": gold, **judged_files})
    progress("reading documents")
    plan = ProjectPlan(
        to_judge=to_judge,
        queries=read,
        documents=Documents(docs, wanted, progress=progress),
        scale=grades,
        title=storable(Text(title or "", Path(folder).resolve().name).line) or "Judging",
        guidelines=storable(general),
        seed=seed,
        gold=known,
        judges=judges,
        overlap=drawn,
        assessors=tuple(assessors),
        by=assign_by,
        made_of=files,
        notes=tuple(notes),
    )
    return _write_project(folder, plan, database=database)


@contextmanager
def example_project() -> Iterator[Project]:
    """Make a small project in a temporary folder: two queries, six documents, Ann and Bob.

    Returns:
        The open project; it is deleted when the `with` block ends.

    >>> with example_project() as project:
    ...     print(project.title, project.scale.values)
    Drinks (0, 1, 2, 3)
    """
    queries = {"t1": "green tea", "t2": "black coffee"}
    drinks = ("Tea is brewed.", "Coffee is roasted.", "Milk is white.")
    with TemporaryDirectory() as place:
        files = {
            "topics.tsv": "".join(f"{name}\t{title}\n" for name, title in queries.items()),
            "docs.tsv": "".join(f"d{number}\t{text}\n" for number, text in enumerate(drinks)),
            "pool.txt": "".join(f"{name} d{number}\n" for name in queries for number in range(3)),
        }
        paths = {name: Path(place, name) for name in files}
        for name, text in files.items():
            paths[name].write_text(text, encoding="utf-8")
        folder = Path(place, "judging")
        create_project(
            folder,
            queries=str(paths["topics.tsv"]),
            docs=[str(paths["docs.tsv"])],
            pool=str(paths["pool.txt"]),
            assessors=["ann", "bob"],
            title="Drinks",
        )
        with open_project(folder) as project:
            yield project


def _write_project(
    folder: str | os.PathLike[str], plan: ProjectPlan, *, database: str | None = None
) -> CreatedProject:
    """Create a project from a plan; the documents are read while they are written."""
    adaptive = plan.to_judge.adaptive
    items = make_items(
        plan.to_judge.candidates,
        seed=plan.seed,
        gold=plan.gold,
        judges=plan.judges,
        overlap=plan.overlap,
        adaptive=adaptive is not None,
    )
    with new_project(folder, database=database) as (project, connection):
        fill_database(
            connection,
            title=plan.title,
            scale=plan.scale,
            queries=plan.queries,
            documents=plan.documents,
            items=items,
            settings={
                "seed": plan.seed,
                "guidelines": plan.guidelines,
                "pool": dict(plan.to_judge.how),
                "made_of": dict(plan.made_of),
                "judges": plan.judges,
                "overlap": str(plan.overlap) if plan.overlap else "",
                **({"adaptive": adaptive.to_json(plan.seed)} if adaptive else {}),
            },
        )
        people = [add_person(connection, name, "assessor") for name in plan.assessors]
        short = 0
        if people:
            distribute_queries(connection, COMMAND_LINE, people, by=plan.by)
            short = len(compute_workload(connection).short)
        COMMAND_LINE.note(connection, "made the project", f"{len(items)} documents to judge")
        if plan.to_judge.pool is not None:
            write_pool(plan.to_judge.pool, create_private_file(project.folder / POOL))
    with project, project.database.writing() as connection:
        feeder = Feeder(project)
        for query in range(1, len(plan.queries) + 1):  # as they are numbered
            feeder.feed(connection, query)  # so that every query has something in its queue
    return CreatedProject(
        folder=os.fspath(folder),
        plan=plan,
        documents=len(plan.documents),
        queries=len(plan.queries),
        items=len(items),
        twice=sum(item.wanted > 1 for item in items),
        gold=sum(item.gold is not None for item in items),
        missing=tuple(plan.documents.missing),
        short=short,
    )


def _describe_inputs(files: Mapping[str, str | list[str] | None]) -> dict[str, Any]:
    """Return the files by their contents, and under `BLAKE3` the digests of those that are files.

    A folder of BEIR's has the digest of the one file that is read; other folders and pipes have
    none.
    """
    named = {what: given for what, given in files.items() if given}
    digests: dict[str, list[str]] = {}
    for what, given in named.items():
        if what == "runs":
            continue
        kind = {"queries": "queries", "docs": "documents"}.get(what)
        for path in [given] if isinstance(given, str) else given:
            if kind is None and path != "-":  # judgments, of which a folder may hold one file
                read = [open_source(path).path]
            else:
                read = [path] if path == "-" else files_of(path, kind)
            if len(read) == 1 and os.path.isfile(read[0]):
                digests.setdefault(what, []).append(open_source(read[0]).digest())
    return {**named, "BLAKE3": digests}
