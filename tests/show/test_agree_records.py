"""Agreement and aggregation as records."""

from __future__ import annotations

import json

from cleverdon.judge import aggregate, agree
from cleverdon.judge.agreement import disputed_documents
from cleverdon.show.agree_records import aggregated_record, agreed_record
from tests.judge.made import labels_of, simulated


def test_agreement() -> None:
    labels, _ = simulated(accuracies=[0.9, 0.6, 0.6], items=60, topics=3)
    found = agree(labels, per_query=True, resamples=20, seed=4)
    record = agreed_record(found, found, disputed_documents(labels, 2))
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["bootstrap"] == {
        "over": "topics",
        "of": 3,
        "resamples": 20,
        "confidence": 0.95,
        "seed": 4,
    }
    assert [one["query"] for one in record["queries"]] == [one.topic for one in found.topics]
    assert record["pairs"][0]["queries"] == 3
    assert record["overall"]["kappa"]["value"] == found.overall["kappa"].value
    assert len(record["disputed"]) == 2


def test_what_is_undefined_is_null() -> None:
    found = agree(labels_of([[1, None, 0], [0, 1, None], [None, 1, 1]]), resamples=5)
    record = agreed_record(found, found, [])
    json.dumps(record, allow_nan=False)
    assert record["overall"]["agreement"]["interval"] is not None


def test_one_judgment_of_several() -> None:
    labels, _ = simulated(accuracies=[0.9, 0.8, 0.7], items=400)
    votes = aggregated_record(aggregate(labels, ties="higher"))
    assert (votes["way"], votes["ties"], votes["warnings"]) == ("majority", "higher", [])
    estimate = aggregated_record(aggregate(labels, "dawid-skene"))
    assert estimate["converged"]
    assert estimate["warnings"] == []
    assert list(estimate["judges"]) == list(labels.judges)
    json.dumps(estimate, allow_nan=False)
