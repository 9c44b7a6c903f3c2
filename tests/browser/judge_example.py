"""The project in pictures of the judging app: three people, two days, queries about dunes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from sqlalchemy import insert

from cleverdon.judging import clock
from cleverdon.judging.contents import Document, Item, Query, fill_database
from cleverdon.judging.people.accounts import add_person
from cleverdon.judging.project import Project, new_project
from cleverdon.judging.recording import JudgmentEvent, record
from cleverdon.judging.scale import _parse_scale
from cleverdon.judging.store.schema import assignments
from tests.browser.judge_page import Team
from tests.judging.served import serving

TITLES = {
    "301": "Why do some dunes sing?",
    "302": "How fast does a dune move?",
    "303": "Plants that hold sand in place",
}
DESCRIPTION = "What makes the low hum that is heard when sand slides down a slope?"
NARRATIVE = (
    "A relevant document says what causes the sound, or what was measured of it. Reports of "
    "travellers who heard it are related, and no more."
)
TEXT = """\
On a dry afternoon the slope begins to hum. Sand slides in a sheet a few centimetres deep, and a \
tone of about ninety hertz can be heard for miles; some dunes sing for minutes, others not at all.

Grains that sing are round, nearly of one size, and coated with a glaze of silica. When a layer \
of them flows, they collide in step, and the surface moves like the skin of a loudspeaker. The \
pitch depends on the size of the grains alone: on dunes with larger ones it is lower, whatever \
the height of the dune.

We recorded avalanches on four dunes and sieved the sand of each. A layer that is wet, dusty or \
thinner than about two centimetres stays silent. Sand that was shaken for hours lost its voice, \
and found it again after it had been rinsed and dried."""
OTHERS = (
    "The march of the barchans",
    "Wind tunnels and the shape of grains",
    "A caravan hears the drums",
    "Booming avalanches in the laboratory",
    "Marram grass and its roots",
    "Measuring dunes from the air",
    "Sand seas of the southern hemisphere",
    "How a ripple becomes a ridge",
    "The hum below the crest",
    "Shifting sand and the coastal road",
    "Sound of sheared granular layers",
)
DOCUMENTS = 24
SHOWN = 7
"""Where the document of the pictures stands: Ann comes to it next, Bob and Dora disagree on it."""
DAY = 86_400.0


@contextmanager
def example(folder: Path) -> Iterator[Team]:
    """The project, at a server, after two days of work."""
    with _made(folder) as project, serving(folder) as served:
        yield Team(project, served)


def _made(folder: Path) -> Project:
    shown = [
        Document(f"dune-{200 + place:04}", OTHERS[place % len(OTHERS)], TEXT)
        for place in range(DOCUMENTS)
    ]
    shown[SHOWN] = Document(
        "dune-0117", "The voice of sand", TEXT, "https://example.org/dunes/0117"
    )
    with new_project(folder) as (project, connection):
        fill_database(
            connection,
            title="Dunes",
            scale=_parse_scale("0..3"),
            queries=[Query(name, title, DESCRIPTION, NARRATIVE) for name, title in TITLES.items()],
            documents=shown,
            items=[
                Item(name, document.name, place, wanted=3)
                for name in TITLES
                for place, document in enumerate(shown)
            ],
            settings={"seed": 1},
        )
        for name, role in {
            "Ann": "assessor",
            "Bob": "assessor",
            "Cyril": "administrator",
            "Dora": "assessor",
        }.items():
            person = add_person(connection, name, role).id
            rows = [{"query_id": 1 + query, "person_id": person} for query in range(len(TITLES))]
            connection.execute(insert(assignments), rows)
    _judged(project)
    return project


def _judged(project: Project) -> None:
    """Ann, Bob and Dora agree for the most part; the last ones of a query are still open."""
    chance = random.Random(1967)
    begin = clock.now() - 2 * DAY
    for person, faults, done in ((1, 0.1, SHOWN), (2, 0.2, 22), (4, 0.25, 18)):
        moment = begin + 3600 * chance.random()
        for query in range(len(TITLES)):
            for place in range(done if query == 0 else 10 - person if query == 2 else DOCUMENTS):
                seconds = chance.lognormvariate(2.6, 0.5)
                moment += seconds + (3000 if chance.random() < 0.2 else 12)
                grade = (place * 7 + query * 3) % 11 // 3
                if chance.random() < faults or (query, place, person) == (0, SHOWN, 4):
                    grade = max(grade - 1, 0)
                said = JudgmentEvent(
                    f"example-{query}-{place}",
                    1 + query * DOCUMENTS + place,
                    "grade",
                    grade=grade,
                    seconds=seconds,
                )
                with (
                    patch.object(clock, "now", lambda at=moment: min(at, begin + 2 * DAY)),
                    project.database.writing(durable=False) as connection,
                ):
                    record(connection, person, said, project.scale)
