//! Orders the results of one query, and reduces them to hits.

use hashbrown::hash_table::{Entry, HashTable};

use crate::judgments::{JudgedQuery, Judgments};
use crate::table::Duplicates;

/// The order of results with equal scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// The larger document id first, bytewise, as in trec_eval.
    Descending,
    /// The smaller document id first, bytewise.
    Ascending,
    /// The order of input.
    Input,
}

/// How results are ordered.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    pub ties: Ties,
    /// Compare scores as float32, as trec_eval 9 does.
    pub single: bool,
    pub duplicates: Duplicates,
    /// The number of first results whose ids are kept, for explanations.
    pub keep: usize,
    /// Drop a result whose id is the query's id, for queries that are documents themselves.
    pub drop_own: bool,
    /// Also keep results that are judged only for other queries.
    pub elsewhere: bool,
}

impl Order {
    /// The score to compare. -0.0, which rounding to single precision may also give, becomes 0.0.
    #[inline]
    pub fn comparable(self, score: f64) -> f64 {
        let score = if self.single { f64::from(score as f32) } else { score };
        score + 0.0
    }
}

/// A result that is judged. Ranks count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its row in the judgments; `None` if it is judged only for other queries.
    pub doc: Option<usize>,
    pub rank: u32,
    /// First and last rank of its group of equal scores.
    pub tied_from: u32,
    pub tied_to: u32,
}

/// The part of a query's results that is kept.
#[derive(Debug, Default, PartialEq)]
pub struct Reduced {
    pub hits: Vec<Hit>,
    pub returned: u32,
    /// The number of results that are tied with another.
    pub tied: u32,
    pub top: Vec<(Vec<u8>, f64)>,
}

/// The query already has this document, and duplicates are not allowed.
#[derive(Debug)]
pub struct Repeated;

/// The results of one query while they are read; reused for the next query.
pub struct Results<'a> {
    judgments: &'a Judgments,
    order: Order,
    docs: Vec<&'a [u8]>,
    scores: Vec<f64>,
    hashes: Vec<u64>,
    /// Rows by document, to detect duplicates and to find the judged documents.
    rows: HashTable<u32>,
    /// Rows whose document came before, each with its first row; only where both are kept.
    repeats: Vec<(u32, u32)>,
    /// Scores have decreased from row to row so far, so the order is the order of input.
    falling: bool,
    ranked: Vec<u32>,
}

impl<'a> Results<'a> {
    pub fn new(judgments: &'a Judgments, order: Order) -> Self {
        Results {
            judgments,
            order,
            docs: Vec::new(),
            scores: Vec::new(),
            hashes: Vec::new(),
            rows: HashTable::new(),
            repeats: Vec::new(),
            falling: true,
            ranked: Vec::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    /// Adds one result. Duplicates are an error unless they are allowed.
    #[inline]
    pub fn push(&mut self, doc: &'a [u8], score: f64) -> Result<(), Repeated> {
        let score = self.order.comparable(score);
        let hash = self.judgments.hash(doc);
        let next = self.docs.len() as u32;
        let (docs, hashes) = (&self.docs, &self.hashes);
        match self.rows.entry(hash, |&row| docs[row as usize] == doc, |&row| hashes[row as usize]) {
            Entry::Vacant(vacant) => {
                vacant.insert(next);
            }
            Entry::Occupied(earlier) => {
                let earlier = *earlier.get() as usize;
                match self.order.duplicates {
                    Duplicates::Refuse => return Err(Repeated),
                    Duplicates::KeepAll | Duplicates::CountOnce => self.repeats.push((next, earlier as u32)),
                    Duplicates::KeepBest if score > self.scores[earlier] => {
                        self.scores[earlier] = score;
                        self.falling = false;
                        return Ok(());
                    }
                    Duplicates::KeepFirst | Duplicates::KeepBest | Duplicates::Unchecked => return Ok(()),
                }
            }
        }
        self.falling &= self.scores.last().is_none_or(|&last| score < last);
        self.docs.push(doc);
        self.scores.push(score);
        self.hashes.push(hash);
        Ok(())
    }

    /// Ranks the results of a query, returns those that are judged, and clears the rest.
    pub fn reduce(&mut self, query: &[u8], judged: Option<JudgedQuery<'a>>) -> Reduced {
        if self.order.drop_own {
            self.remove(query);
        }
        let mut reduced = Reduced { returned: self.docs.len() as u32, ..Reduced::default() };
        if !self.falling {
            self.rank();
            reduced.tied = self.count_tied();
        }
        if let Some(judged) = judged {
            self.find_hits(judged, &mut reduced.hits);
            reduced.top = (0..self.docs.len().min(self.order.keep))
                .map(|position| {
                    let row = self.row_at(position);
                    (self.docs[row].to_vec(), self.scores[row])
                })
                .collect();
        }
        self.docs.clear();
        self.scores.clear();
        self.hashes.clear();
        self.rows.clear();
        self.repeats.clear();
        self.falling = true;
        reduced
    }

    /// Removes a document.
    fn remove(&mut self, doc: &[u8]) {
        let docs = &self.docs;
        let Ok(found) = self.rows.find_entry(self.judgments.hash(doc), |&row| docs[row as usize] == doc)
        else {
            return;
        };
        let (removed, _) = found.remove();
        let again: Vec<u32> =
            self.repeats.iter().filter(|(_, first)| *first == removed).map(|(row, _)| *row).collect();
        self.repeats.retain(|(_, first)| *first != removed);
        for row in again.into_iter().rev().chain([removed]) {
            self.remove_row(row);
        }
        self.falling |= self.docs.is_empty();
    }

    fn remove_row(&mut self, removed: u32) {
        let closed = |row: u32| if row > removed { row - 1 } else { row };
        self.rows.iter_mut().for_each(|row| *row = closed(*row));
        self.repeats.iter_mut().for_each(|(row, first)| (*row, *first) = (closed(*row), closed(*first)));
        self.docs.remove(removed as usize);
        self.scores.remove(removed as usize);
        self.hashes.remove(removed as usize);
    }

    /// The row that counts as the document: under `CountOnce` the repeat that ranks first.
    fn counted_row(&self, row: u32, position_of: &[u32]) -> u32 {
        if self.order.duplicates != Duplicates::CountOnce || self.falling {
            return row; // the first row has the highest score
        }
        let again = self.repeats.iter().filter(|(_, first)| *first == row).map(|(again, _)| *again);
        again.chain([row]).min_by_key(|&row| position_of[row as usize]).unwrap_or(row)
    }

    fn find_hits(&self, judged: JudgedQuery<'a>, hits: &mut Vec<Hit>) {
        let mut position_of = Vec::new();
        if !self.falling {
            position_of = vec![0u32; self.ranked.len()];
            for (position, &row) in self.ranked.iter().enumerate() {
                position_of[row as usize] = position as u32;
            }
        }
        let hit = |doc, row: u32| {
            if self.falling {
                Hit { doc, rank: row + 1, tied_from: row + 1, tied_to: row + 1 }
            } else {
                let (from, to) = self.tied_with(self.scores[row as usize]);
                Hit { doc, rank: position_of[row as usize] + 1, tied_from: from + 1, tied_to: to }
            }
        };
        let mut rest = vec![true; if self.order.elsewhere { self.docs.len() } else { 0 }];
        for (doc, id, hash) in judged.docs() {
            let Some(&row) = self.rows.find(hash, |&row| self.docs[row as usize] == id) else { continue };
            hits.push(hit(Some(doc), self.counted_row(row, &position_of)));
            if self.order.elsewhere {
                rest[row as usize] = false;
            }
            for &(again, _) in self.repeats.iter().filter(|(_, first)| *first == row) {
                if self.order.duplicates == Duplicates::KeepAll {
                    hits.push(hit(Some(doc), again));
                }
                if self.order.elsewhere {
                    rest[again as usize] = false;
                }
            }
        }
        let rest = rest.iter().enumerate().filter(|(_, &is_left)| is_left);
        for (row, _) in rest {
            if self.judgments.mention(self.docs[row], self.hashes[row]) {
                hits.push(hit(None, row as u32));
            }
        }
        hits.sort_unstable_by_key(|hit| hit.rank);
    }

    fn rank(&mut self) {
        let Results { ranked, scores, docs, order, .. } = self;
        rank_rows(ranked, scores, |row| docs[row as usize], order.ties);
    }

    fn row_at(&self, position: usize) -> usize {
        if self.falling {
            position
        } else {
            self.ranked[position] as usize
        }
    }

    /// The range of positions of the results with this score.
    fn tied_with(&self, score: f64) -> (u32, u32) {
        let from = self.ranked.partition_point(|&row| self.scores[row as usize] > score);
        let to = self.ranked.partition_point(|&row| self.scores[row as usize] >= score);
        (from as u32, to as u32)
    }

    fn count_tied(&self) -> u32 {
        let score = |i: usize| self.scores[self.ranked[i] as usize];
        let last = self.ranked.len() - 1;
        (0..=last)
            .filter(|&i| (i > 0 && score(i) == score(i - 1)) || (i < last && score(i) == score(i + 1)))
            .count() as u32
    }
}

/// Sorts row numbers by score, and rows with equal scores by `ties`.
pub fn rank_rows<'a>(ranked: &mut Vec<u32>, scores: &[f64], doc: impl Fn(u32) -> &'a [u8], ties: Ties) {
    ranked.clear();
    ranked.extend(0..scores.len() as u32);
    // No score is NaN or -0.0, so this is the usual order of numbers.
    let by_score = |a: &u32, b: &u32| scores[*b as usize].total_cmp(&scores[*a as usize]);
    if !scores.is_sorted_by(|a, b| a >= b) {
        // A stable sort keeps the order of input among equal scores.
        ranked.sort_by(by_score);
    }
    if ties == Ties::Input {
        return;
    }
    let mut start = 0;
    while start < ranked.len() {
        let score = scores[ranked[start] as usize];
        let length = ranked[start..].iter().take_while(|&&row| scores[row as usize] == score).count();
        let group = &mut ranked[start..start + length];
        if ties == Ties::Descending {
            group.sort_unstable_by(|&a, &b| doc(b).cmp(doc(a)));
        } else {
            group.sort_unstable_by(|&a, &b| doc(a).cmp(doc(b)));
        }
        start += length;
    }
}
