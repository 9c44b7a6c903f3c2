"""Roles, and what each may do. Every page and call of the app names one right."""

from __future__ import annotations

from enum import StrEnum


class Right(StrEnum):
    """What a page or call asks for."""

    ANYONE = "anyone"  # signing in, and what the sign-in page is made of
    SIGNED_IN = "signed in"  # one's own account
    JUDGE = "judge"  # documents of the topics that are assigned, and one's own judgments
    WATCH = "watch"  # progress, agreement, recall; judgments of everybody, exports
    MANAGE = "manage"  # people, assignments, settings, imports, adjudication, the audit log


RIGHTS: dict[str, frozenset[Right]] = {
    "administrator": frozenset(Right),
    "assessor": frozenset({Right.ANYONE, Right.SIGNED_IN, Right.JUDGE}),
    "viewer": frozenset({Right.ANYONE, Right.SIGNED_IN, Right.WATCH}),
}
"""What each role may do."""
