"""Counting what was put in, from the arrays that it was put in by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Bools, Ints
from cleverdon.online.generating.doings import Doings
from cleverdon.online.generating.people import Pages
from cleverdon.online.generating.truth import SUCCESS_DWELL, Counts


@dataclass(frozen=True, eq=False)
class Drawn:
    """All that was drawn for a block, as far as it is counted."""

    user: Ints
    """Of each session."""
    pages: Pages
    doings: Doings
    latency_known: Bools
    keystroke_session: Ints
    """Of each keystroke, its session and ..."""
    keystroke_latency_known: Bools
    """... whether it has a latency."""

    def counts(self, sessions: Bools) -> Counts:
        """What is in these sessions."""
        pages, doings = self.pages, self.doings
        page = sessions[pages.session]
        clicked, copied = doings.click[0], doings.copy[0]
        click = page[clicked]
        known = click & doings.dwell_known
        keystroke = sessions[self.keystroke_session]
        useful = known & (doings.dwell >= SUCCESS_DWELL)
        succeeded = (clicked[useful], clicked[doings.converted], copied)
        successful = np.zeros(len(sessions), dtype=bool)
        successful[pages.session[np.concatenate(succeeded)]] = True
        positions = (pages.page[clicked] - 1) * doings.shown.shape[1] + doings.click[1] + 1
        return Counts(
            users=len(np.unique(self.user[sessions])),
            sessions=int(sessions.sum()),
            pages=int(page.sum()),
            keystrokes=int(keystroke.sum()),
            zero_result_pages=int((page & (pages.found == 0)).sum()),
            later_pages=int((page & (pages.page > 1)).sum()),
            latencies=int((page & self.latency_known).sum())
            + int((keystroke & self.keystroke_latency_known).sum()),
            impressions=int(doings.shown[page].sum()),
            clicks=int(click.sum()),
            expected_clicks=float(doings.chance[page].sum()),
            click_positions=int(positions[click].sum()),
            dwells=int(known.sum()),
            dwell_ms=int(doings.dwell[known].sum()),
            copies=int(page[copied].sum()),
            conversions=int(click[doings.converted].sum()),
            pages_with_click=len(np.unique(clicked[click])),
            sessions_with_click=len(np.unique(pages.session[clicked[click]])),
            successful_sessions=int((successful & sessions).sum()),
        )
