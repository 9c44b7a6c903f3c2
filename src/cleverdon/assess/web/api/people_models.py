"""What the calls about accounts take and give."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from cleverdon.assess.people.accounts import LONGEST_NAME
from cleverdon.assess.people.passwords import LONGEST, SHORTEST
from cleverdon.assess.people.rights import Right
from cleverdon.assess.people.tokens import LONGEST_DAYS

RoleName = Literal["administrator", "assessor", "viewer"]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]


class _Asked(BaseModel):
    """What is not known is refused: it may be a slip of the keyboard."""

    model_config = ConfigDict(extra="forbid", strict=True)


class MeModel(BaseModel):
    """Who asks."""

    person: int
    name: str
    role: str
    rights: list[Right] = Field(description="What the role allows.")


class NewPasswordModel(_Asked):
    """A password to be set."""

    old: str = Field(default="", max_length=LONGEST, description="The one so far, if there is one.")
    new: str = Field(min_length=SHORTEST, max_length=LONGEST)
    keep_link: bool = Field(
        default=False, description="Whether your sign-in link goes on: nobody else may have it."
    )


class TokenModel(BaseModel):
    """What is known of a token. Moments are seconds since 1970, UTC."""

    id: int
    name: str
    created_at: float
    expires_at: float | None = Field(description="None where it has no end.")
    used_at: float | None = Field(description="The last use, to within an hour.")


class MadeTokenModel(TokenModel):
    """A new token."""

    key: str = Field(description="The token itself: it is not to be had again.")


class TokensModel(BaseModel):
    """One's tokens."""

    tokens: list[TokenModel]


class NewTokenModel(_Asked):
    """A token to be made."""

    name: Name = Field(description="What it is for.")
    days: Annotated[int, Field(ge=1, le=LONGEST_DAYS, strict=True)] | None = Field(
        default=365, description="How long it lasts; null for no end."
    )


class SignOutModel(_Asked):
    """How far to sign out."""

    everywhere: bool = Field(default=False, description="On all devices.")


class PersonModel(BaseModel):
    """An account."""

    id: int
    name: str
    role: RoleName
    active: bool
    has_password: bool
    created_at: float = Field(description="Seconds since 1970, UTC.")


class PeopleModel(BaseModel):
    """All accounts."""

    people: list[PersonModel]


class NewPersonModel(_Asked):
    """An account to be made."""

    name: Name
    role: RoleName


class ChangeModel(_Asked):
    """What is to be another way; what is left out stays."""

    role: RoleName | None = None
    active: bool | None = None


class NewLinkModel(_Asked):
    """A sign-in link to be made."""

    forget_password: bool = Field(
        default=False, description="Whether the password and all visits end as well."
    )


class LinkModel(BaseModel):
    """An account and its new sign-in link."""

    person: PersonModel
    link: str = Field(description="The whole address: it is not to be had again.")


class LineModel(BaseModel):
    """A line of the audit log."""

    id: int
    made_at: float = Field(description="Seconds since 1970, UTC.")
    actor: str
    action: str
    about: str
    address: str


class LinesModel(BaseModel):
    """Lines of the audit log, the newest first."""

    lines: list[LineModel]
    earlier: int | None = Field(description="`before` of the next page, if there is one.")
