"""For administrators: judgments that were made elsewhere, looked at first, and then imported."""

from __future__ import annotations

from pathlib import PurePath
from typing import Annotated

from fastapi import APIRouter, Form, Request, UploadFile
from pydantic import Field
from starlette.responses import Response

from cleverdon.assess.importing.importing import Imported
from cleverdon.assess.importing.kinds import FORMS, KINDS
from cleverdon.assess.people.accounts import LONGEST_NAME
from cleverdon.assess.people.rights import Right
from cleverdon.assess.project import Project
from cleverdon.assess.refusals import Invalid
from cleverdon.assess.store import StoreFailure
from cleverdon.assess.web.api.imports import MOST_TOPICS, ImportOptions, Name, imported
from cleverdon.assess.web.failures import status_of
from cleverdon.assess.web.rendering import page
from cleverdon.assess.web.uploads import Upload, Uploads
from cleverdon.assess.web.visitor import Needs, Visitor
from cleverdon.errors import CleverdonError

router = APIRouter(prefix="/imports")

Administrator = Annotated[Visitor, Needs(Right.MANAGE)]
Lines = Annotated[str, Field(max_length=10_000)]


class ImportForm(ImportOptions):
    """What the form says of a file."""

    file: UploadFile | None = None  # or one that was sent before:
    upload: Name = ""
    map: Lines = ""  # a line each
    judge: Lines = ""


@router.get("")
def imports(request: Request, visitor: Administrator) -> Response:
    return _page(request, visitor, ImportForm())


@router.post("")
def send(
    request: Request, visitor: Administrator, asked: Annotated[ImportForm, Form()]
) -> Response:
    uploads: Uploads = request.app.state.uploads
    upload = None
    try:
        upload = _upload(uploads, visitor, asked)
        found = _imported(request.app.state.project, visitor, asked, upload)
    except StoreFailure:
        raise
    except CleverdonError as error:  # said above the form, so that nothing is to be typed again
        status = status_of(error)
        return _page(request, visitor, asked, upload, said=str(error), status=status)
    if asked.only_look:
        return _page(request, visitor, asked, upload, found=found)
    uploads.drop(visitor.person)
    return _page(request, visitor, ImportForm(), found=found, done=upload.name)


def _upload(uploads: Uploads, visitor: Visitor, asked: ImportForm) -> Upload:
    if asked.file is not None and asked.file.filename:
        name = PurePath(asked.file.filename.replace("\\", "/")).name
        return uploads.keep(visitor.person, asked.file.file, name[-LONGEST_NAME:])
    if asked.upload:
        return uploads.kept(visitor.person, asked.upload)
    raise Invalid("no file was chosen")


def _imported(project: Project, visitor: Visitor, asked: ImportForm, upload: Upload) -> Imported:
    return imported(
        project,
        visitor,
        asked,
        upload.path,
        name=upload.name,
        judges=filter(str.strip, asked.judge.splitlines()),
        grades=filter(str.strip, asked.map.splitlines()),
    )


def _page(
    request: Request,
    visitor: Visitor,
    asked: ImportForm,
    upload: Upload | None = None,
    *,
    found: Imported | None = None,
    said: str = "",
    done: str = "",
    status: int = 200,
) -> Response:
    """The form as it was filled in; `found` is what came of it, or would."""
    values = {
        "asked": asked,
        "upload": upload,
        "found": found,
        "unknown": found.unknown_topics[:MOST_TOPICS] if found else (),
        "said": said,
        "done": done,
        "kinds": KINDS,
        "forms": FORMS,
    }
    return page(request, "imports.html", values, visitor=visitor, status=status)
