"""The command `cleverdon logs judge`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cleverdon.cli import options
from cleverdon.cli.declarations import Options, command, excludes, group, option, requires
from cleverdon.logs.cli import LogOptions

if TYPE_CHECKING:
    from cleverdon.logs.clicks.judgments import ClickJudgments


class _JudgingOptions(Options):
    click_model: str = option(
        "MODEL",
        "The click model: PBM, UBM, CM, DCM, SDBN, DBN or COEC; all tries each of them, and uses "
        "the one that predicts clicks best.",
        default="DBN",
    )
    query_texts: str | None = option(
        options.FILE,
        "Judge only these queries, under their ids. Ids and texts, in any format of queries: only "
        "these queries are judged, under their ids. By default ids are made up, and written next "
        "to the qrels as .topics.tsv.",
    )
    text_column: str | None = option(
        "NAME",
        "The column of --query-texts with the texts.  [default: text, query or title, or the only "
        "one]",
    )
    grades: str = option(
        "BOUNDS",
        "The values above which grades 1, 2, ... begin. Numbers, as in 0.1,0.3, or quantiles.",
        default="q0.5,q0.8,q0.95",
    )
    min_impressions: float = option(
        options.Number(min=0),
        "How often users must have examined a document. By the model's estimate.",
        metavar="N",
        default=10,
    )
    held_out: float = option(
        options.Number(0, 1, max_open=True),
        "The share of users, or lists, to test predictions on; 0 for no test.",
        metavar="SHARE",
        default=0.2,
    )
    depth: int | None = option(options.COUNT, "Leave out results below this rank.", metavar="N")
    iterations: int = option(
        options.REPEATS,
        "Stop after N iterations, even if estimates still change.",
        metavar="N",
        default=500,
    )
    least_users: int = option(
        options.COUNT,
        "Judge only queries of at least N users. Without --query-texts, because a rare query may "
        "identify its user.",
        metavar="N",
        default=5,
    )
    confidence: float = option(
        options.SHARE, "Of the intervals of values, in the evidence.", default=0.95
    )
    seed: int = options.seed("split")


def _judging_keywords(*, click_model: str, grades: str, **others: Any) -> dict[str, Any]:
    from cleverdon.logs.clicks.base import models_named  # slow to import
    from cleverdon.logs.clicks.judgments import GradeBounds

    return {"models": models_named(click_model), "grades": GradeBounds.parse(grades), **others}


class JudgeOptions(LogOptions):
    """The options of `cleverdon logs judge`."""

    output: Path = option(
        options.OUTPUT,
        "The qrels to write. The evidence for each grade is written next to it, as .evidence.tsv.",
        short="-o",
        metavar="QRELS",
        required=True,
    )
    judging: dict[str, Any] = group(_JudgingOptions, _judging_keywords)
    format_: str = options.formats("How to print.", ("text", "json"))


@command(JudgeOptions, name="judge")
@requires("--text-column", "--query-texts")
@excludes("--click-model all", "--held-out 0.0", because="models are compared on held-out lists")
def judge_command(given: JudgeOptions) -> ClickJudgments:
    """Judge documents by the clicks in LOG, and write qrels that `cleverdon eval` reads.

    A click model separates what users looked at from what they liked. Every grade has a
    confidence: the probability that the document's true value lies within the bounds of its grade.

    \b
    Examples:
      cleverdon logs judge made_up -o clicks.qrels
      cleverdon logs judge made_up -o clicks.qrels --click-model all
      cleverdon logs judge made_up -o clicks.qrels --query-texts texts.tsv --grades 0.1,0.3,0.6
      cleverdon eval clicks.qrels bm25.run
    """
    options.check_output(given.output, given.judging["query_texts"])

    from cleverdon._common.progress_bar import bar

    with bar("reading the log") as progress:
        from cleverdon.logs.clicks.judgments import clicks_to_judgments

        return clicks_to_judgments(
            given.open_log(), given.output, **given.judging, progress=progress
        )
