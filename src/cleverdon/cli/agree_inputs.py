"""What `cleverdon agree` reads: files of judges and models, projects, runs, another scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cleverdon.cli import judge_options, options

if TYPE_CHECKING:
    from cleverdon.judge.labels import Labels, Row

Gold = set[tuple[str, str]]
"""Topics and documents."""


def found(runs: tuple[str, ...]) -> tuple[str, ...]:
    """Files, and those that patterns stand for."""
    from glob import glob
    from os.path import exists

    files: list[str] = []
    for given in runs:
        matching = [] if exists(given) or "=" in given else sorted(glob(given))
        files += matching or [given]
    return tuple(files)


def labelled(
    qrels: tuple[str, ...], models: tuple[str, ...], assessors: bool, format: str | None
) -> tuple[Labels, list[str], Gold]:
    """The labels of people and models, who the people are, and which documents are gold."""
    from cleverdon.errors import InputError
    from cleverdon.judge.labels import Labels

    by_people, gold = _rows(qrels, "person", assessors=assessors, format=format)
    by_models, _ = _rows(models, "model")
    people = list(dict.fromkeys(row[0] for row in by_people))
    both = set(people) & {row[0] for row in by_models}
    if both:
        raise InputError(f"{min(both)!r} is a model and a judge; give it another name: NAME=FILE")
    return Labels.of_rows([*by_people, *by_models]), people, gold


def without_gold(labels: Labels, gold: Gold) -> Labels:
    """The labels that agreement is of: a project's gold was chosen by somebody, and is left out."""
    if not gold:
        return labels
    import numpy as np

    from cleverdon.cli.progress import say
    from cleverdon.errors import InputError
    from cleverdon.show.grid import counted

    topics = [labels.topics[at] for at in labels.topic.tolist()]
    keys = zip(topics, labels.docs.tolist(), strict=True)
    kept = np.array([key not in gold for key in keys])
    if not kept.any():
        raise InputError("all that is judged is gold, and agreement is not of what somebody chose")
    documents = counted(int((~kept).sum()), "gold document")
    say(f"cleverdon: left out of agreement, since somebody chose them: {documents}")
    return labels.among(kept)


def _rows(
    given: tuple[str, ...], kind: str, *, assessors: bool = False, format: str | None = None
) -> tuple[list[Row], Gold]:
    """The rows of files, and of judging projects: there, those of its people or of its models.

    And the documents that are gold in the projects.
    """
    from cleverdon.judge.reading import read_rows
    from cleverdon.read.judging_folder import is_project

    for name, file in map(options.name_and_file, given):
        if name and is_project(file):
            raise click.UsageError(
                f"{file} is a project, whose judges have names: leave {name}= out"
            )
    folders = [each for each in given if is_project(each)]
    files = tuple(each for each in given if each not in folders)
    rows = read_rows(_named(files), assessors=assessors, format=format) if files else []
    gold: Gold = set()
    for folder in folders:
        judge_options.needs_web()
        from cleverdon.assess.exporting.folder import judged_rows

        of_folder, of_gold = judged_rows(folder, kind)
        rows += of_folder
        gold |= of_gold
    return rows, gold


def _named(files: tuple[str, ...]) -> dict[str, str]:
    """Files by the judges' names."""
    from cleverdon.judge.reading import names_of

    return options.named_files(files, what="judges", naming=names_of)


def regraded(labels: Labels, rel: float | None, merge: tuple[str, ...]) -> Labels:
    """The labels on the scale that was asked for."""
    from cleverdon.cli.progress import say

    if merge:
        into = {}
        for text in merge:
            old, _, new = text.partition("=")
            try:
                into[float(old)] = float(new)
            except ValueError:
                raise click.UsageError(f"--merge {text}: expected OLD=NEW, as 3=2") from None
        labels = labels.merged(into)
    if rel is None:
        return labels
    if not (labels.grades >= rel).any() or (labels.grades >= rel).all():
        which = "below" if labels.grades[0] < rel else "at least"
        say(f"cleverdon: warning: --rel {rel:g}: every grade that was given is {which} {rel:g}")
    return labels.binary(rel)
