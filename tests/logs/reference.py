"""Online metrics in plain Python, as slowly and plainly as their definitions read.

It shares nothing with `cleverdon.logs`: no code, no tables, no SQL.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from math import ceil, sqrt
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo

Row = dict[str, Any]
LENGTHS = {"second": 19, "minute": 16, "hour": 13, "day": 10, "month": 7}
"""How much of a written time says which second, minute, hour, day or month it is."""


def folded(text: str | None) -> str | None:
    if text is None:
        return None
    for _ in range(3):
        text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(text.split())


Actor = tuple[str, str]
"""What kind of id it is, and the id."""


Part = tuple[Actor, float, float]
"""What an actor adds to a numerator and to a denominator."""


def actor(page: Row, users_of_its_session: set[str]) -> Actor | None:
    """Who searched: a user; the one user of the session; the session; the client; or nobody."""
    if page["user"] is not None:
        return "user", page["user"]
    if page["session"] is not None:
        if len(users_of_its_session) == 1:
            return "user", next(iter(users_of_its_session))
        return "session", page["session"]
    client = page.get("client")
    return None if client is None else ("client", client)


def in_use_until(page: Row, idle: float) -> int:
    """The last time before a gap that is too long: of the search, and of its own events."""
    until: int = page["time"]
    for time in sorted(event["time"] for event in page["events"]):
        if time - until > idle:
            break
        until = max(until, time)
    return until


def split_by_idleness(pages: list[Row], idle: float) -> list[list[Row]]:
    """Pages of one actor, in order; cut where none of the earlier ones is in use any more."""
    sittings: list[list[Row]] = []
    for place, page in enumerate(pages):
        if place and page["time"] - max(one["until"] for one in pages[:place]) <= idle:
            sittings[-1].append(page)
        else:
            sittings.append([page])
    return sittings


def by_own_ids(sittings: list[list[Row]]) -> list[list[Row]]:
    """Sessions of one actor by the log's own ids.

    A page without an id has that of the page before it in the same sitting, or else of the next one
    that has any. A sitting without an id is a session.
    """
    sessions: dict[object, list[Row]] = {}
    for number, sitting in enumerate(sittings):
        ids = [page["session"] for page in sitting]
        known = [one for one in ids if one is not None]
        current = known[0] if known else None
        for page, own in zip(sitting, ids, strict=True):
            current = current if own is None else own
            key = ("sitting", number) if current is None else ("id", current)
            sessions.setdefault(key, []).append(page)
    return list(sessions.values())


def queries_of(session: list[Row]) -> list[list[Row]]:
    """Runs of pages with the same text."""
    queries: list[list[Row]] = []
    for page in session:
        if queries and queries[-1][-1]["text"] == page["text"]:
            queries[-1].append(page)
        else:
            queries.append([page])
    return queries


class Reference:
    """A log, read as `Settings` with these words would have it."""

    def __init__(
        self,
        queries: list[Row],
        events: list[Row],
        *,
        sessions: str | None = None,
        idle_minutes: float | None = None,
        dwell_seconds: float = 30,
        success: tuple[str, ...] = ("dwell", "copy", "conversion"),
        keystroke_seconds: float | None = None,
        least_users: int = 5,
        top: int = 10,
        timezone: str = "UTC",
        head: float = 0.01,
        torso: float = 0.19,
    ) -> None:
        self.least_users, self.top, self.head, self.torso = least_users, top, head, torso
        self.zone = ZoneInfo(timezone)
        own_ids = sessions == "log" or (sessions is None and idle_minutes is None)
        idle = (30 if idle_minutes is None else idle_minutes) * 60_000
        of_page = defaultdict(list)
        for event in events:
            of_page[event["query_id"]].append(event)
        users_of_session = defaultdict(set)
        for query in queries:
            if query["session"] is not None and query["user"] is not None:
                users_of_session[query["session"]].add(query["user"])
        self.pages = []
        for query in queries:
            page = {**query, "text": folded(query["text"]), "events": of_page[query["query_id"]]}
            page["actor"] = actor(page, users_of_session[page["session"]])
            page["cluster"] = page["actor"] or ("query", page["query_id"])
            page["until"] = in_use_until(page, idle)
            clicks = [event for event in page["events"] if event["action"] == "click"]
            page["clicks"] = clicks
            page["long"] = sum((click["dwell_ms"] or 0) >= dwell_seconds * 1000 for click in clicks)
            page["copy"] = sum(event["action"] == "copy" for event in page["events"])
            page["conversion"] = sum(event["action"] == "conversion" for event in page["events"])
            self.pages.append(page)
        self.pages.sort(key=lambda page: (page["time"], page["query_id"]))
        by_actor = defaultdict(list)
        for page in self.pages:
            by_actor[page["actor"]].append(page)
        nobodys = by_actor.pop(None, [])
        if keystroke_seconds is not None:
            for whose, pages in by_actor.items():
                by_actor[whose] = _finished(pages, keystroke_seconds * 1000)
            self.pages = [*nobodys, *(page for pages in by_actor.values() for page in pages)]
        self.sessions: list[list[list[Row]]] = []  # sessions of queries of pages
        for pages in by_actor.values():
            sittings = split_by_idleness(pages, idle)
            for session in by_own_ids(sittings) if own_ids else sittings:
                self.sessions.append(queries_of(session))
        self.queries = [query for session in self.sessions for query in session]
        self.signals = ["long" if signal == "dwell" else signal for signal in success]

    def ratios(self) -> dict[str, list[Part]]:
        """For each metric, what each user adds to its numerator and denominator."""
        found: dict[str, list[Part]] = defaultdict(list)
        for session in self.sessions:
            pages = [page for query in session for page in query]
            whose = min(page["cluster"] for page in pages)
            clicked = any(page["clicks"] for page in pages)
            good = any(page[signal] for page in pages for signal in self.signals)
            found["Abandonment"].append((whose, not clicked, 1))
            found["GoodAbandonment"].append((whose, good and not clicked, 1))
            found["Success"].append((whose, good and clicked, 1))
            found["SessionCTR"].append((whose, clicked, 1))
            found["QueriesPerSession"].append((whose, len(session), 1))
            found["Reformulation"].append((whose, len(session) - 1, len(session)))
        for query in self.queries:
            whose = min(page["cluster"] for page in query)
            found["QueryCTR"].append((whose, any(page["clicks"] for page in query), 1))
            numbers = [page["page"] for page in query if page["page"] is not None]
            found["Pagination"].append((whose, any(n > 1 for n in numbers), bool(numbers)))
        for page in self.pages:
            whose, clicks = page["cluster"], page["clicks"]
            shown = sum(event["action"] == "impression" for event in page["events"])
            found["ImpressionCTR"].append((whose, len(clicks) if shown else 0, shown))
            found["PageCTR"].append((whose, bool(clicks), 1))
            ranks = [click["position"] for click in clicks if click["position"] is not None]
            found["ClickRank"].append((whose, sum(ranks), len(ranks)))
            best = 1 / min(ranks) if ranks else 0
            found["ReciprocalClickRank"].append((whose, best, bool(ranks)))
            wait = self.wait(page)
            found["TimeToClick"].append((whose, (wait or 0) / 1000, wait is not None))
            dwells = [click["dwell_ms"] for click in clicks if click["dwell_ms"] is not None]
            found["Dwell"].append((whose, sum(dwells) / 1000, len(dwells)))
            known = page["results"] is not None
            found["ZeroResults"].append((whose, known and page["results"] == 0, known))
            latency = page["latency_ms"]
            found["Latency"].append((whose, latency or 0, latency is not None))
        return found

    @staticmethod
    def wait(page: Row) -> int | None:
        first = min((click["time"] for click in page["clicks"]), default=None)
        return None if first is None or first < page["time"] else first - page["time"]

    def counts(self) -> dict[str, int]:
        return {
            "Users": len({page["cluster"] for page in self.pages if page["cluster"][0] == "user"}),
            "Sessions": len(self.sessions),
            "Queries": len(self.queries),
            "Pages": len(self.pages),
            "DistinctQueries": len({page["text"] for page in self.pages} - {None}),
        }

    def spreads(self) -> dict[str, list[float]]:
        waits = [wait for page in self.pages if (wait := self.wait(page)) is not None]
        latencies = [page["latency_ms"] for page in self.pages if page["latency_ms"] is not None]
        return {"TimeToClick": [wait / 1000 for wait in waits], "Latency": latencies}

    def top_list(self, which: str) -> list[tuple[str, int, int]]:
        """Text, how often, and by how many users."""
        asked: dict[str, list[Actor]] = defaultdict(list)
        for query in self.queries:
            results = [page["results"] for page in query if page["results"] is not None]
            clicked = any(page["clicks"] for page in query)
            wanted = {
                "TopQueries": True,
                "TopZeroResults": bool(results) and max(results) == 0,
                "TopAbandoned": not clicked and (not results or max(results) > 0),
            }
            text = query[0]["text"]
            if text is not None and wanted[which]:
                asked[text].append(min(page["cluster"] for page in query))
        lines = [(text, len(whose), len(set(whose))) for text, whose in asked.items()]
        lines = [line for line in lines if line[2] >= self.least_users]
        return sorted(lines, key=lambda line: (-line[1], line[0].encode()))[: self.top]

    def links(self) -> list[tuple[str, int, int]]:
        """Link, how many saw it, and how many of these clicked it."""
        done: dict[str, dict[str, set[Actor]]] = {
            "impression": defaultdict(set),
            "click": defaultdict(set),
        }
        for page in self.pages:
            for event in page["events"]:
                if page["actor"] and event["doc"] is not None and event["action"] in done:
                    done[event["action"]][event["doc"]].add(page["actor"])
        lines = [
            (doc, len(saw), len(saw & done["click"][doc]))
            for doc, saw in done["impression"].items()
            if len(saw) >= self.least_users
        ]
        return sorted(lines, key=lambda line: (-line[1], line[0].encode()))[: self.top]

    def bands(self) -> dict[str, tuple[int, int]]:
        counts = Counter(q[0]["text"] for q in self.queries if q[0]["text"] is not None)
        order = sorted(counts, key=lambda text: (-counts[text], text.encode()))
        found = {"head": (0, 0), "torso": (0, 0), "tail": (0, 0)}
        for place, text in enumerate(order):
            share = round(place / len(order), 12)
            band = "head" if share < self.head else "tail"
            if band == "tail" and share < round(self.head + self.torso, 12):
                band = "torso"
            texts, count = found[band]
            found[band] = (texts + 1, count + counts[text])
        return {band: both for band, both in found.items() if both[0]}

    def local(self, at: int) -> datetime:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at)).astimezone(self.zone)

    def peaks(self) -> dict[str, tuple[int, str]]:
        found = {}
        for span in LENGTHS:
            spans = [self.span(page["time"], span) for page in sorted(self.pages, key=_time)]
            ((peak, count),) = Counter(spans).most_common(1)  # of several, the first
            found[span] = (count, self.written(peak, span))
        return found

    def span(self, at: int, span: str) -> tuple[str, timedelta | None]:
        """The span of a time: days are those of the calendar, others may be there twice."""
        local = self.local(at)
        name = local.strftime("%Y-%m-%d %H:%M:%S")[: LENGTHS[span]]
        return name, None if span in ("day", "month") else local.utcoffset()

    def written(self, which: tuple[str, timedelta | None], span: str) -> str:
        name, offset = which
        text = f"{name}h" if span == "hour" else name
        if offset is None:
            return text
        start = datetime.fromisoformat(name + (":00" if span == "hour" else ""))
        minutes = [start + timedelta(minutes=m) for m in range(60 if span == "hour" else 1)]
        # What a clock shows twice has the larger offset first; what it skips, the smaller one.
        if any(self.offset(m, fold=0) > self.offset(m, fold=1) for m in minutes):
            text += f" (UTC{self.local_offset(offset)})"
        return text

    def offset(self, clock: datetime, *, fold: int) -> timedelta:
        found = clock.replace(tzinfo=self.zone, fold=fold).utcoffset()
        assert found is not None
        return found

    @staticmethod
    def local_offset(offset: timedelta) -> str:
        text = datetime(2000, 1, 1, tzinfo=timezone(offset)).strftime("%z")
        return f"{text[:3]}:{text[3:]}"

    def spans(self, span: str) -> int:
        """How many there are from the first page to the last, by looking at every minute."""
        times = sorted(page["time"] for page in self.pages)
        minutes = range(times[0] // 60_000 * 60_000, times[-1], 60_000)
        return len({self.span(at, span) for at in [*minutes[1:], times[0], times[-1]]})

    def minutes(self) -> dict[str, list[float]]:
        """The latencies of each minute that has at least twenty."""
        found = defaultdict(list)
        for page in self.pages:
            if page["latency_ms"] is not None:
                minute = self.written(self.span(page["time"], "minute"), "minute")
                found[minute].append(page["latency_ms"])
        return {minute: values for minute, values in found.items() if len(values) >= 20}

    def spikes(self) -> list[str]:
        """The minutes with a 90th percentile of at least three times the usual one."""
        tails = {minute: percentile(values, 90) for minute, values in self.minutes().items()}
        usual = median(tails.values()) if tails else 0
        return sorted(minute for minute, tail in tails.items() if tail >= 3 * usual)


def _time(page: Row) -> int:
    at: int = page["time"]
    return at


def _finished(pages: list[Row], soon: float) -> list[Row]:
    """Without what was searched for while the next text was being typed."""
    kept = []
    for page, following in pairwise([*pages, None]):
        typed = False
        if following is not None and None not in (page["text"], following["text"]):
            one, other = page["text"], following["text"]
            typed = (
                following["time"] - page["time"] <= soon
                and one != other
                and (one.startswith(other) or other.startswith(one))
                and not page["clicks"]
            )
        if not typed:
            kept.append(page)
    return kept


def percentile(values: list[float], percent: float) -> float:
    """The smallest value that at least so many per cent do not exceed."""
    return sorted(values)[ceil(len(values) * percent / 100) - 1]


def delta_interval(
    parts: list[Part], *, share: bool
) -> tuple[float | None, float | None, float | None]:
    """A ratio and its interval: by residuals of users, and not by sums of squares."""
    from scipy.stats import t
    from statsmodels.stats.proportion import proportion_confint

    users: dict[Actor, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for whose, above, below in parts:
        users[whose][0] += above
        users[whose][1] += below
    counted = [(above, below) for above, below in users.values() if below > 0]
    if not counted:
        return None, None, None
    whole = sum(below for _, below in counted)
    ratio = sum(above for above, _ in counted) / whole
    n = len(counted)
    if n < 2:
        return ratio, None, None
    residuals = [above - ratio * below for above, below in counted]
    if all(abs(residual) < 1e-12 * max(1, ratio) for residual in residuals):
        if not share:
            return ratio, None, None
        found = proportion_confint(ratio * n, n, method="wilson")
        return ratio, float(found[0]), float(found[1])
    variance = sum(residual * residual for residual in residuals) / (n - 1)
    half = float(t.ppf(0.975, n - 1)) * sqrt(variance / n) / (whole / n)
    low, high = max(ratio - half, 0.0), ratio + half
    return ratio, low, min(high, 1.0) if share else high
