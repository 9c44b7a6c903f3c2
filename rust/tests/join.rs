//! Compares the path from text to hits with a slow and obvious implementation.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;

use cleverdon_core::join::{self, Joined};
use cleverdon_core::judgments::Judgments;
use cleverdon_core::layout::{Layout, Separator, Value};
use cleverdon_core::problem::Problem;
use cleverdon_core::ranking::{Hit, Order, Reduced, Ties};
use cleverdon_core::source::Source;
use cleverdon_core::table::{Duplicates, Table};
use cleverdon_core::watch::Watch;

fn run_layout() -> Layout {
    Layout {
        separator: Separator::Blanks,
        query: 0,
        doc: 2,
        value: 4,
        kind: Value::Score,
        least: 6,
        most: usize::MAX,
        shape: "query Q0 document rank score tag".into(),
        header: 0,
        alone: false,
        comments: true,
        decimal: None,
    }
}

fn qrels_layout() -> Layout {
    Layout { doc: 2, value: 3, kind: Value::Grade, least: 4, most: 4, ..run_layout() }
}

const ORDER: Order = Order {
    ties: Ties::Descending,
    single: false,
    duplicates: Duplicates::Refuse,
    keep: 2,
    drop_own: false,
    elsewhere: false,
};

/// A source of these bytes, in a file that lives as long as the first element of the result.
fn source(bytes: &[u8]) -> (tempfile::NamedTempFile, Source) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let opened = Source::open(file.path().to_str().unwrap(), &Watch::default()).unwrap();
    (file, opened)
}

fn judgments(text: &str) -> Judgments {
    let (_file, source) = source(text.as_bytes());
    let table = Table::read(&source, &qrels_layout(), Duplicates::Refuse, &Watch::default()).unwrap();
    Judgments::new(&table)
}

fn streamed(bytes: &[u8], judgments: &Judgments) -> Result<Joined, Problem> {
    let (_file, source) = source(bytes);
    join::text(&source, &run_layout(), judgments, ORDER, &Watch::default())
}

/// A seeded generator of pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}

/// Rows of (query, document, score) with many equal scores; each document occurs once per query.
fn rows(random: &mut Random, queries: u64, depth: u64) -> Vec<(String, String, i64)> {
    let mut rows = Vec::new();
    for query in 0..queries {
        for doc in 0..1 + random.below(depth) {
            rows.push((format!("q{query}"), format!("d{doc}"), random.below(20) as i64));
        }
    }
    rows
}

fn text(rows: &[(String, String, i64)]) -> String {
    rows.iter().map(|(query, doc, score)| format!("{query} Q0 {doc} 0 {score} tag\n")).collect()
}

fn some_judgments(random: &mut Random, queries: u64, depth: u64) -> String {
    let judged = (0..queries).flat_map(|query| (0..depth).map(move |doc| (query, doc)));
    judged
        .filter(|_| random.below(3) == 0)
        .map(|(query, doc)| format!("q{query} 0 d{doc} {}\n", (query + doc) % 4))
        .collect()
}

/// Computes the hits of every judged query by sorting everything.
fn obvious(rows: &[(String, String, i64)], judgments: &Judgments) -> BTreeMap<String, Vec<Hit>> {
    let mut by_query: HashMap<&str, Vec<(i64, &str)>> = HashMap::new();
    for (query, doc, score) in rows {
        by_query.entry(query).or_default().push((*score, doc));
    }
    let mut hits = BTreeMap::new();
    for (query, mut results) in by_query {
        let Some(position) = judgments.position(query.as_bytes()) else { continue };
        results.sort_by(|a, b| b.cmp(a));
        let judged: HashMap<&[u8], usize> =
            judgments.of(position).docs().map(|(row, id, _)| (id, row)).collect();
        let found = results.iter().enumerate().filter_map(|(i, (score, doc))| {
            let above = results.iter().filter(|(other, _)| other > score).count() as u32;
            let tied = results.iter().filter(|(other, _)| other == score).count() as u32;
            judged.get(doc.as_bytes()).map(|&row| Hit {
                doc: Some(row),
                rank: i as u32 + 1,
                tied_from: above + 1,
                tied_to: above + tied,
            })
        });
        hits.insert(query.to_string(), found.collect());
    }
    hits
}

fn found(joined: &Joined, judgments: &Judgments) -> BTreeMap<String, Vec<Hit>> {
    let named = judgments.queries.iter().zip(&joined.queries);
    named
        .filter_map(|(id, reduced)| {
            let name = String::from_utf8(id.to_vec()).unwrap();
            reduced.as_ref().map(|reduced| (name, reduced.hits.clone()))
        })
        .collect()
}

#[test]
fn hits_are_those_of_sorting_everything() {
    let mut random = Random(1);
    for round in 0..60 {
        let judgments = judgments(&format!(
            "q0 0 d0 1\n{}",
            some_judgments(&mut random, 8, 40).replace("q0 0 d0 0\n", "")
        ));
        let mut rows = rows(&mut random, 12, 60);
        match round % 3 {
            0 => {}
            1 => random.shuffle(&mut rows),
            _ => rows.sort_by(|a, b| (&a.0, b.2).cmp(&(&b.0, a.2))),
        }
        let joined = streamed(text(&rows).as_bytes(), &judgments).unwrap();
        assert_eq!(found(&joined, &judgments), obvious(&rows, &judgments), "round {round}");
    }
}

#[test]
fn a_large_file_in_any_order_gives_the_same_hits() {
    let mut random = Random(2);
    let judgments = judgments(&some_judgments(&mut random, 300, 30));
    let mut rows = rows(&mut random, 400, 900);
    let together = streamed(text(&rows).as_bytes(), &judgments).unwrap();
    assert_eq!(found(&together, &judgments), obvious(&rows, &judgments));
    random.shuffle(&mut rows);
    let scattered = streamed(text(&rows).as_bytes(), &judgments).unwrap();
    assert_eq!(found(&scattered, &judgments), found(&together, &judgments));
    assert_eq!(
        (scattered.rows, scattered.tied, scattered.extra),
        (together.rows, together.tied, together.extra)
    );
}

#[test]
fn a_query_larger_than_a_block_stays_whole() {
    let judgments = judgments("q 0 d7 1\nother 0 d0 1\n");
    let mut text: String = (0..100_000).map(|i| format!("q Q0 d{i} 0 {} tag\n", 100_000 - i)).collect();
    text += "other Q0 d0 0 1 tag";
    let joined = streamed(text.as_bytes(), &judgments).unwrap();
    let returned = |i: usize| joined.queries[i].as_ref().unwrap().returned;
    assert_eq!((returned(0), returned(1)), (1, 100_000));
    assert_eq!(joined.queries[1].as_ref().unwrap().hits[0].rank, 8);
}

#[test]
fn packed_text_gives_the_same_hits() {
    let mut random = Random(3);
    let judgments = judgments(&some_judgments(&mut random, 50, 30));
    let mut rows = rows(&mut random, 60, 900);
    random.shuffle(&mut rows);
    let text = text(&rows);
    let mut packed: Vec<Vec<u8>> = Vec::new();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    packed.push(gzip.finish().unwrap());
    packed.push(zstd::encode_all(text.as_bytes(), 1).unwrap());
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bzip2.write_all(text.as_bytes()).unwrap();
    packed.push(bzip2.finish().unwrap());
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
    xz.write_all(text.as_bytes()).unwrap();
    packed.push(xz.finish().unwrap());
    for bytes in packed {
        let joined = streamed(&bytes, &judgments).unwrap();
        assert_eq!(found(&joined, &judgments), obvious(&rows, &judgments));
    }
}

#[test]
fn the_first_problem_is_named_with_its_line() {
    let judgments = judgments("q0 0 d0 1\n");
    let mut lines: Vec<String> = (0..200_000).map(|i| format!("q{} Q0 d{i} 0 1.5 tag\n", i / 100)).collect();
    lines[150_000] = "q1500 Q0 d150000 0 much tag\n".into();
    lines[190_000] = "too few\n".into();
    let problem = streamed(lines.concat().as_bytes(), &judgments).unwrap_err();
    let Problem::Input { line, column, message, .. } = problem else { panic!("{problem:?}") };
    assert_eq!((line, column), (Some(150_001), Some(20)));
    assert_eq!(message, "the score 'much' is not a number");
}

#[test]
fn a_document_that_comes_twice_is_named_with_both_lines() {
    let judgments = judgments("q0 0 d0 1\n");
    for (first, second) in [(10, 11), (10, 150_000)] {
        let mut lines: Vec<String> =
            (0..200_000).map(|i| format!("q{} Q0 d{i} 0 1.5 tag\n", i / 100)).collect();
        lines[second] = lines[first].clone();
        let problem = streamed(lines.concat().as_bytes(), &judgments).unwrap_err();
        let Problem::Input { line, message, .. } = problem else { panic!("{problem:?}") };
        assert_eq!(line, Some(second as u64 + 1));
        assert_eq!(
            message,
            format!("document 'd{first}' occurs twice for query 'q0', first on line {}", first + 1)
        );
    }
}

#[test]
fn duplicates_can_be_kept_by_rule() {
    let judgments = judgments("q 0 a 1\nq 0 b 1\n");
    let text = "q Q0 a 1 1 t\nq Q0 b 2 2 t\nq Q0 a 3 3 t\n";
    let (_file, source) = source(text.as_bytes());
    for (duplicates, rank_of_a) in [(Duplicates::KeepFirst, 2), (Duplicates::KeepBest, 1)] {
        let order = Order { duplicates, ..ORDER };
        let joined = join::text(&source, &run_layout(), &judgments, order, &Watch::default()).unwrap();
        let table = Table::read(&source, &run_layout(), duplicates, &Watch::default()).unwrap();
        let same = join::table(&table, &judgments, order, &Watch::default()).unwrap();
        for joined in [joined, same] {
            let hits = &joined.queries[0].as_ref().unwrap().hits;
            assert_eq!(hits.iter().find(|hit| hit.doc == Some(0)).unwrap().rank, rank_of_a);
        }
    }
}

/// A document's row in the judgments, its rank, and the first and last rank of its group of ties.
type Place = (Option<usize>, u32, u32, u32);

/// The hits of each judged query, from text and from a table, which must agree.
fn both_ways(text: &str, judgments: &Judgments, order: Order) -> Vec<Vec<Place>> {
    let (_file, source) = source(text.as_bytes());
    let streamed = join::text(&source, &run_layout(), judgments, order, &Watch::default()).unwrap();
    let table = Table::read(&source, &run_layout(), order.duplicates, &Watch::default()).unwrap();
    let held = join::table(&table, judgments, order, &Watch::default()).unwrap();
    assert_eq!(streamed.queries, held.queries);
    let hits = |reduced: Option<Reduced>| {
        let hits = reduced.unwrap_or_default().hits.into_iter();
        hits.map(|hit| (hit.doc, hit.rank, hit.tied_from, hit.tied_to)).collect()
    };
    held.queries.into_iter().map(hits).collect()
}

#[test]
fn the_querys_own_document_can_be_left_out() {
    let judgments = judgments("a 0 a 1\na 0 b 1\nb 0 a 1\nb 0 b 1\nc 0 c 1\n");
    // Decreasing scores, ties, a single row; `b` occurs in two places.
    let text = "b Q0 b 0 1 t\na Q0 a 0 3 t\na Q0 x 0 2 t\na Q0 b 0 1 t\nc Q0 c 0 1 t\nb Q0 a 0 1 t\n";
    let order = Order { drop_own: true, ..ORDER };
    let hits = both_ways(text, &judgments, order);
    assert_eq!(hits, [vec![(Some(1), 2, 2, 2)], vec![(Some(2), 1, 1, 1)], vec![]]);
    let (_file, source) = source(text.as_bytes());
    let joined = join::text(&source, &run_layout(), &judgments, order, &Watch::default()).unwrap();
    let alone = joined.queries[2].as_ref().expect("nothing was returned, and yet the query is there");
    assert_eq!((alone.returned, alone.tied, alone.top.len()), (0, 0, 0));
    assert_eq!((joined.rows, joined.tied), (3, 0));
}

#[test]
fn a_document_left_out_may_have_come_twice() {
    let judgments = judgments("q 0 q 1\nq 0 a 1\n");
    let order = Order { drop_own: true, duplicates: Duplicates::KeepBest, ..ORDER };
    assert_eq!(both_ways("q Q0 q 0 1 t\nq Q0 q 0 2 t\n", &judgments, order), [vec![]]);
    let text = "q Q0 q 0 1 t\nq Q0 a 0 3 t\nq Q0 q 0 2 t\n";
    assert_eq!(both_ways(text, &judgments, order), [vec![(Some(0), 1, 1, 1)]]);
}

#[test]
fn results_that_are_judged_for_another_query_can_be_kept() {
    let judgments = judgments("q1 0 a 1\nq2 0 b 0\nq2 0 a 1\n");
    let text = "q1 Q0 b 0 4 t\nq1 Q0 x 0 3 t\nq1 Q0 a 0 2 t\nq2 Q0 y 0 1 t\nq2 Q0 b 0 1 t\n";
    let order = Order { elsewhere: true, ..ORDER };
    let hits = both_ways(text, &judgments, order);
    assert_eq!(hits[0], [(None, 1, 1, 1), (Some(0), 3, 3, 3)]);
    assert_eq!(hits[1], [(Some(2), 2, 1, 2)]);
    assert_eq!(both_ways(text, &judgments, ORDER)[0], [(Some(0), 3, 3, 3)]);
}

#[test]
fn a_cancelled_watch_ends_the_work() {
    let judgments = judgments("q0 0 d0 1\n");
    let (_file, source) = source(b"q0 Q0 d0 0 1 t\n");
    let watch = Watch::default();
    watch.cancel();
    let outcome = join::text(&source, &run_layout(), &judgments, ORDER, &watch);
    assert!(matches!(outcome, Err(Problem::Interrupted)));
}

#[test]
fn damaged_text_never_panics() {
    let judgments = judgments("q0 0 d0 1\n");
    let mut random = Random(4);
    let valid = text(&rows(&mut random, 5, 30)).into_bytes();
    for _ in 0..3000 {
        let mut bytes = valid.clone();
        for _ in 0..1 + random.below(6) {
            let at = random.below(bytes.len() as u64) as usize;
            match random.below(4) {
                0 => bytes[at] = random.below(256) as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b" \t\n\r#-.0e\""[random.below(10) as usize]),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let _ = streamed(&bytes, &judgments);
    }
}

#[test]
fn a_document_that_came_twice_may_count_twice_or_once() {
    let judgments = judgments("q 0 a 1\nq 0 b 1\n");
    let text = "q Q0 a 0 3 t\nq Q0 x 0 2 t\nq Q0 a 0 1 t\nq Q0 b 0 0 t\n";
    let keep = Order { duplicates: Duplicates::KeepAll, ..ORDER };
    assert_eq!(
        both_ways(text, &judgments, keep),
        [vec![(Some(0), 1, 1, 1), (Some(0), 3, 3, 3), (Some(1), 4, 4, 4)]]
    );
    let once = Order { duplicates: Duplicates::CountOnce, ..ORDER };
    assert_eq!(both_ways(text, &judgments, once), [vec![(Some(0), 1, 1, 1), (Some(1), 4, 4, 4)]]);
    // Where the scores do not fall, the one that ranks first counts.
    let text = "q Q0 a 0 1 t\nq Q0 b 0 2 t\nq Q0 a 0 3 t\n";
    assert_eq!(both_ways(text, &judgments, once), [vec![(Some(0), 1, 1, 1), (Some(1), 2, 2, 2)]]);
    // The query's own document goes, however often it came.
    let own = Order { drop_own: true, ..keep };
    let text = "a Q0 a 0 4 t\na Q0 b 0 3 t\na Q0 a 0 2 t\na Q0 b 0 1 t\n";
    let judgments = crate::judgments("a 0 a 1\na 0 b 1\n");
    assert_eq!(both_ways(text, &judgments, own), [vec![(Some(1), 1, 1, 1), (Some(1), 2, 2, 2)]]);
}
