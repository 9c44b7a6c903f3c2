"""A collection with people who judge, systems, and models that are fair or not."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

Nested = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Collection:
    people: dict[str, Nested]
    fair: Nested  # a model that errs as people do
    unfair: Nested  # one that also likes whatever the second system likes
    kind: Nested  # one that gives a grade more, whatever the document
    runs: dict[str, Nested]


def collection(*, topics: int = 30, docs: int = 20, seed: int = 5) -> Collection:
    random = Random(seed)
    people: dict[str, Nested] = {name: {} for name in ("ann", "bob", "eve")}
    models: dict[str, Nested] = {name: {} for name in ("fair", "unfair", "kind")}
    runs: dict[str, Nested] = {f"s{k}": {} for k in range(5)}

    def noisy(truth: int) -> int:
        return truth if random.random() < 0.8 else random.randrange(3)

    for t in range(topics):
        for d in range(docs):
            topic, doc = f"q{t:02}", f"d{d:02}"
            truth = random.choices([0, 1, 2], [6, 3, 2])[0]
            for grades in people.values():
                if random.random() < 0.9:
                    grades.setdefault(topic, {})[doc] = noisy(truth)
            for k, ranking in enumerate(runs.values()):
                score = truth * (0.3 + 0.15 * k) + random.gauss(0, 1)
                ranking.setdefault(topic, {})[doc] = score
            liked = runs["s1"][topic][doc] > 1 and random.random() < 0.8
            given = noisy(truth)
            models["fair"].setdefault(topic, {})[doc] = given
            models["unfair"].setdefault(topic, {})[doc] = 2 if liked else given
            models["kind"].setdefault(topic, {})[doc] = min(2, truth + 1)
    return Collection(people, models["fair"], models["unfair"], models["kind"], runs)
