"""The input files of invocations: examples, small files from here, and output of commands.

A folder gets only those of `examples/`, `made/`, `many/`, `log/`, `logs/` and `judging/` that its
commands name.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Collection
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

QRELS = "".join(f"q{t} 0 d{d} {int(d % 3 == t % 3)}\n" for t in range(1, 9) for d in range(1, 7))
_LOG = [
    {"query_id": f"s{n}", "user": f"u{n % 5}", "time": 1_772_442_930_000 + n * 60_000}
    | {"text": f"shoes number {n % 8 + 1}", "results": 5, "variant": "AB"[n % 5 % 2]}
    for n in range(40)
]
_EVENTS = [
    {"query_id": row["query_id"], "time": int(str(row["time"])) + 1_000 * (at + 1)}
    | {"action": action, "doc": f"d{n % 3 + 1}", "position": n % 3 + 1}
    for n, row in enumerate(_LOG)
    for at, action in enumerate(("impression", "click") if n % 4 else ("impression",))
]
_SCALE = """guidelines = "Judge the text, not what it links to."

[[grades]]
value = 0
name = "Not relevant"
guideline = "Nothing of what is asked for."

[[grades]]
value = 1
name = "On the subject"

[[grades]]
value = 2
name = "Answers it"
colour = "#15803d"
"""
_ENGINE = '''
import asyncio

async def search(query, k):
    """Finds what the query says."""
    await asyncio.sleep(0.002 + len(query) / 10_000)
    return [(word, float(k - at)) for at, word in enumerate(query.split()[:k])]

async def slower(query, k):
    await asyncio.sleep(0.004)
    return await search(query, k)

async def broken(query, k):
    raise ConnectionError("nobody there")
'''
_QUEPID = """query,docid,Rating
shoes number 1,d1,3
shoes number 1,d2,0
shoes number 2,d1,1
"""


def _lines(rows: list[dict[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _run(name: str, step: int) -> str:
    return "".join(
        f"q{t} Q0 d{(d * step + t) % 6 + 1} {d} {10 - d}.5 {name}\n"
        for t in range(1, 9)
        for d in range(1, 7)
    )


MADE = {
    "made/qrels.txt": QRELS,
    "made/second.txt": QRELS.replace("d1 1", "d1 0").replace("q3 0 d2 0", "q3 0 d2 2"),
    "made/third.txt": QRELS.replace("d4 1", "d4 0").replace("q8 0 d6 0\n", ""),
    "made/a.run": _run("a", 1),
    "made/b.run": _run("b", 5),
    "made/topics.tsv": "".join(f"q{t}\tshoes number {t}\n" for t in range(1, 9)),
    "made/kinds.csv": "id,kind\n" + "".join(f"q{t},{'ab'[t % 2]}\n" for t in range(1, 9)),
    "made/docs.jsonl": _lines(
        [
            {"id": f"d{d}", "title": f"shoe {d}", "text": f"A shoe of number {d} & <size> {d % 4}."}
            for d in range(1, 7)
        ]
    ),
    "made/docs.txt": "".join(f"d{d}\n" for d in range(1, 60)),
    "made/graded.tsv": "query_id\tdoc_id\tgrade\nq1\td6\t1\nq1\td4\t0\n",
    "made/sample.tsv": "query_id\tdoc_id\tgrade\nq1\td16\t1\nq1\td24\t0\nq2\td31\t0\n",
    "made/records.jsonl": _lines(
        [
            {"query_id": f"s{n}", "method": "team-draft", "seed": n, "version": 1}
            | {"docs": ["d1", "d2", "d3"], "team": ["B", "A", "B"] if n % 3 else ["A", "B", "A"]}
            for n in range(40)
        ]
    ),
    "made/engine.toml": 'kind = "http"\nurl = "http://127.0.0.1:9/?q={query}"\nids = "$.ids[*]"\n',
    "made/scale.toml": _SCALE,
    "made/guidelines.txt": "Read all of it.\n",
    "made/quepid.csv": _QUEPID,
    "made/grades.csv": "judge,query_id,doc_id,grade\nann,q1,d1,1\nann,q2,d1,0\nbob,q1,d1,0\n",
    "made/traffic.tsv": "solar power\t90\ncoal\t10\n",
    "made/energy.tsv": "q1\tsolar power\nq2\twind power\nq3\tcoal\n",
    "made/energy.qrels": "q1 0 solar 1\nq2 0 power 1\nq3 0 gas 1\n",
    "made/teams.tsv": "a\tteam1\nb\tteam2\n",
    "made/tuned.txt": "q1\nq2\n",
    "made/high.run": "q1 Q0 d1 1 0.5 me\nq1 Q0 d2 2 high me\n",
    "made/twice.run": "q1 Q0 d1 1 0.5 me\nq1 Q0 d1 2 0.4 me\nq2 Q0 d3 1 1 me\n",
    "made/ties.run": "".join(f"q{t} Q0 d{d} {d} 1.0 ties\n" for t in (1, 2) for d in range(1, 7)),
    "made/other.run": "x1 Q0 d1 1 0.5 me\n",
    "made/few.run": "q1 Q0 d1 1 0.5 me\n",
    "made/ranked.run": "q1 Q0 d1 2 9 me\nq1 Q0 d2 1 8 me\nq2 Q0 d3 1 nan me\n",
    "made/empty.txt": "",
    "made/bad.qrels": "q1 0 d1 one\nq1 0\n",
    "made/contradicting.qrels": "q1 0 d1 1\nq1 0 d1 2\n",
    "made/subtopics.qrels": "1 1 a 1\n1 2 a 0\n1 1 b 0\n1 2 b 1\n2 1 c 1\n",
    "made/weights.tsv": "1 1 0.7\n1 2 0.3\n2 1 1\n",
    "made/diverse.run": "1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n2 Q0 z 1 2 x\n2 Q0 c 2 1 x\n",
    "made/strata.qrels": "1 0 a 1 1\n1 0 b 1 0\n1 0 c 2 1\n1 0 d 2 -1\n2 0 e 1 1\n",
    "made/sampled.qrels": "1 a 1 1 1.0\n1 b 0 1 1.0\n1 c 1 1 0.5\n2 e 1 1 0.25\n",
    "made/sampled.run": "1 Q0 a 1 3 x\n1 Q0 c 2 2 x\n1 Q0 d 3 1 x\n2 Q0 e 1 2 x\n",
    "made/prefs.qrels": "1 j s a 2\n1 j s b 1\n1 j t b 2\n1 j t a 1\n",
    "made/zscores.txt": "1 map 0 1\n2 recip_rank 0.5 1\n",
    "made/one.qrels": "1 0 a 1\n1 0 b 2\n1 0 c 3\n1 0 x 0\n",
    "made/one.run": "1 Q0 b 1 2 mine\n1 Q0 a 2 1 mine\n1 Q0 z 3 0.5 mine\n",
    "made/scores.json": '{"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 1.5}}\n',
    "made/broken.json": '{"q1": {"d1": \n',
    "made/rephrasings.tsv": "t1\tamber ledge\nt1\tknoll\n",
    "made/stop.txt": "the a of\n",
    "made/corpus.tsv": "".join(f"d{n}\tdocument number {n}\n" for n in range(40)),
    "made/engine_of_words.py": _ENGINE,
    "made/mapping.yaml": "format: nothing\n",
    "log/queries.jsonl": _lines(list(_LOG)),
    "log/events.jsonl": _lines(_EVENTS),
}


@cache
def many() -> dict[str, str]:
    """Generate thirty queries with graded judgments and five runs of different quality."""
    chance = random.Random(1)
    topics, docs = range(1, 31), range(1, 61)
    true = {(t, d): int(4 * chance.random() ** 3) for t in topics for d in docs}
    judged = {key: grade for key, grade in true.items() if chance.random() < 0.6}
    files = {
        "many/qrels.txt": "".join(f"t{t} 0 d{d} {grade}\n" for (t, d), grade in judged.items()),
        "many/crowd.txt": "".join(
            f"t{t} 0 d{d} {max(0, grade - int(chance.random() < 0.3))}\n"
            for (t, d), grade in judged.items()
        ),
    }
    for name, skill in (("bm25", 0.9), ("dense", 1.1), ("lm", 0.85), ("rrf", 1.6), ("tfidf", 0.2)):
        lines = []
        for t in topics:
            scores = {d: skill * true[t, d] + 3 * chance.random() for d in docs}
            best = sorted(scores, key=lambda d: -scores[d])[:25]
            lines += [
                f"t{t} Q0 d{d} {rank} {scores[d]:.4f} {name}\n" for rank, d in enumerate(best, 1)
            ]
        files[f"many/{name}.run"] = "".join(lines)
    files["many/topics.csv"] = "id,language,words\n" + "".join(
        f"t{t},{('de', 'en', 'fr')[t % 3]},{t % 7 + 1}\n" for t in topics
    )
    words = [
        "amber",
        "birch",
        "cedar",
        "delta",
        "ember",
        "fjord",
        "glade",
        "heath",
        "inlet",
        "jetty",
        "knoll",
        "ledge",
    ]
    files["many/queries.tsv"] = "".join(
        f"t{t}\t{words[t % 12]} {words[t * 5 % 12]}\n" for t in topics
    )
    files["many/docs.jsonl"] = "".join(
        json.dumps({"id": f"d{d}", "title": words[d % 12].title(), "text": text}) + "\n"
        for d in docs
        for text in [" ".join(words[d * k % 12] for k in range(1, 9)) + "."]
    )
    return files


def fill(folder: Path, words: Collection[str]) -> None:
    """Write the files that these words name into a folder."""
    said = " ".join(words)
    for path in sorted((ROOT / "examples").iterdir()):
        named = f"examples/{path.name}" in said or f"examples.{path.stem}" in said
        if path.is_file() and (named or "examples" in words):
            (folder / "examples").mkdir(exist_ok=True)
            shutil.copy(path, folder / "examples")
    for name, content in {**MADE, **many()}.items():
        if (
            name in said
            or Path(name).stem in re.findall(r":(\w+):", said)
            or (name.startswith("log/") and "log" in words)
        ):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(content, encoding="utf-8")
