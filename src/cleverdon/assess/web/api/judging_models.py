"""What the calls of assessors take and give."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from cleverdon.assess.judging.checking import LONGEST_TEXT
from cleverdon.assess.judging.excerpts import Excerpt, Part
from cleverdon.assess.judging.queue import Progress
from cleverdon.assess.judging.recording import LONGEST_TIME, Kind
from cleverdon.assess.judging.viewing import TEXT_PAGE, Said, TextPage
from cleverdon.assess.web.api.models import StandingModel
from cleverdon.assess.web.limits import LARGEST, LONGEST_TOPIC

_LATEST = 1e11

Id = Annotated[int, Field(ge=1, le=LARGEST, strict=True)]
TopicName = Annotated[str, Field(min_length=1, max_length=LONGEST_TOPIC)]


class ProgressModel(BaseModel):
    """How far one has come with a topic."""

    total: int = Field(description="Documents of the topic that are yours to judge.")
    done: int = Field(description="Those that you judged or skipped.")
    left: int = Field(description="Those that are still to come.")

    @classmethod
    def of(cls, far: Progress) -> ProgressModel:
        """As it was counted."""
        return cls.model_construct(total=far.total, done=far.done, left=far.left)


class TopicModel(ProgressModel):
    """A topic that is assigned to you."""

    topic: str = Field(description="Its name, as qrels have it.")
    title: str
    description: str
    narrative: str


class TopicsModel(BaseModel):
    """The topics that are assigned to you."""

    topics: list[TopicModel]


class NextModel(BaseModel):
    """Which documents are wanted."""

    model_config = ConfigDict(extra="forbid")

    topic: TopicName | None = Field(
        default=None, description="Of this topic; without one, topic by topic."
    )
    n: Annotated[int, Field(ge=1, le=20, strict=True)] = Field(default=1, description="How many.")
    without: Annotated[list[Id], Field(max_length=100)] = Field(
        default=[],
        description="Items that you have already: they are not sent, and the last fifty "
        "stay yours, but for what somebody else has by now.",
    )
    past: Id | None = Field(
        default=None, description="Look behind this item first, and then from the beginning."
    )
    parts: bool = Field(default=True, description="Whether the text is wanted beside the HTML.")


class PartModel(BaseModel):
    """A stretch of a document's text."""

    kind: Literal["text", "fold", "gap"] = Field(
        description="In view; folded, since no term of the query is in it; or left out."
    )
    characters: int = Field(description="How many characters of the text it stands for.")
    text: str = Field(description="The characters; empty where they are left out.")
    marks: list[tuple[int, int]] = Field(
        description="Where in `text` terms of the query begin and end."
    )


class DocumentModel(BaseModel):
    """A document as it is shown."""

    id: str
    title: str
    url: str
    length: int = Field(description="Characters of the whole text.")
    parts: list[PartModel] = Field(
        description="The text from its beginning to its end; the call of its text has what is left "
        "out."
    )

    @classmethod
    def of(
        cls, name: str, title: str, url: str, excerpt: Excerpt, *, parts: bool = True
    ) -> DocumentModel:
        """As it is shown."""
        return cls.model_construct(
            id=name,
            title=title,
            url=url,
            length=excerpt.length,
            parts=[_part(part) for part in excerpt.parts] if parts else [],
        )


class TextModel(BaseModel):
    """A page of a document's whole text."""

    topic: str
    title: str = Field(description="The document's, or its id where it has none.")
    page: int
    pages: int = Field(description=f"Each but the last has {TEXT_PAGE:,} characters.")
    part: PartModel = Field(description="All of the page.")

    @classmethod
    def of(cls, found: TextPage) -> TextModel:
        """As it is shown."""
        return cls.model_construct(
            topic=found.topic,
            title=found.title,
            page=found.number,
            pages=found.pages,
            part=_part(found.part),
        )


class ItemModel(BaseModel):
    """A document that is to be judged for a topic."""

    item: int = Field(description="The number by which a judgment speaks of it.")
    topic: str
    document: DocumentModel
    standing: StandingModel
    html: str = Field(description="The document as pages show it.")


class ItemsModel(BaseModel):
    """Documents that are kept for you, for ten minutes from now."""

    items: list[ItemModel]


class SayingModel(BaseModel):
    """What you say of a document."""

    model_config = ConfigDict(extra="forbid")

    request: Annotated[str, Field(min_length=8, max_length=100)] = Field(
        description="Your own id for this: asked a second time, it is not done again."
    )
    item: Id
    kind: Kind
    grade: Annotated[int, Field(ge=0, le=9, strict=True)] | None = Field(
        default=None, description="For `grade`: one of the project's scale."
    )
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] = Field(
        default="", description="For `skip` the reason, for `note` the note."
    )
    flagged: bool = Field(default=False, description="For `flag`: whether it is or no longer is.")
    seconds: Annotated[float, Field(ge=0, le=LONGEST_TIME, allow_inf_nan=False)] | None = Field(
        default=None, description="For how long it was looked at."
    )
    said_at: Annotated[float, Field(ge=0, le=_LATEST, allow_inf_nan=False)] | None = Field(
        default=None, description="When it was said, in seconds since 1970, where that was earlier."
    )
    undoes: Annotated[str, Field(min_length=8, max_length=100)] | None = Field(
        default=None,
        description="For `undo`: the request that is taken back. Where that is not your last word "
        "on the document, nothing is.",
    )


class RecordedModel(BaseModel):
    """What stands now. It is on the server's disk."""

    item: int
    event: int = Field(description="Its number in the history.")
    repeated: bool = Field(description="Whether this request had been recorded before.")
    standing: StandingModel
    progress: ProgressModel = Field(description="Of the document's topic.")


class SaidModel(BaseModel):
    """Your last word on a document."""

    item: int
    topic: str
    document: str
    title: str
    standing: StandingModel
    event: int
    made_at: float = Field(description="Seconds since 1970.")

    @classmethod
    def of(cls, said: Said) -> SaidModel:
        """As a list has it."""
        return cls.model_construct(**{**vars(said), "standing": StandingModel.of(said.standing)})


class SaidsModel(BaseModel):
    """Your last words, the newest first."""

    judgments: list[SaidModel]
    before: int | None = Field(
        description="Ask with this for those before; null where there are none."
    )


class EventModel(StandingModel):
    """Something that you said, and how the judgment stood after it."""

    event: int
    kind: Literal["grade", "skip", "note", "flag", "undo", "import"]
    seconds: float | None
    made_at: float = Field(description="Seconds since 1970, by the server's clock.")
    said_at: float | None = Field(description="By the browser's clock, where it was sent later.")


class HistoryModel(BaseModel):
    """All that you said of a document, from the first word to the last."""

    events: list[EventModel]


def _part(part: Part) -> PartModel:
    return PartModel.model_construct(
        kind=part.kind, characters=part.characters, text=part.text, marks=list(part.marks)
    )
