"""Compare with the output of trec_eval 10 on the data of its own test suite, digit by digit.

The files are not part of the project. If they are in a folder beside it, every line is compared
except those whose names are not measures (`runid`) or have parameters that only the drop-in parses;
tests/trec_eval/test_shared.py compares those as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cleverdon import Measure, evaluate
from cleverdon.profiles import find_profile

FILES = Path(__file__).resolve().parents[2].parent / "shared" / "golden" / "trec_eval"

pytestmark = pytest.mark.skipif(
    not FILES.is_dir(),
    reason="trec_eval's own test files, which are not part of the project, are not beside it",
)


ONLY_IN_THE_DROP_IN = ("runid", "utility_2,-1,0,0", "11pt_avg_.25,.5,.75", "ndcg_1=3,2=9,4=4.5")


def lines_of(name: str) -> Iterator[tuple[Measure, str, str]]:
    """Yield the measure, the query (or `all`) and the value of each line."""
    for line in (FILES / name).read_text().splitlines():
        called, query, value = line.split()
        if called not in ONLY_IN_THE_DROP_IN:
            (measure,) = find_profile("trec_eval-10").parse([called])
            yield measure, query, value


@pytest.mark.parametrize(
    ("output", "fewest"), [("out.test", 15), ("out.test.aq", 200), ("out.test.meas_params", 30)]
)
def test_every_line(output: str, fewest: int) -> None:
    lines = list(lines_of(output))
    assert len(lines) >= fewest
    measures = list({measure: None for measure, _, _ in lines})
    scores = evaluate(
        FILES / "qrels.test", {"run": FILES / "results.test"}, measures, profile="trec_eval-10"
    )
    numbers = [measure for measure in measures if not measure.text]
    values = {str(measure): scores.per_query("run", measure) for measure in numbers}
    for measure, query, wanted in lines:
        if measure.text:
            text = scores.texts["run"][str(measure)][scores.queries.index(query)]
            assert f"'{text}'" == wanted
            continue
        found = scores.mean("run", measure) if query == "all" else values[str(measure)][query]
        found = np.nan_to_num(found)
        shown = f"{found:.4f}" if "." in wanted else f"{found:.0f}"
        assert shown == wanted, f"{measure} of {query}"


@pytest.mark.parametrize("run", ["results.test", "results.trunc"])
def test_a_file_scores_as_what_was_read_from_it(run: str) -> None:
    from cleverdon import Judgments, Run

    streamed = evaluate(FILES / "qrels.test", FILES / run)
    in_memory = evaluate(Judgments.read(FILES / "qrels.test"), Run.read(FILES / run))
    dicts = evaluate(
        Judgments.read(FILES / "qrels.test").to_dict(), Run.read(FILES / run).to_dict()
    )
    for other in (in_memory, dicts):
        assert np.array_equal(streamed.values, other.values, equal_nan=True)
