"""The queue remembers where it began, and forgets nothing that lies before it."""

from __future__ import annotations

from cleverdon.assess.judging.queue import Places, take_next
from cleverdon.assess.judging.recording import Saying, record
from cleverdon.assess.project import Project

ANN, BOB = 1, 2


def test_what_lies_before_the_place_comes_in_the_end(project: Project) -> None:
    places: Places = {}
    with project.database.writing() as connection:
        for topic in (1, None):
            assert take_next(connection, ANN, topic=topic, places=places) == [1]
        for item in (1, 2, 3):
            said = Saying(f"request-{item}", item, "grade", grade=1)
            record(connection, ANN, said, project.scale)
        assert take_next(connection, ANN, topic=1, n=2, places=places) == [4, 5]
        assert places[ANN, 1] == (1, 3)
        assert take_next(connection, ANN, topic=1, n=1, without=[4, 5], places=places) == [6]
        assert places[ANN, 1] == (1, 3), "what the browser has lies before what was found"

        record(connection, ANN, Saying("request-4", 2, "undo"), project.scale)
        assert take_next(connection, ANN, topic=1, n=3, places=places) == [4, 5, 6]
        assert take_next(connection, ANN, topic=1, n=9, places=places) == [2, 4, 5, 6]
        assert take_next(connection, ANN, n=6, places=places) == [2, 4, 5, 6, 7, 8]
        assert take_next(connection, BOB, n=9, places=places) == [9, 10, 11, 12]
