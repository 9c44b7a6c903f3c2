"""Pages: what can be downloaded, for viewers and administrators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from sqlalchemy import select
from starlette.responses import Response

from cleverdon.assess.adjudicating.rulings import standing_rulings
from cleverdon.assess.exporting.kinds import ONE_GRADE
from cleverdon.assess.exporting.writing import not_in_it
from cleverdon.assess.people.rights import Right
from cleverdon.assess.project import POOL
from cleverdon.assess.store.schema import people
from cleverdon.assess.web.downloads import (
    Asked,
    asked_agreement,
    asked_datasheet,
    asked_history,
    asked_qrels,
    download,
)
from cleverdon.assess.web.rendering import page
from cleverdon.assess.web.visitor import Needs, Visitor
from cleverdon.judge.aggregation import TIES, WAYS

router = APIRouter(prefix="/exports")

Watcher = Annotated[Visitor, Needs(Right.WATCH)]


@router.get("")
def exports(request: Request, visitor: Watcher) -> Response:
    project = request.app.state.project
    with project.database.reading() as connection:
        others = connection.execute(
            select(people.c.name, people.c.kind)
            .where(people.c.kind != "person")
            .order_by(people.c.id)
        ).all()
        rulings = len(standing_rulings(connection))
    unused = dict.fromkeys(WAYS, f" ({not_in_it(rulings)})") if rulings else {}
    values = {
        "ways": {
            **{way: meaning + unused.get(way, "") for way, meaning in ONE_GRADE.items()},
            "assessor": "everybody's grades apart",
        },
        "ties": TIES,
        "others": others,
        "has_pool": (project.folder / POOL).is_file(),
    }
    return page(request, "exports.html", values, visitor=visitor)


def _sending(asked_for: Callable[..., Asked]) -> Callable[..., Response]:
    """A route that sends one kind of file."""

    def send(
        request: Request,
        visitor: Watcher,
        asked: Asked = Depends(asked_for),  # noqa: B008 (an annotation could not name it)
    ) -> Response:
        return download(request, visitor, asked)

    return send


_FILES: dict[str, Callable[..., Asked]] = {
    "qrels": asked_qrels,
    "history": asked_history,
    "agreement": asked_agreement,
    "datasheet": asked_datasheet,
}
for _kind, _asked_for in _FILES.items():
    router.get(f"/{_kind}")(_sending(_asked_for))
