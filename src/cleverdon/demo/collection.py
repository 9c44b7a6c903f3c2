"""The demo's test collection: documents, queries and judgments from docstrings."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import math
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType

from cleverdon.pooling.query_expansion import FUNCTION_WORDS

# A sentence ends where the next one begins with a capital, a quotation or a bracket: a full stop
# alone also stands in "os.path", "3.11" and "e.g. this".
_SENTENCE_END = re.compile(
    r"(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)(?<=[.!?])\s+(?=[A-Z`\"'(*:])"
)

_CALL = re.compile(r"(?:async )?[A-Za-z_][\w.]*\(")

_ARROW = re.compile(r"[-=]+>")

# What may follow a signature on its line: "D.pop(k) -> v, remove the key and return its value".
# Four words at least make it a sentence: "getopt(args) -> opts, args" says nothing of the kind.
_PROSE = re.compile(
    r"(?:[-=]+>\s*(?:\([^)]*\)|\[[^]]*\]|\w+)(?:\s*[.,:]|\s+--?)|--?|:)\s+"
    r"(?P<prose>\S+(?:\s+\S+){3}.*)"
)

_CLOSING = {"(": ")", "[": "]"}


@dataclass(frozen=True)
class Docstring:
    """A docstring cut in two: the summary, which is held out, and the body, which is searched."""

    summary: str
    body: str


def _split_docstring(text: str) -> Docstring:
    r"""Cut a docstring after its first sentence, signatures in front of it thrown away.

    >>> _split_docstring("pop(i) -> item\n\nRemove an item. Raises IndexError.")
    Docstring(summary='Remove an item.', body='Raises IndexError.')
    """
    prose = _without_signatures(inspect.cleandoc(text)).strip()
    paragraph, _, rest = prose.partition("\n\n")
    sentences = _SENTENCE_END.split(paragraph, maxsplit=1)
    remainder = sentences[1] if len(sentences) > 1 else ""
    return Docstring(
        summary=" ".join(sentences[0].split()),
        body="\n\n".join(part.strip() for part in (remainder, rest) if part.strip()),
    )


def _without_signatures(text: str) -> str:
    """Remove lines such as `foo(x, y) -> z`, with which docstrings of C functions begin."""
    while _CALL.match(text):
        end = _end_of_call(text)
        line, _, after = text[end:].partition("\n")
        tail = line.strip()
        prose = _PROSE.match(tail)
        if prose is not None:
            return f"{prose['prose']}\n{after}"
        if end < 0 or (tail and not _ARROW.match(tail)):
            return text  # "Timer(delay) runs a function": a sentence, not a signature
        text = after.lstrip("\n")
    return text


def _end_of_call(text: str) -> int:
    """Find the end of the signature's brackets; -1 where they are not closed."""
    open_brackets: list[str] = []
    for place, character in enumerate(text):
        if character in _CLOSING:
            open_brackets.append(_CLOSING[character])
        elif open_brackets and character == open_brackets[-1]:
            open_brackets.pop()
            if not open_brackets:
                return place + 1
    return -1


# Less than this after the summary says nothing a search could find: "Deprecated.", "See PEP 8."
_LEAST_WORDS = 8

# Functions that programs are meant to replace, and that test runners do replace: what they hold
# depends on who is asking.
_HOOKS = (
    *("breakpointhook", "displayhook", "excepthook"),
    *("formatwarning", "showwarning", "unraisablehook"),
)


@dataclass(frozen=True)
class DemoDocument:
    """One described thing; `summary` is held out and stands in no index."""

    id: str
    module: str
    owner: str  # the class or module it is a member of, dotted
    name: str
    summary: str
    body: str


@dataclass(frozen=True)
class _Place:
    """A name of an object."""

    module: str
    owner: str
    name: str
    thing: object
    docstring: str
    at_home: bool  # the object says of itself that it was defined in this module

    @property
    def id(self) -> str:
        return f"{self.owner}.{self.name}"

    @property
    def renamed(self) -> bool:
        return getattr(self.thing, "__name__", self.name) != self.name


def collect_documents(modules: Iterable[tuple[str, ModuleType]]) -> tuple[DemoDocument, ...]:
    """Every documented function, class and method, once each, in the order of their ids.

    A thing with several names (`random.choice` is also `random.Random.choice`) becomes one
    document, else a search that returns the other name would count as a miss. The same goes for
    two things with one docstring (`bytes.isalpha` and `bytearray.isalpha`): no reader could tell
    them apart.
    """
    documents: dict[str, DemoDocument] = {}
    for place in _one_each(_one_each(_places(modules), by="thing"), by="docstring"):
        parts = _split_docstring(place.docstring)
        if len(parts.body.split()) >= _LEAST_WORDS and parts.summary:
            names = place.id, place.module, place.owner, place.name
            documents[place.id] = DemoDocument(*names, parts.summary, parts.body)
    return tuple(documents[key] for key in sorted(documents))


def _one_each(places: Iterable[_Place], *, by: str) -> tuple[_Place, ...]:
    """Choose, of the places with the same thing or docstring, where a reader would look for it."""
    # That is where it was defined, under the name it calls itself, else the shortest; `min` keeps
    # the first of equals, so the order of the modules decides the rest.
    groups: dict[object, list[_Place]] = {}
    for place in places:
        key = id(place.thing) if by == "thing" else place.docstring
        groups.setdefault(key, []).append(place)
    return tuple(
        min(group, key=lambda place: (not place.at_home, place.renamed, place.id.count(".")))
        for group in groups.values()
    )


def _places(modules: Iterable[tuple[str, ModuleType]]) -> Iterator[_Place]:
    for module_name, module in modules:
        for name, member in _public(module_name, module):
            if name in _HOOKS:
                continue
            at_home = getattr(member, "__module__", None) == module_name
            yield from _place(module_name, module_name, name, member, at_home=at_home)
            # vars() and not dir(): an inherited method is documented where it was written.
            for method, inner in vars(member).items() if isinstance(member, type) else ():
                if not method.startswith("_") and not isinstance(inner, type):
                    owner = f"{module_name}.{name}"
                    yield from _place(module_name, owner, method, inner, at_home=at_home)


def _place(
    module: str, owner: str, name: str, member: object, *, at_home: bool
) -> Iterator[_Place]:
    thing = getattr(member, "__func__", member)  # what class, static and bound methods wrap
    if isinstance(thing, type) or inspect.isroutine(thing):
        docstring = thing.__doc__
        if isinstance(docstring, str) and docstring.strip():
            yield _Place(module, owner, name, thing, docstring, at_home)


def _public(module_name: str, module: ModuleType) -> Iterator[tuple[str, object]]:
    """Yield the names of `__all__`, or else those that the module defines without underscore."""
    # Names in `__all__` are asked for with getattr, because some modules make them on first use
    # (`concurrent.futures`), and what was used before must not change the collection.
    offered = getattr(module, "__all__", None)
    if offered is not None:
        for name in offered:
            member = _member(module, name)
            if member is not None:
                yield name, member
        return
    homes = {module_name, f"_{module_name}"}  # heapq is written in Python and _heapq in C
    for name, member in vars(module).items():
        if not name.startswith("_") and getattr(member, "__module__", None) in homes:
            yield name, member


def _member(module: ModuleType, name: str) -> object | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a deprecated name still has documentation
        try:
            member: object = getattr(module, name)
        except Exception:
            return None
    return member


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

_MODULES = tuple(_LISTED.split())


@dataclass(frozen=True)
class ImportedModules:
    """The modules that could be imported, in the order asked for, and the names of the others."""

    modules: tuple[tuple[str, ModuleType], ...]
    skipped: tuple[str, ...]


def import_modules(names: tuple[str, ...] = _MODULES) -> ImportedModules:
    """Import the modules that exist, and skip those that fail."""
    found: list[tuple[str, ModuleType]] = []
    skipped: list[str] = []
    for name in names:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a later Python; the user did not ask for it
                found.append((name, importlib.import_module(name)))
        except Exception:
            skipped.append(name)
    return ImportedModules(modules=tuple(found), skipped=tuple(skipped))


_WORD = re.compile(r"[a-z0-9]+")

# "OrderedDict" is Ordered and Dict, "HTTPServer" is HTTP and Server, but "IPv4" stays whole.
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})")

_JOINTS = re.compile(r"[\s._]+")


def words(text: str) -> tuple[str, ...]:
    r"""The words of a text, in lower case, without punctuation.

    >>> words("Don't sort, \"just\" re-order it.")
    ('don', 't', 'sort', 'just', 're', 'order', 'it')
    """
    return tuple(_WORD.findall(text.lower()))


def name_words(name: str) -> str:
    """An identifier as a person would say it.

    >>> name_words("collections.OrderedDict.move_to_end")
    'collections Ordered Dict move to end'
    """
    return _JOINTS.sub(" ", _split_camel(name)).strip()


def _split_camel(text: str) -> str:
    """Split the CamelCase words of a text."""
    return _CAMEL.sub(" ", text)


_VOWEL = re.compile(r"[aeiouy]")

# The words in which any docstring talks about any function.
_DOCSTRING_WORDS = """
    arg argument arguments call called calls class classes first function functions get gets give
    given gives instance instances item items like make makes method methods new none object objects
    otherwise parameter parameters possible python return returned returning returns second self set
    sets specified specify take takes true false two use used uses using value values
"""

_NO_SUBJECT = FUNCTION_WORDS | frozenset(_DOCSTRING_WORDS.split())


def _stem(word: str) -> str:
    """A word without its commonest endings: plural, past, participle, doer.

    >>> [_stem(word) for word in ("entries", "parsing", "parser", "stopped", "class")]
    ['entry', 'pars', 'pars', 'stop', 'class']
    """
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed", "er", "e"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= 3 and _VOWEL.search(root):
            doubled = ending != "e" and root[-1] == root[-2] and root[-1] not in "lsz"
            return root[:-1] if doubled else root
    return word


def _subject_stems(text: str) -> frozenset[str]:
    """The stems of the words that say what a sentence is about.

    >>> sorted(_subject_stems("Return the LogRecords of a parser."))
    ['log', 'pars', 'record']
    """
    return frozenset(
        _stem(word)
        for word in words(_split_camel(text))
        if word not in _NO_SUBJECT and len(word) > 1
    )


@dataclass(frozen=True)
class StemWeights:
    """The weight of every stem: the rarer among the sentences, the higher (idf)."""

    weight: Mapping[str, float]

    def shared(self, one: frozenset[str], other: frozenset[str]) -> float:
        """The cosine of two sets of stems, each weighing its idf: 0 for nothing, 1 for the same."""
        norm = self._squares(one) * self._squares(other)
        return self._squares(one & other) / math.sqrt(norm) if norm else 0.0

    def _squares(self, stems: Iterable[str]) -> float:
        # Sorted, because a set's own order differs from process to process, and with it the last
        # digit of a sum.
        return sum(self.weight[stem] ** 2 for stem in sorted(stems))


def _weigh_stems(sentences: Iterable[frozenset[str]]) -> StemWeights:
    """Learn how much each stem tells from all the sentences of the collection."""
    everything = tuple(sentences)
    counts = Counter(stem for sentence in everything for stem in sentence)
    return StemWeights({stem: math.log((1 + len(everything)) / n) for stem, n in counts.items()})


_QUERIES = 180

_PER_MODULE = 5  # else builtins, asyncio and os, a fifth of all documents, would set the tone

_SHORTEST, _LONGEST = 5, 20  # in words

_LEAST_STEMS = 3  # "Emit a record." describes a dozen methods and asks for none of them

_EVERYDAY = 5  # other summaries that use a word

# Markup says how a word is set, not what is asked for: ``name``, :class:`Mock`, *args.
_MARKUP = re.compile(r":[a-z]+:(?=`)|`+|(?<![\w*])\*+(?=\w)|(?<=\w)\*+(?![\w*])")

_SENTENCE = re.compile(r"[A-Za-z][^>=:\\]*\.")  # an arrow, assignment or colon belongs to code

_CODE = re.compile(r"\w\(|\w\.\w|_")


@dataclass(frozen=True)
class DemoQuery:
    """A query, and the document whose summary it is."""

    id: str
    text: str
    document: DemoDocument


def choose_queries(
    documents: Sequence[DemoDocument], *, count: int = _QUERIES, per_module: int = _PER_MODULE
) -> tuple[DemoQuery, ...]:
    """Draw queries evenly over the modules, the same ones every time.

    A document's turn is decided by the SHA-256 of its id. That is as good as chance, owes nothing
    to the interpreter's hash seed, and one document more or less in another version of Python
    leaves the other draws alone.

    A summary is passed over when it would make the question too easy or unanswerable:

    - It stands word for word in the searched text of any document: then finding the query would be
      finding the answer.
    - It contains the item's own name, unless that is an everyday word (one that at least five other
      summaries use): "Sort the list in place." is how anyone asks for `sort`, but nobody who needs
      to be told about `islice` types "islice".
    - More than half of its content words are in the name, as "Return the harmonic mean of data." is
      for `harmonic_mean`: such queries would only measure whether names are searched.
    - It refers to other code, as "Like itermonthdates(), but yields tuples." does: so writes only
      one whose reader has the documentation open already.
    - It is no sentence, very short, very long, or says nothing specific.
    """
    searched = "\n".join(_plain_words(f"{d.id} {name_words(d.id)} {d.body}") for d in documents)
    usage = Counter(word for d in documents for word in set(words(d.summary)))
    drawn: dict[str, DemoDocument] = {}
    taken: Counter[str] = Counter()
    for document in sorted(documents, key=lambda d: hashlib.sha256(d.id.encode()).digest()):
        text = _clean_summary(document.summary)
        if (
            len(drawn) < count
            and taken[document.module] < per_module
            and text not in drawn
            and _asks_something(text)
            and not _gives_itself_away(document, text, usage)
            and _plain_words(text) not in searched
        ):
            drawn[text] = document
            taken[document.module] += 1
    in_order = sorted(drawn.items(), key=lambda item: item[1].id)
    return tuple(
        DemoQuery(id=f"q{number:03}", text=text, document=document)
        for number, (text, document) in enumerate(in_order, start=1)
    )


def _clean_summary(summary: str) -> str:
    """A summary as a query: one line, without markup.

    >>> _clean_summary("Create a new :class:`Mock` with ``spec``.")
    'Create a new Mock with spec.'
    """
    return " ".join(_MARKUP.sub("", summary).split())


def _is_sentence(text: str) -> bool:
    """Tell prose from a signature or a grammar rule in its place."""
    return _SENTENCE.fullmatch(text) is not None


def _plain_words(text: str) -> str:
    return " ".join(words(text))


def _asks_something(text: str) -> bool:
    return (
        _is_sentence(text)
        and _CODE.search(text) is None
        and _SHORTEST <= len(text.split()) <= _LONGEST
        and len(_subject_stems(text)) >= _LEAST_STEMS
    )


def _gives_itself_away(document: DemoDocument, text: str, usage: Counter[str]) -> bool:
    name = document.name.lower()
    if name in re.findall(r"\w+", text.lower()) and usage[name] <= _EVERYDAY:
        return True
    asked = _subject_stems(text)
    named = {_stem(word) for word in words(name_words(document.name))}
    return 2 * len(asked & named) > len(asked)


DESCRIBED, RELATED, UNRELATED = 2, 1, 0

# Shares of the query (idf-weighted cosine of two summaries), set by reading: from 0.35 up, pairs
# speak of one subject (`Counter.update` and `Counter.subtract`, 0.79; `readlink` and `lstat`,
# 0.49); below 0.1 they share a word such as "file" and no subject. Between the two one can argue,
# and what can be argued about is left unjudged.
_SAME_SUBJECT = 0.35

_OTHER_SUBJECT = 0.1

_MOST_UNRELATED = 6  # a query


@dataclass(frozen=True)
class Judgment:
    """One line of the qrels."""

    query: str
    document: str
    grade: int


def judge(queries: Sequence[DemoQuery], documents: Sequence[DemoDocument]) -> tuple[Judgment, ...]:
    """Grade documents for every query, ordered by query and document.

    - 2: the item that the query describes, and any other whose summary is the same sentence.
    - 1: in the same module, and its own summary shares the query.
    - 0: in the same module, and neither its own summary nor its name shares the query. Of these
      the few that come nearest to sharing it, or stand nearest in the listing: a judged document
      that no system would return tells nothing. A class and its methods are never judged unrelated
      to each other.
    """
    stems = {document.id: _subject_stems(document.summary) for document in documents}
    weights = _weigh_stems(stems.values())
    in_module: dict[str, list[DemoDocument]] = defaultdict(list)
    saying: dict[tuple[str, ...], list[DemoDocument]] = defaultdict(list)
    for document in documents:
        in_module[document.module].append(document)
        saying[words(document.summary)].append(document)
    judged: list[Judgment] = []
    for query in queries:
        described = {document.id for document in saying[words(query.document.summary)]}
        neighbours = _neighbours(query.document, in_module[query.document.module], stems, weights)
        grades = dict(neighbours) | dict.fromkeys(described, DESCRIBED)
        judged += (Judgment(query.id, key, grades[key]) for key in sorted(grades))
    return tuple(judged)


def _neighbours(
    asked: DemoDocument,
    module: Sequence[DemoDocument],
    stems: dict[str, frozenset[str]],
    weights: StemWeights,
) -> Iterator[tuple[str, int]]:
    """Yield documents of the same module that can be graded, with their grades."""
    home = module.index(asked)
    unrelated: list[tuple[float, int, str]] = []
    for place, document in enumerate(module):
        share = weights.shared(stems[asked.id], stems[document.id])
        if share >= _SAME_SUBJECT:
            yield document.id, RELATED
        elif (
            share < _OTHER_SUBJECT and _is_sentence(document.summary) and not _akin(asked, document)
        ):
            unrelated.append((-share, abs(place - home), document.id))
    for _, _, document_id in sorted(unrelated)[:_MOST_UNRELATED]:
        yield document_id, UNRELATED


def _akin(one: DemoDocument, other: DemoDocument) -> bool:
    """Tell whether one contains the other, or their names share a word."""
    if one.id == other.owner or other.id == one.owner:
        return True
    asked = _subject_stems(f"{one.summary} {name_words(one.name)}")
    return not asked.isdisjoint(_subject_stems(name_words(other.name)))
