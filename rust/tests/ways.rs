//! Reads blocks of text in all ways that the core has: each gives the same rows, or the same failure.

mod alike;

use alike::same;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % limit as u64) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}

const QUERIES: [&str; 8] =
    ["1", "301", "1048585", "12345678", "q-of-twelve!", "a-query-id-of-more-than-16", "é", "#7"];
const DOCS: [&str; 8] = [
    "d",
    "7187158",
    "clueweb12-0000wb-00-00000",
    "msmarco_passage_02_179207466",
    "clueweb22-en0000-00-00000:123",
    "Größe",
    "an-id-that-makes-the-line-longer-than-64-bytes-and-than-a-window",
    "a\u{1}b\u{b}c\u{7f}",
];
const SCORES: [&str; 24] = [
    "1",
    "0",
    "-0",
    "-1.5",
    "22.187500",
    "+3",
    "1e-3",
    "inf",
    "-Infinity",
    ".5",
    "5.",
    "-.5",
    "99999999999999999999",
    "0.1234567890123456789",
    "9007199254740991",
    "9007199254740993",
    "123456.7890123",
    "00000000000000001.5",
    "nan",
    "x",
    "--1",
    "-",
    ".",
    "1.2.3",
];
const TAGS: [&str; 6] = [
    "tag",
    "t",
    "a tag of words",
    "tag\tand more",
    "étiquette",
    "a-tag-that-goes-on-for-long-and-on-and-on-over-sixty-four-bytes",
];
const BLANKS: [&str; 6] = [" ", " ", " ", "\t", "  ", " \t"];
const ENDS: [&str; 6] = ["\n", "\n", "\r\n", " \n", "\n\n", " \r\n"];

/// Lines of which most are rows, and most are alike.
fn lines(random: &mut Random) -> Vec<u8> {
    let mut all = String::new();
    let (query, blank, end) = (random.of(&QUERIES), random.of(&BLANKS), random.of(&ENDS));
    let valid = if random.below(4) == 0 { SCORES.len() } else { 18 };
    for line in 0..random.below(12) {
        let blank = if random.below(8) == 0 { random.of(&BLANKS) } else { blank };
        let query = if random.below(4) == 0 { random.of(&QUERIES) } else { query };
        let doc = format!("{}{line}", random.of(&DOCS));
        let doc = if random.below(4) == 0 { random.of(&DOCS) } else { &doc };
        let fields = [query, "Q0", doc, "1", SCORES[random.below(valid)], random.of(&TAGS)];
        if random.below(30) == 0 {
            all += " ";
        }
        all += &fields[..if random.below(60) == 0 { random.below(7) } else { 6 }].join(blank);
        all += if random.below(8) == 0 { random.of(&ENDS) } else { end };
    }
    if random.below(3) == 0 {
        all.pop();
    }
    all.into_bytes()
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(5) {
            0 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 => bytes.insert(at, b" \t\n\r#-.0e\"\0\xff"[random.below(12)]),
            3 => bytes.truncate(at),
            _ => {
                let from = random.below(at + 1);
                let part = bytes[from..at].to_vec();
                bytes.splice(from..from, part);
            }
        }
    }
}

#[test]
fn random_lines_are_read_alike() {
    let mut random = Random(1);
    let mut rows = 0;
    for round in 0..30_000 {
        let mut bytes = lines(&mut random);
        if round % 2 == 1 {
            damage(&mut bytes, &mut random);
        }
        rows += same(&bytes);
    }
    assert!(rows > 30_000, "{rows}");
}

#[test]
fn every_length_of_a_line_is_read_alike() {
    for pad in 0..200 {
        for (query, end) in [("7", "\n"), ("1048585", "\r\n"), ("a-long-query-id", "\n"), ("q", "")] {
            for field in 0..6 {
                let mut fields = [query, "Q0", "doc", "1", "2.5", "t"].map(String::from);
                fields[field] = format!("{}{}", fields[field], "0".repeat(pad));
                let line = fields.join(" ");
                assert!(same(format!("{line}{end}").as_bytes()) > 0);
                same(format!("{line}\n{line}{end}{line}\n").as_bytes());
            }
        }
    }
}

#[test]
fn every_byte_is_read_alike_everywhere() {
    let line = b"q1 Q0 d1 1 -2.5 tag\n";
    for at in 0..line.len() {
        for byte in 0..=255 {
            let mut bytes = [&line[..], line, &[b'x'; 70], b"\n"].concat();
            bytes[at] = byte;
            same(&bytes);
            same(&bytes[..2 * line.len()]);
        }
    }
}

#[test]
fn seeds_of_the_fuzz_target_are_read_alike() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/seeds/trec_rows");
    let mut read = 0;
    let mut random = Random(3);
    for seed in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(seed.unwrap().path()).unwrap();
        read += same(&bytes);
        for _ in 0..500 {
            let mut bytes = bytes.clone();
            damage(&mut bytes, &mut random);
            same(&bytes);
        }
    }
    assert!(read > 20, "{read}");
}
