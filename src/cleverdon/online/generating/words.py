"""What users of the made-up shop type: every query is a number, and every number has a text.

Small numbers are asked for most, and are short: a noun. Then come nouns with an adjective, and then
those with more words behind them. So texts need no list of a million entries.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cleverdon.arrays import Ints


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _words_or_none(text: str) -> tuple[str, ...]:
    return ("", *text.split())


NOUNS = _words(
    "bicycle lamp tent kettle backpack headphones desk chair keyboard monitor camera tripod "
    "guitar drum piano mattress pillow blanket curtain carpet mirror shelf wardrobe sofa table "
    "oven fridge toaster blender teapot knife saucepan bowl plate mug bottle thermos jacket "
    "raincoat scarf gloves boots sandals trainers hat belt wallet watch ring necklace puzzle kite "
    "skateboard canoe paddle compass hammer drill ladder wheelbarrow"
)
ADJECTIVES = _words_or_none(
    "small large red blue green black white wooden steel leather folding electric wireless "
    "portable vintage waterproof lightweight foldable organic"
)
FACETS = _words_or_none(
    "cheap used new repair spare sale delivery review rental gift warranty size colour price "
    "outlet set cover stand bag parts manual battery charger strap handle cleaner stock store "
    "discount"
)
DETAILS = _words_or_none(
    "tomorrow today online nearby 2024 2025 2026 children adults women men camping travel office "
    "garden kitchen bathroom school winter summer beginners professionals students pair dozen "
    "instructions comparison alternatives returns"
)

SUBJECTS = len(NOUNS) * len(ADJECTIVES)
"""How many things there are to search for; queries on the same one differ in what stands behind."""
REFINEMENTS = len(FACETS) * len(DETAILS)
QUERIES = SUBJECTS * REFINEMENTS
"""How many different queries there are."""

_SPELLINGS = (0.80, 0.90, 0.93, 1.0)
"""Up to which share of a draw queries are plain, have a capital, are in capitals, have spaces."""


def texts(queries: Ints) -> Any:
    """The normalised text of each query, as an Arrow array.

    >>> import numpy as np
    >>> texts(np.array([0, 60, SUBJECTS + 121])).to_pylist()
    ['bicycle', 'small bicycle', 'large lamp cheap']
    """
    subject, refinement = queries % SUBJECTS, queries // SUBJECTS
    noun, adjective = subject % len(NOUNS), subject // len(NOUNS)
    facet, detail = refinement % len(FACETS), refinement // len(FACETS)

    def words(choice: tuple[str, ...], which: Ints) -> Any:
        return pa.array([word or None for word in choice], pa.string()).take(pa.array(which))

    parts = (words(ADJECTIVES, adjective), words(NOUNS, noun))
    behind = (words(FACETS, facet), words(DETAILS, detail))
    return pc.binary_join_element_wise(*parts, *behind, " ", null_handling="skip")


def as_typed(normalised: Any, draw: Any) -> Any:
    """The texts as users type them: some with capitals, some with more white space than needed."""
    spelling = pa.array(np.searchsorted(_SPELLINGS, draw, side="right"))
    doubled = pc.replace_substring(normalised, " ", "  ")
    return pc.choose(
        spelling,
        normalised,
        pc.utf8_capitalize(normalised),
        pc.utf8_upper(normalised),
        pc.binary_join_element_wise("", doubled, "", " "),
    )
