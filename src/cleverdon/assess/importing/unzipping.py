"""A file that comes alone in a zip archive, as books do that Quepid exports.

What is read is what is in it. So the same judgments are the same file, packed or not.
"""

from __future__ import annotations

import errno
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from cleverdon.assess.importing import kinds
from cleverdon.errors import InputError

_MARKS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
"""How archives begin: with a file, with none, in parts."""
_AT_ONCE = 1 << 20
_ENCRYPTED = 1
_INSTEAD = "unpack it, and import the file with the judgments"


@contextmanager
def unzipped(path: str, *, called: str) -> Iterator[str]:
    """Where to read a file, for as long as it is read; errors in it say what it is called."""
    plain = path
    try:
        if not _is_archive(path):
            yield path
            return
        with TemporaryDirectory(prefix="cleverdon-") as folder:
            plain = os.path.join(folder, "import")
            _unpack(path, plain)
            yield plain
    except InputError as error:
        if error.source not in (path, plain):  # which may be that of documents' texts
            raise
        message, line, column = error.message, error.line, error.column
        raise InputError(message, source=called, line=line, column=column) from None


def _is_archive(path: str) -> bool:
    if not os.path.isfile(path):  # a pipe can be read only once
        return False
    try:
        with open(path, "rb") as file:
            return file.read(4) in _MARKS
    except OSError:
        return False  # whoever reads it next says why


def _unpack(path: str, plain: str) -> None:
    try:
        with (
            ZipFile(path) as archive,
            archive.open(_only_file(archive, path)) as packed,
            open(plain, "xb") as file,
        ):
            # Counted, because an archive can say anything of itself.
            while block := packed.read(_AT_ONCE):
                if file.tell() + len(block) > kinds.LARGEST:
                    raise too_large(path)
                file.write(block)
    except OSError as error:
        if error.errno != errno.EINVAL:  # that of a place before the file's first byte
            raise
        raise _damaged(path) from None
    except (BadZipFile, EOFError, NotImplementedError, OverflowError, ValueError, zlib.error):
        raise _damaged(path) from None


def too_large(path: str) -> InputError:
    """What is said of a file that is, or becomes, more than can be held."""
    return InputError(
        f"has more than {kinds.LARGEST:,} bytes once it is unpacked: bring it in parts", source=path
    )


def _damaged(path: str) -> InputError:
    return InputError("is damaged or cut short: it cannot be unpacked as zip", source=path)


def _only_file(archive: ZipFile, path: str) -> ZipInfo:
    """The file of an archive; folders are none, nor is what macOS puts beside each file."""
    files = [
        each
        for each in archive.infolist()
        if not each.filename.endswith("/") and not each.filename.startswith("__MACOSX/")
    ]
    if len(files) != 1:
        first = f", first {files[0].filename[:60]!r}" if files else ""
        raise InputError(
            f"is a zip archive of {len(files)} files{first}: expected one; {_INSTEAD}", source=path
        )
    if files[0].flag_bits & _ENCRYPTED:
        raise InputError(f"is a zip archive with a password: {_INSTEAD}", source=path)
    # Of other methods, a few bytes become gigabytes at once.
    if files[0].compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise InputError(f"is a zip archive of an unusual method: {_INSTEAD}", source=path)
    return files[0]
