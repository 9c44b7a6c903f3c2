"""Options for what speaks against believing a comparison, and what must be known to find it."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import options

if TYPE_CHECKING:
    from cleverdon import _core
    from cleverdon.scores import Scores


def doubting(command: Any) -> Any:
    """What doubts are told, and which are silenced.

    The command gets all of it in one parameter, `doubting`, to hand on to `doubts`.
    """

    @wraps(command)
    def gathered(silence: Any, pooled: Any, tuned_on: str | None, **given: Any) -> Any:
        told = {
            "silence": silence,
            "pooled": pooled or None,
            "tuned_on": () if tuned_on is None else _topics(tuned_on),
        }
        return command(doubting=told, **given)

    return options.together(
        click.option(
            "--silence",
            multiple=True,
            metavar="NAME",
            help="A doubt that is not to be raised; again for more.",
        ),
        click.option(
            "--pooled",
            multiple=True,
            metavar="NAME",
            help="A run whose results went into the pool that was judged; again for more.",
        ),
        click.option(
            "--tuned-on",
            metavar="FILE",
            type=click.Path(),
            help="Topics that parameters were chosen on: an id a line, or a hold-out that "
            "cleverdon splits wrote, whose training topics are meant.",
        ),
    )(gathered)


def _topics(path: str) -> tuple[str, ...]:
    """The topics of a file: one a line, or those that a hold-out trains on."""
    from pathlib import Path

    from cleverdon.errors import InputError

    try:
        text = Path(path).read_text("utf-8")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=path) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", source=path) from None
    if text.lstrip().startswith("{"):
        from cleverdon.compare.splits_file import read_splits

        splits = read_splits(path)
        if len(splits.folds) > 1:
            raise InputError(
                f"is a {splits.kind}, which trains on every topic in turn; a hold-out is wanted",
                source=path,
            )
        return splits.folds[0].train
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def tied(
    scores: Scores,
    qrels: str,
    opened: dict[str, _core.Source],
    measures: tuple[str, ...],
    how: dict[str, Any],
) -> tuple[Scores, Scores] | None:
    """The same with the worst and the best order of ties; None where there are no ties to order."""
    if (
        qrels == "-"
        or scores.about.settings.order_by == "rank"
        or not any(run.tie_rate for run in scores.about.runs.values())
    ):
        return None
    worst, best = (
        options.evaluated(qrels, opened, measures, warn=False, **{**how, "ties": order})
        for order in ("worst", "best")
    )
    return worst, best
