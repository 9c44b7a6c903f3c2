"""Which modules of the standard library the demo collects.

Chosen by hand, because importing "all of it" would open a browser (`antigravity`), print a poem
(`this`), change the terminal (`rlcompleter` sets up readline) or warn of a removal. Every module
here is part of Python 3.11 to 3.14 on Linux, macOS and Windows, and imports silently.
Whatever is missing all the same (a Python built without `lzma`, say) is passed over and named.
"""

from __future__ import annotations

import importlib
import warnings
from dataclasses import dataclass
from types import ModuleType

# The order matters once: where an object is public in two modules and was defined in neither, it
# belongs to the one listed first. So packages stand before what they re-export.
_LISTED = """
    builtins collections collections.abc itertools functools operator types typing enum
    dataclasses abc contextlib contextvars copy copyreg weakref array bisect heapq queue graphlib
    numbers math cmath decimal fractions random statistics secrets string re difflib textwrap
    unicodedata stringprep reprlib pprint struct codecs datetime zoneinfo calendar time sched
    pathlib os os.path fileinput stat filecmp tempfile glob fnmatch linecache shutil io pickle
    pickletools marshal shelve dbm sqlite3 zlib gzip bz2 lzma zipfile tarfile csv configparser
    tomllib netrc plistlib hashlib hmac argparse optparse getopt getpass logging logging.config
    logging.handlers platform errno ctypes threading multiprocessing multiprocessing.connection
    multiprocessing.managers multiprocessing.pool multiprocessing.shared_memory concurrent.futures
    subprocess asyncio socket ssl select selectors signal mmap email email.charset email.encoders
    email.generator email.header email.headerregistry email.message email.mime.text
    email.mime.multipart email.parser email.policy email.utils json mailbox mimetypes base64
    binascii quopri html html.parser xml.dom.minidom xml.dom.pulldom xml.etree.ElementTree xml.sax
    xml.sax.handler xml.sax.saxutils xml.sax.xmlreader webbrowser wsgiref.headers
    wsgiref.simple_server wsgiref.util wsgiref.validate urllib.error urllib.parse urllib.request
    urllib.response urllib.robotparser http http.client http.cookiejar http.cookies http.server
    ftplib poplib imaplib smtplib uuid socketserver xmlrpc.client xmlrpc.server ipaddress wave
    colorsys gettext locale cmd shlex doctest unittest unittest.mock bdb faulthandler pstats
    timeit trace tracemalloc venv zipapp sys sysconfig warnings atexit traceback gc inspect code
    codeop zipimport pkgutil modulefinder runpy importlib importlib.abc importlib.machinery
    importlib.metadata importlib.resources importlib.util ast symtable token keyword tokenize
    tabnanny pyclbr py_compile compileall dis
"""
MODULES = tuple(_LISTED.split())


@dataclass(frozen=True)
class Imported:
    """The modules that could be imported, in the order asked for, and the names of the others."""

    modules: tuple[tuple[str, ModuleType], ...]
    skipped: tuple[str, ...]


def import_modules(names: tuple[str, ...] = MODULES) -> Imported:
    """Import what there is; a module that fails in whatever way is skipped, not fatal."""
    found: list[tuple[str, ModuleType]] = []
    skipped: list[str] = []
    for name in names:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a later Python; the user did not ask for it
                found.append((name, importlib.import_module(name)))
        except Exception:
            skipped.append(name)
    return Imported(modules=tuple(found), skipped=tuple(skipped))
