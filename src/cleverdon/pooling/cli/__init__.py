"""The command group `cleverdon pool`."""

from __future__ import annotations

import click

from cleverdon.cli import Commands

POOL_COMMANDS = {
    "make": (
        "pooling.cli.pools",
        "Pool the results of runs: by depth, by fusion, or a sample with known probabilities.",
    ),
    "next": (
        "pooling.cli.adaptive",
        "Give the next documents to judge, chosen by the judgments so far; can be resumed.",
    ),
    "simulate": (
        "pooling.cli.adaptive",
        "Play methods against judgments that are known: what each finds for its cost.",
    ),
    "qrels": (
        "pooling.cli.pools",
        "Turn a judged pool into qrels, with strata or probabilities where it was sampled.",
    ),
    "sample": (
        "pooling.cli.pools",
        "Draw documents from the collection that no pool holds, to estimate what was missed.",
    ),
    "votes": (
        "pooling.cli.votes",
        "Rank systems without judgments, by taking their results as votes.",
    ),
    "expand": ("pooling.cli.expand", "Probe for relevant documents with expanded queries."),
}


@click.command(cls=Commands, commands=POOL_COMMANDS)
def pool_command() -> None:
    """Choose what to judge, out of what systems return.

    \b
    Examples:
      cleverdon pool make *.run -k 100 -o pool.tsv
      cleverdon pool make *.run --method stratified --strata 10:1,100:0.1 -o pool.tsv
      cleverdon pool next judging.jsonl *.run --method mtf -n 20 -o sheet.tsv
      cleverdon pool simulate qrels.txt *.run --budget 100
      cleverdon pool votes *.run --qrels qrels.txt
    """
