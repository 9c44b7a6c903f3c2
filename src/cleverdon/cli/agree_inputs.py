"""What `cleverdon agree` reads: judges' files, models' files, runs by patterns, another scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cleverdon.cli import options

if TYPE_CHECKING:
    from cleverdon.judge.labels import Labels


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
) -> tuple[Labels, list[str]]:
    """The labels of people and models, and who the people are."""
    from cleverdon.errors import InputError
    from cleverdon.judge.labels import Labels
    from cleverdon.judge.reading import read_rows

    by_people = read_rows(_named(qrels), assessors=assessors, format=format)
    by_models = read_rows(_named(models)) if models else []
    people = list(dict.fromkeys(row[0] for row in by_people))
    both = set(people) & {row[0] for row in by_models}
    if both:
        raise InputError(f"{min(both)!r} is a model and a judge; give it another name: NAME=FILE")
    return Labels.of_rows([*by_people, *by_models]), people


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
