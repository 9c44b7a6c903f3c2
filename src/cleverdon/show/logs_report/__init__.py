"""A report of a search log: one HTML file with its metrics, plots, lists and method, offline.

>>> from cleverdon.online.worked import worked_log
>>> from cleverdon.show.logs_report import logs_report
>>> log, _ = worked_log('''
...     ann 0:00 shoes click@2+40
...     bob 0:05 hats
...     =
... ''')
>>> logs_report(log, title="Two searches")
<LogsReport 'Two searches': 2 result pages, from 2026-01-01 to 2026-01-01>
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cleverdon.online.days import DAY, as_date
from cleverdon.show.grid import counted
from cleverdon.show.logs_report.content import content
from cleverdon.show.logs_report.gathering import Gathered, gathered
from cleverdon.show.page.written import Written

if TYPE_CHECKING:
    from cleverdon.online.log import Log
    from cleverdon.online.settings import Settings
    from cleverdon.online.stages import Progress

__all__ = ["LogsReport", "logs_report"]

TITLE = "What the search log says"


@dataclass(frozen=True, eq=False, repr=False)
class LogsReport(Written):
    """A report of a log that is ready to be shown or written."""

    content: dict[str, Any]
    """All that it says, ready for `json.dumps`."""
    gathered: Gathered

    @cached_property
    def html(self) -> str:
        """The page."""
        from cleverdon.show.logs_report.figures import figures
        from cleverdon.show.logs_report.page import page

        return page(self.content, figures(self.gathered))

    def __repr__(self) -> str:
        pages = counted(int(self.gathered.observed.value("Pages").value or 0), "result page")
        first, last = (as_date(at // DAY) for at in self.gathered.stages.local_span)
        return f"<LogsReport {self.content['title']!r}: {pages}, from {first} to {last}>"


def logs_report(
    log: Log,
    *,
    title: str = TITLE,
    settings: Settings | None = None,
    control: str | None = None,
    level: float = 0.95,
    check: bool = True,
    progress: Progress | None = None,
) -> LogsReport:
    """A report of a log, as `cleverdon.online.reading.read_log` gives it.

    Where the log has variants, they are compared with `control`; without it, with the one that is
    called so (control, baseline, A), if there is one. `level` is that of intervals. `check` has the
    log doctor look for what is wrong.
    """
    found = gathered(
        log, settings=settings, control=control, level=level, check=check, progress=progress
    )
    return LogsReport(content(found, title=title), found)
