"""Random tables of what is relevant and what was returned, as scikit-learn takes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from cleverdon import Scores, evaluate

Labels = NDArray[np.bool_]


@dataclass(frozen=True)
class Table:
    """A row a query, a column a document of the collection."""

    relevant: Labels
    returned: Labels
    judged: Labels

    def scores(self, names: Iterable[str], **options: Any) -> Scores:
        rows = range(len(self.relevant))
        qrels = {
            f"q{q:02}": {f"d{d}": int(self.relevant[q, d]) for d in np.flatnonzero(self.judged[q])}
            for q in rows
        }
        run = {f"q{q:02}": {f"d{d}": 1.0 for d in np.flatnonzero(self.returned[q])} for q in rows}
        docs = self.relevant.shape[1]
        return evaluate(qrels, {"run": run}, tuple(names), docs=docs, **options)

    @property
    def rows(self) -> list[tuple[Labels, Labels]]:
        return list(zip(self.relevant, self.returned, strict=True))


@st.composite
def tables(draw: st.DrawFn, *, most: int = 20) -> Table:
    """Up to so many queries over up to 8 documents: every kind of empty margin comes up."""
    made = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = (draw(st.integers(1, most)), draw(st.integers(2, 8)))
    shares = made.choice([0, 0.2, 0.5, 0.8, 1], size=(2, shape[0], 1))
    relevant, returned = made.random((2, *shape)) < shares
    # What is not relevant need not be judged; a query must have a judgment to count.
    judged = relevant | (made.random(shape) < 0.5)
    judged[:, 0] = True
    return Table(relevant, returned, judged)
