"""What is said of the machine that measured."""

from __future__ import annotations

import pytest

from cleverdon.engines import resources
from cleverdon.engines.resources import Cpu, OtherPrograms, disturbance_text, machine_facts


def test_facts_do_not_say_whose_machine_it_is() -> None:
    assert machine_facts().keys() == {
        "system",
        "processor",
        "cores",
        "memory",
        "python",
        "cleverdon",
    }


def test_others_are_those_that_are_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    now = {"perf_counter": 100.0, "_busy": 500.0, "spent": Cpu(7.0, 1.0)}
    for name in now:
        monkeypatch.setattr(resources, name, lambda name=name: now[name])
    others = OtherPrograms()
    assert others.cores(0.0) == 0.0  # no time has passed
    now |= {"perf_counter": 110.0, "_busy": 518.0, "spent": Cpu(9.0, 2.0)}
    assert others.cores(0.0) == pytest.approx(1.5)  # 18 s were spent, 3 of them here
    assert others.cores(13.0) == pytest.approx(0.5)
    assert others.cores(60.0) == 0.0


def test_a_few_cores_are_worth_a_sentence() -> None:
    assert disturbance_text(0.1) == ""
    assert (
        disturbance_text(1.26)
        == "other programs kept 1.3 cores busy meanwhile: times may be too long"
    )
