"""The command line, as the C library reads it."""

from __future__ import annotations

import pytest

from cleverdon.trec_eval.arguments import _ORDER, NICKNAMES, Stop, parse_options, wanted_measures


@pytest.mark.parametrize(
    "arguments",
    [
        "-q -l 2 -m map qrels run",
        "-ql2 -mmap qrels run",
        "qrels -q run -l2 -m map",
        "--query_eval_wanted --level_for_rel=2 --measure map -- qrels run",
        "--query --level 2 --meas=map qrels run",
    ],
)
def test_one_meaning_in_many_forms(arguments: str) -> None:
    options = parse_options(arguments.split())
    assert (options.qrels, options.results) == ("qrels", "run")
    assert (options.per_topic, options.level, options.measures) == (True, 2, ("map",))


def test_defaults() -> None:
    options = parse_options(["qrels", "-"])
    assert options.results == "-"
    assert (options.version, options.level, options.depth, options.docs) == (10, 1, None, 0)
    assert options.summary
    assert not options.complete


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("-y a b", "option -y not recognized"),
        ("--mesure map a b", "option --mesure not recognized; did you mean 'measure'?"),
        ("--Re qrels a b", "option --Re not a unique prefix"),
        ("--help=1 a b", "must not have an argument"),
        ("a b -m", "option -m requires argument"),
        ("-m mpa a b", "did you mean 'map'?"),
        ("-m rbp a b --version-of 9", "there is no measure 'rbp'"),
        ("--version-of 8 a b", "it can be 10 or 9"),
        ("a", "found 1"),
    ],
)
def test_wrong_arguments_are_said_in_a_line(arguments: str, complaint: str) -> None:
    with pytest.raises(Stop) as stop:
        parse_options(arguments.split())
    assert complaint in str(stop.value)
    assert stop.value.code == 1


def test_only_one_topic() -> None:
    assert parse_options(["-D", "3.a.b", "qrels", "run"]).topic == "a.b"
    assert parse_options(["-D", "3", "qrels", "run"]).topic is None


def test_the_order_is_fixed() -> None:
    measures = wanted_measures(["P.10,5", "map", "runid", "P.3"], version=10)
    assert [one.name.name for one in measures] == ["runid", "map", "P"]
    assert measures[-1].labels == ["P_5", "P_10"]  # of the first list, sorted


def test_nicknames_name_measures() -> None:
    names = [name.name for name in _ORDER]
    assert len(set(names)) == len(names) == 57
    assert all(name in names for listed in NICKNAMES.values() for name in listed)


def test_version_9_lacks_some() -> None:
    older = {one.name.name for one in wanted_measures(["all_trec"], version=9)}
    newer = {one.name.name for one in wanted_measures(["all_trec"], version=10)}
    assert newer - older == {"rbp", "rbp_resid", "unj"}


def test_names_have_room_for_eight_characters_of_a_number() -> None:
    (one,) = wanted_measures(["Rprec_mult.1234567.89"], version=10)
    assert one.labels == ["Rprec_mult_1234567."]
