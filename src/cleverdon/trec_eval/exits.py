"""How trec_eval ends: its exit codes, and the error that carries one."""

from __future__ import annotations

from cleverdon.errors import CleverdonError

USAGE = 1  # wrong arguments, or a measure that does not exist
INPUT = 2  # a file, a format, or a measure's parameters
CALCULATION = 4  # a topic that cannot be evaluated
NOTHING = 7  # no topic to evaluate
ZSCORES = 255  # the file of means and deviations


class Stop(CleverdonError):
    """The end of an evaluation, with the exit code that trec_eval has for it."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
