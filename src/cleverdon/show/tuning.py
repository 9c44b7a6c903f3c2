"""What was chosen in each fold, and what it was worth, as a table."""

from __future__ import annotations

from typing import Any

from cleverdon.compare.tune import Choice, Tuning
from cleverdon.errors import check_word
from cleverdon.show.grid import FORMATS, Grid, laid_out, printable
from cleverdon.show.numbers import number


def render(found: Tuning, format: str = "table") -> str:
    """Every fold's choice in one of `FORMATS`; below, the scores that it all comes to."""
    check_word("format", format, FORMATS)
    if format == "json":
        import json

        return json.dumps(as_json(found), indent=1, ensure_ascii=False)
    exact = format in ("csv", "tsv")
    header = ["repeat", "fold", "chosen", "train", "test", "train topics", "test topics"]
    rows = [_cells(found, choice, exact=exact) for choice in found.choices]
    if format == "table":
        return laid_out(Grid(header, rows, 3, str(found).split("\n")), format)
    sentences = [f"{label}: {' '.join(text.split())}." for label, text in found.lines()]
    below = [] if exact else [f"{found.title}.", *sentences]
    return laid_out(Grid(header, rows, 3, [], below), format)


def _cells(found: Tuning, choice: Choice, *, exact: bool) -> list[str]:
    scores = (choice.train, choice.test)
    return [
        str(choice.repeat),
        str(choice.fold),
        printable(choice.setting),
        *(repr(score) if exact else number(found.measure, score) for score in scores),
        str(choice.train_topics),
        str(choice.test_topics),
    ]


def as_json(found: Tuning) -> dict[str, Any]:
    """Everything, ready for `json.dumps`."""
    splits = found.splits
    return {
        "measure": str(found.measure),
        "settings": list(found.settings),
        "splits": {"kind": splits.kind, "seed": splits.seed, "by": splits.by},
        "held_out": found.score,
        "held_out_by_repeat": list(found.repeat_scores),
        "best": found.best,
        "best_on_all": found.best_score,
        "optimism": found.optimism,
        "chosen": found.chosen,
        "folds": [
            {
                "repeat": choice.repeat,
                "fold": choice.fold,
                "setting": choice.setting,
                "tied": list(choice.tied),
                "train": choice.train,
                "test": choice.test,
                "train_topics": choice.train_topics,
                "test_topics": choice.test_topics,
            }
            for choice in found.choices
        ],
        "values": dict(found.held_out),
    }
