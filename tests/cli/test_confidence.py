"""Every command that prints an interval takes its confidence."""

from __future__ import annotations

from importlib import import_module

import click
import pytest

from cleverdon.cli.options import Share

COMMANDS = {
    "collection.cli.describe": "diff_command",
    "comparison.cli.correlate": "correlate_command",
    "engines.cli": "index_command",
    "engines.load.cli": "bench_command",
    "logs.abtest.cli": "abtest_command",
    "logs.bridge.cli": "bridge_command",
    "logs.clicks.cli": "judge_command",
    "logs.interleaving.cli": "interleave_command",
    "plots.cli": "plot_command",
    "pooling.cli.votes": "votes_command",
    "pooling.recall.cli": "recall_command",
    "reports.cli": "report_command",
}
OF_COMPARISON = ("compare_command", "claim_command", "slices_command", "power_command")
OF_LOGS = ("metrics_command", "report_command")


@pytest.mark.parametrize(
    ("module", "name"),
    [
        *COMMANDS.items(),
        *(("comparison.cli.compare", name) for name in OF_COMPARISON),
        *(("logs.cli", name) for name in OF_LOGS),
    ],
)
def test_confidence_is_an_option_with_a_stated_default(module: str, name: str) -> None:
    command = getattr(import_module(f"cleverdon.{module}"), name)
    options = {one.opts[-1]: one for one in command.params if isinstance(one, click.Option)}
    confidence = options["--confidence"]
    assert isinstance(confidence.type, Share)
    help = confidence.help or ""
    if "--level" in options:
        assert "[default: 1 - level" in help
        assert not confidence.show_default
    else:
        assert confidence.default == 0.95
        assert confidence.show_default
