"""Confusion matrices, against hand-made examples and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from cleverdon.errors import InputError, OptionError
from cleverdon.show.plot import confusion
from cleverdon.show.plot.confusion import confusion_rows
from cleverdon.show.plot.kept import hits_of
from tests.show.plot.ranked import made, ranked

TOPICS = {"q1": "1 0 - 2 | 1 0", "q2": "0 1"}


def counts(rows, system="a"):
    return {
        (row["truth"], row["outcome"]): row["count"]
        for row in rows["cells"]
        if row["system"] == system
    }


def test_two_topics_by_hand() -> None:
    rows = confusion_rows(ranked({"a": TOPICS}, docs=10))
    assert counts(rows) == {
        ("relevant", "returned"): 3,
        ("relevant", "not returned"): 1,
        ("not relevant", "returned"): 3,
        ("not relevant", "not returned"): 20 - 7,
    }
    assert [row["share"] for row in rows["cells"]] == [0.75, 0.25, 3 / 16, 13 / 16]


def test_cut_off_and_grade() -> None:
    rows = confusion_rows(ranked({"a": TOPICS}, docs=10), k=1, rel=2)
    assert counts(rows) == {
        ("relevant", "returned"): 0,
        ("relevant", "not returned"): 1,
        ("not relevant", "returned"): 2,
        ("not relevant", "not returned"): 17,
    }


def test_without_the_size_of_the_collection_a_cell_is_unknown() -> None:
    rows = confusion_rows(ranked({"a": TOPICS}))
    last = rows["cells"][-1]
    assert (last["count"], last["share"], last["text"]) == (None, None, "unknown")
    assert rows["cells"][2]["share"] is None, "a share of a row that is not known whole"


def test_unjudged_documents_may_stand_apart() -> None:
    found = counts(confusion_rows(ranked({"a": TOPICS}), unjudged="apart"))
    assert found == {
        ("relevant", "returned"): 3,
        ("relevant", "not returned"): 1,
        ("not relevant", "returned"): 2,
        ("not relevant", "not returned"): 1,
        ("not judged", "returned"): 1,
        ("not judged", "not returned"): None,
    }
    sized = counts(confusion_rows(ranked({"a": TOPICS}, docs=10), unjudged="apart"))
    assert sum(sized.values()) == 20


@pytest.mark.parametrize("k", [None, 3])
def test_counts_agree_with_scikit_learn(k: int | None) -> None:
    docs = 100
    scores = made(2, 12, docs=docs)
    for system in scores.systems:
        total = np.zeros((2, 2), dtype=int)
        for query in scores.queries:
            hits = hits_of(scores, system, query)
            relevant, returned = np.zeros((2, docs), dtype=int)
            returned[: min(int(hits.returned[0]), k or docs)] = 1
            found = hits.rank[hits.grade >= 1] - 1
            relevant[found] = 1
            unseen = int(hits.judgments.relevant(1)[0]) - len(found)
            relevant[docs - unseen :] = 1
            total += confusion_matrix(relevant, returned, labels=[1, 0])
        ours = list(counts(confusion_rows(scores, k=k), system).values())
        assert ours == total.ravel().tolist()


def test_topics_that_were_not_evaluated_do_not_count() -> None:
    scores = ranked({"a": {"q1": "1 0"}, "b": {"q1": "1 0", "q2": "1 1"}}, missing="skip")
    assert counts(confusion_rows(scores))["relevant", "not returned"] == 0


def test_options_are_checked() -> None:
    scores = ranked({"a": TOPICS}, docs=3)
    with pytest.raises(InputError, match="docs=3 is less"):
        confusion(scores)
    with pytest.raises(OptionError, match="unjudged='away'"):
        confusion(scores, unjudged="away")
    with pytest.raises(OptionError, match="k=0"):
        confusion(scores, k=0)


def test_the_chart_has_a_matrix_for_each_system() -> None:
    scores = made(15, 3)
    chart = confusion(scores, k=5).to_dict()
    assert chart["facet"]["sort"] == list(scores.systems)
    assert len(chart["datasets"]["cells"]) == 60
    assert "the first 5 results" in chart["title"]["subtitle"]
