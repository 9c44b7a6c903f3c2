"""Settings of metrics, with the query normalisation that they choose.

Results record them. The command line imports this module for its options: no Ibis, numpy or pyarrow
at import. Python decides whether two texts are the same query, because engines convert to lower
case differently.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Literal, get_args
from unicodedata import normalize

from cleverdon._common.extras import require
from cleverdon.errors import OptionError, check_word, suggest

if TYPE_CHECKING:
    import pyarrow as pa

    from cleverdon.logs.log import Log


Sessions = Literal["idle", "log"]
_Signal = Literal["dwell", "copy", "conversion"]
SIGNALS: tuple[_Signal, ...] = get_args(_Signal)


_TIME_OPTIONS = {
    "idle_minutes": "--idle",
    "dwell_seconds": "--dwell",
    "keystroke_seconds": "--keystrokes",
}
_LONGEST_TIME = 1_000_000
IDLE_MINUTES = 30.0


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of metrics: where sessions end, what success is, which texts are one query.

    >>> Settings(idle_minutes=20).idle_ms
    1200000
    """

    sessions: Sessions | None = None
    """`idle`: a session ends when its user does nothing for a while; `log`: the log's own ids.

    By default the log's own ids, if it has them and `idle_minutes` is not given; else `idle`."""
    idle_minutes: float | None = None
    """The time without activity that ends a session; 30, unless given."""
    success: tuple[_Signal, ...] = SIGNALS  # signs of a successful session; one of them suffices
    dwell_seconds: float = 30  # the time on a clicked document that makes it a success
    keystroke_seconds: float | None = None
    """Searches that follow each other within this time while typing count as the last of them."""
    fold: bool = True  # texts that differ in case, white space or Unicode forms are the same query
    stem: str | None = None
    """The language in which words are cut down to their stems before they are compared."""
    timezone: str = "UTC"  # the time zone of days
    top: int = 10  # the number of queries or links in a list
    least_users: int = 5
    """Queries of fewer users are not listed: a rare query may identify its user. Nor are links."""
    percentiles: tuple[float, ...] = (50, 90, 95, 99)
    head: float = 0.01
    """The most frequent queries that are the head, as a share of all different queries."""
    torso: float = 0.19  # those that follow; all others are the tail

    def __post_init__(self) -> None:
        if self.sessions is not None:
            check_word("sessions", self.sessions, get_args(Sessions))
        for signal in self.success:
            check_word("success", signal, SIGNALS)
        if not self.success:
            raise OptionError(f"success needs at least one of {', '.join(SIGNALS)}")
        for name, option in _TIME_OPTIONS.items():
            value = getattr(self, name)
            if value is not None and not 0 < value <= _LONGEST_TIME:
                raise OptionError(
                    f"{name}={value:g} ({option}): it must be above 0, and at most "
                    f"{_LONGEST_TIME:,}"
                )
        if not 1 <= self.top <= _LONGEST_TIME:
            raise OptionError(f"top={self.top}: a list has 1 to {_LONGEST_TIME:,} queries")
        if self.least_users < 1:
            raise OptionError(f"least_users={self.least_users}: every query has at least one user")
        if not self.percentiles:
            raise OptionError("percentiles: at least one is needed")
        for percentile in self.percentiles:
            if not 0 < percentile <= 100:
                raise OptionError(
                    f"percentiles={percentile}: a percentile is above 0 and at most 100"
                )
        if not 0 < self.head < self.head + self.torso < 1:
            raise OptionError(
                f"head={self.head}, torso={self.torso}: they are shares of all different queries, "
                "above 0, and leave some to the tail"
            )

    def for_log(self, log: Log) -> Settings:
        """Choose the rule for sessions, if none is given."""
        own = log.has("queries.session") and self.idle_minutes is None
        minutes = IDLE_MINUTES if self.idle_minutes is None else self.idle_minutes
        return replace(
            self, sessions=self.sessions or ("log" if own else "idle"), idle_minutes=minutes
        )

    @property
    def idle_ms(self) -> int:
        return round((self.idle_minutes or IDLE_MINUTES) * 60_000)

    @property
    def dwell_ms(self) -> int:
        return round(self.dwell_seconds * 1000)

    @property
    def keystroke_ms(self) -> int | None:
        return None if self.keystroke_seconds is None else round(self.keystroke_seconds * 1000)


def fold_text(text: str) -> str:
    """Remove differences in case, white space and Unicode forms."""
    if not text.isascii():
        # Folding case can bring back forms that the first pass has removed.
        text = normalize("NFKC", normalize("NFKC", text).casefold())
    return " ".join(text.casefold().split())


def text_normaliser(settings: Settings) -> Callable[[str], str] | None:
    """Return the function that makes texts of one query equal; None for none."""
    if settings.stem is None:
        return fold_text if settings.fold else None
    stem = _stemmer(settings.stem)
    before = fold_text if settings.fold else str

    def stemmed(text: str) -> str:
        return " ".join(map(stem, before(text).split()))

    return stemmed


def normalised_forms(texts: pa.Array, normalise: Callable[[str], str]) -> dict[str, str]:
    """Return the texts that differ from their normalised form, with that form."""
    import pyarrow.compute as pc

    found: dict[str, str] = {}
    if normalise is fold_text:
        # Most texts are ASCII without stray blanks: all of them are folded at once, and faster.
        plain = pc.and_(
            pc.string_is_ascii(texts), pc.invert(pc.match_substring_regex(texts, _STRAY_SPACE))
        )
        easy, texts = pc.filter(texts, plain), pc.filter(texts, pc.invert(plain))
        forms = pc.ascii_lower(easy)
        differs = pc.not_equal(forms, easy)
        pairs = (pc.filter(column, differs).to_pylist() for column in (easy, forms))
        found = dict(zip(*pairs, strict=True))
    rest = ((text, normalise(text)) for text in texts.to_pylist())
    return {text: form for text, form in rest if text != form} | found


_STRAY_SPACE = r"^ | $|  |[\t-\r\x1c-\x1f]"
"""ASCII blanks, where Python splits a text, that are not single spaces between words."""


def _stemmer(language: str) -> Callable[[str], str]:
    snowballstemmer = require("snowballstemmer", "stemming", extra="logs")
    known = snowballstemmer.algorithms()
    if language not in known:
        hint = suggest(language, known) or f"; there are {', '.join(sorted(known))}"
        raise OptionError(f"there is no stemmer for {language!r}{hint}")
    stem: Callable[[str], str] = snowballstemmer.stemmer(language).stemWord
    return cache(stem)
