from __future__ import annotations

import subprocess
import sys

from cleverdon.demo.modules import MODULES, import_modules


def test_no_module_is_listed_twice() -> None:
    assert len(set(MODULES)) == len(MODULES)


def test_every_module_belongs_to_the_standard_library() -> None:
    assert {name.partition(".")[0] for name in MODULES} <= sys.stdlib_module_names


def test_the_modules_import_silently() -> None:
    script = f"import importlib\nfor name in {MODULES!r}: importlib.import_module(name)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, check=True, text=True
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_a_module_that_cannot_be_imported_is_passed_over_and_named() -> None:
    imported = import_modules(("math", "no_such_module_at_all", "json"))
    assert [name for name, _ in imported.modules] == ["math", "json"]
    assert imported.skipped == ("no_such_module_at_all",)
