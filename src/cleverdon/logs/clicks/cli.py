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
        "How users read and click: PBM, UBM, CM, DCM, SDBN, DBN or COEC; all tries each of them, "
        "and takes the one that predicts clicks best.",
        default="DBN",
    )
    topics: str | None = option(
        options.FILE,
        "The topics and their texts, CSV or TSV with a header: only their queries are judged, "
        "under their ids. Without it, ids are made up and written beside, as .topics.tsv.",
    )
    text_column: str | None = option(
        "NAME",
        "The column of --topics with the texts.  [default: text, query or title, or the only one]",
    )
    grades: str = option(
        "BOUNDS",
        "Above which values grades 1, 2, ... begin: numbers, as in 0.1,0.3, or quantiles.",
        default="q0.5,q0.8,q0.95",
    )
    min_impressions: float = option(
        options.Number(min=0),
        "How often a document must have been examined, as far as the model can tell.",
        metavar="N",
        default=10,
    )
    held_out: float = option(
        options.Number(0, 1, max_open=True),
        "The share of users, or lists, to test predictions on; 0 leaves that out.",
        metavar="SHARE",
        default=0.2,
    )
    depth: int | None = option(options.COUNT, "Leave out results below this rank.", metavar="N")
    iterations: int = option(
        options.REPEATS,
        "After how many iterations to give up, where estimates still change.",
        metavar="N",
        default=500,
    )
    least_users: int = option(
        options.COUNT,
        "Without --topics, judge only queries of at least N users, since a rare one may give away "
        "who asked it.",
        metavar="N",
        default=5,
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
        "The qrels to write. What each grade rests on is written beside it, as .evidence.tsv.",
        short="-o",
        metavar="QRELS",
        required=True,
    )
    judging: dict[str, Any] = group(_JudgingOptions, _judging_keywords)
    format_: str = options.formats("How to print.", ("text", "json"))


@command(JudgeOptions, name="judge")
@requires("--text-column", "--topics")
@excludes("--click-model all", "--held-out 0.0", because="models need lists to be tested on")
def judge_command(given: JudgeOptions) -> ClickJudgments:
    """Judge documents by the clicks in LOG, and write qrels that `cleverdon eval` reads.

    A click model separates what users looked at from what they liked. Every grade has a
    confidence: how likely the document's true value lies within the bounds of its grade.

    \b
    Examples:
      cleverdon logs judge made_up -o clicks.qrels
      cleverdon logs judge made_up -o clicks.qrels --click-model all
      cleverdon logs judge made_up -o clicks.qrels --topics topics.tsv --grades 0.1,0.3,0.6
      cleverdon eval clicks.qrels bm25.run
    """
    options.check_output(given.output, given.judging["topics"])

    from cleverdon.cli.progress import bar

    with bar("reading the log") as progress:
        from cleverdon.logs.clicks.judgments import judge_clicks

        return judge_clicks(given.open_log(), given.output, **given.judging, progress=progress)
