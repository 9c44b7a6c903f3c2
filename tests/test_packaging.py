"""What a release is made of: versions, workflows, wheels, the recipe, the image.

`make test-wheel` installs a wheel and uses it; `make lint-workflows` checks the forms of the files.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml

import cleverdon
from tools import check_wheel, release

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def jobs(path: Path) -> dict[str, Any]:
    return dict(yaml.safe_load(path.read_text("utf-8"))["jobs"])


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in jobs(path).values() for step in job.get("steps", [])]


def test_the_version_is_the_same_everywhere() -> None:
    assert set(release.versions().values()) == {cleverdon.__version__}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in release.PLACES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((ROOT / name).read_text("utf-8"), "utf-8")
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changes\n\n## 9.8.0 - 2030-01-02\n\n### Added\n\n- It.\n\n"
        "## 9.7.0 - 2029-01-02\n\n- Old.\n"
    )
    return tmp_path


def test_a_release_needs_the_tag_the_versions_and_the_change_log(tree: Path) -> None:
    release.bump("9.8.0", tree)
    assert set(release.versions(tree).values()) == {"9.8.0"}
    release.check("v9.8.0", tree)
    assert release.notes("v9.8.0", tree) == "### Added\n\n- It.\n"
    with pytest.raises(release.WrongRelease, match=r"the tag is v9\.8\.1"):
        release.check("v9.8.1", tree)
    for wrong in ("next", "9.9", "9.9.0rc1"):
        with pytest.raises(release.WrongRelease, match="is not a version"):
            release.bump(wrong, tree)


def test_a_version_is_unreleased_until_the_change_log_has_its_day(tree: Path) -> None:
    path = tree / "CHANGELOG.md"
    before = path.read_text("utf-8")
    release.bump("9.9.0", tree)
    release.bump("9.9.0", tree)  # the heading is written once
    assert release.parts(tree)[0] == ("9.9.0", "unreleased", "")
    assert path.read_text("utf-8").replace("## 9.9.0 - unreleased\n\n", "") == before
    with pytest.raises(release.WrongRelease, match=r"day into '## 9\.9\.0 - unreleased'"):
        release.check("v9.9.0", tree)
    dated = path.read_text("utf-8").replace("unreleased", "2031-02-28")
    path.write_text(dated, "utf-8")
    with pytest.raises(release.WrongRelease, match="has nothing below"):
        release.check("v9.9.0", tree)
    path.write_text(dated.replace("2031-02-28\n", "2031-02-28\n\n- New.\n"), "utf-8")
    release.check("v9.9.0", tree)
    assert release.notes("v9.9.0", tree) == "- New.\n"
    for wrong in ("2031-02-30", "soon", "20310228"):
        path.write_text(dated.replace("2031-02-28", wrong), "utf-8")
        with pytest.raises(release.WrongRelease, match=f"has '## 9.9.0 - {wrong}'"):
            release.check("v9.9.0", tree)


def test_only_the_day_is_missing_for_a_release(tree: Path) -> None:
    """The change log has the current version first; with its day, all is ready for the tag."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    path = tree / "CHANGELOG.md"
    path.write_text(text.replace(f"- {release.UNRELEASED}\n", "- 2031-01-02\n", 1), "utf-8")
    release.check(f"v{cleverdon.__version__}", tree)
    notes = release.notes(f"v{cleverdon.__version__}", tree)
    assert "\n## " not in f"\n{notes}"
    assert f"\n{notes}" in text


def test_the_change_log_is_in_the_format_of_keep_a_changelog() -> None:
    found = release.parts()
    versions = [_numbers(version) for version, _, _ in found]
    assert found[0][0] == cleverdon.__version__
    assert versions == sorted(versions, reverse=True)
    assert len(found) == len({version for version, _, _ in found})
    assert all(day != release.UNRELEASED for _, day, _ in found[1:])
    days = [day for _, day, _ in found[1:]]
    assert days == sorted(days, reverse=True)
    kinds = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
    for _, _, text in found:
        headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
        assert headings == [kind for kind in kinds if kind in headings]


def test_the_next_version_changes_its_lines_alone(tree: Path) -> None:
    release.bump("9.8.0", tree)
    for name in release.PLACES:
        before, after = ((root / name).read_text("utf-8") for root in (ROOT, tree))
        pairs = zip(before.splitlines(), after.splitlines(), strict=True)
        assert sum(one != other for one, other in pairs) == 1, name


def test_the_extra_all_leaves_out_two() -> None:
    """Spark needs Java; the tools to audit pin old versions of common libraries."""
    named = re.findall(r"\w+", EXTRAS["all"][0].partition("[")[2])
    users = set(EXTRAS) - {"all", "audit", "bench", "dev", "portable", "site", "spark"}
    assert set(named) == users


def test_the_lowest_versions_are_those_of_pyproject() -> None:
    names = ["stats", "tables", "excel", "plots", "logs"]
    needed = PROJECT["dependencies"] + [line for name in names for line in EXTRAS[name]]
    lowest: dict[str, str] = {}
    for line in needed:
        if found := re.match(r"([\w-]+)(?:\[\w+\])?>=([\d.]+)", line):
            name, version = found.groups()
            lowest[name] = max(lowest.get(name, "0"), version, key=_numbers)
    lines = (ROOT / "tools" / "lowest.txt").read_text("utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert {name: _numbers(version) for name, version in pinned.items()} == {
        name: _numbers(version) for name, version in lowest.items()
    }


def _numbers(version: str) -> list[int]:
    numbers = [int(number) for number in version.split(".")]
    return [*numbers, 0, 0][:3]


def test_portable_tests_exist() -> None:
    for name in (ROOT / "tools" / "portable.txt").read_text("utf-8").split():
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_and_keep_no_credentials(path: Path) -> None:
    for line in re.findall(r"uses: (.+)", path.read_text("utf-8")):
        pinned = re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)
        assert pinned or re.fullmatch(r"\./\.github/workflows/\w+\.yml", line), line
    for step in steps(path):
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
    assert yaml.safe_load(path.read_text("utf-8"))["permissions"] == {}
    assert all("permissions" in job for job in jobs(path).values())


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_commands_of_workflows_exist(path: Path) -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for step in steps(path):
        for line in step.get("run", "").replace("\\\n", " ").splitlines():
            words = shlex.split(line)
            if words[:1] == ["make"] and "$" not in words[1]:
                assert words[1] in targets, line
            for word in words:
                if word.startswith(("tools/", "@tools/", "examples/")):
                    assert (ROOT / word.removeprefix("@")).exists(), line


def test_workflows_run_what_ci_runs() -> None:
    ran = re.findall(r"^make ([\w-]+)$", (ROOT / ".ci" / "run").read_text("utf-8"), re.MULTILINE)
    assert jobs(ROOT / ".github/workflows/ci.yml")["make"]["strategy"]["matrix"]["target"] == ran


def test_systems_and_versions_of_python() -> None:
    matrix = jobs(ROOT / ".github/workflows/ci.yml")["systems"]["strategy"]["matrix"]
    assert [name.partition("-")[0] for name in matrix["system"]] == ["ubuntu", "macos", "windows"]
    assert matrix["python"] == ["3.11", "3.12", "3.13", "3.14"]
    claimed = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if ":: 3." in line]
    assert claimed == ["3.11", "3.12", "3.13"]  # those on which the wheel was tested


def test_a_release_waits_for_tests_and_takes_every_file() -> None:
    released = jobs(ROOT / ".github/workflows/release.yml")
    assert released["publish"]["needs"] == ["tests", "wheels"]
    assert released["publish"]["permissions"] == {"attestations": "write", "id-token": "write"}
    built = steps(ROOT / ".github/workflows/wheels.yml")
    uploads = [step["with"]["name"] for step in built if "upload-artifact" in step.get("uses", "")]
    assert len(uploads) == 3
    assert all(name.startswith("dist-") for name in uploads)


def test_the_recipe_has_the_tag_the_needs_and_the_commands() -> None:
    from rattler_build import RenderConfig, Stage0Recipe, VariantConfig

    variants = VariantConfig.from_file(str(ROOT / "recipe" / "variants.yaml"))
    stage = Stage0Recipe.from_file(str(ROOT / "recipe" / "recipe.yaml"))
    (rendered,) = stage.render(variants, RenderConfig())
    recipe = rendered.recipe.to_dict()
    assert recipe["source"] == [{"git": "..", "rev": f"refs/tags/v{cleverdon.__version__}"}]
    needs = {need.replace(" ", "") for need in recipe["requirements"]["run"]}
    assert needs == {f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]}
    commands = [f"{name} = {target}" for name, target in PROJECT["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == commands


def test_the_image_copies_what_is_there_and_is_not_root() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    lines = re.sub(r"\\\n", "", re.sub(r"(?m)^#.*\n", "", text)).splitlines()
    found = [(words[0], words[1:]) for line in lines if (words := line.split())]
    last = max(at for at, (word, _) in enumerate(found) if word == "FROM")
    admitted = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    for word, rest in found[:last]:
        for name in rest[:-1] if word == "COPY" else []:
            assert (ROOT / name).exists(), name
            assert f"!{name}" in admitted, name
    assert [rest for word, rest in found[last:] if word == "USER"] == [["1000"]]
    assert ("ENTRYPOINT", ['["cleverdon"]']) in found[last:]


def test_a_bad_wheel_is_found(tmp_path: Path) -> None:
    """Another interface, tests and compiled bytecode, no marker for types, debugging symbols."""
    path = tmp_path / "cleverdon-0.1-cp311-cp311-linux_x86_64.whl"
    with ZipFile(path, "w") as wheel:
        wheel.writestr("cleverdon/__init__.py", '__version__ = "0.2"\n')
        wheel.writestr("cleverdon/_core.abi3.so", _elf(b".text", b".symtab", b".shstrtab"))
        wheel.writestr("tests/test_a.py", "")
        wheel.writestr("cleverdon/__pycache__/a.pyc", "")
        wheel.writestr("cleverdon-0.1.dist-info/METADATA", "Name: cleverdon\nVersion: 0.1\n")
        wheel.writestr("cleverdon-0.1.dist-info/WHEEL", "Tag: cp311-cp311-linux_x86_64\n")
    found = "\n".join(check_wheel.problems(path))
    with ZipFile(tmp_path / "empty.whl", "w") as wheel:
        wheel.writestr("cleverdon/__init__.py", "")
    assert "lacks METADATA in its dist-info" in check_wheel.problems(tmp_path / "empty.whl")
    for part in (
        "its name is not",
        "lacks cleverdon/py.typed",
        "has tests/test_a.py",
        "has cleverdon/__pycache__/a.pyc",
        "lacks LICENSE",
        "have no abi3",
        "is version 0.1",
        "is not stripped",
    ):
        assert part in found


def test_the_readme_is_run_without_a_shell() -> None:
    """On Windows, another bash than that of the tests may be found first."""
    shown = check_wheel.shown_commands((ROOT / "README.md").read_text("utf-8"))
    assert shown
    for command, _ in shown:
        words = shlex.shlex(command, posix=True, punctuation_chars=True)
        words.whitespace_split = True
        assert next(words) == "cleverdon"
        assert not any(set(word) <= set("();<>|&*?$") for word in words), command


def _elf(*names: bytes) -> bytes:
    """Make an ELF file of nothing but the headers and the names of its sections."""
    table = b"\0" + b"\0".join(names) + b"\0"
    headers = [table.index(name).to_bytes(4, "little") + bytes(60) for name in names]
    headers[-1] = headers[-1][:24] + (64).to_bytes(8, "little") + bytes(32)
    start = 64 + len(table)
    head = bytearray(64)
    head[:5] = b"\x7fELF\x02"
    head[40:48] = start.to_bytes(8, "little")
    head[58:64] = b"".join(n.to_bytes(2, "little") for n in (64, len(names), len(names) - 1))
    return bytes(head) + table + b"".join(headers)


def test_no_rust_on_the_path_of_the_fresh_environment(tmp_path: Path) -> None:
    rust, other, scripts = (tmp_path / name for name in ("rust", "other", "scripts"))
    rust.mkdir()
    (rust / "cargo").touch()
    found = check_wheel.without_rust({"PATH": f"{rust}:{other}", "PYTHONPATH": "src"}, scripts)
    assert found["PATH"].split(":") == [str(scripts), str(other)]
    assert "PYTHONPATH" not in found
