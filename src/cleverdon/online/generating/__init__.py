"""Made-up search logs of any size whose truth is known, to test and to measure with.

generate("logs", events=10_000_000, seed=0)     writes them as Parquet
generated(events=2000, seed=1)                  gives small ones as Arrow tables
"""

from cleverdon.errors import MissingExtra

try:
    import pyarrow  # noqa: F401
except ImportError:
    raise MissingExtra("making up logs", package="pyarrow", extra="logs") from None

from cleverdon.online.generating.folder import check_foreign, there_already
from cleverdon.online.generating.recipe import Recipe
from cleverdon.online.generating.truth import Counts, Faults, Truth
from cleverdon.online.generating.write import generate, generated

__all__ = [
    "Counts",
    "Faults",
    "Recipe",
    "Truth",
    "check_foreign",
    "generate",
    "generated",
    "there_already",
]
