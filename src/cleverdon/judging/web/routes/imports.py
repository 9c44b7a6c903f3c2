"""Routes of imports: judgments that were made elsewhere.

On the page, a file is uploaded, checked, and then imported. A browser does not send a file again
with the next form, so an upload is kept between check and import: one per person, for an hour.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from threading import Lock
from typing import Annotated, BinaryIO, Literal

from fastapi import APIRouter, Form, Query, Request, UploadFile
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from cleverdon.errors import CleverdonError
from cleverdon.judging import clock
from cleverdon.judging.errors import Conflict, DatabaseFailure, Invalid
from cleverdon.judging.imports import IMPORT_FORMS, IMPORT_KINDS, Fields
from cleverdon.judging.imports.importer import ImportResult, ImportSettings, parse_judges
from cleverdon.judging.imports.recording import parse_map
from cleverdon.judging.imports.worker import import_in_worker
from cleverdon.judging.people.accounts import LONGEST_NAME
from cleverdon.judging.project import Project
from cleverdon.judging.web.authorization import Administrator, Visitor
from cleverdon.judging.web.responses import render_page, status_code
from cleverdon.judging.web.routes import errors

api = APIRouter(prefix="/imports", tags=["imports"])

_Name = Annotated[str, StringConstraints(max_length=LONGEST_NAME)]
_ImportKind = Literal["earlier", "model", "person"]
_FileForm = Literal["qrels", "quepid", "label-studio"]
_Pairs = Annotated[list[Annotated[str, StringConstraints(max_length=300)]], Field(max_length=100)]

_BODY = {
    "requestBody": {
        "required": True,
        "description": "The file itself, not a form.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
_MOST_QUERIES = 20
"""Unknown queries that a response lists."""


class ImportOptions(BaseModel):
    """Options that the API and the form share."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    kind: _ImportKind = "earlier"
    name: _Name = ""
    """The judge of all rows, instead of those in the file."""
    form: Literal["", _FileForm] = ""
    """The format, if it cannot be detected."""
    assessors: bool = False
    """Read TREC's second column as the judge."""
    query_field: _Name = ""
    """Label Studio: the field of the query."""
    document_field: _Name = ""
    """Label Studio: the field of the document."""
    grade_field: _Name = ""
    """Label Studio: the control of the grade."""
    add: bool = False
    """Add documents that the project does not have."""
    replace: bool = False
    """Replace different grades of the same judge."""
    only_look: bool = False
    """Only check the file; change nothing."""


class ImportModel(ImportOptions):
    """Options of an import."""

    model_config = ConfigDict(extra="forbid")

    kind: _ImportKind = Field(
        "earlier",
        alias="as",
        description="Whose judgments. "
        + "; ".join(f"{name}: {what}" for name, what in IMPORT_KINDS.items())
        + ".",
    )
    file: _Name = "import"
    """The name of the file."""
    judge: _Pairs = []
    """Names of the file's judges in the project: THERE=HERE."""
    map: _Pairs = []
    """Grades of the file on the project's scale: OLD=NEW."""


@api.post("", summary="Import judgments", responses=errors(404, 409), openapi_extra=_BODY)
async def send(
    request: Request, visitor: Administrator, options: Annotated[ImportModel, Query()]
) -> ImportResult:
    """Import a file: qrels, or an export of Quepid or Label Studio, zipped or not.

    Either all judgments are recorded or, after an error, none. Importing the same file again
    changes nothing.
    """
    if "form" in request.headers.get("content-type", ""):
        raise Invalid("send the file itself as the body of the request, and not as a form")
    with tempfile.TemporaryDirectory(prefix="cleverdon-") as folder:
        path = os.path.join(folder, "import")
        with open(path, "wb") as file:
            async for block in request.stream():  # app.py limits its size
                await run_in_threadpool(file.write, block)
        args = request, visitor, options, path, options.file, options.judge, options.map
        result = await run_in_threadpool(_import_file, *args)
    return replace(result, unknown_queries=result.unknown_queries[:_MOST_QUERIES])


def _import_file(
    request: Request,
    visitor: Visitor,
    options: ImportOptions,
    path: str,
    name: str,
    judges: Iterable[str],
    grades: Iterable[str],
) -> ImportResult:
    """Import an uploaded file, or only check it; `name` is its original name."""
    project: Project = request.app.state.project
    settings = ImportSettings(
        options.kind,
        options.name.strip(),
        parse_judges(judges),
        parse_map(grades, project.scale),
        options.add,
        replace=options.replace,
    )
    return import_in_worker(
        project,
        path,
        settings,
        actor=visitor.actor,
        form=options.form or None,
        judge_column=options.assessors,
        fields=Fields(options.query_field, options.document_field, options.grade_field),
        name=name,
        only_look=options.only_look,
    )


_KEPT = 3_600.0
"""Seconds until an upload is deleted."""


@dataclass(frozen=True)
class Upload:
    key: str
    name: str  # of the original file
    path: str
    sent_at: float


class Uploads:
    """Uploaded files, one per person, in a folder that is deleted when the server ends."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._of: dict[int, Upload] = {}
        self._folder = ""

    def keep(self, person: int, file: BinaryIO, name: str) -> Upload:
        """Keep a file instead of the person's previous one."""
        key = secrets.token_hex(8)
        with self._lock:
            self._drop_expired()
            path = os.path.join(self._made_folder(), key)
        with open(path, "xb") as own:
            shutil.copyfileobj(file, own)
        kept = Upload(key, name, path, clock.now())
        with self._lock:
            self._drop(person)
            self._of[person] = kept
        return kept

    def kept(self, person: int, key: str) -> Upload:
        """Return a kept file, or raise Conflict if it is gone."""
        with self._lock:
            self._drop_expired()
            found = self._of.get(person)
        if found is None or found.key != key or not os.path.exists(found.path):
            raise Conflict("the file is no longer here, or you sent another since: choose it again")
        return found

    def drop(self, person: int) -> None:
        """Delete a person's file."""
        with self._lock:
            self._drop(person)

    def _made_folder(self) -> str:
        """Return the private folder; make it again if something deleted it."""
        if not os.path.isdir(self._folder):
            self._folder = tempfile.mkdtemp(prefix="cleverdon-")
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder

    def _drop_expired(self) -> None:
        for person, upload in [*self._of.items()]:
            if upload.sent_at < clock.now() - _KEPT:
                self._drop(person)

    def _drop(self, person: int) -> None:
        old = self._of.pop(person, None)
        if old is not None:
            Path(old.path).unlink(missing_ok=True)


pages = APIRouter(prefix="/imports")

_Lines = Annotated[str, Field(max_length=10_000)]


class ImportForm(ImportOptions):
    """The import form."""

    file: UploadFile | None = None  # or one that was sent before:
    upload: _Name = ""
    map: _Lines = ""  # a line each
    judge: _Lines = ""


@pages.get("")
def imports_page(request: Request, visitor: Administrator) -> Response:
    return _page(request, visitor, ImportForm())


@pages.post("")
def import_form(
    request: Request, visitor: Administrator, form: Annotated[ImportForm, Form()]
) -> Response:
    uploads: Uploads = request.app.state.uploads
    upload = None
    try:
        upload = _upload(uploads, visitor, form)
        judges, grades = (filter(str.strip, lines.splitlines()) for lines in (form.judge, form.map))
        result = _import_file(request, visitor, form, upload.path, upload.name, judges, grades)
    except DatabaseFailure:
        raise
    except CleverdonError as error:  # shown above the form, so that nothing must be typed again
        status = status_code(error)
        return _page(request, visitor, form, upload, error=str(error), status=status)
    if form.only_look:
        return _page(request, visitor, form, upload, result=result)
    uploads.drop(visitor.person)
    return _page(request, visitor, ImportForm(), result=result, imported=upload.name)


def _upload(uploads: Uploads, visitor: Visitor, form: ImportForm) -> Upload:
    if form.file is not None and form.file.filename:
        name = PurePath(form.file.filename.replace("\\", "/")).name
        return uploads.keep(visitor.person, form.file.file, name[-LONGEST_NAME:])
    if form.upload:
        return uploads.kept(visitor.person, form.upload)
    raise Invalid("no file was chosen")


def _page(
    request: Request,
    visitor: Visitor,
    form: ImportForm,
    upload: Upload | None = None,
    *,
    result: ImportResult | None = None,
    error: str = "",
    imported: str = "",
    status: int = 200,
) -> Response:
    """Render the form as it was filled in, with the result of the import or check."""
    values = {
        "form": form,
        "upload": upload,
        "result": result,
        "unknown": result.unknown_queries[:_MOST_QUERIES] if result else (),
        "error": error,
        "imported": imported,
        "kinds": IMPORT_KINDS,
        "forms": IMPORT_FORMS,
    }
    return render_page(request, "imports.html", values, visitor=visitor, status=status)
