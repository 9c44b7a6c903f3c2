"""Random inputs for trec_eval: small, and full of what real files have one in a thousand of.

Topics that don't match, ties, grades of all kinds, comments, scores that are no numbers, documents
twice; and options in all combinations.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

TOPICS = ["1", "2", "10", "301", "a", "Z", "é"]
DOCS = [f"d{i}" for i in range(14)] + ["D1", "x-1", "x.1", "ü"]
GRADES = {
    "binary": ["0", "1", "1"],
    "graded": ["0", "0", "1", "2", "3", "4"],
    "pooled": ["-1", "-1", "0", "1", "2"],
    "far below": ["-2", "-1", "-7", "0", "1"],
    "large": ["0", "1", "9", "10", "23"],
    "none relevant": ["0", "0", "-1"],
    "odd": ["0.9", "abc", "2x", "+1", "1e1", "1"],
}
SCORES = ["1", "2", "3", "0.5", "-1", "1.00000001", "1.0", "1e1", "10", "0.50000001", "7.25"]
ODD_SCORES = [*SCORES, "abc", "1x", ".5.5", "inf", "-inf", "0x1p2", "1e400"]
CUTOFFS = ["1", "2", "3", "5", "7.5", "10", "1000"]
LEVELS = ["0", ".1", ".25", "0.333", ".5", ".75", "1", "1.2", "-.1"]
GAINS = ["0=1", "1=3", "2=9", "3=1", "4=-2", "1=0", "2=-1", "1=5", "-1=2", "-2=1", "7=4"]
PLAIN = [
    "num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank infAP gm_bpref binG yaap",
    "set_P set_relative_P set_recall set_map num_nonrel_judged_ret runid num_q dcg ideal_dcg",
    "P recall ndcg_cut map_cut relative_P success unj iprec_at_recall Rprec_mult 11pt_avg",
    "relstring utility set_F G ndcg ndcg_rel Rndcg rbp rbp_resid",
]
NOT_IN_9 = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj")


@dataclass(frozen=True)
class Case:
    """Files by name, and the arguments that name them."""

    files: dict[str, str]
    arguments: list[str]
    version: int

    def write(self, folder: Path) -> list[str]:
        """Write the files; the arguments with their paths."""
        for name, text in self.files.items():
            (folder / name).write_bytes(text.encode())
        return [str(folder / word) if word in self.files else word for word in self.arguments]


def case(seed: int) -> Case:
    """The random case of this number."""
    random = Random(seed)
    version = random.choice((10, 10, 10, 9))
    kind = random.choices(("qrels", "qrels_jg", "prefs", "qrels_prefs"), (12, 2, 2, 2))[0]
    topics = random.sample(TOPICS, random.randint(1, 4))
    judged = {
        "qrels": _qrels,
        "qrels_jg": _groups,
        "prefs": _prefs,
        "qrels_prefs": _groups,
    }[kind](random, topics)
    files = {"qrels": _text(random, judged, comments=version == 10, blanks=False)}
    files["run"] = _text(random, _run(random, topics), comments=version == 10, blanks=True)
    arguments = _options(random, version)
    if kind != "qrels":
        arguments += ["-R", kind]
    arguments += _measures(random, kind, version)
    if random.random() < 0.1:
        arguments += ["-Z", "means"]
        files["means"] = _means(random, topics)
    arguments += ["qrels", "run"]
    return Case(files, arguments, version)


def _qrels(random: Random, topics: list[str]) -> list[str]:
    lines = []
    for topic in topics:
        kind = random.choice(list(GRADES)[:-1] if random.random() < 0.95 else ["odd"])
        docs = random.sample(DOCS, random.randint(1, len(DOCS)))
        lines += [f"{topic} 0 {doc} {random.choice(GRADES[kind])}" for doc in docs]
        # Where all grades of a topic lie below 0, trec_eval fails.
        lines += [f"{topic} 0 judged 0"] if min(GRADES[kind]) < "0" else []
    if random.random() < 0.03:
        lines.append(random.choice(lines))
    return lines


def _groups(random: Random, topics: list[str]) -> list[str]:
    lines = []
    for topic in topics:
        for group in random.sample(["a", "b", "c", "10"], random.randint(1, 3)):
            grades = random.choice([["0", "1"], ["0", "1", "2"], ["0", "0", "0", "1"], ["0"]])
            docs = random.sample(DOCS, random.randint(1, 10))
            lines += [f"{topic} {group} {doc} {random.choice(grades)}" for doc in docs]
    if random.random() < 0.03:
        lines.append(random.choice(lines))
    return lines


def _prefs(random: Random, topics: list[str]) -> list[str]:
    lines = []
    for topic in topics:
        for group in random.sample(["a", "b", "c"], random.randint(1, 3)):
            # Levels that follow one order of the documents never contradict each other.
            level = {doc: max(0, random.randint(-3, 4)) for doc in DOCS}
            for subgroup in range(random.randint(1, 3)):
                docs = random.sample(DOCS, random.randint(1, 7))
                lines += [f"{topic} {group} s{subgroup} {doc} {level[doc]}.0" for doc in docs]
    if random.random() < 0.03:
        lines.append(random.choice(lines))
    return lines


def _run(random: Random, topics: list[str]) -> list[str]:
    wanted = list(topics)
    if random.random() < 0.2:
        wanted = random.sample(wanted, random.randint(0, len(wanted)))
    if random.random() < 0.2 or not wanted:
        wanted.append("not-judged")
    scores = ODD_SCORES if random.random() < 0.1 else SCORES
    lines = []
    for topic in wanted:
        docs = random.sample([*DOCS, *(f"u{i}" for i in range(8))], random.randint(1, 16))
        if random.random() < 0.03:
            docs.append(random.choice(docs))
        more = " more" if random.random() < 0.1 else ""
        lines += [f"{topic} Q0 {doc} 7 {random.choice(scores)} tag{topic}{more}" for doc in docs]
    return lines


def _text(random: Random, lines: list[str], *, comments: bool, blanks: bool) -> str:
    """The lines in any order, and with what may stand between them."""
    lines = list(lines)
    if random.random() < 0.5:
        random.shuffle(lines)
    if comments and random.random() < 0.1:
        lines.insert(random.randrange(len(lines)), "# a comment")
    if blanks and random.random() < 0.1:
        lines.insert(random.randrange(len(lines)), random.choice(["", "  ", "\t"]))
    if random.random() < 0.1:
        lines = [random.choice(["", " "]) + line.replace(" ", "\t", 2) + " " for line in lines]
    if random.random() < 0.02:
        at = random.randrange(len(lines))
        lines[at] = lines[at].rpartition(" ")[0]
    end = "\r\n" if random.random() < 0.05 else "\n"
    return end.join(lines) + (end if random.random() < 0.9 else "")


def _options(random: Random, version: int) -> list[str]:
    options = ["-q"] if random.random() < 0.8 else []
    chances = {
        "-c": 0.4,
        "-n": 0.05,
        "-J": 0.15,
        "-o": 0.05,
        f"-l{random.choice('0123')}": 0.2,
        f"-M{random.choice(['1', '2', '3', '5', '100'])}": 0.2,
        f"-N{random.choice(['0', '20', '1000'])}": 0.1,
        f"-D0.{random.choice(TOPICS)}": 0.05,
        "-Ttrec_results": 0.05,
        "-Tother": 0.01,
    }
    return options + [option for option, chance in chances.items() if random.random() < chance]


def _measures(random: Random, kind: str, version: int) -> list[str]:
    if kind.endswith("prefs"):
        return random.choice([["-m", "all_prefs"], ["-m", "prefs"], ["-mprefs_pair", "-mrunid"]])
    if kind == "qrels_jg":
        mult = f"-mRprec_mult_avgjg.{_list(random, LEVELS)}"
        return random.choice([["-m", "qrels_jg"], ["-mmap_avgjg", mult], ["-mP_avgjg.1,3"]])
    roll = random.random()
    if roll < 0.1:
        return []
    if roll < 0.4:
        return ["-m", random.choice(["all_trec", "all_trec", "official", "set"])]
    chosen = [
        _with_parameters(random, name)
        for name in random.sample(" ".join(PLAIN).split(), random.randint(1, 8))
        if version == 10 or name not in NOT_IN_9
    ]
    # Parameters of ndcg would be taken for dcg's.
    if any(name.startswith("ndcg.") for name in chosen):
        chosen = [name for name in chosen if name.partition(".")[0] not in ("dcg", "ideal_dcg")]
    return [f"-m{name}" for name in chosen] or ["-mmap"]


def _with_parameters(random: Random, name: str) -> str:
    if random.random() < 0.4:
        return name
    if name in ("P", "recall", "ndcg_cut", "map_cut", "relative_P", "success", "unj"):
        return f"{name}.{_list(random, CUTOFFS)}"
    if name in ("iprec_at_recall", "Rprec_mult", "11pt_avg"):
        return f"{name}.{_list(random, LEVELS)}"
    if name in ("G", "ndcg", "ndcg_rel", "Rndcg"):
        gains = {gain.partition("=")[0]: gain for gain in random.sample(GAINS, 3)}
        return f"{name}.{','.join(gains.values())}"
    if name in ("rbp", "rbp_resid"):
        return f"{name}.p={random.choice(['.8', '0.5', '.95'])}"
    if name == "utility":
        return f"{name}.{random.choice(['1,-1,0,0', '2,-1,-.5,.1', '1,1', '-1,-1,0,0'])}"
    if name == "set_F":
        return f"{name}.{random.choice(['2', '.5', '0', '1.0'])}"
    if name == "relstring":
        return f"{name}.{random.choice(['3', '0', '20', 'x', '-2', '2.9'])}"
    return f"{name}.5" if random.random() < 0.1 else name


def _list(random: Random, choices: list[str]) -> str:
    return ",".join(random.sample(choices, random.randint(1, min(4, len(choices)))))


def _means(random: Random, topics: list[str]) -> str:
    names = ["map", "P_5", "num_ret", "num_rel", "ndcg", "gm_map", "bpref", "prefs_simp"]
    lines = [
        f"{topic} {name} {random.choice(['0', '.25', '0.5', '3'])} {random.choice(['0', '.1'])}"
        for topic in topics
        for name in random.sample(names, random.randint(1, len(names)))
    ]
    return "\n".join(lines) + "\n"
