"""trec_eval 10 on the data of its own test-suite, which are not part of the project.

Where they lie beside it, every output that is there must agree to the byte.
"""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from cleverdon.trec_eval.cli import run

FILES = Path(__file__).resolve().parents[2].parent / "shared" / "golden" / "trec_eval"
PARAMETERS = (
    "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 "
    "-m Rprec_mult.5.0,0.2,0.35 -mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 "
    "-mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20 qrels.test results.test"
)
COMMANDS = {
    "out.test": "qrels.test results.test",
    "out.test.a": "-m all_trec qrels.test results.test",
    "out.test.aq": "-m all_trec -q qrels.test results.test",
    "out.test.meas_params": PARAMETERS,
    "out.test.prefs": "-m all_prefs -q -R prefs prefs.test prefs.results.test",
}

pytestmark = pytest.mark.skipif(
    not FILES.is_dir(),
    reason="trec_eval's own test files, which are not part of the project, are not beside it",
)


@pytest.mark.parametrize("expected", COMMANDS)
def test_every_byte(expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FILES)
    out = io.BytesIO()
    assert run(COMMANDS[expected].split(), out=out, tell=str) == 0
    assert out.getvalue() == (FILES / expected).read_bytes()


@pytest.mark.parametrize(
    "options",
    [
        "-m all_trec -q -c qrels.test results.trunc",
        "-m all_trec -q -c -M100 qrels.test results.trunc",
        "-m all_trec -q -l2 qrels.rel_level results.test",
        "-m all_trec -q -Z zscores_file qrels.test results.test",
        "-m qrels_jg -q -R qrels_jg qrels.123 results.test",
    ],
)
def test_the_other_inputs_are_read(options: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FILES)
    out = io.BytesIO()
    assert run(options.split(), out=out, tell=str) == 0
    assert b"\tall\t" in out.getvalue()
    assert b"nan" not in out.getvalue()
